"""What a verdict means to GitHub, in the few words that a status and a check run have room for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.model.verdict import Verdict
from rocm_ci.report import inert
from rocm_ci.report.headline import headline

if TYPE_CHECKING:
    from rocm_ci.github.client import Conclusion, StatusState
    from rocm_ci.model.report import Report


def fails_on_inconclusive(report: Report) -> bool:
    """Whether the configuration of the run wants «not decidable» to block."""
    return any(s.name == "inconclusive" and s.value == "fail" for s in report.settings)


def state(report: Report) -> StatusState:
    """The commit status. An ERROR blocks as much as a FAIL: unknown is never green."""
    return "success" if conclusion(report) != "failure" else "failure"


def conclusion(report: Report) -> Conclusion:
    """The check run's conclusion. GitHub lets neutral pass a required check."""
    match report.verdict:
        case Verdict.PASS:
            return "success"
        case Verdict.NEUTRAL:
            return "neutral"
        case Verdict.INCONCLUSIVE:
            return "failure" if fails_on_inconclusive(report) else "neutral"
        case Verdict.FAIL | Verdict.ERROR | Verdict.SKIPPED:
            return "failure"


def in_short(report: Report, limit: int) -> str:
    """The verdict in words, in one inert line of at most `limit` characters."""
    said = headline(report)
    whole = inert.line(said.in_words, limit=4 * limit)
    return whole if len(whole) <= limit else inert.line(said.title, limit=limit)
