"""The commit status: one line, and what branch protection looks at. `statuses: write` is all it needs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.errors import GitHubError
from rocm_ci.github.client import MAX_DESCRIPTION
from rocm_ci.github.marker import RESERVED
from rocm_ci.report import inert
from rocm_ci.sinks import outcome

if TYPE_CHECKING:
    from rocm_ci.github.client import Status, StatusState
    from rocm_ci.model.report import Report
    from rocm_ci.report.links import Links
    from rocm_ci.sinks.base import Destination, Sink, Target

_RUN = re.compile(r"/actions/runs/([0-9]{1,15})(?:/attempts/([0-9]{1,6}))?\Z")
_HELD = "waits until a maintainer approves the run"
_OVERTAKEN = "left alone: a later run of this commit has spoken"


class StatusSink:
    """Sets the status on the trusted head commit."""

    name = "status"
    needs_token = True

    def emit(self, report: Report, where: Destination) -> tuple[str, ...]:
        """Set it; it links to the run. A result of a later run of the same commit stays."""
        target = where.target
        if target is None:
            return ()
        if _may_be_overtaken(target) and _order(_shown(target)) > outcome.attempt(target):
            return (_OVERTAKEN,)
        state = outcome.state(report)
        said = outcome.in_short(report, MAX_DESCRIPTION, where.delta)
        _set(target, state, said, outcome.run_page(where.links, target))
        return (f"{state} on {target.head}",)

    def kept(self, report: Report, where: Destination) -> str:
        """The verdict in a line."""
        context = inert.code(where.target.context) if where.target else ""
        said = inert.prose(outcome.in_short(report, 600, where.delta))
        return f"{context} would be **{outcome.state(report)}**: {said}"


def begin(target: Target, links: Links) -> str:
    """«Running», unless a result of this run or anything of a later one is there already."""
    shown = _shown(target)
    if shown is not None:
        order, own = _order(shown), outcome.attempt(target)
        if order > own or (order == own and target.run_id is not None):
            return ""
    _set(target, "pending", "running", outcome.run_page(links, target))
    return f"pending on {target.head}"


def hold(target: Target, links: Links) -> str:
    """GitHub holds the run back until a maintainer approves it: it is not «running». A result stays."""
    shown = _shown(target)
    if shown is not None:
        order, own = _order(shown), outcome.attempt(target)
        if order > own or (order == own and (shown.state != "pending" or shown.description == _HELD)):
            return ""
    _set(target, "pending", _HELD, outcome.run_page(links, target))
    return f"pending on {target.head}, for an approval"


def end(target: Target, links: Links, reason: str, *, cancelled: bool) -> str:
    """No result will come. A cancelled run leaves what another run of the same commit says."""
    shown = _shown(target)
    if shown is not None:
        order, own = _order(shown), outcome.attempt(target)
        is_waiting_for_us = shown.state == "pending" and order == own
        if not is_waiting_for_us and (order >= own or cancelled):
            return ""
    state: StatusState = "error" if cancelled else "failure"
    said = inert.line(f"no result — {reason}", limit=MAX_DESCRIPTION)
    _set(target, state, said, outcome.run_page(links, target))
    return f"{state} on {target.head}"


def is_answered_by_dispatch(target: Target) -> bool:
    """Whether a run of the default branch's workflow has spoken on this commit, which somebody let run.

    Both statuses must be our own. What cannot be asked counts as no: then the caller posts what it has.
    """
    try:
        named = {one.context: one for one in target.github.statuses(target.repository, target.head)}
        vouched, shown = named.get(f"rocm-ci/{RESERVED}"), named.get(target.context)
        if vouched is None or vouched.state != "success" or shown is None or shown.state == "pending":
            return False
        us = target.github.identity().casefold()
        if any(one.creator.casefold() != us for one in (vouched, shown)):
            return False
        number, _ = _order(shown)
        if not number:
            return False
        run = target.github.run(target.repository, number)
    except GitHubError:
        return False
    # Of a run for one suite or benchmark the title goes on.
    return run.event == "workflow_dispatch" and run.title.strip() == f"rocm-ci #{target.number} {target.head}"


def _set(target: Target, state: StatusState, description: str, url: str | None) -> None:
    target.github.set_status(
        target.repository,
        target.head,
        state=state,
        context=target.context,
        description=description,
        url=url,
    )


def _may_be_overtaken(target: Target) -> bool:
    """Whether it is worth a question. Our comment tells of most runs; it can be forged, so it only hints."""
    if target.run_id is None:
        return False
    if target.look is None:
        return True
    seen = target.look.stamp
    if seen is None:
        # Where every run leaves a comment, none has spoken yet; else a comment tells nothing.
        return target.comment_mode != "always"
    awaited = seen.awaited if seen.awaited_head == target.head else (0, 0)
    told = ((p.run or 0, p.attempt or 0) for p in (seen.point, *seen.history) if p.head == target.head)
    return max(awaited, *told, (0, 0)) > target.order


def _shown(target: Target) -> Status | None:
    found = target.github.statuses(target.repository, target.head)
    return next((one for one in found if one.context == target.context), None)


def _order(shown: Status | None) -> tuple[int, int]:
    """Which run a status is from: its link says so."""
    run = _RUN.search(shown.url) if shown else None
    return (int(run[1]), int(run[2] or 1)) if run else (0, 0)


SINK: Sink = StatusSink()
