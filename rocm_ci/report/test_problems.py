"""What one suite gives to fix, and what of it nobody holds against the change. Pure."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from rocm_ci.model.finding import Severity
from rocm_ci.model.verdict import Verdict
from rocm_ci.report.causes import explained
from rocm_ci.report.problem import Problem, same
from rocm_ci.report.tally import RED, is_blamed, label

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.model.case import Case
    from rocm_ci.model.result import Suite
    from rocm_ci.report.delta import Delta

_COUNTS = re.compile(r"[0-9,]+ (?:tests? )?(?:failed|errored|flaky|passed|skipped)")


def of_suite(suite: Suite, leg: str, delta: Delta | None) -> list[Problem]:
    """What the change does wrong in one suite."""
    if suite.verdict is not Verdict.FAIL:
        return []
    groups: dict[tuple[bool, str], list[Case]] = {}
    for case in suite.cases:
        if is_blamed(suite, case):
            # A parametrised test fails fifty times over with fifty different numbers: that is one thing.
            on_base = delta is not None and delta.was_red(leg, suite.name, case.id)
            groups.setdefault((on_base, same(case.message or case.id)), []).append(case)
    # What is new is why somebody looks at all, and the suite's own cause is told with it.
    found = [
        replace(
            of_case(alike[0], Severity.ERROR, alike[0].message or "failed without a message"),
            also=tuple(label(case) for case in alike[1:]),
            on_base=on_base,
        )
        for (on_base, _), alike in sorted(groups.items(), key=lambda group: group[0][0])
    ]
    if not found:
        found = [
            Problem(
                kind="test",
                severity=Severity.ERROR,
                message=suite.reason or "failed",
                subject=f"suite {suite.name}",
                command=suite.command,
            )
        ]
    elif suite.timed_out:
        found[0] = replace(found[0], advice=f"The suite did not finish: {suite.reason}")
    elif said := beside(suite):
        # The failed tests are not the whole story: a crash, a report that breaks off, a GPU not asked for.
        found[0] = replace(found[0], advice=f"The suite as a whole: {said}")
    return explained(found, suite.diagnoses)


def of_case(case: Case, severity: Severity, message: str) -> Problem:
    """One test, and how to run it."""
    return Problem(
        kind="test",
        severity=severity,
        message=message,
        subject=label(case),
        path=case.path,
        line=case.line,
        command=case.reproduce,
    )


def undecided(suite: Suite) -> Iterator[Problem]:
    """The tests of a suite that failed which no healthy machine saw fail, beside those that it did see."""
    if suite.verdict is not Verdict.FAIL:
        return
    groups: dict[str, list[Case]] = {}
    for case in suite.cases:
        if case.status in RED and not is_blamed(suite, case):
            groups.setdefault(same(case.message or case.id), []).append(case)
    for first, *others in groups.values():
        problem = of_case(first, Severity.ERROR, first.message or "failed without a message")
        yield replace(problem, kind="machine", also=tuple(map(label, others)))


def beside(suite: Suite) -> str:
    """What the reason of a suite says besides counts and besides how its own tests ended."""
    told = [(case.id, f": {case.message}") for case in suite.cases if case.status in RED and case.message]
    return "; ".join(
        part
        for part in suite.reason.split("; ")
        if not all(map(_COUNTS.fullmatch, part.split(", ")))
        and not any(part.startswith(identity) and part.endswith(message) for identity, message in told)
    )
