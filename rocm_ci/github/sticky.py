"""One comment per pull request and key: found again, edited in place, doubles repaired.

GitHub knows no «edit if unchanged». So whoever writes reads back a moment later, and writes again when
somebody with an older result came in between: the newest result stays, whoever was last.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from rocm_ci.errors import GitHubError
from rocm_ci.github import marker
from rocm_ci.github.client import Comment, DeclinedError, PermissionRefusedError, UnknownOutcomeError

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocm_ci.github.marker import Marker, Stamp
    from rocm_ci.github.port import Conversation

_ROUNDS = 6

Action = Literal["created", "edited", "unchanged", "kept"]


class NewerFormatError(DeclinedError):
    """The comment was written by a newer rocm-ci: editing it would lose what that one remembers."""


@dataclass(frozen=True, kw_only=True)
class Own:
    """A comment that the token's own identity wrote under our marker."""

    comment: Comment
    mark: Marker


@dataclass(frozen=True, kw_only=True)
class Look:
    """A conversation as it was read: all its comments, and our own ones of a key, oldest first.

    `identity` is None when nobody had to be asked who we are: no comment carries our marker.
    """

    key: str
    comments: tuple[Comment, ...]
    own: tuple[Own, ...] = ()
    identity: str | None = None

    @property
    def newest(self) -> Own | None:
        """Our comment that shows the newest run."""
        stamped = [one for one in self.own if one.mark.stamp]
        return max(stamped, key=_order, default=None)

    @property
    def stamp(self) -> Stamp | None:
        """What our comment remembers; None when there is none, or none that can be read."""
        return self.newest.mark.stamp if self.newest else None

    @property
    def url(self) -> str:
        """Where our comment is; empty when there is none."""
        return self.own[0].comment.url if self.own else ""


@dataclass(frozen=True, kw_only=True)
class Posted:
    """What happened to the comment. `kept` means that a newer run of the same commit stands there."""

    action: Action
    url: str
    doubles_removed: int = 0


def look(github: Conversation, repository: str, number: int, key: str) -> Look:
    """Read the conversation once, all pages; who we are is asked only where somebody wrote our marker."""
    return _read(github, repository, number, key)


def post(
    github: Conversation,
    repository: str,
    number: int,
    *,
    text: str,
    key: str,
    stamp: Stamp,
    notice: str = "",
    look: Look | None = None,
    settle: Callable[[], None] = lambda: None,
    believed: Callable[[Stamp], bool] = lambda _: True,
) -> Posted:
    """Show `text` in the one comment of `key`, unless a newer run of the same commit is shown there.

    Only a comment that the token's own identity wrote is ever touched: the marker alone proves
    nothing, everybody can write one. When two reporters were at it at once, the oldest comment stays
    and shows the newest run. The caller has made sure that `stamp.head` is the pull request's head.
    `settle` waits for others who began before we wrote; `believed` confirms a stamp that claims to be
    newer. Raises `NewerFormatError` when a newer rocm-ci keeps the comment.
    """
    seen = look or _read(github, repository, number, key)
    work = _Work(
        github=github,
        repository=repository,
        number=number,
        seen=seen,
        body=marker.sign(text, key, stamp, notice=notice),
        stamp=stamp,
        believed=believed,
        since=max((c.created for c in seen.comments), default="") or None,
    )
    for _ in range(_ROUNDS):
        if work.is_done():
            return work.outcome()
        try:
            work.write()
        except UnknownOutcomeError:
            work.read_again()  # it may have happened: what is there tells
            continue
        settle()
        # What was posted is posted, though nobody can be asked whether somebody was faster.
        with contextlib.suppress(GitHubError):
            work.read_again()
    if work.seen.own:
        return work.outcome()
    message = "cannot create the comment: GitHub lost it several times"
    raise GitHubError(message, hint="run the job again")


