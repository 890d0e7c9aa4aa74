"""One comment per pull request and key: found again, edited in place, doubles repaired."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rocm_ci.errors import GitHubError
from rocm_ci.github import marker
from rocm_ci.github.client import Comment, UnknownOutcomeError

if TYPE_CHECKING:
    from rocm_ci.github.marker import Stamp
    from rocm_ci.github.port import GitHub

_ROUNDS = 6


@dataclass(frozen=True, kw_only=True)
class Posted:
    """What happened to the comment. `kept` means that a newer run of the same commit stands there."""

    action: Literal["created", "edited", "unchanged", "kept"]
    url: str
    doubles_removed: int = 0


def post(github: GitHub, repository: str, number: int, *, text: str, key: str, stamp: Stamp) -> Posted:
    """Show `text` in the one comment of `key`, unless a newer run of the same commit is shown there.

    Only a comment that the token's own identity wrote is ever touched: the marker alone proves
    nothing, everybody can write one. When two reporters were at it at once, the oldest comment stays
    and shows the newest run. The caller has made sure that `stamp.head` is the pull request's head.
    """
    body = marker.sign(text, key, stamp)
    identity = github.identity().casefold()
    new: Comment | None = None
    wrote = False
    for left in reversed(range(_ROUNDS + 1)):
        own = _own(github, repository, number, identity, key)
        if new is not None and all(c.id != new.id for c in own):
            # GitHub's lists can lag behind its writes.
            own.append(new)
        if own:
            return _settle(github, repository, own, body, stamp, wrote=wrote)
        if not left:
            break  # the last look is for the answer that was lost last
        wrote = True
        try:
            new = github.create_comment(repository, number, body)
        except UnknownOutcomeError:
            # It may be there although the answer was lost: the next look tells.
            continue
    message = "cannot create the comment: GitHub lost it several times"
    raise GitHubError(message, hint="run the job again")


def _own(github: GitHub, repository: str, number: int, identity: str, key: str) -> list[Comment]:
    """Our comments of this key, oldest first."""
    found = []
    for comment in github.comments(repository, number):
        mark = marker.find(comment.body) if comment.author.casefold() == identity else None
        if mark is not None and mark.key == key:
            found.append(comment)
    return found


def _settle(
    github: GitHub, repository: str, own: list[Comment], body: str, stamp: Stamp, *, wrote: bool
) -> Posted:
    """Bring the oldest of our comments to the newest text and remove the others."""
    oldest, *doubles = own
    action: Literal["created", "edited", "unchanged", "kept"] = "edited"
    for comment in own:
        mark = marker.find(comment.body)
        shown = mark.stamp if mark else None
        if shown and shown.head == stamp.head and stamp.run is not None and shown.order > stamp.order:
            body, stamp, action = comment.body, shown, "kept"
    url = oldest.url
    if oldest.body != body:
        url = github.edit_comment(repository, oldest.id, body).url
    elif action == "edited":
        action = "created" if wrote else "unchanged"
    for double in doubles:
        github.delete_comment(repository, double.id)
    return Posted(action=action, url=url, doubles_removed=len(doubles))
