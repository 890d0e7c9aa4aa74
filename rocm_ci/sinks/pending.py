"""Before there is a result: «running» on the commit, a notice above an older comment, and both taken back.

Events of one run arrive in any order and more than once. So each step looks first: an announcement never
replaces a result of the same or a later run, and a withdrawal only what its own run announced.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from rocm_ci.errors import GitHubError
from rocm_ci.github import marker, sticky, trigger
from rocm_ci.github.client import DeclinedError, PermissionRefusedError
from rocm_ci.sinks import check, notice, status

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from rocm_ci.github.marker import Stamp
    from rocm_ci.report.links import Links
    from rocm_ci.sinks.base import Target


def announce(target: Target, sinks: Collection[str], links: Links) -> tuple[str, ...]:
    """Say that the run of `target` is under way: a line for each thing that was done, or not and why.

    Only where our comment is already there does it get a notice. Nothing here raises a `GitHubError`: an
    announcement is a courtesy, the result is posted later in any case. One that comes after its run has
    ended does nothing.
    """
    if _is_over(target):
        return ()
    lines, _ = _each(
        sinks,
        {
            "status": lambda: status.begin(target, links),
            "check": lambda: check.begin(target, links),
            "comment": lambda: _announce(target, links),
        },
    )
    return lines


def hold(target: Target, sinks: Collection[str], links: Links) -> tuple[str, ...]:
    """Say that the run waits for an approval, where it was said to be running. Raises no `GitHubError`."""
    lines, _ = _each(sinks, {"status": lambda: status.hold(target, links)})
    return lines


def withdraw(
    target: Target, sinks: Collection[str], links: Links, *, reason: str, cancelled: bool = False
) -> tuple[str, ...]:
    """The run of `target` ended without anything to post: nothing may wait for it any longer.

    `reason` is one plain sentence. A cancelled run leaves an earlier result of the same commit as it is;
    after any other end no old green stays in force. Raises the first `GitHubError` after all was tried.
    """
    lines, errors = _each(
        sinks,
        {
            "status": lambda: status.end(target, links, reason, cancelled=cancelled),
            "check": lambda: check.end(target, links, reason, cancelled=cancelled),
            "comment": lambda: _withdraw(target, links, reason, cancelled=cancelled),
        },
    )
    for error in errors:
        if not isinstance(error, PermissionRefusedError):
            raise error
    return lines


def _each(
    sinks: Collection[str], steps: Mapping[str, Callable[[], str]]
) -> tuple[tuple[str, ...], list[GitHubError]]:
    lines, errors = [], []
    for name, step in steps.items():
        if name not in sinks:
            continue
        try:
            said = step()
        except DeclinedError as declined:
            said = f"nothing done: {declined}"
        except GitHubError as error:
            errors.append(error)
            said = f"not done: {error}"
        if said:
            lines.append(f"{name}: {said}")
    return tuple(lines), errors


def _is_over(target: Target) -> bool:
    """Whether GitHub knows that this attempt has ended; a token that may not ask is told by no one."""
    if target.run_id is None:
        return False
    try:
        run = target.github.run(target.repository, target.run_id)
    except GitHubError:
        return False
    attempt = target.run_attempt or 1
    return run.attempt > attempt or (run.attempt == attempt and run.status == "completed")


def _announce(target: Target, links: Links) -> str:
    look = _look(target)
    before = look.stamp if look else None
    if look is None or before is None:
        return ""
    if before.head == target.head and before.order >= target.order:
        return ""  # its result is there already, or that of a later run
    if before.awaited_head == target.head and before.awaited >= target.order:
        return ""
    number = target.number or 0
    trigger.current(target.github, target.repository, number, target.head)
    stamp = _waiting(target, before)
    return _show(target, look, stamp, notice.running(links, stamp), "says that a newer run is under way")


def _withdraw(target: Target, links: Links, reason: str, *, cancelled: bool) -> str:
    look = _look(target)
    before = look.stamp if look else None
    if look is None or before is None or before.order >= target.order:
        return ""
    if before.awaited > target.order:
        return ""  # a later run is awaited
    # Remembered even where nothing is said: the announcement may still come.
    stamp = replace(_waiting(target, before), awaited_ended=True)
    is_still_right = cancelled and before.head == target.head
    if is_still_right or not _is_current(target):
        return _show(target, look, stamp, "", "waits no longer")
    return _show(target, look, stamp, notice.ended(links, stamp, reason), "says that there is no result")


def _look(target: Target) -> sticky.Look | None:
    if target.number is None or target.comment_mode == "off":
        return None
    return target.look or sticky.look(target.github, target.repository, target.number, target.key)


def _is_current(target: Target) -> bool:
    try:
        trigger.current(target.github, target.repository, target.number or 0, target.head)
    except DeclinedError:
        return False
    return True


def _waiting(target: Target, before: Stamp) -> Stamp:
    return replace(
        before,
        awaited_head=target.head,
        awaited_run=target.run_id,
        awaited_attempt=target.run_attempt,
        awaited_ended=False,
    )


def _show(target: Target, look: sticky.Look, stamp: Stamp, above: str, done: str) -> str:
    """Put `above` in the place of whatever notice there is; the rest of the comment stays as it is."""
    shown = look.newest
    if shown is None:
        return ""
    body = marker.sign(marker.text_of(shown.comment.body), target.key, stamp, notice=above)
    if body == shown.comment.body:
        return ""
    return f"{target.github.edit_comment(target.repository, shown.comment.id, body).url} {done}"
