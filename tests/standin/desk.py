"""What all desks of the stand-in GitHub share: who asks, about which repository, and may they."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, TypeAlias
from urllib.parse import unquote

from tests.standin.exchange import Answer, ForbiddenError, RefusedError, not_found, page, unprocessable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.standin.bodies import Bodies
    from tests.standin.exchange import Request
    from tests.standin.things import Identity, Pull, Repository
    from tests.standin.world import World

MAX_BODY = 65_536
# (method, address behind the repository or, from ^ on, the whole one, name of the method)
Table: TypeAlias = tuple[tuple[str, str, str], ...]
_ROLES = {"read": "read", "triage": "read", "write": "write", "maintain": "write", "admin": "admin"}


@dataclass(kw_only=True)
class Call:
    """One request on the way through a desk."""

    request: Request
    who: Identity
    args: Mapping[str, str]


@dataclass
class Desk:
    """Handles the addresses of `ROUTES`."""

    world: World
    bodies: Bodies

    ROUTES: ClassVar[Table] = ()

    def repository(self, call: Call) -> Repository:
        """The repository, as far as this token sees it."""
        repository = self.world.repositories.get(call.args["repo"])
        if repository is None:
            raise not_found()
        return repository

    def pull(self, call: Call) -> Pull:
        found = self.repository(call).pulls.get(int(call.args["number"]))
        if found is None:
            raise not_found()
        return found

    def commit(self, call: Call, sha: str) -> str:
        if sha not in self.repository(call).commits:
            raise RefusedError(422, f"No commit found for SHA: {sha}")
        return sha

    def may(self, call: Call, *permissions: str) -> None:
        """The token may write one of these."""
        if not call.who.writes & set(permissions):
            self._forbid(call, *(f"{name}=write" for name in permissions))

    def may_read(self, call: Call, *permissions: str) -> None:
        """In a private repository, reading needs a permission too."""
        if self.repository(call).is_private and not (call.who.writes | call.who.reads) & set(permissions):
            self._forbid(call, *(f"{name}=read" for name in permissions))

    def _forbid(self, call: Call, *needed: str) -> None:
        who = "integration" if call.who.is_app else "personal access token"
        message = f"Resource not accessible by {who}"
        raise ForbiddenError(message, *needed)

    def page(self, call: Call, items: Sequence[object], *, key: str | None = None) -> Answer:
        return page(call.request, items, self.bodies.base, key=key)

    def role(self, repository: Repository, login: str) -> tuple[str, str]:
        """(permission, role name): an account without a role reads what is public."""
        role = repository.roles.get(login)
        if role is None:
            return ("none", "") if repository.is_private else ("read", "read")
        return _ROLES[role], role


@dataclass
class Routes:
    """Which desk handles what."""

    desks: Sequence[Desk]
    _known: list[tuple[str, re.Pattern[str], Desk, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for desk in self.desks:
            for method, address, name in desk.ROUTES:
                whole = address if address.startswith("^") else r"^/repos/(?P<repo>[^/]+/[^/]+)" + address
                self._known.append((method, re.compile(whole + r"\Z"), desk, name))

    def answer(self, request: Request, who: Identity) -> Answer:
        for method, pattern, desk, name in self._known:
            match = pattern.match(request.path)
            if match and method == request.method:
                args = {key: unquote(value) for key, value in match.groupdict().items()}
                call = Call(request=request, who=who, args=args)
                found: Answer = getattr(desk, name)(call)
                return found
        raise not_found()


def checked_text(fields: Mapping[str, object], resource: str) -> str:
    """The `body` of something said."""
    body = fields.get("body")
    if not isinstance(body, str) or not body.strip():
        raise unprocessable(resource, "body", "body can't be blank")
    if len(body) > MAX_BODY:
        raise unprocessable(resource, "body", f"body is too long (maximum is {MAX_BODY} characters)")
    return body
