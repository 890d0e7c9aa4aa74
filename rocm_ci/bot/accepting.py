"""accept-perf: a maintainer lets one measured regression pass, and says why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.bot.scene import Done, declined
from rocm_ci.errors import ReportError, UsageError
from rocm_ci.report import inert

if TYPE_CHECKING:
    from rocm_ci.bot.command import Command
    from rocm_ci.bot.scene import Scene


def accept_perf(scene: Scene, command: Command) -> Done:
    """Accept it as the newest finished run of this commit measured it, and show its report anew."""
    name, reason = command.words
    # What began after the comment is not what was looked at.
    seen = (one for one in scene.last() if one.created <= scene.created)
    ended = next((one for one in seen if one.conclusion in ("success", "failure")), None)
    if ended is None:
        raise declined(
            f"no run of {scene.pull.head[:12]} had finished before your comment",
            "accept what a run has measured",
        )
    try:
        told = scene.accept(
            name, reason, by=scene.login, pull=scene.pull, run=ended, is_part=scene.is_part(ended)
        )
    except (UsageError, ReportError) as error:
        raise declined(str(error), error.hint) from error
    if scene.is_part(ended):
        answer = f"{inert.prose(told)}. The verdict follows with the next whole run: `/rocm-ci run`."
        return Done(reason=told, answer=answer)
    return Done(reason=told)
