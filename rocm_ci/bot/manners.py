"""How much one person may ask in one conversation. What was asked and answered is read from it.

Nothing else remembers anything: a comment that was deleted meanwhile is counted by our answer to it.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.bot import reply, spoken
from rocm_ci.errors import EventError

if TYPE_CHECKING:
    from rocm_ci.bot.event import Said
    from rocm_ci.bot.reply import Kind
    from rocm_ci.github.client import Comment
    from rocm_ci.github.port import Conversation

WINDOW_S = 3600
# Comments with commands, of one person, in one conversation, within the window.
MOST = 20
MOST_OF_STRANGERS = 3


@dataclass(frozen=True, kw_only=True)
class Earlier:
    """What one person asked before this comment, within the window, and what we answered."""

    comments: tuple[Comment, ...]
    us: str
    asked: int
    told: frozenset[str]

    def is_too_much(self, *, may_write: bool) -> bool:
        """Whether this comment is one too many."""
        return self.asked >= (MOST if may_write else MOST_OF_STRANGERS)

    def was_told(self, kind: Kind) -> bool:
        """Whether we said this to that person already."""
        return kind in self.told


def earlier(github: Conversation, said: Said) -> Earlier:
    """Read the conversation of the last hour before the comment. One page of it is one request."""
    since = _before(said.created)
    # The list goes by when a comment was changed: an old one that was edited is no new question.
    comments = tuple(
        c for c in github.comments(said.repository, said.number, since=since) if c.created >= since
    )
    us = github.identity()
    login = said.author.login.casefold()
    asked = {
        c.id
        for c in comments
        if c.id < said.comment and c.author.casefold() == login and spoken.may_be_meant(c.body)
    }
    told = set()
    for comment in comments:
        mark = reply.mark_of(comment, us)
        if mark is not None and mark.login.casefold() == login and mark.comment != said.comment:
            told.add(mark.kind)
            asked.add(mark.comment)
    return Earlier(comments=comments, us=us, asked=len(asked), told=frozenset(told))


def _before(created: str) -> str:
    try:
        moment = dt.datetime.strptime(created, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=dt.timezone.utc)
    except ValueError as error:
        message = f"the comment was created at {created[:40]!r}, which is no time"
        raise EventError(
            message, hint="check that GITHUB_EVENT_PATH names this job's own event file"
        ) from error
    return (moment - dt.timedelta(seconds=WINDOW_S)).strftime("%Y-%m-%dT%H:%M:%SZ")
