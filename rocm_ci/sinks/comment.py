"""The one comment in the pull request's conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from rocm_ci.errors import GitHubError
from rocm_ci.github import sticky, trigger
from rocm_ci.github.client import DeclinedError, PermissionRefusedError
from rocm_ci.github.marker import Stamp
from rocm_ci.report import history
from rocm_ci.report.acceptance import bounded
from rocm_ci.report.past import Past
from rocm_ci.sinks import mode, notice, proposals

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocm_ci.model.past import Point
    from rocm_ci.model.report import Report
    from rocm_ci.sinks.base import Destination, Sink, Target


class CommentSink:
    """Creates the comment, and from then on edits it in place."""

    name = "comment"
    needs_token = True

    def emit(self, report: Report, where: Destination) -> tuple[str, ...]:
        """Post it, unless the pull request is closed or has moved on, or the mode wants none."""
        target = where.target
        if target is None:
            return ()
        if target.comment_mode == "off":
            return ("none: comments are off",)
        if target.number is None:
            message = "no pull request belongs to this run"
            raise DeclinedError(message, hint="the verdict is in the status and in the step summary")
        look = target.look or sticky.look(target.github, target.repository, target.number, target.key)
        if not look.own and not mode.begins(target.comment_mode, report, where.delta):
            return (f"none: nothing to say in mode {target.comment_mode!r}",)
        # The last question before the write: in between, the pull request could move on.
        trigger.current(target.github, target.repository, target.number, target.head)
        stamp = stamped(report, where, look.stamp)
        posted = sticky.post(
            target.github,
            target.repository,
            target.number,
            text=_text(report, where, stamp.history),
            key=target.key,
            stamp=stamp,
            notice=notice.running(where.links, stamp) if stamp.is_waiting else "",
            look=look,
            settle=target.settle,
            believed=_confirmed(target),
        )
        doubles = f", {posted.doubles_removed} doubled removed" if posted.doubles_removed else ""
        reason = " (a newer run of this commit is shown)" if posted.action == "kept" else ""
        return (f"{posted.action} {posted.url}{reason}{doubles}",)

    def kept(self, report: Report, where: Destination) -> str:
        """The comment itself."""
        return _text(report, where, ())


def stamped(report: Report, where: Destination, before: Stamp | None) -> Stamp:
    """What the comment remembers from now on. Where it stands comes from the trusted event."""
    target = where.target
    if target is None:
        raise AssertionError  # pragma: no cover - only called with one
    earlier = _earlier(before, target)
    now = history.point(
        report, history=earlier, run=target.run_id, attempt=target.run_attempt, head=target.head
    )
    stamp = Stamp(
        head=target.head,
        verdict=report.verdict,
        run=target.run_id,
        attempt=target.run_attempt,
        counts=now.counts,
        at=now.at,
        effects_pct=now.effects_pct,
        history=earlier,
        accepted=bounded(where.accepted),
        suggested=bool(before and before.suggested) or proposals.offered(report),
    )
    return _still_waiting(stamp, before) if before else stamp


def _still_waiting(stamp: Stamp, before: Stamp) -> Stamp:
    """The notice of a later run of this commit outlives an earlier result."""
    if before.awaited_head != stamp.head or before.awaited <= stamp.order:
        return stamp
    return replace(
        stamp,
        awaited_head=before.awaited_head,
        awaited_run=before.awaited_run,
        awaited_attempt=before.awaited_attempt,
        awaited_ended=before.awaited_ended,
    )


def _earlier(before: Stamp | None, target: Target) -> tuple[Point, ...]:
    if before is None:
        return ()
    is_same = (before.head, before.order) == (target.head, target.order)
    return before.history if is_same else history.remember(before.history, before.point)


def _text(report: Report, where: Destination, earlier: tuple[Point, ...]) -> str:
    from rocm_ci.report.markdown import render_comment  # noqa: PLC0415 - templates, only to post

    past = Past(delta=where.delta, lack=where.lack, history=earlier, accepted=where.accepted)
    text = render_comment(report, links=where.links, past=past)
    if where.target is None or where.target.key == "default":
        return text
    # Several reporters have a comment each: the first line says whose it is.
    return text.replace("ROCm CI: ", f"ROCm CI ({where.target.key}): ", 1)


def _confirmed(target: Target) -> Callable[[Stamp], bool]:
    """Asks GitHub about a run that our comment claims to be newer: the claim may be forged."""

    def is_real(stamp: Stamp) -> bool:
        try:
            run = target.github.run(target.repository, stamp.run or 0)
        except PermissionRefusedError:
            return True  # this token may not look at runs
        except GitHubError:
            return False
        is_about = run.head == stamp.head or run.event == "workflow_dispatch"
        return is_about and (stamp.attempt or 0) <= run.attempt

    return is_real


SINK: Sink = CommentSink()
