"""What we send, and what our stand-in answers, against GitHub's published API description."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from rocm_ci.errors import GitHubError
from rocm_ci.github.client import Annotation, Check
from rocm_ci.github.rest import RestClient
from rocm_ci.github.transport import Transport
from tests.contract.description import violations
from tests.standin.server import Exchange, StandIn
from tests.standin.world import Identity

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.contract

HEAD = "a" * 40
NOTE = Annotation(
    path="src/a.hip",
    start_line=3,
    end_line=3,
    start_column=1,
    end_column=4,
    level="failure",
    title="warp-mask-32",
    message="half of the lanes never take part",
)
CHECK = Check(
    name="rocm-ci",
    commit=HEAD,
    conclusion="failure",
    title="this change fails 1 test",
    summary="## no",
    external_id="rocm-ci:default:7.1:0",
    details_url="https://example.com/run",
)


@pytest.fixture
def github() -> Iterator[StandIn]:
    with StandIn() as server:
        server.world.tokens["app"] = Identity(login="github-actions[bot]", is_app=True)
        server.world.tokens["user"] = Identity(login="maintainer")
        server.world.tokens["reader"] = Identity(login="github-actions[bot]", is_app=True, writes=frozenset())
        server.world.open_pull("o/r", 5, HEAD)
        server.world.open_pull("o/r", 6, "f" * 40, branch="topic", fork="stranger/r")
        yield server


def client(github: StandIn, who: str = "app") -> RestClient:
    return RestClient(Transport(who, api_url=github.url, pause_s=0.0, tries=1))


def assert_kept(github: StandIn) -> None:
    found = [line for exchange in github.log for line in violations(exchange)]

    assert found == []
    assert len(github.log) > 1


def test_every_call_and_its_answer_keep_the_description(github: StandIn) -> None:
    ours = client(github)

    ours.identity()
    ours.pull("o/r", 5)
    ours.open_pulls("o/r", "stranger:topic")
    ours.pulls_of_commit("o/r", HEAD)
    first = ours.create_comment("o/r", 5, "hello")
    ours.create_comment("o/r", 5, "hello again")
    ours.comments("o/r", 5)
    ours.edit_comment("o/r", first.id, "changed")
    ours.delete_comment("o/r", first.id)
    ours.set_status(
        "o/r", HEAD, state="failure", context="rocm-ci", description="no", url="https://example.com"
    )
    ours.set_status("o/r", HEAD, state="success", context="rocm-ci", description="yes", url=None)
    posted = ours.create_check("o/r", CHECK, [NOTE] * 50)
    ours.update_check("o/r", posted.id, CHECK, [replace(NOTE, start_column=None)])
    ours.checks("o/r", HEAD, "rocm-ci")

    assert len({(e.request.method, e.request.path) for e in github.log}) == 12
    assert_kept(github)


def test_the_token_of_a_person_may_ask_who_it_is(github: StandIn) -> None:
    headers, data = client(github, "user")._transport.ask("GET", "/user", task="ask")

    assert (data["login"], "x-ratelimit-limit" in headers) == ("maintainer", True)
    client(github, "user").comments("o/r", 5)
    assert_kept(github)


def test_many_pages_keep_the_description(github: StandIn) -> None:
    for number in range(250):
        github.world.say("o/r", 5, "reviewer", f"remark {number}")

    assert len(client(github).comments("o/r", 5)) == 250
    assert_kept(github)


def test_refusals_keep_the_description(github: StandIn) -> None:
    ours, reader = client(github), client(github, "reader")
    there = ours.create_comment("o/r", 5, "hello").id
    for call in (
        lambda: ours.pull("o/r", 99),
        lambda: ours.create_comment("o/r", 5, "x" * 70_000),
        lambda: ours.edit_comment("o/r", there, "   "),
        lambda: reader.create_comment("o/r", 5, "hello"),
        lambda: ours.set_status("o/r", "e" * 40, state="success", context="c", description="d", url=None),
    ):
        with pytest.raises(GitHubError):
            call()

    assert_kept(github)


def test_the_description_catches_a_wrong_request_and_a_wrong_answer(github: StandIn) -> None:
    client(github).create_comment("o/r", 5, "hello")
    exchange = github.log[-1]
    assert exchange.answer is not None

    no_body = replace(exchange, request=replace(exchange.request, body={"text": "hello"}))
    lost = {k: v for k, v in exchange.answer.body.items() if k != "html_url"}
    no_address = replace(exchange, answer=replace(exchange.answer, body=lost))

    assert "'body' is a required property" in _only(no_body)
    assert "'html_url' is a required property" in _only(no_address)


def _only(exchange: Exchange) -> str:
    (found,) = violations(exchange)
    return found
