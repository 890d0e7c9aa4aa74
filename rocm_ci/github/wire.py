"""One attempt of one request over PyGithub: authentication, proxies, certificates, decoding.

PyGithub's own repetition is switched off: it repeats a POST after a 502, which leaves two comments, and
never repeats a PATCH. Its objects are not used either: they follow whatever addresses a response holds.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from rocm_ci import __version__
from rocm_ci.github.retry import Failure
from rocm_ci.github.scrub import scrub

if TYPE_CHECKING:
    from collections.abc import Mapping

    from github.Requester import Requester

PER_PAGE = 100
TIMEOUT_S = 30
_GRAPHQL_STATUS = {"FORBIDDEN": 403, "NOT_FOUND": 404, "RATE_LIMITED": 429}


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What GitHub said: header names in lower case, the decoded body (None without one)."""

    status: int
    data: Any
    headers: Mapping[str, str] = field(default_factory=dict)


class Wire(Protocol):
    """Sends requests, once each."""

    @property
    def graphql_url(self) -> str:
        """Where questions in GraphQL go: beside the API on GitHub, under /api on an Enterprise server."""
        ...

    def send(
        self, verb: str, path: str, query: Mapping[str, object] | None, body: Mapping[str, object] | None
    ) -> Answer | Failure:
        """One attempt. A redirection is an answer without a body."""
        ...

    def fetch(self, url: str, limit: int) -> bytes | Failure:
        """The bytes at an address of another host, without our token; `limit` + 1 bytes at most."""
        ...


class PyGithubWire:
    """The real one. `ca` is a file of certificates to trust instead of those that requests brings."""

    def __init__(self, token: str, *, api_url: str, ca: str | None = None) -> None:
        self._token = token
        self._api_url = api_url.rstrip("/")
        self._ca = ca
        self._requester: Requester | None = None

    @property
    def graphql_url(self) -> str:
        """See `Wire`."""
        url: str = self._connected().graphql_url
        return url

    def send(
        self, verb: str, path: str, query: Mapping[str, object] | None, body: Mapping[str, object] | None
    ) -> Answer | Failure:
        """See `Wire`."""
        import requests  # noqa: PLC0415 - 180 ms, only for those who reach GitHub

        try:
            status, headers, text = self._connected().requestJson(
                verb, path, parameters=dict(query) if query else None, input=dict(body) if body else None
            )
        except (requests.RequestException, OSError, RuntimeError) as error:
            # PyGithub raises a RuntimeError for a moved repository whose new address it does not follow.
            return self._failure(error)
        known = {str(name).lower(): str(value) for name, value in headers.items()}
        data = decoded(text)
        if 200 <= status < 300 or status == 302:
            return graphql_refusal(data, known, self._token) or Answer(
                status=status, data=data, headers=known
            )
        said = data.get("message") if isinstance(data, dict) else data
        return Failure(status=status, message=scrub(said, self._token), headers=known)

    def fetch(self, url: str, limit: int) -> bytes | Failure:
        """See `Wire`."""
        from rocm_ci.github.blob import fetch  # noqa: PLC0415 - needs requests, 180 ms

        got = fetch(url, limit, api_url=self._api_url, ca=self._ca)
        return self._failure(got) if isinstance(got, Exception) else got

    def _failure(self, error: Exception) -> Failure:
        from rocm_ci.github.mishap import is_hopeless, never_sent  # noqa: PLC0415 - needs requests

        message = scrub(f"{type(error).__name__}: {error}", self._token)
        return Failure(
            status=None, message=message, never_sent=never_sent(error), is_hopeless=is_hopeless(error)
        )

    def _connected(self) -> Requester:
        if self._requester is None:
            self._requester = self._connect()
        return self._requester

    def _connect(self) -> Requester:
        import github  # noqa: PLC0415 - 200 ms, only for those who reach GitHub

        return github.Github(
            auth=github.Auth.Token(self._token),
            base_url=self._api_url,
            user_agent=f"rocm-ci/{__version__}",
            per_page=PER_PAGE,
            timeout=TIMEOUT_S,
            retry=None,
            # True lets requests look for REQUESTS_CA_BUNDLE itself.
            verify=self._ca or True,
            # It counts every POST as a write, even a GraphQL question: `Transport` paces the real ones.
            seconds_between_requests=0,
            seconds_between_writes=0,
            api_version="2022-11-28",
        ).requester


def decoded(text: str) -> Any:
    """The body of an answer: JSON, the text itself where it is none, None for an empty one."""
    if not text:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text[:1000]


def graphql_refusal(data: Any, headers: Mapping[str, str], secret: str) -> Failure | None:
    """GraphQL refuses with status 200: such an answer as the failure that REST would have sent."""
    errors = data.get("errors") if isinstance(data, dict) and "errors" in data else None
    if not isinstance(errors, list) or not errors:
        return None
    first = errors[0] if isinstance(errors[0], dict) else {}
    message = scrub(first.get("message"), secret)
    status = _GRAPHQL_STATUS.get(str(first.get("type")))
    if status is None:
        # «Something went wrong while executing your query» is how a timeout is told.
        status = 502 if message.lower().startswith("something went wrong") else 422
    return Failure(status=status, message=message, headers=headers)
