"""The one choke point of all requests: repetition, waiting, counting, pages, downloads."""

from __future__ import annotations

import pytest

from rocm_ci.errors import GitHubError
from rocm_ci.github.client import PermissionRefusedError, UnknownOutcomeError
from rocm_ci.github.wire import Answer
from tests.unit.github.wires import COMMENT, bench, more, no

THERE = Answer(status=302, data=None, headers={"location": "https://store.example/1?sig=secret"})


def test_a_read_is_repeated_until_it_succeeds() -> None:
    made = bench(no(502), no(None, "ConnectionError: reset"), no(503, retry_after="9"), [COMMENT])

    assert len(made.client.comments("o/r", 5)) == 1
    assert made.slept == [1.0, 2.0, 9.0]
    assert made.client.requests_sent == 4


def test_an_edit_is_repeated_because_twice_is_the_same_as_once() -> None:
    assert bench(no(502), COMMENT).client.edit_comment("o/r", 1, "text").id == 1


@pytest.mark.parametrize("failure", [no(502), no(500), no(None, "ReadTimeout: late")])
def test_a_creation_whose_answer_was_lost_is_not_repeated(failure: object) -> None:
    made = bench(failure)

    with pytest.raises(UnknownOutcomeError):
        made.client.create_comment("o/r", 5, "text")
    assert made.slept == []


def test_a_creation_that_never_left_is_repeated() -> None:
    made = bench(no(None, "ConnectTimeout", never_sent=True), COMMENT)

    assert made.client.create_comment("o/r", 5, "text").id == 1


@pytest.mark.attack("19", "a secondary rate limit with and without Retry-After")
def test_a_creation_turned_away_by_a_limit_is_repeated_after_the_advised_wait() -> None:
    made = bench(no(403, "secondary rate limit", retry_after="7"), COMMENT)

    made.client.create_comment("o/r", 5, "text")
    assert made.slept == [7.0]


def test_a_refused_permission_is_final() -> None:
    made = bench(no(403, "Resource not accessible by integration"))

    with pytest.raises(PermissionRefusedError):
        made.client.create_comment("o/r", 5, "text")
    assert made.client.requests_sent == 1


def test_patience_and_tries_have_an_end() -> None:
    long = bench(no(429, retry_after="200"), no(429, retry_after="200"), patience_s=300.0)
    many = bench(*[no(502)] * 3, tries=3)

    with pytest.raises(GitHubError, match="429"):
        long.client.comments("o/r", 5)
    with pytest.raises(GitHubError, match="502"):
        many.client.comments("o/r", 5)
    assert (long.slept, many.slept) == ([200.0], [1.0, 2.0])


@pytest.mark.attack("19", "hundreds of jobs that come back at the same moment")
def test_jobs_that_failed_together_do_not_come_back_together() -> None:
    made = bench(no(502), no(502), no(429, retry_after="5"), [COMMENT], jitter=lambda: 0.5)

    made.client.comments("o/r", 5)

    assert made.slept == [1.25, 2.5, 5.5]


def test_the_budget_ends_a_run_before_one_request_too_many_is_sent() -> None:
    made = bench(COMMENT, no(502), no(502), COMMENT, budget=3)
    made.client.create_comment("o/r", 5, "text")

    with pytest.raises(GitHubError, match="the 3 requests") as caught:
        made.client.edit_comment("o/r", 1, "text")

    assert made.client.requests_sent == len(made.wire.asked) == 3
    assert "step summary" in caught.value.hint


def test_the_costs_are_told_by_kind_whatever_the_repository_and_the_numbers() -> None:
    made = bench(
        [],
        [],
        COMMENT,
        {},
        {"permission": "read"},
        {"data": {"viewer": {"login": "me"}}},
        {"default_branch": "m"},
    )
    for number in (5, 6):
        made.client.comments("o/r", number)
    made.client.edit_comment("o/r", 7, "text")
    made.client.set_status("o/r", "a" * 40, state="success", context="c", description="d", url=None)
    made.client.permission("o/r", "ann")
    made.client.identity()
    made.client.default_branch("o/r")

    assert made.client.requests_by_kind == {
        "GET issues/N/comments": 2,
        "PATCH issues/comments/N": 1,
        "POST statuses/COMMIT": 1,
        "GET collaborators/LOGIN/permission": 1,
        "POST graphql": 1,
        "GET repository": 1,
    }


def test_two_writes_are_a_pause_apart_and_questions_are_not() -> None:
    viewer = {"data": {"viewer": {"login": "me"}}}
    made = bench(viewer, COMMENT, [], COMMENT, {"data": {}})

    made.client.identity()
    made.client.create_comment("o/r", 5, "text")
    made.client.comments("o/r", 5)
    assert made.slept == []
    made.client.edit_comment("o/r", 1, "text")
    made.client.resolve_thread("T1")

    assert made.slept == [1.0, 1.0]


@pytest.mark.attack("input", "a list whose next page lies on a host of the attacker")
def test_pages_are_counted_and_no_address_of_an_answer_is_followed() -> None:
    made = bench(more(COMMENT), [{**COMMENT, "id": 2}])

    assert [c.id for c in made.client.comments("o/r", 5)] == [1, 2]
    assert [(path, query["page"]) for _, path, query, _ in made.wire.asked] == [
        ("/repos/o/r/issues/5/comments", 1),
        ("/repos/o/r/issues/5/comments", 2),
    ]


def test_pages_that_repeat_come_to_an_end_and_double_nothing() -> None:
    made = bench(more(COMMENT), more(COMMENT), more(COMMENT))

    assert [c.id for c in made.client.comments("o/r", 5)] == [1]
    assert made.client.requests_sent == 2


def test_a_list_that_is_none_is_told() -> None:
    with pytest.raises(GitHubError, match="no list"):
        bench({"message": "hello"}).client.comments("o/r", 5)


def test_a_redirection_is_not_taken_for_a_written_status() -> None:
    with pytest.raises(GitHubError, match="302") as caught:
        bench(THERE).client.set_status(
            "o/r", "a" * 40, state="success", context="c", description="d", url=None
        )
    assert "renamed" in caught.value.hint


def test_a_download_asks_for_a_fresh_address_each_time() -> None:
    made = bench(THERE, no(502), THERE, files=(no(None, "ConnectionError: reset"), b"zip"))

    assert made.client.download_artifact("o/r", 7, limit=100) == b"zip"
    assert made.wire.fetched == [("https://store.example/1?sig=secret", 100)] * 2
    assert made.client.requests_by_kind == {"GET actions/artifacts/N/zip": 3, "GET file": 2}
    assert made.client.spent() == "3 requests to GitHub (3 GET actions/artifacts/N/zip, 2 GET file)"


def test_an_artifact_larger_than_asked_for_is_refused() -> None:
    with pytest.raises(GitHubError, match="more than 2 bytes"):
        bench(THERE, files=(b"zip",)).client.download_artifact("o/r", 7, limit=2)


def test_an_artifact_that_is_gone_is_told() -> None:
    with pytest.raises(GitHubError, match="410"):
        bench(no(410, "Artifact has expired")).client.download_artifact("o/r", 7, limit=2)


@pytest.mark.attack("7", "a workflow command in the words of a proxy or server")
def test_the_words_of_a_server_cannot_forge_workflow_commands() -> None:
    made = bench(no(404, "gone " + "x" * 9000))

    with pytest.raises(GitHubError) as caught:
        made.client.pull("o/r", 5)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500
