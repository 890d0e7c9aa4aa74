"""The check run: the whole comment on a page of its own, and remarks beside the changed lines.

GitHub puts a check run of a workflow's token under any suite of that commit (its choice, not ours), so
the gate to require is the job or the commit status; the check is for reading. Its buttons send an event
that starts no workflow when the check was made with a workflow's own token, so they are there only with
the token of another app; else the link to the run leads to «Re-run jobs».
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from rocm_ci.errors import GitHubError
from rocm_ci.github.client import (
    MAX_ANNOTATIONS_PER_REQUEST,
    Check,
    CheckAction,
    UnknownOutcomeError,
)
from rocm_ci.report import inert, words
from rocm_ci.report.past import Past
from rocm_ci.sinks import outcome, remarks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocm_ci.github.client import Annotation, PostedCheck
    from rocm_ci.model.report import Report
    from rocm_ci.report.links import Links
    from rocm_ci.sinks.base import Destination, Sink, Target

MAX_SUMMARY_BYTES = 65_535
BUTTONS = (
    CheckAction(label="Re-run failed", description="Run the failed jobs again", identifier="rerun-failed"),
    CheckAction(label="Re-run all", description="Run all jobs again", identifier="rerun"),
)
_WORKFLOW_LOGIN = "github-actions[bot]"
_ROUNDS = 6
_EXTERNAL_ID = re.compile(r"rocm-ci:([A-Za-z0-9._-]{1,40}):([0-9]{1,15})\.([0-9]{1,6}):[a-z0-9-]{1,40}\Z")


class CheckSink:
    """Makes one check run per run of the workflow on the trusted head commit."""

    name = "check"
    needs_token = True

    def emit(self, report: Report, where: Destination) -> tuple[str, ...]:
        """Create it, complete the one that is pending or was cut off; a second time nothing is doubled."""
        target = where.target
        if target is None:
            return ()
        found = remarks.of(report)
        summary = _summary(report, where, found.more)
        title = outcome.in_short(report, remarks.MAX_TITLE, where.delta)
        conclusion = outcome.conclusion(report)
        shown = _fingerprint(f"{conclusion}\n{title}\n{summary}")
        check = Check(
            name=target.context,
            commit=target.head,
            conclusion=conclusion,
            title=title,
            summary=summary,
            external_id=f"{_name(target)}:{_fingerprint(repr(found.notes))}-{shown}",
            details_url=outcome.run_page(where.links, target),
            actions=_buttons(target),
        )
        posted = _post(target, check, found.notes)
        if posted is None:
            return ("left alone: a later run of this commit has its own",)
        more = f" and {found.more:,} more that did not fit" if found.more else ""
        return (f"{conclusion} on {target.head}, {len(found.notes)} annotations{more}, {posted.url}",)

    def kept(self, report: Report, where: Destination) -> str:
        """The remarks, with their places."""
        del where
        return remarks.listed(remarks.of(report))


def begin(target: Target, links: Links) -> str:
    """A check in progress, unless there is one of this run or of a later one."""
    check = _bare(target, links, "running", "The run has not ended yet.", "pending")
    if any(_order(one, target) >= outcome.attempt(target) for one in _there(target)):
        return ""
    posted = _post(target, check, ())
    return f"in progress on {target.head}, {posted.url}" if posted else ""


def end(target: Target, links: Links, reason: str, *, cancelled: bool) -> str:
    """Complete the one that waits, or make one that says so: the announcement may still come."""
    of_run = [one for one in _there(target) if _order(one, target) == outcome.attempt(target)]
    if any(one.conclusion for one in of_run):
        return ""
    said = inert.line(f"no result — {reason}", limit=remarks.MAX_TITLE)
    check = _bare(target, links, said, inert.prose(reason, limit=2000), "none")
    check = replace(check, conclusion="cancelled" if cancelled else "failure")
    posted = _post(target, check, ())
    return f"{check.conclusion} on {target.head}, {posted.url}" if posted else ""


def _bare(target: Target, links: Links, title: str, summary: str, state: str) -> Check:
    return Check(
        name=target.context,
        commit=target.head,
        conclusion=None,
        title=title,
        summary=summary,
        external_id=f"{_name(target)}:{state}",
        details_url=outcome.run_page(links, target),
    )


def _summary(report: Report, where: Destination, more: int) -> str:
    from rocm_ci.report.markdown import render_comment  # noqa: PLC0415 - templates, only to post

    rest = (
        f"\n{words.count(more, 'more annotation')} did not fit here; all are in the report.\n" if more else ""
    )
    past = Past(delta=where.delta, lack=where.lack, accepted=where.accepted)
    budget = MAX_SUMMARY_BYTES - len(rest.encode())
    text = render_comment(report, links=where.links, past=past, budget=budget).encode()
    if len(text) > budget:
        text = text[:budget].rpartition(b"\n")[0]
    return text.decode("utf-8", "ignore") + rest


def _buttons(target: Target) -> tuple[CheckAction, ...]:
    """None where they would do nothing."""
    try:
        login = target.github.identity()
    except GitHubError:
        return ()
    return () if login.casefold() == _WORKFLOW_LOGIN else BUTTONS


def _fingerprint(shown: str) -> str:
    return hashlib.sha256(shown.encode("utf-8", "replace")).hexdigest()[:16]


def _name(target: Target) -> str:
    """The same for all that one attempt of a run posts, so that a repetition finds what is there."""
    run, attempt = outcome.attempt(target)
    return f"rocm-ci:{target.key}:{run}.{attempt}"


def _order(posted: PostedCheck, target: Target) -> tuple[int, int]:
    """Which run a check of our key is from; (-1, -1) for any other."""
    known = _EXTERNAL_ID.match(posted.external_id)
    return (int(known[2]), int(known[3])) if known and known[1] == target.key else (-1, -1)


def _there(target: Target) -> tuple[PostedCheck, ...]:
    return target.github.checks(target.repository, target.head, target.context)


def _post(target: Target, check: Check, notes: Sequence[Annotation]) -> PostedCheck | None:
    """What stands there in the end; None when a later run has its own."""
    for _ in range(_ROUNDS):
        there = _there(target)
        mine = _match(there, check)
        # A new one would hide that of a later run. One that is there must still be completed.
        later = (one for one in there if _order(one, target) > outcome.attempt(target))
        if mine is None and any(one.conclusion != "cancelled" for one in later):
            return None
        posted = _go_on(target, check, notes, mine)
        if posted is not None:
            return posted
    # The answer that was lost last may have been a yes.
    last = _match(_there(target), check)
    if last is not None and _is_complete(last, check, notes):
        return last
    message = "cannot create the check run: GitHub lost it several times"
    raise GitHubError(message, hint="run the job again")


def _match(there: Sequence[PostedCheck], check: Check) -> PostedCheck | None:
    """The check run to go on with: of the same run, with the same annotations or none yet."""
    wanted = check.external_id.rpartition("-")[0]
    name, _, _ = check.external_id.rpartition(":")
    same = [one for one in there if one.external_id.rpartition(":")[0] == name]
    exact = [one for one in same if one.external_id == check.external_id]
    alike = [one for one in same if one.external_id.rpartition("-")[0] == wanted]
    empty = [one for one in same if one.annotations == 0]
    return next(iter((*exact, *alike, *empty)), None)


def _is_complete(posted: PostedCheck, check: Check, notes: Sequence[Annotation]) -> bool:
    return posted.external_id == check.external_id and posted.annotations >= len(notes)


def _go_on(
    target: Target, check: Check, notes: Sequence[Annotation], posted: PostedCheck | None
) -> PostedCheck | None:
    """Send what is missing yet; None when an answer was lost, so that one must look again."""
    size = MAX_ANNOTATIONS_PER_REQUEST
    github, repository = target.github, target.repository
    try:
        if posted is None:
            posted = github.create_check(repository, check, notes[:size])
            sent = len(notes[:size])
        elif posted.external_id != check.external_id:
            sent = posted.annotations + len(notes[posted.annotations :][:size])
            posted = github.update_check(repository, posted.id, check, notes[posted.annotations : sent])
        else:
            sent = posted.annotations
        for start in range(sent, len(notes), size):
            posted = github.update_check(repository, posted.id, check, notes[start : start + size])
    except UnknownOutcomeError:
        return None
    return posted


SINK: Sink = CheckSink()
