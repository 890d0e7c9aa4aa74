"""One comment from receipt to answer: whether we listen, who may ask, what is done, what is said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.bot import accepting, manners, pages, parse, reply, running, vouch
from rocm_ci.bot.scene import Done, Scene
from rocm_ci.errors import GitHubError
from rocm_ci.github.client import DeclinedError
from rocm_ci.report import inert

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rocm_ci.bot.command import Command
    from rocm_ci.bot.event import Said
    from rocm_ci.bot.manners import Earlier
    from rocm_ci.bot.reply import Kind, Mark
    from rocm_ci.bot.scene import Accept, Settings
    from rocm_ci.github.port import GitHub, Reaction
    from rocm_ci.log import Log

MAY_ACT = ("admin", "write")
_ACTS: dict[str, Callable[[Scene, Command], Done]] = {
    "run": running.run,
    "rerun-failed": running.rerun_failed,
    "bench": running.bench,
    "cancel": running.cancel,
    "ok-to-test": vouch.ok_to_test,
    "accept-perf": accepting.accept_perf,
}


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of an event.

    `action` is `ignored`, `refused`, or what was done (`run`, `cancel`, …; several joined by `, `). `answer`
    is what was said (or could not be), as Markdown. `code` is the exit code.
    """

    action: str
    reason: str
    answer: str = ""
    url: str = ""
    code: int = 0


@dataclass(frozen=True, kw_only=True)
class Bot:
    """What answering needs: GitHub, how things are set up, and the ways out of this process."""

    github: GitHub
    settings: Settings
    accept: Accept
    wait: Callable[[float], None]
    now: Callable[[], str]
    log: Log


@dataclass(frozen=True, kw_only=True)
class _Answer:
    """What is to be said: by which reaction, and in which words."""

    action: str
    reason: str
    text: str
    kind: Kind
    code: int = 0

    @property
    def reaction(self) -> Reaction:
        return "rocket" if self.kind == "done" else "confused"


def handle(bot: Bot, said: Said) -> Outcome:
    """Answer a comment. Raises `GitHubError` when GitHub cannot even be asked who may do what."""
    unheard = _unheard(said)
    asked = () if unheard else parse.commands(said.body)
    if not asked:
        return Outcome(action="ignored", reason=unheard or "the comment holds no command")
    if said.is_locked:
        # Neither a reaction nor an answer can be given there.
        reason = "the conversation is locked: use the Actions page, or unlock it"
        return Outcome(action="refused", reason=reason)
    may_write = bot.github.permission(said.repository, said.author.login) in MAY_ACT
    earlier = manners.earlier(bot.github, said)
    before = reply.answer_to(earlier.comments, earlier.us, said)
    is_open = not isinstance(asked, parse.Mistake) and all(command.form.is_open for command in asked)
    if before is None and not may_write and not is_open:
        return _to_stranger(bot, said, earlier)
    if before is None and earlier.is_too_much(may_write=may_write):
        return _too_often(bot, said, earlier)
    ours = {
        r.content: r.id
        for r in bot.github.reactions(said.repository, said.comment)
        if _is(r.author, earlier.us)
    }
    if "rocket" in ours or (before is None and "confused" in ours) or (before and before.kind != "failed"):
        return _tidied(bot, said, ours, before)
    if not may_write and not is_open:
        return Outcome(
            action="ignored", reason=f"{said.author.login} may not write to {said.repository} any more"
        )
    passing = [ours.get("eyes") or _react(bot, said, "eyes"), ours.get("confused")]
    answer = _answer(bot, said, asked, is_resumed="eyes" in ours or before is not None)
    return _give(bot, said, answer, passing=passing, instead_of=before.id if before else None)


def _tidied(bot: Bot, said: Said, ours: dict[str, int], before: Mark | None) -> Outcome:
    """The event came again. Where the first time broke off after the answer, the eyes are still there."""
    if "eyes" in ours:
        done = "rocket" in ours or (before is not None and before.kind == "done")
        _react(bot, said, "rocket" if done else "confused")
        _unreact(bot, said, ours["eyes"])
    return Outcome(action="ignored", reason="this comment was answered already")


def _unheard(said: Said) -> str:
    """Why nobody expects an answer; empty when somebody does."""
    if said.action != "created":
        return f"only new comments count, this one was {inert.line(said.action, limit=20)}"
    if not said.is_pull:
        return "this is an issue, not a pull request"
    if said.author.is_bot or said.sender.is_bot:
        return "a bot wrote it"
    if not _is(said.author.login, said.sender.login):
        return "the author did not write it"
    return ""


def _is(login: str, other: str) -> bool:
    return login.casefold() == other.casefold()


