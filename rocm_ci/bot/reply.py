"""What the bot says: at most one comment for a comment, with a hidden line by which it is known again."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rocm_ci.errors import GitHubError
from rocm_ci.github.client import UnknownOutcomeError
from rocm_ci.report import inert

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocm_ci.bot.event import Said
    from rocm_ci.github.client import Comment
    from rocm_ci.github.port import Conversation

# `stranger` went to somebody without the rights, `cooldown` to somebody who asks too often. `failed` says
# that GitHub stood in the way: the event may come again.
Kind = Literal["done", "refused", "stranger", "cooldown", "failed"]
MAX_ANSWER = 20_000
_TRIES = 4
# At the very end: what stands above it cannot pose as it.
_MARKER = re.compile(
    r"<!-- rocm-ci-bot:v1 comment=(?P<comment>[0-9]{1,20}) for=(?P<login>[A-Za-z0-9_-]{1,100}) "
    r"kind=(?P<kind>done|refused|stranger|cooldown|failed) -->\s*\Z"
)
_LOGIN = re.compile(r"[A-Za-z0-9_-]{1,100}\Z")


@dataclass(frozen=True, kw_only=True)
class Mark:
    """What the hidden line of an answer says: which comment it answers, whose, and how."""

    comment: int
    login: str
    kind: str
    id: int


def signed(answer: str, said: Said, kind: Kind) -> str:
    """The body of the answer to `said`."""
    login = said.author.login if _LOGIN.match(said.author.login) else "unknown"
    # Every part of it is inert already; this is the last line of defence for its length.
    return f"{answer[:MAX_ANSWER]}\n\n<!-- rocm-ci-bot:v1 comment={said.comment} for={login} kind={kind} -->"


def mark_of(comment: Comment, us: str) -> Mark | None:
    """The mark of one of our answers; None for everybody else's comments, whatever they end in."""
    found = _MARKER.search(comment.body[-400:]) if comment.author.casefold() == us.casefold() else None
    if found is None:
        return None
    return Mark(comment=int(found["comment"]), login=found["login"], kind=found["kind"], id=comment.id)


def refusal(what: str, why: str, hint: str) -> str:
    """Markdown for a polite no. `why` and `hint` may quote strangers."""
    start = f"{inert.code(what)}: " if what else ""
    shown = inert.prose(why, limit=600)
    return f"{start}{shown}.{f' {inert.prose(_sentence(hint), limit=600)}' if hint else ''}"


def _sentence(hint: str) -> str:
    start = hint[:1].upper() + hint[1:]
    return start if start.endswith((".", "!", "?")) else f"{start}."


def post(github: Conversation, said: Said, body: str, instead_of: int | None = None) -> str:
    """Say it once, though GitHub may lose an answer; returns the address of the comment.

    `instead_of` is an answer of ours to the same comment that is out of date.
    """
    if instead_of is not None:
        return github.edit_comment(said.repository, instead_of, body).url
    for _ in range(_TRIES):
        url = _created(github, said, body)
        if url is not None:
            return url
    message = "cannot answer the comment: GitHub lost it several times"
    raise GitHubError(message, hint="the step summary of the job has the answer")


def _created(github: Conversation, said: Said, body: str) -> str | None:
    try:
        return github.create_comment(said.repository, said.number, body).url
    except UnknownOutcomeError:
        there = github.comments(said.repository, said.number, since=said.created)
        mark = answer_to(there, github.identity(), said)
        return None if mark is None else next(c.url for c in there if c.id == mark.id)


def answer_to(comments: Sequence[Comment], us: str, said: Said) -> Mark | None:
    """Our answer to this comment, if it is among these."""
    marks = (mark_of(comment, us) for comment in comments)
    return next((mark for mark in marks if mark is not None and mark.comment == said.comment), None)
