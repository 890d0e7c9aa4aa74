"""When a pull request gets a comment at all. A comment that is there already is always kept true."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from rocm_ci.report.tally import tally
from rocm_ci.sinks import outcome

if TYPE_CHECKING:
    from rocm_ci.model.report import Report
    from rocm_ci.report.delta import Delta

CommentMode = Literal["always", "changes", "failures", "off"]


def begins(mode: CommentMode, report: Report, delta: Delta | None) -> bool:
    """Whether a pull request without a comment of ours gets one for this report.

    * `always`: for every report.
    * `changes`: when the change makes a difference: the verdict is not green, or there are findings, other
      kernels, a speed that is not unchanged, or tests that the base's last report has otherwise.
    * `failures`: when the status is `failure`.
    * `off`: never.

    A comment that is already there is updated in every mode but `off`, which leaves it alone: else the
    red of yesterday would stand under a change that is green today.
    """
    match mode:
        case "always":
            return True
        case "changes":
            return not report.verdict.is_green or _differs(report) or _moves(delta)
        case "failures":
            return outcome.state(report) == "failure"
        case "off":
            return False


def _differs(report: Report) -> bool:
    found = tally(report)
    return bool(found.findings or found.kernel_changes or found.changed)


def _moves(delta: Delta | None) -> bool:
    """New tests that pass are no news; all else that is other than in the base is."""
    return delta is not None and any(
        (delta.new_failures, delta.fixed, delta.newly_skipped, delta.removed, delta.flaky)
    )
