"""The choke point of all requests: counting, a budget, pacing, repetition, pages."""

from __future__ import annotations

import math
import random
import re
import time
from collections import Counter
from typing import TYPE_CHECKING, Any, TypeVar

from rocm_ci.errors import GitHubError
from rocm_ci.github.client import UnknownOutcomeError
from rocm_ci.github.refusal import explain
from rocm_ci.github.retry import Failure, wait_s
from rocm_ci.github.wire import PER_PAGE, Answer, PyGithubWire, Wire

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

T = TypeVar("T", Answer, bytes)

BUDGET = 150
_MAX_PAGES = 300
_NUMBER = re.compile(r"[0-9]+\Z")
_COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?\Z")


class Transport:
    """Asks GitHub. `requests_sent` counts every attempt, `by_kind` the same by verb and address.

    `pause_s` is the time between two writes (GitHub asks for a second) and the first wait before a
    repetition; `patience_s` bounds all waiting of one request; `budget` is how many requests may be
    sent, repetitions included. `ca` is a file of certificates. `jitter` draws from 0 to 1.
    """

    def __init__(
        self,
        token: str,
        *,
        api_url: str,
        ca: str | None = None,
        pause_s: float = 1.0,
        patience_s: float = 300.0,
        tries: int = 6,
        budget: int = BUDGET,
        sleep: Callable[[float], None] = time.sleep,
        now: Callable[[], float] = time.time,
        jitter: Callable[[], float] = random.random,
        wire: Wire | None = None,
    ) -> None:
        self.requests_sent = 0
        self.by_kind: Counter[str] = Counter()
        self._budget = budget
        self._pause_s = pause_s
        self._patience_s = patience_s
        self._tries = tries
        self._sleep = sleep
        self._now = now
        self._jitter = jitter
        self._last_write = -math.inf
        self._wire = wire or PyGithubWire(token, api_url=api_url, ca=ca)

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
        if verb != "GET" and path.startswith("/"):
            self._pace()

        def once() -> Answer | Failure:
            answer = self._sent(verb, path, query, body)
            if isinstance(answer, Answer) and answer.status == 302:
                # Only a download expects one; taken for success, a write would be lost in silence.
                return Failure(status=302, message="Found", headers=answer.headers)
            return answer

        answer = self._patiently(once, task=task, repeatable=repeatable, fine=fine)
        return (answer.headers, answer.data) if answer else ({}, None)

    def graphql(
        self, query: str, variables: Mapping[str, object], *, task: str, writes: bool = False
    ) -> dict[str, Any]:
        """The `data` of a GraphQL answer. Repeated after an unclear one: only for what twice does no harm."""
        if writes:
            self._pace()
        body = {"query": query, "variables": dict(variables)}
        _, answer = self.ask("POST", self._wire.graphql_url, task=task, body=body)
        data = answer.get("data") if isinstance(answer, dict) else None
        return data if isinstance(data, dict) else {}

    def download(self, path: str, *, task: str, limit: int) -> bytes:
        """What lies behind the redirection that `path` answers with; the token does not go there.

        An address is asked for anew each time: it is good for a minute. The other host is not GitHub's
        API, so a visit there counts in `by_kind` only.
        """

        def once() -> bytes | Failure:
            there = self._patiently(lambda: self._sent("GET", path, None, None), task=task)
            address = there.headers.get("location", "") if there else ""
            self.by_kind["GET file"] += 1
            return self._wire.fetch(address, limit)

        data = self._patiently(once, task=task) or b""
        if len(data) > limit:
            message = f"cannot {task}: it has more than {limit:,} bytes"
            raise GitHubError(message, hint="let the run leave a smaller artifact")
        return data

    def _patiently(
        self,
        attempt: Callable[[], T | Failure],
        *,
        task: str,
        repeatable: bool = True,
        fine: Collection[int] = (),
    ) -> T | None:
        """`attempt`, again and again as `retry` allows; None for a refusal that is `fine`."""
        waited = 0.0
        for number in range(1, self._tries + 1):
            self._spend(task)
            outcome = attempt()
            if not isinstance(outcome, Failure):
                return outcome
            if outcome.status in fine:
                return None
            wait = wait_s(
                outcome,
                attempt=number,
                repeatable=repeatable,
                now=self._now(),
                pause_s=self._pause_s,
                jitter=self._jitter(),
            )
            if wait is None and outcome.is_unclear:
                raise UnknownOutcomeError(str(explain(outcome, task=task)), hint="look whether it happened")
            if wait is None or number == self._tries or waited + wait > self._patience_s:
                raise explain(outcome, task=task)
            self._sleep(wait)
            waited += wait
        raise AssertionError  # pragma: no cover - the last attempt raised

    def _spend(self, task: str) -> None:
        if self.requests_sent >= self._budget:
            message = f"cannot {task}: the {self._budget} requests that this run may send are used up"
            hint = "what is posted stays, the rest is in the step summary; the next run goes on from there"
            raise GitHubError(message, hint=hint)

    def _sent(
        self, verb: str, path: str, query: Mapping[str, object] | None, body: Mapping[str, object] | None
    ) -> Answer | Failure:
        self.requests_sent += 1
        self.by_kind[_kind(verb, path)] += 1
        return self._wire.send(verb, path, query, body)

    def _pace(self) -> None:
        """GitHub asks for a second between two writes."""
        early = self._last_write + self._pause_s - self._now()
        if early > 0:
            self._sleep(early)
        self._last_write = self._now()


def _kind(verb: str, path: str) -> str:
    """`GET pulls/N`: the address without what differs from run to run."""
    if not path.startswith("/"):
        return "POST graphql"
    parts = path.strip("/").split("/")
    if parts[0] == "repos":
        parts = parts[3:] or ["repository"]
    named: list[str] = []
    for part in parts:
        commit = "COMMIT" if _COMMIT.match(part) else part
        named.append("N" if _NUMBER.match(part) else "LOGIN" if named[-1:] == ["collaborators"] else commit)
    return f"{verb} {'/'.join(named)}"
