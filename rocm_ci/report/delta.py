"""What a report changes against the last one of its base: tests by name, not only counts. Pure.

A test is known by the leg of the matrix, its suite and its id. Only what was seen on both sides is
judged: a suite that did not run to its end here has removed nothing, and a failure in a suite that the
base has no answer to is neither new nor old.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from rocm_ci.model.case import CaseStatus
from rocm_ci.model.finding import Severity
from rocm_ci.model.result import BuildResult
from rocm_ci.report import words
from rocm_ci.report.delta_side import Place, Side, paired, side

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from rocm_ci.model.case import Case
    from rocm_ci.model.report import Report
    from rocm_ci.report.delta_side import Ran

_RED = (CaseStatus.FAILED, CaseStatus.ERRORED)
Key: TypeAlias = "tuple[str, str, str]"


@dataclass(frozen=True, kw_only=True)
class Named:
    """A test, with its suite and the leg of the matrix it ran in; in the case of `removed`, as it was.

    `before` is how it ended on the base; None where it was not there, or not run.
    """

    suite: str
    case: Case
    leg: str = ""
    before: CaseStatus | None = None


@dataclass(frozen=True, kw_only=True)
class Delta:
    """Tests of the head against those of the base's report.

    `base` is the commit of that report, `base_ref` the branch; `is_merge_base` whether it is the very
    commit the change stands on. `also_red` failed before too: not this change's doing. `unknown` fail, and
    the base did not run them. `flaky` are flaky now and were not. `added` are all tests that the base does
    not have, however they ended. `compared` are the suites (leg, name) that both sides ran, `unrun` those
    that did not end here though they did on the base; `renamed` maps a suite to its old name.
    `missing_legs` have no report here, `new_legs` none on the base. `warnings` is, for each leg that built
    on both sides, how many build warnings there are that the base does not have.
    """

    base: str
    is_merge_base: bool
    base_ref: str = ""
    new_failures: tuple[Named, ...] = ()
    fixed: tuple[Named, ...] = ()
    also_red: tuple[Named, ...] = ()
    unknown: tuple[Named, ...] = ()
    newly_skipped: tuple[Named, ...] = ()
    removed: tuple[Named, ...] = ()
    added: tuple[Named, ...] = ()
    flaky: tuple[Named, ...] = ()
    compared: tuple[Place, ...] = ()
    new_suites: tuple[Place, ...] = ()
    gone_suites: tuple[Place, ...] = ()
    unrun: tuple[Place, ...] = ()
    renamed: Mapping[Place, str] = field(default_factory=dict)
    missing_legs: tuple[str, ...] = ()
    new_legs: tuple[str, ...] = ()
    warnings: Mapping[str, int] = field(default_factory=dict)

    @property
    def says_nothing(self) -> bool:
        """Whether the two sides have no suite, no leg and no build in common."""
        return not (self.compared or self.new_suites or self.gone_suites or self.unrun or self.warnings)

    def is_new(self, leg: str, suite: str, test: str) -> bool:
        """Whether a red test is new: it passed on the base, or was not there."""
        return (leg, suite, test) in self._new

    def was_red(self, leg: str, suite: str, test: str) -> bool:
        """Whether a red test failed on the base, too."""
        return (leg, suite, test) in self._old

    @cached_property
    def _new(self) -> frozenset[Key]:
        return frozenset((n.leg, n.suite, n.case.id) for n in self.new_failures)

    @cached_property
    def _old(self) -> frozenset[Key]:
        return frozenset((n.leg, n.suite, n.case.id) for n in self.also_red)

    @cached_property
    def counts(self) -> Mapping[str, Mapping[Place, int]]:
        """For each kind of change, how many tests of each suite."""
        kinds = ("new_failures", "fixed", "also_red", "newly_skipped", "removed", "added", "flaky")
        return {kind: Counter((n.leg, n.suite) for n in getattr(self, kind)) for kind in kinds}


def delta(base: Report, head: Report, *, base_commit: str = "", merge_base: str | None = None) -> Delta:
    """Compare two reports. What they claim to be about is used only where the caller does not know better."""
    commit = base_commit or base.event.head
    stands_on = merge_base or head.event.merge_base
    old, new = paired(side(base), side(head))
    found = _Found()
    for place, now in new.suites.items():
        found.look(place, now, old)
    _gone(found, old, new)
    return Delta(
        base=commit,
        is_merge_base=commit == stands_on,
        base_ref=head.event.base_ref or "",
        **{name: tuple(getattr(found, name)) for name in _LISTS},
        renamed=new.renamed,
        missing_legs=tuple(leg for leg in old.legs if leg not in new.legs),
        new_legs=tuple(leg for leg in new.legs if leg not in old.legs),
        warnings=_warnings(base, head, old.leg_names),
    )


_LISTS = (
    "new_failures",
    "fixed",
    "also_red",
    "unknown",
    "newly_skipped",
    "removed",
    "added",
    "flaky",
    "compared",
    "new_suites",
    "gone_suites",
    "unrun",
)


class _Found:
    """What was found so far, suite by suite."""

    def __init__(self) -> None:
        self.new_failures: list[Named] = []
        self.fixed: list[Named] = []
        self.also_red: list[Named] = []
        self.unknown: list[Named] = []
        self.newly_skipped: list[Named] = []
        self.removed: list[Named] = []
        self.added: list[Named] = []
        self.flaky: list[Named] = []
        self.compared: list[Place] = []
        self.new_suites: list[Place] = []
        self.gone_suites: list[Place] = []
        self.unrun: list[Place] = []

    def look(self, place: Place, now: Ran, old: Side) -> None:
        """One suite of the head."""
        before = old.suites.get(place)
        if before is None or not before.began:
            knows = before is None and place[0] in old.tested
            if knows and now.began:
                self.new_suites.append(place)
            for case in now.cases.values():
                self._added(place, case, is_known=knows)
            return
        if now.began:
            self.compared.append(place)
        if not (now.whole and now.began) and before.cases:
            self.unrun.append(place)
        for test, case in now.cases.items():
            was = before.cases.get(test)
            if was is None:
                self._added(place, case, is_known=before.whole)
            elif was.status is not case.status or case.status in _RED:
                more = now.reds.get(test, 1) > before.reds.get(test, 1)
                self._changed(Named(suite=place[1], leg=place[0], case=case, before=was.status), more=more)
        if now.whole and now.began:
            gone = (case for test, case in before.cases.items() if test not in now.cases)
            self.take_away(place, gone)

    def take_away(self, place: Place, cases: Iterable[Case]) -> None:
        """Tests that only the base has."""
        self.removed += [Named(suite=place[1], leg=place[0], case=c, before=c.status) for c in cases]

    def _added(self, place: Place, case: Case, *, is_known: bool) -> None:
        named = Named(suite=place[1], leg=place[0], case=case)
        if is_known:
            self.added.append(named)
            if case.status is CaseStatus.FLAKY:
                self.flaky.append(named)
        if case.status in _RED:
            (self.new_failures if is_known else self.unknown).append(named)

    def _changed(self, named: Named, *, more: bool) -> None:
        """A test that both have. With `more`, more of several tests of one id fail than did."""
        now, before = named.case.status, named.before
        if now in _RED:
            (self.also_red if before in _RED and not more else self.new_failures).append(named)
        elif now is CaseStatus.SKIPPED:
            self.newly_skipped.append(named)
        elif now is CaseStatus.FLAKY:
            self.flaky.append(named)
        elif before in _RED:
            self.fixed.append(named)


def _gone(found: _Found, old: Side, new: Side) -> None:
    """Suites that only the base has. Where no test ran here at all, that says nothing of them."""
    for place, before in old.suites.items():
        if place in new.suites or not before.began or place[0] not in new.legs:
            continue
        if place[0] in new.tested:
            found.gone_suites.append(place)
            found.take_away(place, before.cases.values())
        else:
            found.unrun.append(place)


def _warnings(base: Report, head: Report, leg_names: Mapping[str, str]) -> dict[str, int]:
    """How many build warnings are new. Lines move, so a warning is known by its file and its words."""
    before = {leg_names.get(leg, leg): seen for leg, seen in _built(base)}
    return {leg: (seen - before[leg]).total() for leg, seen in _built(head) if leg in before}


def _built(report: Report) -> Iterator[tuple[str, Counter[tuple[str, str, str]]]]:
    for result in report.results:
        if isinstance(result, BuildResult) and result.verdict.is_green:
            yield (
                result.leg,
                Counter(
                    (d.path or "", d.message, d.arch or "")
                    for step in result.steps
                    for d in step.diagnostics
                    if d.severity is Severity.WARNING
                ),
            )


def against(found: Delta | None, suite: str, leg: str = "") -> str:
    """The cell of one suite in the table: `+1 failure`, `1 fixed`, `=`; empty where nothing can be said."""
    return against_all(found, [(leg, suite)])


def against_all(found: Delta | None, places: Iterable[Place]) -> str:
    """The same for several suites (leg, name) that share a row."""
    if found is None:
        return ""
    places = list(dict.fromkeys(places))
    known = set(found.compared) | set(found.new_suites)
    if not any(place in known for place in places):
        return ""
    count = {kind: sum(seen[place] for place in places) for kind, seen in found.counts.items()}
    grown = count["added"] - count["removed"]
    parts = [
        f"+{words.count(count['new_failures'], 'failure')}" if count["new_failures"] else "",
        f"{count['fixed']:,} fixed" if count["fixed"] else "",
        f"{count['also_red']:,} failed before" if count["also_red"] and not count["new_failures"] else "",
        f"+{count['flaky']:,} flaky" if count["flaky"] else "",
        f"+{count['newly_skipped']:,} skipped" if count["newly_skipped"] else "",
        f"{'+' if grown > 0 else '−'}{words.count(abs(grown), 'test')}" if grown else "",
    ]
    said = [part for part in parts if part][:2]
    if not said and (count["added"] or count["removed"]):
        return f"±{words.count(count['added'], 'test')}"
    if not said and all(place in found.unrun for place in places):
        # What did not run to its end is not the same as before.
        return ""
    return ", ".join(said) or "="


def build_against(found: Delta | None, leg: str = "") -> str:
    """The build's cell: `1 new warning`, `=`; empty where the base has no build to compare with."""
    if found is None or leg not in found.warnings:
        return ""
    new = found.warnings[leg]
    return words.count(new, "new warning") if new else "="
