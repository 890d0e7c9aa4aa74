"""GitHub's published API description, and what of an exchange breaks it."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from tests import require

if TYPE_CHECKING:
    from openapi_core import OpenAPI

    from tests.standin.server import Exchange

FOLDER = Path(__file__).resolve().parents[2] / ".tools" / "contract"
HOST = "https://api.github.com"
# GraphQL has a description of its own, and the store of artifacts has none.
ELSEWHERE = ("/graphql", "/_store/")


def is_here() -> bool:
    """Whether the description was fetched; where it is required, a missing one fails the test."""
    return (FOLDER / "openapi.json").is_file() or ("ROCM_CI_REQUIRE" in os.environ and bool(description()))


def published(name: str) -> Any:
    """One of the files that `tools/fetch_contract.py` brings."""
    path = FOLDER / name
    if not path.is_file():
        require.missing("contract", "python tools/fetch_contract.py")
    return json.loads(path.read_bytes())


@cache
def description() -> OpenAPI:
    from openapi_core import OpenAPI

    return OpenAPI.from_dict(published("openapi.json"))


def violations(exchange: Exchange) -> list[str]:
    """How a request, and the stand-in's own answer to it, differ from the description; both sides."""
    from openapi_core.exceptions import OpenAPIError
    from openapi_core.templating.responses.exceptions import ResponseNotFound
    from openapi_core.testing import MockRequest, MockResponse

    if exchange.answer is None or exchange.request.path.startswith(ELSEWHERE):
        return []  # an injected fault is not GitHub's answer
    sent, answer = exchange.request, exchange.answer
    request = MockRequest(
        HOST,
        sent.method.lower(),
        sent.path,
        args=dict(parse_qsl(urlsplit(sent.target).query)),
        data=None if sent.body is None else json.dumps(sent.body).encode(),
        content_type="application/json",
    )
    response = MockResponse(
        data=b"" if answer.body is None else json.dumps(answer.body).encode(),
        status_code=answer.status,
        content_type="application/json",
    )
    found = []
    where = f"{sent.method} {sent.path}"
    try:
        description().validate_request(request)
    except OpenAPIError as error:
        found.append(f"request {where}: {_told(error)}")
    try:
        description().validate_response(request, response)
    except ResponseNotFound as error:
        # Refusals that any call can meet (401, 403, 404 …) are described for a few calls only.
        if answer.status < 400:
            found.append(f"response {answer.status} {where}: {_told(error)}")
    except OpenAPIError as error:
        found.append(f"response {answer.status} {where}: {_told(error)}")
    return found


def _told(error: BaseException) -> str:
    """The error with its causes: the outer ones only say that something is wrong."""
    parts = [f"{type(error).__name__}: {error}"]
    causes = getattr(error.__cause__, "schema_errors", None) or []
    parts += [f"{'/'.join(map(str, inner.path))}: {inner.message[:300]}" for inner in causes]
    return "; ".join(parts)
