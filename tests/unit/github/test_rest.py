"""The one choke point of all requests: repetition, waiting, counting, reading."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
import requests
from github import GithubException

from rocm_ci.errors import GitHubError
from rocm_ci.github import transport
from rocm_ci.github.client import PermissionRefusedError, UnknownOutcomeError
from rocm_ci.github.rest import RestClient
from rocm_ci.github.transport import Transport

COMMENT = {"id": 1, "html_url": "url", "user": {"login": "me"}, "body": "hello"}


@dataclass
class FakeRequester:
    """Answers in turn: an exception is raised, anything else is (headers, body)."""

    answers: list[Any]
    asked: list[tuple[str, str, Any, Any]] = field(default_factory=list)
    graphql_url: str = "http://host/graphql"

    def requestJsonAndCheck(  # noqa: N802 - PyGithub's name
        self, verb: str, url: str, **sent: Any
    ) -> Any:
        self.asked.append((verb, url, sent["parameters"], sent["input"]))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def no(status: int, message: str = "", **headers: str) -> GithubException:
    return GithubException(status, {"message": message}, {k.replace("_", "-"): v for k, v in headers.items()})


@dataclass
class Bench:
    client: RestClient
    requester: FakeRequester
    slept: list[float]


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Any:
    def made(*answers: Any, **options: Any) -> Bench:
        requester, slept = FakeRequester(list(answers)), list[float]()
        monkeypatch.setattr(transport, "_connect", lambda *_: requester)
        wire = Transport("secret", api_url="http://host", sleep=slept.append, now=lambda: 1000.0, **options)
        client = RestClient(wire)
        return Bench(client, requester, slept)

    return made


def test_a_read_is_repeated_until_it_succeeds(bench: Any) -> None:
    made = bench(no(502), requests.ConnectionError("reset"), no(503, retry_after="9"), ({}, [COMMENT]))

    assert len(made.client.comments("o/r", 5)) == 1
    assert made.slept == [1.0, 2.0, 9.0]
    assert made.client.requests_sent == 4


def test_an_edit_is_repeated_because_twice_is_the_same_as_once(bench: Any) -> None:
    made = bench(no(502), ({}, COMMENT))

    assert made.client.edit_comment("o/r", 1, "text").id == 1


@pytest.mark.parametrize("failure", [no(502), no(500), requests.ReadTimeout("late")])
def test_a_creation_whose_answer_was_lost_is_not_repeated(bench: Any, failure: Exception) -> None:
    made = bench(failure)

    with pytest.raises(UnknownOutcomeError):
        made.client.create_comment("o/r", 5, "text")
    assert made.slept == []


def test_a_creation_turned_away_by_a_limit_is_repeated_after_the_advised_wait(bench: Any) -> None:
    made = bench(no(403, "secondary rate limit", retry_after="7"), ({}, COMMENT))

    made.client.create_comment("o/r", 5, "text")
    assert made.slept == [7.0]


def test_a_refused_permission_is_final(bench: Any) -> None:
    made = bench(no(403, "Resource not accessible by integration"))

    with pytest.raises(PermissionRefusedError):
        made.client.create_comment("o/r", 5, "text")
    assert made.client.requests_sent == 1


def test_patience_and_tries_have_an_end(bench: Any) -> None:
    long = bench(no(429, retry_after="200"), no(429, retry_after="200"), patience_s=300.0)
    many = bench(*[no(502)] * 3, tries=3)

    with pytest.raises(GitHubError, match="429"):
        long.client.comments("o/r", 5)
    with pytest.raises(GitHubError, match="502"):
        many.client.comments("o/r", 5)
    assert (long.slept, many.slept) == ([200.0], [1.0, 2.0])


def test_pages_are_counted_and_no_address_of_an_answer_is_followed(bench: Any) -> None:
    more = {"link": '<http://evil.example/steal?page=2>; rel="next"'}
    made = bench((more, [COMMENT]), ({}, [{**COMMENT, "id": 2}]))

    assert [c.id for c in made.client.comments("o/r", 5)] == [1, 2]
    assert [(url, query["page"]) for _, url, query, _ in made.requester.asked] == [
        ("/repos/o/r/issues/5/comments", 1),
        ("/repos/o/r/issues/5/comments", 2),
    ]


def test_a_comment_that_is_gone_needs_no_deletion(bench: Any) -> None:
    bench(no(404)).client.delete_comment("o/r", 1)
    bench(no(410)).client.delete_comment("o/r", 1)


def test_a_workflows_token_learns_its_name_by_graphql(bench: Any) -> None:
    made = bench(({}, {"data": {"viewer": {"login": "github-actions[bot]"}}}))

    assert made.client.identity() == "github-actions[bot]"


def test_a_server_without_graphql_is_asked_in_the_old_way(bench: Any) -> None:
    made = bench(no(404), ({}, {"login": "robot"}))

    assert made.client.identity() == "robot"
    assert made.requester.asked[1][:2] == ("GET", "/user")


def test_an_app_that_may_ask_nothing_is_the_workflows_own(bench: Any) -> None:
    made = bench(no(403), no(403, "Resource not accessible by integration"))

    assert made.client.identity() == "github-actions[bot]"


def test_a_wrong_token_is_not_taken_for_the_workflows(bench: Any) -> None:
    made = bench(no(401), no(401, "Bad credentials"))

    with pytest.raises(GitHubError, match="401"):
        made.client.identity()


def test_two_writes_are_a_pause_apart_and_questions_are_not(bench: Any) -> None:
    viewer = {"data": {"viewer": {"login": "me"}}}
    made = bench(({}, viewer), ({}, COMMENT), ({}, []), ({}, COMMENT))

    made.client.identity()
    made.client.create_comment("o/r", 5, "text")
    made.client.identity()
    made.client.comments("o/r", 5)
    made.client.edit_comment("o/r", 1, "text")

    assert made.slept == [1.0]


def test_pages_that_repeat_come_to_an_end_and_double_nothing(bench: Any) -> None:
    again = ({"link": '<x>; rel="next"'}, [COMMENT])
    made = bench(again, again, again)

    assert [c.id for c in made.client.comments("o/r", 5)] == [1]
    assert made.client.requests_sent == 2


@pytest.mark.parametrize("answer", [None, [], "text", {"data": "<html>"}, {"id": "1"}, {"id": 1, "user": 3}])
def test_an_answer_of_another_shape_is_told_and_no_crash(bench: Any, answer: object) -> None:
    with pytest.raises(GitHubError, match="cannot read"):
        bench(({}, answer)).client.edit_comment("o/r", 1, "text")


def test_a_list_that_is_none_is_told(bench: Any) -> None:
    with pytest.raises(GitHubError, match="no list"):
        bench(({}, {"message": "hello"})).client.comments("o/r", 5)


def test_the_words_of_a_proxy_cannot_forge_workflow_commands(bench: Any) -> None:
    made = bench(no(404, "gone\n::error::forged" + "x" * 9000))

    with pytest.raises(GitHubError) as caught:
        made.client.pull("o/r", 5)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


def test_nothing_that_is_optional_is_sent_empty(bench: Any) -> None:
    made = bench(({}, {}))

    made.client.set_status("o/r", "a" * 40, state="success", context="c", description="d", url=None)

    sent: Mapping[str, object] = made.requester.asked[0][3]
    assert dict(sent) == {"state": "success", "context": "c", "description": "d"}


def test_a_lost_deleted_account_is_nobody(bench: Any) -> None:
    made = bench(({}, [{**COMMENT, "user": None, "body": None}]))

    (comment,) = made.client.comments("o/r", 5)
    assert (comment.author, comment.body) == ("", "")
