"""Which of the failed tests fail on the base too, so that nobody blames the change for them. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.report.tally import blamed, cases, is_blamed, tally

if TYPE_CHECKING:
    from rocm_ci.model.report import Report
    from rocm_ci.report.delta import Delta
    from rocm_ci.report.tally import Tally


def count(found: Tally, delta: Delta | None) -> int:
    """How many tests are red here and were on the base. One that is new on any leg does not count."""
    if delta is None or not delta.also_red:
        return 0
    new = {(n.suite, n.case.id) for n in (*delta.new_failures, *delta.unknown)}
    old = {(n.suite, n.case.id) for n in delta.also_red} - new
    red = {(suite.name, case.id) for suite in found.suites for case in suite.cases if is_blamed(suite, case)}
    return len(old & red)


def unknown(report: Report, lack: str) -> str:
    """That nobody knows whether the failed tests are new, and why; empty where none failed or it is known."""
    if not lack or not cases(tally(report).suites).red:
        return ""
    base = report.event.base_ref or "the base"
    return f"Whether tests fail on {base} too is not known: {lack}."


def sentence(found: Tally, delta: Delta | None) -> str:
    """`2 of 3 failed tests also fail on main: not this change's doing.`; empty when none does."""
    old = count(found, delta)
    if not old or delta is None:
        return ""
    every = blamed(found.suites)
    base = delta.base_ref or "the base"
    if old >= every:
        subject = "The failed test also fails" if every == 1 else f"All {every:,} failed tests also fail"
    else:
        subject = f"{old:,} of {every:,} failed tests also {'fails' if old == 1 else 'fail'}"
    return f"{subject} on {base}: not this change's doing."
