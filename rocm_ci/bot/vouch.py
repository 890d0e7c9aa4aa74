"""ok-to-test: a maintainer vouches for one commit of a fork, with a commit status on exactly that commit.

A new push is another commit and has no such status. Against a push between reading and vouching, the
commit must be older than the comment: its runs as a pull request must have begun before. Who names the
commit with all its digits needs no such proof.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.bot.scene import Done, declined, is_waiting
from rocm_ci.bot.starting import dispatch, link
from rocm_ci.errors import GitHubError
from rocm_ci.github.client import DeclinedError, PermissionRefusedError
from rocm_ci.github.marker import RESERVED

if TYPE_CHECKING:
    from rocm_ci.bot.command import Command
    from rocm_ci.bot.scene import Scene
    from rocm_ci.github.run import Run

_MOST = 100
_ALL = 3000  # as many files of a pull request as GitHub lists
CONTEXT = f"rocm-ci/{RESERVED}"


def is_vouched(scene: Scene) -> bool:
    """Whether this very commit has our own status; one that somebody else set says nothing."""
    us = scene.github.identity().casefold()
    return any(
        status.context == CONTEXT and status.state == "success" and status.creator.casefold() == us
        for status in scene.github.statuses(scene.repository, scene.pull.head)
    )


def require(scene: Scene) -> None:
    """Raises `DeclinedError` where a fork's commit would run on our machines and nobody vouched for it."""
    if scene.pull.is_fork and not is_vouched(scene):
        raise declined(
            f"{scene.pull.head[:12]} comes from a fork and nobody has let this commit run yet",
            f"read the change, then say `/rocm-ci ok-to-test {scene.pull.head}`",
        )


def ok_to_test(scene: Scene, command: Command) -> Done:
    """Vouch for the head, and let it run."""
    head = scene.pull.head
    if not scene.pull.is_fork:
        raise declined(
            "this pull request does not come from a fork: its commits run anyway",
            "`/rocm-ci run` runs them again",
        )
    if command.words:
        if command.words[0] != head:
            raise _moved(scene, f"the head is {head[:12]}, not {command.words[0][:12]}")
    else:
        _must_be_older(scene)
    if not (scene.is_resumed and is_vouched(scene)):
        scene.github.set_status(
            scene.repository,
            head,
            state="success",
            context=CONTEXT,
            description=f"{scene.login} lets this commit run",
            url=scene.url or None,
        )
    begun = _begin(scene)
    said = (
        f"Commit {head} may run; its result will stand in the comment of rocm-ci. "
        "The next push needs a new `/rocm-ci ok-to-test`."
    )
    return Done(
        reason=f"{head[:12]} is ok to test; {begun.reason}",
        answer=f"{said} {begun.answer}".rstrip(),
    )


def _begin(scene: Scene) -> Done:
    """Start the workflow of the default branch, and approve what waits of the fork's own."""
    waiting = [run for run in scene.own() if is_waiting(run)]
    own = None
    if waiting and _changes_workflows(scene):
        shown = ", ".join(link(run) for run in waiting)
        told = f"The change reaches below `.github/`, so its own runs were not approved: {shown}."
        own = Done(reason="its own runs were not approved, for it changes .github", answer=told)
    elif waiting:
        own = [let_begin(scene, run) for run in waiting][-1]
    try:
        begun = dispatch(scene)
    except GitHubError:
        # A workflow without `workflow_dispatch`: there the approved run is the one that counts.
        if own is None:
            raise
        return own
    return Done(reason=f"{begun.reason}; {own.reason}", answer=own.answer) if own else begun


def _changes_workflows(scene: Scene) -> bool:
    """Whether the change may alter what its own runs do and on which machines: unknown counts as yes."""
    files = scene.github.files(scene.repository, scene.pull.number)
    # The list is about the head as it is now, the run about the one that was looked at.
    is_same = scene.github.pull(scene.repository, scene.pull.number).head == scene.pull.head
    return not is_same or len(files) >= _ALL or any(file.path.startswith(".github/") for file in files)


def let_begin(scene: Scene, waiting: Run) -> Done:
    """Approve a run that GitHub holds back. Raises nothing that a click could not settle."""
    try:
        scene.github.approve(scene.repository, waiting.id)
    except GitHubError as error:
        # Not every waiting run may be approved by a token.
        told = f"{link(waiting)} waits for an approval: press the button on its page."
        return Done(reason=f"run {waiting.id} must be approved by hand ({error})", answer=told)
    return Done(reason=f"run {waiting.id} begins")


def _must_be_older(scene: Scene) -> None:
    """The head must have been there when the comment was written, and the last that was pushed.

    A pull request can be pushed back to a commit that ran long ago: so the newest run of its branch must be
    about the head, and older than the comment. All workflows count. What was pushed in between need not have
    run ([skip ci], a conflict); but there and back is not forward both times, and GitHub notes every push by
    force while the pull request is open.
    """
    head, branch = scene.pull.head, scene.pull.head_ref
    found = scene.github.runs(scene.repository, branch=branch, event="pull_request", limit=_MOST)
    begun = [
        run
        for run in found
        if run.event == "pull_request"
        and run.branch == branch
        and run.head_repository == scene.pull.head_repository
    ]
    newest = max((run.created for run in begun), default="")
    # Others may have branches of this name too, and a full list may have pushed ours out of it.
    is_cut = len(found) >= _MOST and newest <= min(run.created for run in found)
    if not branch or is_cut or all(run.head != head for run in begun):
        raise _moved(scene, f"it cannot be told when {head[:12]} was pushed")
    if newest > scene.created:
        raise _moved(scene, "something was pushed after your comment")
    if any(run.created == newest and run.head != head for run in begun):
        raise _moved(scene, f"{head[:12]} is not what was pushed last before your comment")
    if newest < scene.pull.created:
        raise _moved(scene, f"{head[:12]} ran before this pull request was opened, and not since")
    try:
        forced = scene.github.force_pushes(scene.repository, scene.pull.number)
    except PermissionRefusedError as error:
        raise _moved(scene, f"it cannot be told whether the branch was pushed by force: {error}") from error
    if any(at > newest for at in forced):
        raise _moved(scene, f"the branch was pushed by force after {head[:12]} had run")


def _moved(scene: Scene, why: str) -> DeclinedError:
    return declined(why, f"look at the change again, then say `/rocm-ci ok-to-test {scene.pull.head}`")
