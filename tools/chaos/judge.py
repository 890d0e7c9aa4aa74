"""A report held against what was planted: the class each test was given, lost ones, wrong verdicts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rocm_ci.model.case import CaseStatus, Ending
from rocm_ci.model.result import TestResult
from rocm_ci.model.verdict import Verdict
from tools.chaos.behaviours import CHANGE, CTEST, GREEN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocm_ci.model.case import Case
    from rocm_ci.model.report import Report
    from rocm_ci.model.result import Suite
    from tools.chaos.project import Planted

_PLAIN = {CaseStatus.PASSED: "passed", CaseStatus.SKIPPED: "skipped", CaseStatus.FLAKY: "flaky"}
_ENDINGS = {Ending.SILENCE: "timeout"}


@dataclass
class Judgement:
    """`matrix` counts (behaviour, class); `wrong`, `lost`, `twice` and `verdicts` say what must not be."""

    matrix: Counter[tuple[str, str]] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    twice: list[str] = field(default_factory=list)
    verdicts: list[str] = field(default_factory=list)
    untold: list[str] = field(default_factory=list)


def classed(case: Case) -> str:
    """What a report says of a test, in one word."""
    if case.ending is Ending.MACHINE:
        return "machine, passed elsewhere" if case.status in _PLAIN else "machine"
    if case.status in _PLAIN:
        return _PLAIN[case.status]
    ending = case.ending or Ending.ASSERTION
    return _ENDINGS.get(ending) or str(ending.value)


def judged(report: Report, planted: Sequence[Planted], *, vanished: str) -> Judgement:
    """Every planted test is looked for in its suite, by its id."""
    found = Judgement()
    suites = {s.name: s for result in report.results if isinstance(result, TestResult) for s in result.suites}
    for test in planted:
        suite = suites.get(test.suite)
        cases = [c for c in suite.cases if c.id == test.id] if suite else []
        if len(cases) != 1:
            (found.twice if cases else found.lost).append(f"{test.id} ({test.behaviour.name})")
        what = classed(cases[0]) if cases else "missing"
        found.matrix[_row(test), what] += 1
        if what not in test.behaviour.right(test.runner):
            found.wrong.append(f"{test.suite} {test.id}: {test.behaviour.name} was called {what!r}")
        kinds = {incident.kind.value for incident in suite.incidents} if suite else set()
        if test.behaviour.leaves and test.behaviour.leaves not in kinds:
            found.untold.append(f"{test.suite} {test.id}: nothing tells of {test.behaviour.leaves}")
    _vanished(found, suites, vanished)
    for suite in suites.values():
        _verdict(found, suite)
    return found


def _row(test: Planted) -> str:
    return (
        f"{test.behaviour.name} (ctest)"
        if test.runner == CTEST and test.behaviour.as_ctest
        else test.behaviour.name
    )


def _vanished(found: Judgement, suites: dict[str, Suite], vanished: str) -> None:
    cases = [case for suite in suites.values() for case in suite.cases if case.id == vanished]
    what = classed(cases[0]) if cases else "missing"
    found.matrix["is expected, never runs", what] += 1
    if what != "vanished":
        found.wrong.append(f"{vanished}: expected and not there, was called {what!r}")


def _verdict(found: Judgement, suite: Suite) -> None:
    """Red for the change only where a test of it is, never green beside a fault, the machine's own colour."""
    classes = {classed(case) for case in suite.cases}
    right = {Verdict.PASS, Verdict.NEUTRAL}
    if "machine" in classes:
        right = {Verdict.ERROR}
    if classes & set(CHANGE):
        right = {Verdict.FAIL}
    if suite.verdict not in right:
        worst = ", ".join(sorted(classes - set(GREEN))) or "nothing red"
        found.verdicts.append(f"{suite.name}: {suite.verdict.value} with {worst} ({suite.reason})")
