"""A wire that answers in turn, and a client over it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rocm_ci.github.rest import RestClient
from rocm_ci.github.retry import Failure
from rocm_ci.github.transport import Transport
from rocm_ci.github.wire import Answer

if TYPE_CHECKING:
    from collections.abc import Mapping

COMMENT = {"id": 1, "html_url": "url", "user": {"login": "me"}, "body": "hello"}


@dataclass
class FakeWire:
    """`answers` are used up in order: a failure, an answer, or just its body."""

    answers: list[Any]
    files: list[bytes | Failure] = field(default_factory=list)
    asked: list[tuple[str, str, Any, Any]] = field(default_factory=list)
    fetched: list[tuple[str, int]] = field(default_factory=list)
    graphql_url: str = "https://host/graphql"

    def send(
        self, verb: str, path: str, query: Mapping[str, object] | None, body: Mapping[str, object] | None
    ) -> Answer | Failure:
        self.asked.append((verb, path, query, body))
        answer = self.answers.pop(0)
        if isinstance(answer, (Answer, Failure)):
            return answer
        return Answer(status=200, data=answer)

    def fetch(self, url: str, limit: int) -> bytes | Failure:
        self.fetched.append((url, limit))
        return self.files.pop(0)


@dataclass
class Bench:
    """A client, its wire, and how long it slept each time."""

    client: RestClient
    wire: FakeWire
    slept: list[float]


def bench(*answers: Any, files: tuple[bytes | Failure, ...] = (), **options: Any) -> Bench:
    wire, slept = FakeWire(list(answers), list(files)), list[float]()
    known: dict[str, Any] = {"sleep": slept.append, "now": lambda: 1000.0, "jitter": lambda: 0.0}
    transport = Transport("secret", api_url="https://host", wire=wire, **{**known, **options})
    return Bench(RestClient(transport), wire, slept)


def no(status: int | None, message: str = "", *, never_sent: bool = False, **headers: str) -> Failure:
    """A refusal, or (without a status) no answer."""
    named = {k.replace("_", "-"): v for k, v in headers.items()}
    return Failure(status=status, message=message, headers=named, never_sent=never_sent)


def more(*items: Any) -> Answer:
    """A page with another behind it."""
    link = '<https://evil.example/steal?page=2>; rel="next"'
    return Answer(status=200, data=list(items), headers={"link": link})
