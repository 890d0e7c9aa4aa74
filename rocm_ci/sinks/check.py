"""The check run: the whole comment on a page of its own, and remarks beside the changed lines.

GitHub puts a check run of a workflow's token under any suite of that commit (its choice, not ours), so
the gate to require is the job or the commit status; the check is for reading.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from rocm_ci.errors import GitHubError
from rocm_ci.github.client import MAX_ANNOTATIONS_PER_REQUEST, Check, UnknownOutcomeError
from rocm_ci.sinks import outcome, remarks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocm_ci.github.client import Annotation, PostedCheck
    from rocm_ci.model.report import Report
    from rocm_ci.sinks.base import Destination, Sink, Target

MAX_SUMMARY_BYTES = 65_535
_ROUNDS = 6


class CheckSink:
    """Makes one check run per report on the trusted head commit."""

    name = "check"
    needs_token = True

    def emit(self, report: Report, where: Destination) -> tuple[str, ...]:
        """Create it, or complete one that was cut off; a second time nothing is doubled."""
        target = where.target
        if target is None:
            return ()
        notes = remarks.of(report)
        summary = _summary(report, where)
        title = outcome.in_short(report, remarks.MAX_TITLE)
        check = Check(
            name=target.context,
            commit=target.head,
            conclusion=outcome.conclusion(report),
            title=title,
            summary=summary,
            external_id=_external_id(target, title + summary),
            details_url=where.links.run,
        )
        posted = _post(target, check, notes)
        return (f"{check.conclusion} on {target.head}, {len(notes)} annotations, {posted.url}",)


def _summary(report: Report, where: Destination) -> str:
    from rocm_ci.report.markdown import render_comment  # noqa: PLC0415 - templates, only to post

    text = render_comment(report, links=where.links).encode()
    if len(text) <= MAX_SUMMARY_BYTES:
        return text.decode()
    return text[:MAX_SUMMARY_BYTES].rpartition(b"\n")[0].decode("utf-8", "ignore")


def _external_id(target: Target, shown: str) -> str:
    """The same for the same report of the same run, so that a repetition finds what is there."""
    fingerprint = hashlib.sha256(shown.encode()).hexdigest()[:16]
    return f"rocm-ci:{target.key}:{target.run_id or 0}.{target.run_attempt or 0}:{fingerprint}"


def _post(target: Target, check: Check, notes: Sequence[Annotation]) -> PostedCheck:
    for _ in range(_ROUNDS):
        posted = _go_on(target, check, notes, _there(target, check))
        if posted is not None:
            return posted
    # The answer that was lost last may have been a yes.
    posted = _there(target, check)
    if posted is not None and posted.annotations >= len(notes):
        return posted
    message = "cannot create the check run: GitHub lost it several times"
    raise GitHubError(message, hint="run the job again")


def _go_on(
    target: Target, check: Check, notes: Sequence[Annotation], posted: PostedCheck | None
) -> PostedCheck | None:
    """Send what is missing yet; None when an answer was lost, so that one must look again."""
    size = MAX_ANNOTATIONS_PER_REQUEST
    try:
        if posted is None:
            posted = target.github.create_check(target.repository, check, notes[:size])
            sent = len(notes[:size])
        else:
            sent = posted.annotations
        for start in range(sent, len(notes), size):
            part = notes[start : start + size]
            posted = target.github.update_check(target.repository, posted.id, check, part)
    except UnknownOutcomeError:
        return None
    return posted


def _there(target: Target, check: Check) -> PostedCheck | None:
    for posted in target.github.checks(target.repository, check.commit, check.name):
        if posted.external_id == check.external_id:
            return posted
    return None


SINK: Sink = CheckSink()
