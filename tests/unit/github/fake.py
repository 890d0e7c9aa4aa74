"""GitHub in memory, for what stands above the client. It says no, or loses an answer, on order."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rocm_ci.github.client import Annotation, Check, Comment, PostedCheck, Pull, UnknownOutcomeError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocm_ci.github.client import StatusState

BOT = "github-actions[bot]"


def pull(number: int = 5, head: str = "a" * 40, **changed: object) -> Pull:
    known: dict[str, object] = {
        "number": number,
        "head": head,
        "head_repository": "o/r",
        "base_repository": "o/r",
        "is_open": True,
    }
    return Pull(**{**known, **changed})  # type: ignore[arg-type]


@dataclass
class FakeGitHub:
    """`lost` counts down: that many writes happen, but their answers do not arrive.

    With `lagging`, a list does not show yet what was just created.
    """

    pulls: list[Pull] = field(default_factory=list)
    notes: list[Comment] = field(default_factory=list)
    statuses: list[dict[str, object]] = field(default_factory=list)
    posted: list[tuple[Check, PostedCheck, list[Annotation]]] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    lost: int = 0
    lagging: bool = False
    login: str = BOT

    def identity(self) -> str:
        return self.login

    def pull(self, repository: str, number: int) -> Pull:
        return next(p for p in self.pulls if p.number == number)

    def open_pulls(self, repository: str, head: str) -> tuple[Pull, ...]:
        self.calls.append(f"open {head}")
        return tuple(self.pulls)

    def pulls_of_commit(self, repository: str, commit: str) -> tuple[Pull, ...]:
        self.calls.append(f"commit {commit}")
        return tuple(self.pulls)

    def comments(self, repository: str, number: int) -> tuple[Comment, ...]:
        return () if self.lagging else tuple(self.notes)

    def say(self, author: str, body: str) -> Comment:
        number = max((c.id for c in self.notes), default=100) + 1
        comment = Comment(id=number, author=author, body=body, url=f"url/{number}")
        self.notes.append(comment)
        return comment

    def create_comment(self, repository: str, number: int, body: str) -> Comment:
        self.calls.append("create")
        made = self.say(self.login, body)
        self._lose()
        return made

    def edit_comment(self, repository: str, comment: int, body: str) -> Comment:
        self.calls.append(f"edit {comment}")
        index = next(i for i, c in enumerate(self.notes) if c.id == comment)
        old = self.notes[index]
        self.notes[index] = Comment(id=old.id, author=old.author, body=body, url=old.url)
        return self.notes[index]

    def delete_comment(self, repository: str, comment: int) -> None:
        self.calls.append(f"delete {comment}")
        self.notes = [c for c in self.notes if c.id != comment]

    def set_status(
        self,
        repository: str,
        commit: str,
        *,
        state: StatusState,
        context: str,
        description: str,
        url: str | None,
    ) -> None:
        self.statuses.append(
            {"commit": commit, "state": state, "context": context, "description": description, "url": url}
        )

    def checks(self, repository: str, commit: str, name: str) -> tuple[PostedCheck, ...]:
        return tuple(
            posted for check, posted, _ in self.posted if (check.commit, check.name) == (commit, name)
        )

    def create_check(self, repository: str, check: Check, annotations: Sequence[Annotation]) -> PostedCheck:
        self.calls.append(f"check {len(annotations)}")
        made = PostedCheck(
            id=len(self.posted) + 1, external_id=check.external_id, url="check", annotations=len(annotations)
        )
        self.posted.append((check, made, list(annotations)))
        self._lose()
        return made

    def update_check(
        self, repository: str, posted: int, check: Check, annotations: Sequence[Annotation]
    ) -> PostedCheck:
        self.calls.append(f"annotate {len(annotations)}")
        old, was, notes = self.posted[posted - 1]
        notes = [*notes, *annotations]
        made = PostedCheck(id=was.id, external_id=was.external_id, url=was.url, annotations=len(notes))
        self.posted[posted - 1] = (old, made, notes)
        self._lose()
        return made

    def _lose(self) -> None:
        if self.lost > 0:
            self.lost -= 1
            message = "the answer was lost"
            raise UnknownOutcomeError(message)