@dataclass(kw_only=True)
class _Work:
    """One call of `post`: what is there, what shall be there, what was done so far."""

    github: Conversation
    repository: str
    number: int
    seen: Look
    body: str
    stamp: Stamp
    believed: Callable[[Stamp], bool]
    since: str | None
    replaced: dict[int, str] = field(default_factory=dict)
    gone: set[int] = field(default_factory=set)
    doubles: int = 0
    action: Action = "unchanged"
    verdicts: dict[tuple[int, int], bool] = field(default_factory=dict)

    def is_done(self) -> bool:
        """Whether there is exactly one comment, and it shows what it should."""
        if any(one.mark.is_newer for one in self.seen.own):
            message = f"a newer rocm-ci keeps the comment {self.seen.url}: it is left as it is"
            raise NewerFormatError(message, hint="use the same version in all workflows of the repository")
        return len(self.seen.own) == 1 and self._is_right(self.seen.own[0])

    def write(self) -> None:
        """Go there: create it, or bring the oldest of ours up to date and remove the others."""
        if not self.seen.own:
            self.action = "created"
            made = self.github.create_comment(self.repository, self.number, self.body)
            self._know(replace(made, body=self.body), identity=made.author)
            return
        oldest, *doubles = self.seen.own
        if not self._is_right(oldest):
            if self.action == "unchanged":
                self.action = "edited"
            if not self._edit(oldest.comment):
                return
        for double in doubles:
            self.github.delete_comment(self.repository, double.comment.id)
            self.gone.add(double.comment.id)
            self.doubles += 1
        self._know()

    def read_again(self) -> None:
        """Take in what others did meanwhile."""
        fresh = self.github.comments(self.repository, self.number, since=self.since)
        # A list can lag behind our own write: then it shows once more what stood there before it.
        self._know(*(c for c in fresh if self.replaced.get(c.id) != c.body))

    def outcome(self) -> Posted:
        """What was done."""
        action: Action = "kept" if self._newer() else self.action
        return Posted(action=action, url=self.seen.url, doubles_removed=self.doubles)

    def _edit(self, comment: Comment) -> bool:
        """False when the comment is gone, so that one has to begin anew."""
        body = self._wanted()
        try:
            self.github.edit_comment(self.repository, comment.id, body)
        except PermissionRefusedError:
            raise
        except GitHubError:
            there = self.github.comments(self.repository, self.number)
            if any(c.id == comment.id for c in there):
                raise
            self.gone.add(comment.id)
            self._know(*there)
            return False
        self.replaced[comment.id] = comment.body
        self._know(replace(comment, body=body))
        return True

    def _wanted(self) -> str:
        newer = self._newer()
        return newer.comment.body if newer else self.body

    def _is_right(self, one: Own) -> bool:
        wanted = self._wanted()
        # GitHub may keep a text with other line ends; the stamp then tells that it is ours.
        is_ours = wanted == self.body and one.comment.id in self.replaced and one.mark.stamp == self.stamp
        return is_ours or _plain(one.comment.body) == _plain(wanted)

    def _newer(self) -> Own | None:
        """The newest run of the same commit, if it is newer than the one to post."""
        if self.stamp.run is None:
            return None
        found = [one for one in self.seen.own if self._is_newer(one.mark.stamp)]
        return max(found, key=_order, default=None)

    def _is_newer(self, shown: Stamp | None) -> bool:
        if shown is None or shown.head != self.stamp.head or shown.order <= self.stamp.order:
            return False
        if shown.order not in self.verdicts:
            self.verdicts[shown.order] = self.believed(shown)
        return self.verdicts[shown.order]

    def _know(self, *comments: Comment, identity: str | None = None) -> None:
        known = {c.id: c for c in (*self.seen.comments, *comments) if c.id not in self.gone}
        ordered = tuple(known[number] for number in sorted(known))
        self.seen = _seen(self.github, self.seen.key, ordered, identity or self.seen.identity)


def _read(github: Conversation, repository: str, number: int, key: str) -> Look:
    return _seen(github, key, github.comments(repository, number), None)


def _seen(github: Conversation, key: str, comments: tuple[Comment, ...], identity: str | None) -> Look:
    marked = [Own(comment=c, mark=mark) for c in comments if (mark := marker.find(c.body))]
    marked = [one for one in marked if one.mark.key == key and one.comment.author]
    if marked and identity is None:
        identity = github.identity()
    own = tuple(one for one in marked if one.comment.author.casefold() == (identity or "").casefold())
    return Look(key=key, comments=comments, own=own, identity=identity)


def _order(one: Own) -> tuple[int, int]:
    return one.mark.stamp.order if one.mark.stamp else (-1, -1)


def _plain(body: str) -> str:
    return body.replace("\r\n", "\n").strip()
