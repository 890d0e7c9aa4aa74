"""The calls of `GitHub`, over PyGithub's connection: authentication, pacing, proxies and certificates.

PyGithub's own repetition is switched off: it repeats a POST after a 502, which leaves two comments, and
never repeats a PATCH. Its objects are not used either: they follow whatever addresses a response holds.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from rocm_ci import __version__
from rocm_ci.errors import GitHubError
from rocm_ci.github import answers
from rocm_ci.github.client import (
    Annotation,
    Check,
    Comment,
    PostedCheck,
    Pull,
    StatusState,
    UnknownOutcomeError,
)
from rocm_ci.github.refusal import explain
from rocm_ci.github.retry import Failure, wait_s

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from github.Requester import Requester

T = TypeVar("T")

DEFAULT_URL = "https://api.github.com"
_PER_PAGE = 100
_MAX_PAGES = 300


class RestClient:
    """`GitHub` over HTTP. `requests_sent` counts every attempt.

    `pause_s` is the time between two writes (GitHub asks for a second) and the first wait before a
    repetition; `patience_s` bounds all waiting of one request.
    """

    def __init__(
        self,
        token: str,
        *,
        api_url: str = DEFAULT_URL,
        pause_s: float = 1.0,
        patience_s: float = 300.0,
        tries: int = 6,
        sleep: Callable[[float], None] = time.sleep,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.requests_sent = 0
        self._pause_s = pause_s
        self._patience_s = patience_s
        self._tries = tries
        self._sleep = sleep
        self._now = now
        self._requester = _connect(token, api_url, pause_s)

    def identity(self) -> str:
        """The login under which this token writes.

        The token of a workflow may not ask `/user`; GraphQL tells every kind of token who it is.
        """
        query = {"query": "query { viewer { login } }", "variables": {}}
        try:
            _, data = self._ask(
                "POST", self._requester.graphql_url, task="ask who we are", body=query, repeatable=True
            )
            return _read(data, answers.Viewer, "who we are").data.viewer.login
        except GitHubError:
            _, data = self._ask("GET", "/user", task="ask who we are")
            return _read(data, answers.User, "who we are").login

    def pull(self, repository: str, number: int) -> Pull:
        """One pull request."""
        _, data = self._ask("GET", f"/repos/{repository}/pulls/{number}", task=f"read pull request {number}")
        return _read(data, answers.Pull, "a pull request").pull()

    def open_pulls(self, repository: str, head: str) -> tuple[Pull, ...]:
        """The open pull requests whose head is `owner:branch`."""
        query = {"state": "open", "head": head}
        found = self._pages(f"/repos/{repository}/pulls", query, task="list pull requests")
        return tuple(_read(one, answers.Pull, "a pull request").pull() for one in found)

    def pulls_of_commit(self, repository: str, commit: str) -> tuple[Pull, ...]:
        """The pull requests a commit belongs to."""
        found = self._pages(
            f"/repos/{repository}/commits/{commit}/pulls", {}, task="list pull requests of a commit"
        )
        return tuple(_read(one, answers.Pull, "a pull request").pull() for one in found)

    def comments(self, repository: str, number: int) -> tuple[Comment, ...]:
        """All comments of a conversation, oldest first."""
        found = self._pages(f"/repos/{repository}/issues/{number}/comments", {}, task="read the comments")
        comments = [_read(one, answers.Comment, "a comment").comment() for one in found]
        return tuple(sorted(comments, key=lambda c: c.id))

    def create_comment(self, repository: str, number: int, body: str) -> Comment:
        """A new comment."""
        path = f"/repos/{repository}/issues/{number}/comments"
        _, data = self._ask("POST", path, task="create the comment", body={"body": body}, repeatable=False)
        return _read(data, answers.Comment, "a comment").comment()

    def edit_comment(self, repository: str, comment: int, body: str) -> Comment:
        """Replace the text of a comment."""
        path = f"/repos/{repository}/issues/comments/{comment}"
        _, data = self._ask("PATCH", path, task="edit the comment", body={"body": body}, repeatable=True)
        return _read(data, answers.Comment, "a comment").comment()

    def delete_comment(self, repository: str, comment: int) -> None:
        """Remove a comment; one that is gone already is fine."""
        path = f"/repos/{repository}/issues/comments/{comment}"
        self._ask("DELETE", path, task="delete a doubled comment", gone_is_fine=True)

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
        self._ask("POST", path, task="set the commit status", body=body, repeatable=True)

    def checks(self, repository: str, commit: str, name: str) -> tuple[PostedCheck, ...]:
        """The check runs called `name` on a commit."""
        path = f"/repos/{repository}/commits/{commit}/check-runs"
        query = {"check_name": name, "filter": "all"}
        _, data = self._ask("GET", path, task="read the check runs", query={**query, "per_page": _PER_PAGE})
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
        _, data = self._ask("POST", path, task="create the check run", body=body, repeatable=False)
        return _read(data, answers.Check, "a check run").posted()

    def annotate_check(
        self, repository: str, posted: int, check: Check, annotations: Sequence[Annotation]
    ) -> PostedCheck:
        """Append up to 50 annotations to a check run."""
        path = f"/repos/{repository}/check-runs/{posted}"
        body = {"output": _output(check, annotations)}
        # Not repeatable: annotations are appended, so twice would show each of them twice.
        _, data = self._ask("PATCH", path, task="annotate the check run", body=body, repeatable=False)
        return _read(data, answers.Check, "a check run").posted()

    def _pages(self, path: str, query: Mapping[str, object], *, task: str) -> Iterator[object]:
        for page in range(1, _MAX_PAGES + 1):
            asked = {**query, "per_page": _PER_PAGE, "page": page}
            headers, data = self._ask("GET", path, task=task, query=asked)
            if not isinstance(data, list):
                message = f"cannot {task}: GitHub answered something that is no list"
                raise GitHubError(message, hint="check GITHUB_API_URL")
            yield from data
            # Only whether there is a next page is believed, not where.
            if 'rel="next"' not in headers.get("link", ""):
                return

    def _ask(
        self,
        verb: str,
        path: str,
        *,
        task: str,
        query: Mapping[str, object] | None = None,
        body: Mapping[str, object] | None = None,
        repeatable: bool = True,
        gone_is_fine: bool = False,
    ) -> tuple[Mapping[str, str], Any]:
        """One request, repeated as `retry` allows."""
        waited = 0.0
        for attempt in range(1, self._tries + 1):
            outcome = self._send(verb, path, query, body)
            if not isinstance(outcome, Failure):
                return outcome
            if gone_is_fine and outcome.status in (404, 410):
                return {}, None
            wait = wait_s(
                outcome, attempt=attempt, repeatable=repeatable, now=self._now(), pause_s=self._pause_s
            )
            if wait is None and outcome.is_transient:
                raise UnknownOutcomeError(str(explain(outcome, task=task)), hint="look whether it happened")
            if wait is None or attempt == self._tries or waited + wait > self._patience_s:
                raise explain(outcome, task=task)
            self._sleep(wait)
            waited += wait
        raise AssertionError  # pragma: no cover - the last attempt raised

    def _send(
        self, verb: str, path: str, query: Mapping[str, object] | None, body: Mapping[str, object] | None
    ) -> Failure | tuple[Mapping[str, str], Any]:
        """One attempt: (headers, decoded body), or what went wrong."""
        import requests  # noqa: PLC0415 - 180 ms, only for those who reach GitHub
        from github import GithubException  # noqa: PLC0415 - the same

        self.requests_sent += 1
        try:
            return self._requester.requestJsonAndCheck(
                verb, path, parameters=dict(query) if query else None, input=dict(body) if body else None
            )
        except GithubException as error:
            said = error.data.get("message") if isinstance(error.data, dict) else error.data
            headers = {k.lower(): str(v) for k, v in (error.headers or {}).items()}
            return Failure(status=error.status, message=_one_line(said), headers=headers)
        except (requests.RequestException, OSError) as error:
            return Failure(status=None, message=_one_line(f"{type(error).__name__}: {error}"))


def _connect(token: str, api_url: str, pause_s: float) -> Requester:
    import github  # noqa: PLC0415 - 200 ms, only for those who reach GitHub

    return github.Github(
        auth=github.Auth.Token(token),
        base_url=api_url.rstrip("/"),
        user_agent=f"rocm-ci/{__version__}",
        per_page=_PER_PAGE,
        timeout=30,
        retry=None,
        seconds_between_requests=0,
        seconds_between_writes=pause_s,
        api_version="2022-11-28",
    ).requester


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


def _one_line(text: object) -> str:
    return " ".join(str(text or "").split())[:500]
