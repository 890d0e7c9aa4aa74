"""Runs started and run again, each once, though GitHub may lose an answer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.bot.scene import Done, is_running
from rocm_ci.errors import GitHubError
from rocm_ci.github.client import UnknownOutcomeError

if TYPE_CHECKING:
    from rocm_ci.bot.scene import Scene
    from rocm_ci.github.run import Run

_LOOKS = 3
_WAIT_S = 3.0
_TRIES = 3
_BRANCH = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/+-]{0,199}\Z")
_ADDRESS = re.compile(r"https?://[\w.:-]+/[\w./-]+\Z", re.ASCII)


def again(scene: Scene, ended: Run, *, failed_only: bool) -> None:
    """Run a finished run again."""
    if not any(_runs_again(scene, ended, failed_only=failed_only) for _ in range(_TRIES)):
        message = f"cannot run {ended.id} again: GitHub lost it several times"
        raise GitHubError(message, hint="give the command again")


def _runs_again(scene: Scene, ended: Run, *, failed_only: bool) -> bool:
    try:
        scene.github.rerun(scene.repository, ended.id, failed_only=failed_only)
    except UnknownOutcomeError:
        now = scene.github.run(scene.repository, ended.id)
        return now.attempt > ended.attempt or is_running(now)
    return True


def dispatch(scene: Scene, *, suite: str = "", bench: str = "") -> Done:
    """Start the run workflow of the default branch for exactly this commit."""
    done = Done(reason=f"started {scene.settings.workflow} for {scene.pull.head[:12]}")
    before = scene.ours()
    if scene.is_resumed and sum(run.created >= scene.created for run in before) > scene.dispatched:
        scene.dispatched += 1
        return done
    ref = scene.main_branch()
    inputs = {"number": str(scene.pull.number), "head": scene.pull.head, "suite": suite, "bench": bench}
    if scene.pull.base_ref != ref and _BRANCH.match(scene.pull.base_ref):
        inputs["base"] = scene.pull.base_ref
    known = {run.id for run in before}
    if not any(_starts(scene, ref, inputs, known) for _ in range(_TRIES)):
        message = "cannot start the run: GitHub lost it several times"
        raise GitHubError(message, hint="give the command again")
    scene.dispatched += 1
    return done


def _starts(scene: Scene, ref: str, inputs: dict[str, str], known: set[int]) -> bool:
    try:
        scene.github.dispatch(scene.repository, workflow=scene.settings.workflow, ref=ref, inputs=inputs)
    except UnknownOutcomeError:
        return _arrives(scene, known)
    except GitHubError as error:
        if "422" not in str(error):
            raise
        hint = (
            f"{scene.settings.workflow} needs the trigger `workflow_dispatch` with the inputs `number`, "
            "`head`, `suite`, `bench` and `base` (docs/bot.md)"
        )
        raise GitHubError(str(error), hint=hint) from error
    return True


def _arrives(scene: Scene, known: set[int]) -> bool:
    """Whether a run that was asked for shows itself; GitHub takes seconds to make one."""
    for look in range(_LOOKS):
        if look:
            scene.wait(_WAIT_S)
        if any(run.id not in known for run in scene.ours()):
            return True
    return False


def link(run: Run) -> str:
    """A run, for Markdown."""
    return f"[Run {run.id}]({run.url})" if _ADDRESS.match(run.url) else f"Run {run.id}"
