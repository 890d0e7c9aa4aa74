"""Requests and answers of the stand-in GitHub, its refusals, and its pages."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode, urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DOCS = "https://docs.github.com/rest"


class RefusedError(Exception):
    """An error answer."""

    def __init__(
        self, status: int, message: str, headers: Mapping[str, str] | None = None, **more: Any
    ) -> None:
        super().__init__(message)
        self.status = status
        self.headers = dict(headers or {})
        self.body = {"message": message, "documentation_url": DOCS, "status": str(status), **more}


class ForbiddenError(RefusedError):
    """The token may not do this. `needed` are the permissions of which one would do."""

    def __init__(self, message: str, *needed: str) -> None:
        accepted = {"X-Accepted-GitHub-Permissions": "; ".join(needed)} if needed else {}
        super().__init__(403, message, accepted)


def unprocessable(resource: str, name: str, why: str) -> RefusedError:
    errors = [{"resource": resource, "field": name, "code": "custom", "message": why}]
    return RefusedError(422, "Validation Failed", errors=errors)


def unprocessable_review(why: str) -> RefusedError:
    """Reviews tell what is wrong in plain words."""
    return RefusedError(422, "Unprocessable Entity", errors=[why])


def not_found() -> RefusedError:
    return RefusedError(404, "Not Found")


@dataclass(kw_only=True)
class Answer:
    """`body` is encoded as JSON, but bytes are sent as they are."""

    status: int
    body: Any
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(kw_only=True)
class Request:
    method: str
    target: str
    headers: Mapping[str, str]
    body: Any = None

    @property
    def path(self) -> str:
        return urlsplit(self.target).path

    @property
    def query(self) -> dict[str, str]:
        return {name: values[-1] for name, values in parse_qs(urlsplit(self.target).query).items()}

    @property
    def fields(self) -> dict[str, Any]:
        """The body, which must be an object."""
        if not isinstance(self.body, dict):
            raise RefusedError(400, "Body should be a JSON object")
        return self.body

    @property
    def token(self) -> str | None:
        scheme, _, token = self.headers.get("authorization", "").partition(" ")
        return token if scheme.lower() in ("token", "bearer") else None


def page(request: Request, items: Sequence[Any], base: str, *, key: str | None = None) -> Answer:
    """One page of a list, with `Link` to the others; under `key` where GitHub wraps the list."""
    query = request.query
    size = min(max(int(query.get("per_page", 30)), 1), 100)
    number = max(int(query.get("page", 1)), 1)
    pages = max((len(items) + size - 1) // size, 1)
    links = []
    for name, there, wanted in (
        ("prev", number - 1, number > 1), ("next", number + 1, number < pages),
        ("last", pages, number < pages), ("first", 1, number > 1),
    ):  # fmt: skip
        if wanted:
            asked = urlencode({**query, "page": there})
            links.append(f'<{base}{request.path}?{asked}>; rel="{name}"')
    shown: Any = list(items[(number - 1) * size : number * size])
    body = {"total_count": len(items), key: shown} if key else shown
    return Answer(status=200, body=body, headers={"Link": ", ".join(links)} if links else {})
