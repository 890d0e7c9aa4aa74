"""The commands about runs: run, rerun-failed, bench, cancel.

A pull request's own run is run again rather than started anew: so GitHub's rules for forks stay in force.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.bot import vouch
from rocm_ci.bot.scene import Done, declined, has_run, is_running, is_waiting
from rocm_ci.bot.starting import again, dispatch, link

if TYPE_CHECKING:
    from rocm_ci.bot.command import Command
    from rocm_ci.bot.scene import Scene

_FINE = ("success", "neutral", "skipped")


def run(scene: Scene, command: Command) -> Done:
    """Everything again, or one suite of the configuration."""
    if command.words:
        vouch.require(scene)
        return dispatch(scene, suite=command.words[0])
    if scene.pull.is_fork and vouch.is_vouched(scene):
        # Its own run never gets to a GPU machine where the fork cannot be trusted with the workflow.
        return dispatch(scene)
    own = scene.own()
    if not own or is_waiting(own[0]):
        vouch.require(scene)
        return vouch.let_begin(scene, own[0]) if own else dispatch(scene)
    newest = own[0]
    if is_running(newest):
        return Done(reason=f"run {newest.id} is under way", answer=f"{link(newest)} is under way already.")
    if not has_run(newest):
        vouch.require(scene)
    again(scene, newest, failed_only=False)
    answer = ""
    if scene.pull.is_fork:
        answer = (
            f"{link(newest)} runs again, as the fork's own. Where its GPU jobs wait for a maintainer, read "
            f"the change and say `/rocm-ci ok-to-test {scene.pull.head}`."
        )
    return Done(reason=f"run {newest.id} runs again", answer=answer)


def bench(scene: Scene, command: Command) -> Done:
    """The benchmarks alone, all or one."""
    vouch.require(scene)
    return dispatch(scene, bench=command.words[0] if command.words else "*")


def rerun_failed(scene: Scene, _: Command) -> Done:
    """The failed jobs of the newest run for this commit."""
    newest = next((one for one in scene.last() if not is_waiting(one)), None)
    if newest is None:
        raise declined(f"nothing has run for {scene.pull.head[:12]} yet", "start it with `/rocm-ci run`")
    done = Done(reason=f"the failed jobs of run {newest.id} run again")
    if is_running(newest):
        if scene.is_resumed and newest.attempt > 1:
            return done
        raise declined(f"run {newest.id} is still under way", "wait for its end, or `/rocm-ci cancel`")
    if newest.conclusion in _FINE:
        raise declined("nothing failed in the last run of this commit", "`/rocm-ci run` runs all of it again")
    if not has_run(newest):
        vouch.require(scene)
    again(scene, newest, failed_only=True)
    return done


def cancel(scene: Scene, _: Command) -> Done:
    """All runs of ours for this commit that have not ended."""
    active = [one for one in scene.last() if is_running(one)]
    if not active and not scene.is_resumed:
        raise declined(f"nothing is running for {scene.pull.head[:12]}")
    for one in active:
        scene.github.cancel(scene.repository, one.id)
    listed = ", ".join(str(one.id) for one in active)
    return Done(reason=f"cancelled run {listed}" if listed else "what was running is cancelled")
