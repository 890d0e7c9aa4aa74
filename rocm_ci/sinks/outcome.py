"""What a verdict means to GitHub, in the few words that a status and a check run have room for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.model.verdict import Verdict
from rocm_ci.report import inert, words
from rocm_ci.report.headline import headline
from rocm_ci.report.tally import tally

if TYPE_CHECKING:
    from rocm_ci.github.client import Conclusion, StatusState
    from rocm_ci.model.report import Report
    from rocm_ci.report.delta import Delta
    from rocm_ci.report.links import Links
    from rocm_ci.sinks.base import Target


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


def in_short(report: Report, limit: int, delta: Delta | None = None) -> str:
    """The verdict in words, in one inert line of at most `limit` characters."""
    said = headline(report, delta=delta)
    let_pass = "" if "accepted" in said.in_words else _let_pass(report)
    # Titles count what is wrong. What they leave open is what was lost, and what was red before.
    more = said.summary if report.verdict is Verdict.ERROR else said.past
    longest = (f"{said.title}. {more}{let_pass}" if more else said.title + let_pass, said.title + let_pass)
    whole = next((t for t in longest if len(inert.line(t, limit=4 * limit)) <= limit), said.title)
    return inert.line(whole, limit=limit)


def _let_pass(report: Report) -> str:
    """A green status must not hide that somebody let a regression pass."""
    accepted = len(tally(report).accepted)
    return f" ({words.count(accepted, 'accepted regression')})" if accepted else ""


def run_page(links: Links, target: Target) -> str | None:
    """The page of the very attempt that is reported; of the run where its number is not known."""
    page = links.run_page(target.run_id, target.run_attempt) if target.run_id else None
    return page or links.run


def attempt(target: Target) -> tuple[int, int]:
    """The attempt that is reported, as links name it: one without a number is the first. Later is greater."""
    return (target.run_id, target.run_attempt or 1) if target.run_id else (0, 0)
