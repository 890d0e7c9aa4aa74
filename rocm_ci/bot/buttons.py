"""The buttons of our check run: `rerun` and `rerun-failed`, and GitHub's own «Re-run».

GitHub tells a workflow of them only for check runs of another App than its own Actions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.bot import running
from rocm_ci.bot.command import Command
from rocm_ci.bot.handle import MAY_ACT, Bot, Outcome
from rocm_ci.bot.scene import Scene
from rocm_ci.errors import GitHubError
from rocm_ci.github.client import DeclinedError

if TYPE_CHECKING:
    from rocm_ci.bot.event import Pressed
    from rocm_ci.github.client import Pull

CHECK = "rocm-ci"
_VERBS = {"rerun": "run", "rerequested": "run", "rerun-failed": "rerun-failed"}


def press(bot: Bot, pressed: Pressed) -> Outcome:
    """Answer a button. Nothing is said in the conversation: whoever pressed it looks at the check."""
    verb = _VERBS.get(pressed.button)
    if pressed.check != CHECK and not pressed.check.startswith(f"{CHECK}/"):
        return Outcome(action="ignored", reason="the check run is not ours")
    if verb is None:
        return Outcome(action="ignored", reason="the button is none of ours")
    if pressed.sender.is_bot:
        return Outcome(action="ignored", reason="a bot pressed it")
    if bot.github.permission(pressed.repository, pressed.sender.login) not in MAY_ACT:
        reason = f"{pressed.sender.login} may not write to {pressed.repository}"
        return Outcome(action="refused", reason=reason)
    act = running.run if verb == "run" else running.rerun_failed
    try:
        done = act(_scene(bot, pressed, _pull(bot, pressed)), Command(verb=verb))
    except DeclinedError as no:
        return Outcome(action="refused", reason=f"{no}; {no.hint}" if no.hint else str(no))
    except GitHubError as error:
        bot.log.error(str(error), error.hint)
        return Outcome(action="refused", reason=str(error), code=error.exit_code)
    return Outcome(action=verb, reason=done.reason)


def _pull(bot: Bot, pressed: Pressed) -> Pull:
    """The one open pull request whose head the check run is about."""
    found = [bot.github.pull(pressed.repository, number) for number in dict.fromkeys(pressed.numbers)]
    # GitHub lists none for a fork.
    found = found or [*bot.github.pulls_of_commit(pressed.repository, pressed.head), *_of_forks(bot, pressed)]
    ours = [
        pull
        for pull in {pull.number: pull for pull in found}.values()
        if pull.is_open
        and pull.head == pressed.head
        and pull.base_repository.casefold() == pressed.repository.casefold()
    ]
    if len(ours) == 1:
        return ours[0]
    message = f"{len(ours) or 'no'} open pull requests have {pressed.head[:12]} as their head"
    raise DeclinedError(message, hint="give the command as a comment: `/rocm-ci run`")


def _of_forks(bot: Bot, pressed: Pressed) -> tuple[Pull, ...]:
    """The pull requests of the branch that the newest run of this commit came from."""
    runs = bot.github.runs(pressed.repository, head=pressed.head, event="pull_request")
    run = next((one for one in runs if one.head == pressed.head), None)
    if run is None or not run.head_repository or not run.branch:
        return ()
    return bot.github.open_pulls(pressed.repository, f"{run.head_repository.partition('/')[0]}:{run.branch}")


def _scene(bot: Bot, pressed: Pressed, pull: Pull) -> Scene:
    return Scene(
        github=bot.github,
        settings=bot.settings,
        accept=bot.accept,
        wait=bot.wait,
        repository=pressed.repository,
        pull=pull,
        default_branch=pressed.default_branch,
        login=pressed.sender.login,
        created=bot.now(),
    )
