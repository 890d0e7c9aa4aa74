"""How the machines are, for a reader who wonders whether to believe a failure. Plain text. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.model.result import PreflightResult
from rocm_ci.model.verdict import Verdict
from rocm_ci.report import faults, legs, machine, words

if TYPE_CHECKING:
    from rocm_ci.model.report import Report


def of(report: Report) -> str:
    """`The machine is healthy.`; empty when nobody looked."""
    if any(result.verdict is Verdict.ERROR for result in report.results):
        absent = legs.stand_ins(report)
        if all(result.leg in absent for result in report.results if result.verdict is Verdict.ERROR):
            waits = words.sentence(legs.why_unapproved(legs.unapproved(report)))
            return waits or "What is missing is not held against the change."
        return "What the machine broke off is not held against the change."
    with_gpu = {leg.name for leg in report.legs if machine.usable(leg.facts)}
    looked = [
        result
        for result in report.results
        if isinstance(result, PreflightResult) and (not with_gpu or result.leg in with_gpu)
    ]
    if not looked:
        return ""
    if not machine.usable(report.facts):
        return "There is no AMD GPU here: what needs one did not run."
    bad = max(looked, key=lambda result: result.verdict)
    if bad.verdict is Verdict.PASS:
        return "The machine is healthy." if len(looked) == 1 else "The machines are healthy."
    where = f" {bad.leg}" if bad.leg else ""
    return f"About the machine{where}: {words.sentence(faults.reason(bad))}"
