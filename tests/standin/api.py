"""The front door of the stand-in GitHub: (request, world) → answer. No sockets here."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.standin.actions import STORE, Actions
from tests.standin.bodies import Bodies
from tests.standin.desk import Desk, Routes
from tests.standin.exchange import DOCS, Answer, ForbiddenError, RefusedError, Request, not_found
from tests.standin.graphql import GraphQL
from tests.standin.pulls import Pulls
from tests.standin.talk import Talk
from tests.standin.things import Identity, Limit
from tests.standin.verdicts import Verdicts

if TYPE_CHECKING:
    from tests.standin.world import World

__all__ = ["DOCS", "Answer", "Api", "Request"]

_VERSIONS = ("2022-11-28",)
_HOUR_S = 3600.0
_MINUTE_S = 60.0
SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."


@dataclass
class Api:
    """Answers one request at a time; the server holds the lock.

    `forbidden` lists what was refused because the token may not do it.
    """

    world: World
    base: str
    prefix: str = ""
    store: str = ""
    forbidden: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        kinds: tuple[type[Desk], ...] = (Talk, Verdicts, Pulls, Actions, GraphQL)
        bodies = Bodies(self.base, self.store or self.base)
        self._routes = Routes([kind(self.world, bodies) for kind in kinds])

    def answer(self, request: Request) -> Answer:
        if request.path.startswith(f"{STORE}/"):
            return self._stored(request)
        headers: dict[str, str] = {}
        try:
            self._polite(request)
            who = self._identity(request)
            headers = self._count(request)
            answer = self._routes.answer(self._relative(request), who)
        except RefusedError as refusal:
            if isinstance(refusal, ForbiddenError):
                self.forbidden.append(f"{request.method} {request.path}")
            answer = Answer(status=refusal.status, body=refusal.body, headers=refusal.headers)
        if isinstance(answer.body, dict) and any(
            e.get("type") == "FORBIDDEN" for e in answer.body.get("errors", []) if isinstance(e, dict)
        ):
            self.forbidden.append(f"{request.method} {request.path}")
        answer.headers = {**headers, **answer.headers}
        return answer

    def _relative(self, request: Request) -> Request:
        """An Enterprise server has its API under /api/v3, and GraphQL beside that."""
        target = request.target
        if self.prefix:
            beside = self.prefix.rpartition("/")[0] + "/graphql"
            if target != beside and not target.startswith(f"{self.prefix}/"):
                raise not_found()
            target = "/graphql" if target == beside else target.removeprefix(self.prefix)
        return Request(method=request.method, target=target, headers=request.headers, body=request.body)

    def _polite(self, request: Request) -> None:
        """Without a name, or with a version that there is not, GitHub does not talk."""
        if not request.headers.get("user-agent"):
            raise RefusedError(403, "Request forbidden by administrative rules. User-Agent header needed.")
        version = request.headers.get("x-github-api-version", _VERSIONS[0])
        if version not in _VERSIONS:
            raise RefusedError(400, f'"{version}" is not a supported version.')

    def _identity(self, request: Request) -> Identity:
        identity = self.world.tokens.get(request.token or "")
        if identity is None:
            raise RefusedError(401, "Bad credentials")
        return identity

    def _count(self, request: Request) -> dict[str, str]:
        """The primary limit counts down and is full again at its reset."""
        limit = self.world.limits.setdefault(request.token or "", Limit())
        if time.time() >= limit.reset:
            limit.used = limit.used if limit.reset == 0.0 else 0
            limit.reset = time.time() + _HOUR_S
        is_over = limit.used >= limit.limit
        limit.used += not is_over
        headers = {
            "X-RateLimit-Limit": str(limit.limit),
            "X-RateLimit-Remaining": str(limit.limit - limit.used),
            "X-RateLimit-Used": str(limit.used),
            "X-RateLimit-Reset": str(int(limit.reset)),
            "X-RateLimit-Resource": "core",
        }
        if is_over:
            raise RefusedError(403, "API rate limit exceeded for installation ID 1.", headers)
        if limit.writes is not None and request.method != "GET":
            self._slow_down(limit, headers)
        return headers

    def _slow_down(self, limit: Limit, headers: dict[str, str]) -> None:
        """The secondary limit: too many writes within a minute."""
        now = time.time()
        limit.written = [at for at in limit.written if now - at < _MINUTE_S]
        if len(limit.written) >= (limit.writes or 0):
            wait = math.ceil(_MINUTE_S - (now - limit.written[0]))
            raise RefusedError(403, SECONDARY, {**headers, "Retry-After": str(wait)})
        limit.written.append(now)

    def _stored(self, request: Request) -> Answer:
        """The store of artifacts is no part of the API: a signed address opens it, a token closes it."""
        if "authorization" in request.headers:
            return Answer(status=400, body=b"<Error><Code>InvalidAuthenticationInfo</Code></Error>")
        if request.query.get("sig") != "sesame":
            return Answer(status=403, body=b"<Error><Code>AuthenticationFailed</Code></Error>")
        number = request.path.rpartition("/")[2]
        for repository in self.world.repositories.values():
            for artifact in repository.artifacts:
                if str(artifact.id) == number:
                    return Answer(status=200, body=artifact.data, headers={"Content-Type": "application/zip"})
        return Answer(status=404, body=b"<Error><Code>BlobNotFound</Code></Error>")
