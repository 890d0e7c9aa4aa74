"""One attempt: what is an answer, what is a failure, and what may be told of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
import requests
import urllib3

from rocm_ci.github.mishap import is_hopeless, never_sent
from rocm_ci.github.retry import Failure
from rocm_ci.github.wire import Answer, PyGithubWire

TOKEN = "ghs_0123456789abcdef0123"


@dataclass
class FakeRequester:
    answer: Any
    asked: list[Any] = field(default_factory=list)

    def requestJson(self, verb: str, url: str, **sent: Any) -> Any:  # noqa: N802 - PyGithub's name
        self.asked.append((verb, url, sent))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def sent(*answer: Any) -> Answer | Failure:
    wire = PyGithubWire(TOKEN, api_url="https://host/api/v3")
    wire._requester = FakeRequester(answer[0] if len(answer) == 1 else answer)  # type: ignore[assignment]
    return wire.send("POST", "/x", None, {"a": 1})


def test_an_answer_has_lower_case_headers_and_a_decoded_body() -> None:
    assert sent(201, {"X-Y": "Z"}, '{"id": 1}') == Answer(status=201, data={"id": 1}, headers={"x-y": "Z"})
    assert sent(204, {}, "") == Answer(status=204, data=None)


def test_a_page_of_a_proxy_is_no_json_and_no_crash() -> None:
    assert sent(200, {}, "<html>log in first</html>") == Answer(status=200, data="<html>log in first</html>")
    assert sent(502, {}, "<html>bad gateway</html>") == Failure(
        status=502, message="<html>bad gateway</html>"
    )
    assert isinstance(sent(200, {}, "[" * 100_000), Answer)


def test_a_refusal_says_what_github_said() -> None:
    assert sent(404, {}, '{"message": "Not Found"}') == Failure(status=404, message="Not Found")


@pytest.mark.parametrize("status", [301, 307, 308])
def test_a_redirection_that_nobody_follows_is_no_success(status: int) -> None:
    found = sent(status, {}, '{"message": "Moved"}')

    assert found == Failure(status=status, message="Moved")


@pytest.mark.parametrize(
    ("error", "status"),
    [
        ({"type": "FORBIDDEN", "message": "Resource not accessible by integration"}, 403),
        ({"type": "NOT_FOUND", "message": "Could not resolve to a node"}, 404),
        ({"type": "RATE_LIMITED", "message": "API rate limit exceeded"}, 429),
        ({"message": "Something went wrong while executing your query."}, 502),
        ({"message": "Parse error"}, 422),
        ("odd", 422),
    ],
)
def test_what_graphql_refuses_with_200_is_a_refusal(error: object, status: int) -> None:
    import json

    found = sent(200, {"x-ratelimit-remaining": "0"}, json.dumps({"data": None, "errors": [error]}))

    assert isinstance(found, Failure)
    assert (found.status, dict(found.headers)) == (status, {"x-ratelimit-remaining": "0"})


def reason(kind: type[Exception]) -> requests.ConnectionError:
    pool: Any = None
    inner = kind(pool, "why") if kind is not urllib3.exceptions.ProtocolError else kind("why")
    return requests.ConnectionError(urllib3.exceptions.MaxRetryError(pool, "/x", inner))


def test_a_connection_that_never_came_about_carried_nothing_out() -> None:
    assert never_sent(reason(urllib3.exceptions.NewConnectionError))
    assert never_sent(requests.ConnectTimeout("late"))
    assert never_sent(requests.exceptions.InvalidURL("no host"))
    assert not never_sent(requests.ReadTimeout("late"))
    assert not never_sent(requests.ConnectionError("Connection aborted"))
    assert not never_sent(requests.ConnectionError())
    assert not never_sent(reason(urllib3.exceptions.ProtocolError))


def test_a_certificate_that_nobody_trusts_is_hopeless_and_a_broken_handshake_is_not() -> None:
    assert is_hopeless(requests.exceptions.SSLError("[SSL: CERTIFICATE_VERIFY_FAILED] self-signed"))
    assert is_hopeless(OSError("Could not find a suitable TLS CA certificate bundle, invalid path: x"))
    assert not is_hopeless(requests.exceptions.SSLError("EOF occurred in violation of protocol"))
    assert not is_hopeless(requests.ConnectionError("reset"))


def test_a_network_error_tells_no_secret() -> None:
    found = sent(requests.exceptions.InvalidHeader(f"bad header 'token {TOKEN}' for http://me:pw@proxy/?k=v"))

    assert isinstance(found, Failure)
    assert found.status is None
    for secret in (TOKEN, "pw@", "k=v"):
        assert secret not in found.message


def test_an_enterprise_server_has_graphql_beside_its_api() -> None:
    assert PyGithubWire("t", api_url="https://host.example/api/v3/").graphql_url == (
        "https://host.example/api/graphql"
    )
    assert PyGithubWire("t", api_url="https://api.github.com").graphql_url == "https://api.github.com/graphql"
    assert PyGithubWire("t", api_url="https://api.acme.ghe.com").graphql_url == (
        "https://api.acme.ghe.com/graphql"
    )