def _to_stranger(bot: Bot, said: Said, earlier: Earlier) -> Outcome:
    """One answer to each person and hour: a thousand comments do not make a thousand answers."""
    reason = f"{said.author.login} may not write to {said.repository}"
    if earlier.was_told("stranger"):
        return Outcome(action="ignored", reason=f"{reason}, and was told so")
    text = (
        "Only people with write access to this repository can give commands here (`help` and `explain` are "
        "for everybody). Ask a maintainer."
    )
    return _give(bot, said, _Answer(action="refused", reason=reason, text=text, kind="stranger"))


def _too_often(bot: Bot, said: Said, earlier: Earlier) -> Outcome:
    reason = f"{earlier.asked} commands of {said.author.login} within the hour"
    if earlier.was_told("cooldown"):
        return Outcome(action="refused", reason=f"{reason}; this was said once already")
    text = f"Nothing was done: {inert.prose(reason)}, which is the most. Give the command again later."
    return _give(bot, said, _Answer(action="refused", reason=reason, text=text, kind="cooldown"))


def _answer(bot: Bot, said: Said, asked: tuple[Command, ...] | parse.Mistake, *, is_resumed: bool) -> _Answer:
    """Do what was asked, in order, until something stands in the way."""
    if isinstance(asked, parse.Mistake):
        return _Answer(action="refused", reason=asked.reason, text=asked.answer, kind="refused")
    scene: Scene | None = None
    reasons: list[str] = []
    texts: list[str] = []
    for command in asked:
        try:
            if command.form.is_open:
                done = pages.help_page() if command.verb == "help" else pages.explain(command.words[0])
            else:
                scene = scene or _scene(bot, said, is_resumed=is_resumed)
                done = _ACTS[command.verb](scene, command)
        except (DeclinedError, GitHubError) as no:
            # What was done before it is told too: the reaction alone would say that nothing was.
            texts = [*map(inert.prose, reasons), reply.refusal(command.text, str(no), no.hint)]
            return _Answer(
                action="refused",
                reason="; ".join([*reasons, str(no)]),
                text="\n\n".join(texts),
                kind="failed" if isinstance(no, GitHubError) else "refused",
                code=no.exit_code,
            )
        reasons.append(done.reason)
        texts += [done.answer] if done.answer else []
    action = ", ".join(dict.fromkeys(command.verb for command in asked))
    return _Answer(action=action, reason="; ".join(reasons), text="\n\n".join(texts), kind="done")


def _scene(bot: Bot, said: Said, *, is_resumed: bool) -> Scene:
    """The pull request as it is now. Raises `DeclinedError` when it is closed."""
    pull = bot.github.pull(said.repository, said.number)
    if not (pull.is_open and said.is_open):
        raise DeclinedError(f"pull request #{said.number} is closed", hint="reopen it first")
    if not _is(pull.base_repository, said.repository):
        raise DeclinedError(f"pull request #{said.number} belongs to another repository")
    return Scene(
        github=bot.github,
        settings=bot.settings,
        accept=bot.accept,
        wait=bot.wait,
        repository=said.repository,
        pull=pull,
        default_branch=said.default_branch,
        login=said.author.login,
        created=said.created,
        url=said.url,
        is_resumed=is_resumed,
    )


def _give(
    bot: Bot,
    said: Said,
    answer: _Answer,
    *,
    passing: Sequence[int | None] = (),
    instead_of: int | None = None,
) -> Outcome:
    """Say it. What was done stays done when GitHub does not take our words for it.

    `passing` are reactions of ours that no longer hold.
    """
    code, url = answer.code, ""
    if answer.text or instead_of is not None:
        body = reply.signed(answer.text or inert.prose(answer.reason), said, answer.kind)
        try:
            url = reply.post(bot.github, said, body, instead_of)
        except GitHubError as error:
            bot.log.warning(f"{error}; {error.hint}")
            code = code or (0 if answer.kind == "done" else error.exit_code)
    if answer.kind == "failed" and not url:
        # The eyes stay: when the job is run again, all of this is still to do.
        return Outcome(action=answer.action, reason=answer.reason, answer=answer.text, code=code)
    shown = _react(bot, said, answer.reaction)
    for reaction in passing:
        if reaction not in (None, shown):
            _unreact(bot, said, reaction)
    return Outcome(action=answer.action, reason=answer.reason, answer=answer.text, url=url, code=code)


def _react(bot: Bot, said: Said, reaction: Reaction) -> int | None:
    """A reaction is a courtesy: without it the work still counts."""
    try:
        return bot.github.react(said.repository, said.comment, reaction)
    except GitHubError as error:
        bot.log.warning(f"{error}; {error.hint}")
        return None


def _unreact(bot: Bot, said: Said, reaction: int) -> None:
    try:
        bot.github.unreact(said.repository, said.comment, reaction)
    except GitHubError as error:
        bot.log.warning(f"{error}; {error.hint}")
