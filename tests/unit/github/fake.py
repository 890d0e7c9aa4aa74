"""GitHub in memory, for what stands above the client. It says no, or loses an answer, on order."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from rocm_ci.github.client import (
    Annotation,
    Check,
    Comment,
    PostedCheck,
    Reacted,
    Status,
)
from tests.unit.github.fake_runs import FakeRuns, found
from tests.unit.github.shapes import WHEN, artifact, pull, run, thread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocm_ci.github.client import Pull, StatusState
    from rocm_ci.github.port import Permission, Reaction
    from rocm_ci.github.review import ChangedFile, Remark, Thread

__all__ = ["BOT", "FakeGitHub", "artifact", "pull", "run", "thread"]

BOT = "github-actions[bot]"


@dataclass
class FakeGitHub(FakeRuns):
    """All of `port.GitHub`. `calls` holds what was written (and some questions), in order.
    `lost` counts down: that many writes happen, but their answers do not arrive. With `lagging`, a
    list does not show yet what was just created. A call whose name is in `refused` fails for lack of
    permission. `reacted` holds the comment of each reaction, `stored` maps a run to its artifacts, `archives` an artifact to its bytes.
    """

    pulls: list[Pull] = field(default_factory=list)
    notes: list[Comment] = field(default_factory=list)
    status_log: list[dict[str, object]] = field(default_factory=list)
    posted: list[tuple[Check, PostedCheck, list[Annotation]]] = field(default_factory=list)
    lagging: bool = False
    login: str = BOT
    reacted: list[tuple[int, Reacted]] = field(default_factory=list)
    changed: list[ChangedFile] = field(default_factory=list)
    talks: list[Thread] = field(default_factory=list)
    reviews: list[tuple[str, str, list[Remark]]] = field(default_factory=list)
    edited: dict[int, str] = field(default_factory=dict)
    people: dict[str, Permission] = field(default_factory=dict)
    sarifs: list[tuple[str, str, bytes]] = field(default_factory=list)
    main: str = "main"
    forced: list[str] = field(default_factory=list)

    # -- Conversation ----------------------------------------------------------------------------

    def identity(self) -> str:
        self._asked("identity")
        return self.login

    def pull(self, repository: str, number: int) -> Pull:
        self._asked("pull")
        return found((p for p in self.pulls if p.number == number), f"read pull request {number}")

    def open_pulls(self, repository: str, head: str) -> tuple[Pull, ...]:
        self._asked("open_pulls", f"open {head}")
        return tuple(self.pulls)

    def pulls_of_commit(self, repository: str, commit: str) -> tuple[Pull, ...]:
        self._asked("pulls_of_commit", f"commit {commit}")
        return tuple(self.pulls)

    def force_pushes(self, repository: str, number: int) -> tuple[str, ...]:
        self._asked("force_pushes")
        return tuple(self.forced)

    def comments(self, repository: str, number: int, *, since: str | None = None) -> tuple[Comment, ...]:
        self._asked("comments")
        return () if self.lagging else tuple(c for c in self.notes if not since or c.created >= since)

    def say(self, author: str, body: str, created: str = WHEN) -> Comment:
        number = max((c.id for c in self.notes), default=100) + 1
        comment = Comment(id=number, author=author, body=body, url=f"url/{number}", created=created)
        self.notes.append(comment)
        return comment

    def create_comment(self, repository: str, number: int, body: str) -> Comment:
        self._asked("create_comment", "create")
        made = self.say(self.login, body)
        self._lose()
        return made

    def edit_comment(self, repository: str, comment: int, body: str) -> Comment:
        self._asked("edit_comment", f"edit {comment}")
        index = found((i for i, c in enumerate(self.notes) if c.id == comment), "edit the comment")
        self.notes[index] = made = replace(self.notes[index], body=body)
        return made

    def delete_comment(self, repository: str, comment: int) -> None:
        self._asked("delete_comment", f"delete {comment}")
        self.notes = [c for c in self.notes if c.id != comment]

    def react(self, repository: str, comment: int, reaction: Reaction) -> int:
        self._asked("react", f"react {comment} {reaction}")
        for there, one in self.reacted:
            if (there, one.author, one.content) == (comment, self.login, reaction):
                return one.id
        made = Reacted(id=len(self.calls), author=self.login, content=reaction)
        self.reacted.append((comment, made))
        return made.id

    def reactions(self, repository: str, comment: int) -> tuple[Reacted, ...]:
        self._asked("reactions")
        return tuple(one for there, one in self.reacted if there == comment)

    def unreact(self, repository: str, comment: int, reaction: int) -> None:
        self._asked("unreact", f"unreact {comment} {reaction}")
        self.reacted = [(c, r) for c, r in self.reacted if (c, r.id) != (comment, reaction)]

    # -- Verdicts --------------------------------------------------------------------------------

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
        self._asked("set_status")
        self.status_log.append(
            {"commit": commit, "state": state, "context": context, "description": description, "url": url}
        )

    def statuses(self, repository: str, commit: str) -> tuple[Status, ...]:
        self._asked("statuses")
        newest = {str(s["context"]): s for s in self.status_log if s["commit"] == commit}
        return tuple(
            Status(
                context=context,
                state=s["state"],  # type: ignore[arg-type]
                description=str(s["description"]),
                creator=str(s.get("creator", self.login)),
                url=str(s.get("url") or ""),
            )
            for context, s in newest.items()
        )

    def checks(self, repository: str, commit: str, name: str) -> tuple[PostedCheck, ...]:
        self._asked("checks")
        return tuple(
            posted for check, posted, _ in self.posted if (check.commit, check.name) == (commit, name)
        )

    def create_check(self, repository: str, check: Check, annotations: Sequence[Annotation]) -> PostedCheck:
        self._asked("create_check", f"check {len(annotations)}")
        made = PostedCheck(
            id=len(self.posted) + 1,
            external_id=check.external_id,
            url="check",
            annotations=len(annotations),
            conclusion=check.conclusion,
        )
        self.posted.append((check, made, list(annotations)))
        self._lose()
        return made

    def update_check(
        self, repository: str, posted: int, check: Check, annotations: Sequence[Annotation]
    ) -> PostedCheck:
        self._asked("update_check", f"annotate {len(annotations)}")
        _, was, notes = self.posted[posted - 1]
        notes = [*notes, *annotations]
        made = replace(
            was, external_id=check.external_id, annotations=len(notes), conclusion=check.conclusion
        )
        self.posted[posted - 1] = (check, made, notes)
        if annotations:  # without any, the real client asks again
            self._lose()
        return made

    def upload_sarif(self, repository: str, *, commit: str, ref: str, sarif: bytes) -> str:
        self._asked("upload_sarif", f"sarif {ref}")
        self.sarifs.append((commit, ref, sarif))
        return f"upload-{len(self.sarifs)}"

    # -- Reviews and People ----------------------------------------------------------------------

    def files(self, repository: str, number: int) -> tuple[ChangedFile, ...]:
        self._asked("files")
        return tuple(self.changed)

    def threads(self, repository: str, number: int) -> tuple[Thread, ...]:
        self._asked("threads")
        return tuple(self.talks)

    def create_review(
        self, repository: str, number: int, *, commit: str, body: str, remarks: Sequence[Remark]
    ) -> None:
        self._asked("create_review", f"review {len(remarks)}")
        self.reviews.append((commit, body, list(remarks)))
        self.talks += [thread(len(self.talks) + at, r, self.login) for at, r in enumerate(remarks, start=1)]
        self._lose()

    def resolve_thread(self, thread: str) -> None:
        self._asked("resolve_thread", f"resolve {thread}")
        self.talks = [replace(t, is_resolved=t.is_resolved or t.id == thread) for t in self.talks]

    def edit_review_comment(self, repository: str, comment: int, body: str) -> None:
        self._asked("edit_review_comment", f"edit remark {comment}")
        self.edited[comment] = body
        self.talks = [replace(t, body=body) if t.comment == comment else t for t in self.talks]

    def permission(self, repository: str, login: str) -> Permission:
        self._asked("permission", f"permission {login}")
        return self.people.get(login, "none")

    def default_branch(self, repository: str) -> str:
        self._asked("default_branch")
        return self.main
