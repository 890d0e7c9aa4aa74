"""All state of the stand-in GitHub, and the verbs by which a test (not the API) changes it."""

from __future__ import annotations

import io
import itertools
import zipfile
from dataclasses import dataclass, field

from tests.standin.things import (
    WHEN,
    Artifact,
    Comment,
    Identity,
    Limit,
    Pull,
    PullFile,
    Remark,
    Repository,
    Run,
    Thread,
    Workflow,
)

__all__ = ["WHEN", "Comment", "Identity", "Pull", "PullFile", "Repository", "Run", "World"]

RUN_WORKFLOW = ".github/workflows/rocm-ci.yml"


@dataclass(kw_only=True)
class World:
    """`now` is stamped on what the API makes. Who is in `people` has an account."""

    tokens: dict[str, Identity] = field(default_factory=dict)
    limits: dict[str, Limit] = field(default_factory=dict)
    repositories: dict[str, Repository] = field(default_factory=dict)
    people: set[str] = field(default_factory=set)
    now: str = WHEN
    ids: itertools.count[int] = field(default_factory=lambda: itertools.count(1001))

    def repository(self, full_name: str) -> Repository:
        return self.repositories.setdefault(full_name, Repository(full_name=full_name))

    def grant(self, full_name: str, login: str, role: str | None) -> None:
        """An account with a role: read, triage, write, maintain, admin; None only opens the account."""
        self.people.add(login)
        if role is not None:
            self.repository(full_name).roles[login] = role

    def open_pull(
        self,
        full_name: str,
        number: int,
        head: str,
        *,
        branch: str = "feature",
        fork: str | None = None,
        files: list[PullFile] | None = None,
        base_branch: str = "main",
    ) -> Pull:
        """A pull request in `full_name`; `fork` names the repository of its head."""
        repository = self.repository(full_name)
        pull = Pull(
            number=number,
            head=head,
            branch=branch,
            base_branch=base_branch,
            head_repository=fork or full_name,
            head_owner=(fork or full_name).split("/")[0],
            files=files or [],
            commits=[head],
            created=self.now,
        )
        repository.pulls[number] = pull
        repository.commits.add(head)
        if fork is None:
            repository.branches[branch] = head
        return pull

    def push(self, full_name: str, number: int, head: str, *, forced: str | None = None) -> None:
        """The pull request's branch moves on, or elsewhere by force (`forced`, when it was).

        What was said on its lines is outdated.
        """
        repository = self.repositories[full_name]
        pull = repository.pulls[number]
        pull.head = head
        pull.commits.append(head)
        pull.forced += [forced] if forced else []
        repository.commits.add(head)
        if pull.head_repository == full_name:
            repository.branches[pull.branch] = head

    def push_branch(self, full_name: str, branch: str, head: str) -> None:
        """A branch of the repository moves on, as after a merge."""
        repository = self.repository(full_name)
        repository.branches[branch] = head
        repository.commits.add(head)

    def say(
        self, full_name: str, number: int, author: str, body: str, *, created: str | None = None
    ) -> Comment:
        """Somebody comments."""
        when = created or self.now
        comment = Comment(
            id=next(self.ids), number=number, author=author, body=body, created=when, updated=when
        )
        self.repositories[full_name].comments.append(comment)
        return comment

    def edit(self, comment: Comment, body: str) -> None:
        """Somebody edits a comment."""
        comment.body, comment.updated, comment.edits = body, self.now, comment.edits + 1

    def remark(self, full_name: str, number: int, author: str, body: str, *, path: str, line: int) -> Thread:
        """Somebody remarks on a line of the diff."""
        repository = self.repositories[full_name]
        made = Remark(
            id=next(self.ids),
            number=number,
            review=None,
            author=author,
            body=body,
            path=path,
            commit=repository.pulls[number].head,
            line=line,
        )
        thread = Thread(id=f"PRRT_{made.id}", number=number, remarks=[made])
        repository.threads.append(thread)
        return thread

    def workflow(
        self,
        full_name: str,
        name: str = "rocm-ci.yml",
        *,
        inputs: dict[str, bool] | None = None,
        run_name: str = "",
        can_dispatch: bool = True,
    ) -> Workflow:
        """A workflow file on the default branch; made once, then the same."""
        repository, path = self.repository(full_name), f".github/workflows/{name}"
        for known in repository.workflows:
            if known.path == path:
                return known
        made = Workflow(
            id=len(repository.workflows) + 40,
            path=path,
            inputs=inputs or {},
            run_name=run_name,
            can_dispatch=can_dispatch,
        )
        repository.workflows.append(made)
        return made

    def ran(
        self,
        full_name: str,
        *,
        head: str,
        event: str = "pull_request",
        branch: str | None = "feature",
        conclusion: str | None = "success",
        status: str | None = None,
        workflow: str = "rocm-ci.yml",
        title: str = "A change",
        head_repository: str | None = None,
        created: str | None = None,
        attempt: int = 1,
        number: int | None = None,
    ) -> int:
        """A workflow ran (or, without a conclusion, is running): its id, which `number` may choose."""
        repository, file = self.repository(full_name), self.workflow(full_name, workflow)
        run = Run(
            id=number if number is not None else next(self.ids),
            workflow=file.id,
            path=file.path,
            event=event,
            head=head,
            branch=branch,
            head_repository=head_repository or full_name,
            title=title,
            status=status or ("completed" if conclusion else "in_progress"),
            conclusion=conclusion,
            attempt=attempt,
            created=created or self.now,
        )
        repository.runs.append(run)
        return run.id

    def store(
        self,
        full_name: str,
        run: int,
        name: str,
        files: dict[str, bytes] | bytes,
        *,
        expired: bool = False,
        created: str | None = None,
    ) -> Artifact:
        """A run leaves an artifact: its files, or the bytes of the archive themselves."""
        data = files if isinstance(files, bytes) else zipped(files)
        made = Artifact(
            id=next(self.ids), run=run, name=name, data=data, expired=expired, created=created or self.now
        )
        self.repository(full_name).artifacts.append(made)
        return made


def zipped(files: dict[str, bytes]) -> bytes:
    """An archive as upload-artifact writes it."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()
