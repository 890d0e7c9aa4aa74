"""The calls of `GitHub` as requests of its REST API."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import msgspec

from rocm_ci.errors import GitHubError
from rocm_ci.github import answers
from rocm_ci.github.client import Annotation, Check, Comment, PermissionRefusedError, PostedCheck, Pull
from rocm_ci.github.transport import PER_PAGE, Transport

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocm_ci.github.client import StatusState

T = TypeVar("T")

DEFAULT_URL = "https://api.github.com"
WORKFLOW_LOGIN = "github-actions[bot]"


class RestClient:
    """`GitHub` over HTTP."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    @property
    def requests_sent(self) -> int:
        """How many requests went out, repetitions included."""
        return self._transport.requests_sent

    def identity(self) -> str:
        """The login under which this token writes.

        The token of a workflow may not ask `/user`; GraphQL tells every kind of token who it is.
        """
        query = {"query": "query { viewer { login } }", "variables": {}}
        task = "ask who we are"
        try:
            _, data = self._transport.ask("POST", self._transport.graphql_url, task=task, body=query)
            return _read(data, answers.Viewer, "who we are").data.viewer.login
        except GitHubError:
            pass
        try:
            _, data = self._transport.ask("GET", "/user", task=task)
        except PermissionRefusedError:
            # Only an app's token may not ask; without GraphQL it is hardly another than the workflow's own.
            return WORKFLOW_LOGIN
        return _read(data, answers.User, "who we are").login

    def pull(self, repository: str, number: int) -> Pull:
        """One pull request."""
        _, data = self._transport.ask(
            "GET", f"/repos/{repository}/pulls/{number}", task=f"read pull request {number}"
        )
        return _read(data, answers.Pull, "a pull request").pull()

    def open_pulls(self, repository: str, head: str) -> tuple[Pull, ...]:
        """The open pull requests whose head is `owner:branch`."""
        query = {"state": "open", "head": head}
        found = self._transport.pages(f"/repos/{repository}/pulls", query, task="list pull requests")
        return tuple(_read(one, answers.Pull, "a pull request").pull() for one in found)

    def pulls_of_commit(self, repository: str, commit: str) -> tuple[Pull, ...]:
        """The pull requests a commit belongs to."""
        found = self._transport.pages(
            f"/repos/{repository}/commits/{commit}/pulls", {}, task="list pull requests of a commit"
        )
        return tuple(_read(one, answers.Pull, "a pull request").pull() for one in found)

    def comments(self, repository: str, number: int) -> tuple[Comment, ...]:
        """All comments of a conversation, oldest first."""
        found = self._transport.pages(
            f"/repos/{repository}/issues/{number}/comments", {}, task="read the comments"
        )
        # By id: what is deleted meanwhile shifts the pages, and one comment must not look like two.
        comments = {c.id: c for c in (_read(one, answers.Comment, "a comment").comment() for one in found)}
        return tuple(comments[number] for number in sorted(comments))

    def create_comment(self, repository: str, number: int, body: str) -> Comment:
        """A new comment."""
        path = f"/repos/{repository}/issues/{number}/comments"
        _, data = self._transport.ask(
            "POST", path, task="create the comment", body={"body": body}, repeatable=False
        )
        return _read(data, answers.Comment, "a comment").comment()

    def edit_comment(self, repository: str, comment: int, body: str) -> Comment:
        """Replace the text of a comment."""
        path = f"/repos/{repository}/issues/comments/{comment}"
        _, data = self._transport.ask(
            "PATCH", path, task="edit the comment", body={"body": body}, repeatable=True
        )
        return _read(data, answers.Comment, "a comment").comment()

    def delete_comment(self, repository: str, comment: int) -> None:
        """Remove a comment; one that is gone already is fine."""
        path = f"/repos/{repository}/issues/comments/{comment}"
        self._transport.ask("DELETE", path, task="delete a doubled comment", gone_is_fine=True)

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
        """The commit status `context`."""
        body = {"state": state, "context": context, "description": description}
        body |= {"target_url": url} if url else {}
        path = f"/repos/{repository}/statuses/{commit}"
        self._transport.ask("POST", path, task="set the commit status", body=body, repeatable=True)

    def checks(self, repository: str, commit: str, name: str) -> tuple[PostedCheck, ...]:
        """The check runs called `name` on a commit."""
        path = f"/repos/{repository}/commits/{commit}/check-runs"
        query = {"check_name": name, "filter": "all"}
        _, data = self._transport.ask(
            "GET", path, task="read the check runs", query={**query, "per_page": PER_PAGE}
        )
        return tuple(c.posted() for c in _read(data, answers.Checks, "check runs").check_runs)

    def create_check(self, repository: str, check: Check, annotations: Sequence[Annotation]) -> PostedCheck:
        """A new check run with up to 50 annotations."""
        body = {
            "name": check.name,
            "head_sha": check.commit,
            "status": "completed",
            "conclusion": check.conclusion,
            "external_id": check.external_id,
            "output": _output(check, annotations),
        }
        body |= {"details_url": check.details_url} if check.details_url else {}
        path = f"/repos/{repository}/check-runs"
        _, data = self._transport.ask("POST", path, task="create the check run", body=body, repeatable=False)
        return _read(data, answers.Check, "a check run").posted()

    def update_check(
        self, repository: str, posted: int, check: Check, annotations: Sequence[Annotation]
    ) -> PostedCheck:
        """Append up to 50 annotations to a check run."""
        path = f"/repos/{repository}/check-runs/{posted}"
        body = {"output": _output(check, annotations)}
        # Not repeatable: annotations are appended, so twice would show each of them twice.
        _, data = self._transport.ask(
            "PATCH", path, task="annotate the check run", body=body, repeatable=False
        )
        return _read(data, answers.Check, "a check run").posted()


def _output(check: Check, annotations: Sequence[Annotation]) -> dict[str, object]:
    shown = []
    for note in annotations:
        columns = (
            {"start_column": note.start_column, "end_column": note.end_column}
            if note.start_line == note.end_line and note.start_column and note.end_column
            else {}
        )
        shown.append(
            {
                "path": note.path,
                "start_line": note.start_line,
                "end_line": note.end_line,
                "annotation_level": note.level,
                "message": note.message,
                "title": note.title,
                **columns,
            }
        )
    return {"title": check.title, "summary": check.summary, "annotations": shown}


def _read(data: object, shape: type[T], what: str) -> T:
    try:
        return msgspec.convert(data, shape)
    except msgspec.ValidationError as error:
        message = f"GitHub answered {what} that rocm-ci cannot read: {error}"
        raise GitHubError(message, hint="check GITHUB_API_URL; else please report it") from error
