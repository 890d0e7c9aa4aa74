"""One side of a comparison: which suites ran in which leg, how far, and with which tests. Pure."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from rocm_ci.model.case import CaseStatus
from rocm_ci.model.result import TestResult
from rocm_ci.model.verdict import Verdict
from rocm_ci.report.bounds import MAX_ITEMS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocm_ci.model.case import Case
    from rocm_ci.model.report import Report
    from rocm_ci.model.result import Suite

# A leg of the matrix and a suite in it.
Place: TypeAlias = "tuple[str, str]"
# Of several tests with one id the worst speaks for all.
_WORST_FIRST = (
    CaseStatus.ERRORED,
    CaseStatus.FAILED,
    CaseStatus.FLAKY,
    CaseStatus.PASSED,
    CaseStatus.SKIPPED,
)
_RANK = {status: rank for rank, status in enumerate(_WORST_FIRST)}
_SIGNALS_FROM = 128
# How much of a suite must be found again under another name for it to count as the same one.
_SAME = 0.5


@dataclass(frozen=True, kw_only=True)
class Ran:
    """A suite as it ran. `reds` counts the red ones of an id that several tests share.

    `began` is false when it was skipped or never started; `whole` when the list of its tests is all of them.
    """

    cases: Mapping[str, Case]
    reds: Mapping[str, int]
    began: bool
    whole: bool


@dataclass(frozen=True, kw_only=True)
class Side:
    """`legs` are all legs with a report, `tested` those whose tests ran. `renamed`: suite → its old name.

    `leg_names` is what legs of this side are called on the other one, where that differs.
    """

    suites: Mapping[Place, Ran]
    legs: tuple[str, ...]
    tested: frozenset[str]
    renamed: Mapping[Place, str] = field(default_factory=dict)
    leg_names: Mapping[str, str] = field(default_factory=dict)


def side(report: Report) -> Side:
    """Go through a report once."""
    suites: dict[Place, Ran] = {}
    tested = set()
    for result in report.results:
        if not isinstance(result, TestResult):
            continue
        if result.suites:
            tested.add(result.leg)
        for suite in result.suites:
            place = (result.leg, suite.name)
            ran = _ran(suite, interrupted=report.interrupted)
            suites[place] = _both(suites[place], ran) if place in suites else ran
    legs = [leg.name for leg in report.legs] or [result.leg for result in report.results]
    return Side(suites=suites, legs=tuple(dict.fromkeys(legs)), tested=frozenset(tested))


def _ran(suite: Suite, *, interrupted: bool) -> Ran:
    cases: dict[str, Case] = {case.id: case for case in suite.cases}
    reds: Counter[str] = Counter()
    if len(cases) != len(suite.cases):
        cases = {}
        for case in suite.cases:
            reds[case.id] += case.status in (CaseStatus.FAILED, CaseStatus.ERRORED)
            if case.id not in cases or _RANK[case.status] < _RANK[cases[case.id].status]:
                cases[case.id] = case
    skipped = suite.verdict is Verdict.SKIPPED
    return Ran(
        cases=cases,
        reds=reds,
        began=bool(cases) or not (skipped or suite.verdict is Verdict.ERROR),
        whole=not (interrupted or skipped or _broken_off(suite)),
    )


def _broken_off(suite: Suite) -> bool:
    """Whether tests may have been left out: it ran out of time, crashed, or the machine failed."""
    code = suite.exit_code
    return (
        suite.timed_out
        or suite.verdict is Verdict.ERROR
        or (code is not None and (code < 0 or code >= _SIGNALS_FROM))
        or (not suite.cases and suite.verdict is not Verdict.PASS)
        or len(suite.cases) + suite.unlisted >= MAX_ITEMS
        or suite.unlisted > 0
    )


def _both(one: Ran, other: Ran) -> Ran:
    """Two suites of one name, in a report that nobody vouches for, are taken together."""
    return Ran(
        cases={**one.cases, **other.cases},
        reds={**one.reds, **other.reds},
        began=one.began or other.began,
        whole=one.whole and other.whole,
    )


def paired(old: Side, new: Side) -> tuple[Side, Side]:
    """Both sides under the names of the new one.

    A project that gets its first matrix, of one leg, or gives it up, has one leg on either side: the same.
    Then suites are followed that go by another name now but hold the same tests.
    """
    if len(old.legs) == len(new.legs) == 1 and old.legs != new.legs and "" in (*old.legs, *new.legs):
        leg = new.legs[0]
        old = replace(
            old,
            suites={(leg, name): ran for (_, name), ran in old.suites.items()},
            legs=(leg,),
            tested=frozenset({leg} if old.tested else ()),
            leg_names={old.legs[0]: leg},
        )
    renamed = _renamed(old, new)
    if not renamed:
        return old, new
    now_called = {(leg, was): (leg, name) for (leg, name), was in renamed.items()}
    suites = {now_called.get(place, place): ran for place, ran in old.suites.items()}
    return replace(old, suites=suites), replace(new, renamed=renamed)


def _renamed(old: Side, new: Side) -> dict[Place, str]:
    lost = {place: ran for place, ran in old.suites.items() if place not in new.suites and ran.cases}
    come = {place: ran for place, ran in new.suites.items() if place not in old.suites and ran.cases}
    if not lost or not come:
        return {}
    homes: dict[tuple[str, str], list[Place]] = {}
    for place, ran in lost.items():
        for test in ran.cases:
            homes.setdefault((place[0], test), []).append(place)
    found: dict[Place, str] = {}
    taken: set[Place] = set()
    for place, ran in come.items():
        shared = Counter(
            home for test in ran.cases for home in homes.get((place[0], test), ())[:8] if home not in taken
        )
        for home, count in shared.most_common(1):
            if count >= _SAME * max(len(ran.cases), len(lost[home].cases)):
                found[place] = home[1]
                taken.add(home)
    return found
