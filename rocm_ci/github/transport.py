"""One request to GitHub over PyGithub: authentication, pacing, repetition, proxies, certificates.

PyGithub's own repetition is switched off: it repeats a POST after a 502, which leaves two comments, and
never repeats a PATCH. Its objects are not used either: they follow whatever addresses a response holds.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

from rocm_ci import __version__
from rocm_ci.errors import GitHubError
from rocm_ci.github.client import UnknownOutcomeError
from rocm_ci.github.refusal import explain
from rocm_ci.github.retry import Failure, wait_s

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from github.Requester import Requester

PER_PAGE = 100
_MAX_PAGES = 300


class Transport:
    """The choke point of all requests. `requests_sent` counts every attempt.

    `pause_s` is the time between two writes (GitHub asks for a second) and the first wait before a
    repetition; `patience_s` bounds all waiting of one request.
    """

    def __init__(
        self,
        token: str,
        *,
        api_url: str,
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
        self._last_write = -math.inf
        self._requester = _connect(token, api_url)

    @property
    def graphql_url(self) -> str:
        """Where questions in GraphQL go: beside the API on GitHub, under /api on an Enterprise server."""
        url: str = self._requester.graphql_url
        return url

    def pages(
        self, path: str, query: Mapping[str, object], *, task: str, key: str | None = None
    ) -> Iterator[object]:
        """The items of all pages of a list, or of the list under `key` in each answer."""
        before = None
        for page in range(1, _MAX_PAGES + 1):
            asked = {**query, "per_page": PER_PAGE, "page": page}
            headers, data = self.ask("GET", path, task=task, query=asked)
            if key is not None and isinstance(data, dict):
                data = data.get(key)
            if not isinstance(data, list):
                message = f"cannot {task}: GitHub answered something that is no list"
                raise GitHubError(message, hint="check GITHUB_API_URL")
            yield from data
            # Only whether there is a next page is believed, not where. A redirection may lose the page.
            if 'rel="next"' not in headers.get("link", "") or data == before:
                return
            before = data

    def ask(
        self,
        verb: str,
        path: str,
        *,
        task: str,
        query: Mapping[str, object] | None = None,
        body: Mapping[str, object] | None = None,
        repeatable: bool = True,
        fine: Collection[int] = (),
    ) -> tuple[Mapping[str, str], Any]:
        """One request, repeated as `retry` allows: the headers and the decoded answer.

        `task` completes «cannot …» in an error. `repeatable` says that twice is the same as once;
        else `UnknownOutcomeError` is raised when the answer was lost. A refusal whose status is in
        `fine` is an answer without a body.
        """
        waited = 0.0
        if verb != "GET" and path.startswith("/"):
            self._pace()
        for attempt in range(1, self._tries + 1):
            outcome = self._send(verb, path, query, body)
            if not isinstance(outcome, Failure):
                return outcome
            if outcome.status in fine:
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

    def graphql(
        self, query: str, variables: Mapping[str, object], *, task: str, writes: bool = False
    ) -> dict[str, Any]:
        """The `data` of a GraphQL answer. Repeated after an unclear one: only for what twice does no harm."""
        if writes:
            self._pace()
        body = {"query": query, "variables": dict(variables)}
        _, answer = self.ask("POST", self.graphql_url, task=task, body=body)
        errors = answer.get("errors") if isinstance(answer, dict) else None
        if errors:
            raise explain(_graphql_failure(errors), task=task)
        data = answer.get("data") if isinstance(answer, dict) else None
        return data if isinstance(data, dict) else {}

    def download(self, path: str, *, task: str, limit: int) -> bytes:
        """What lies behind the redirection that `path` answers with; the token does not go there."""
        headers, _ = self.ask("GET", path, task=task)
        import requests  # noqa: PLC0415 - 180 ms, only for those who reach GitHub

        self.requests_sent += 1
        with requests.get(headers["location"], stream=True, timeout=30, allow_redirects=False) as answer:
            data = answer.raw.read(limit + 1)
        if len(data) > limit:
            message = f"cannot {task}: it has more than {limit} bytes"
            raise GitHubError(message, hint="make the artifact smaller")
        return bytes(data)

    def _pace(self) -> None:
        """GitHub asks for a second between two writes."""
        early = self._last_write + self._pause_s - self._now()
        if early > 0:
            self._sleep(early)
        self._last_write = self._now()

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
        except (requests.RequestException, OSError, RuntimeError) as error:
            # PyGithub raises a RuntimeError for a redirection that it does not follow.
            return Failure(status=None, message=_one_line(f"{type(error).__name__}: {error}"))


def _connect(token: str, api_url: str) -> Requester:
    import github  # noqa: PLC0415 - 200 ms, only for those who reach GitHub

    return github.Github(
        auth=github.Auth.Token(token),
        base_url=api_url.rstrip("/"),
        user_agent=f"rocm-ci/{__version__}",
        per_page=PER_PAGE,
        timeout=30,
        retry=None,
        # It counts every POST as a write, even a GraphQL question: `ask` paces the real ones.
        seconds_between_requests=0,
        seconds_between_writes=0,
        api_version="2022-11-28",
    ).requester


def _graphql_failure(errors: object) -> Failure:
    first = errors[0] if isinstance(errors, list) and errors and isinstance(errors[0], dict) else {}
    status = {"FORBIDDEN": 403, "NOT_FOUND": 404, "RATE_LIMITED": 429}.get(str(first.get("type")), 422)
    return Failure(status=status, message=_one_line(first.get("message")))


def _one_line(text: object) -> str:
    return " ".join(str(text or "").split())[:500]
