"""What triggered us, read from the payloads that GitHub publishes as examples, and from broken ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rocm_ci import event
from rocm_ci.errors import EventError
from rocm_ci.model.event import Event, EventKind

EVENTS = Path(__file__).resolve().parents[1] / "data" / "events"
HEAD, TIP = "a" * 40, "d" * 40


def example(name: str) -> dict[str, Any]:
    body: dict[str, Any] = json.loads((EVENTS / f"{name}.json").read_bytes())
    return body


def parse(name: str, body: object, **environment: str) -> Event:
    env = {"GITHUB_EVENT_NAME": name, **environment}
    return event.parse(env, body if isinstance(body, bytes) else json.dumps(body).encode())


@pytest.mark.parametrize("action", ["opened", "synchronize"])
def test_a_pull_request_names_both_sides(action: str) -> None:
    body = example(f"pull_request.{action}")

    found = parse("pull_request", body, GITHUB_RUN_ID="31", GITHUB_RUN_ATTEMPT="2")

    assert found.kind is EventKind.PULL_REQUEST
    assert found.repository == "Codertocat/Hello-World"
    assert found.head == "ec26c3e57ca3a959ca5aad62de7213c562f8c821"
    assert found.base == "f95f852bd8fca8fcc58a9a2d6c842781e32a215e"
    assert (found.head_ref, found.base_ref, found.number) == ("changes", "master", 2)
    assert found.title == "Update the README with new information."
    assert (found.run_id, found.run_attempt, found.merge_base) == (31, 2, None)
    assert not found.is_fork


def test_the_environment_knows_the_repository_better_than_the_file() -> None:
    found = parse("pull_request", example("pull_request.opened"), GITHUB_REPOSITORY="o/r")

    assert found.repository == "o/r"


def test_labels_are_kept_and_odd_ones_passed_over() -> None:
    body = example("pull_request.opened")
    body["pull_request"]["labels"] = [{"name": "bug"}, {"name": None}, "text", {"name": "rocm"}]

    assert parse("pull_request", body).labels == ("bug", "rocm")


def test_a_head_in_another_repository_is_a_fork() -> None:
    body = example("pull_request.opened")
    body["pull_request"]["head"]["repo"]["full_name"] = "stranger/Hello-World"

    assert parse("pull_request", body).is_fork


def test_a_deleted_fork_is_still_not_ours() -> None:
    body = example("pull_request.synchronize")
    body["pull_request"]["head"]["repo"] = None

    assert parse("pull_request", body).is_fork


def test_a_push_compares_with_what_was_there_before() -> None:
    body = example("push.first") | {"before": "b" * 40}

    found = parse("push", body)

    assert (found.base, found.head) == ("b" * 40, "6113728f27ae82c7b1a177c8d03f9e96e0adf246")
    assert found.head_ref == "refs/heads/master"


def test_a_first_push_has_no_predecessor() -> None:
    assert parse("push", example("push.first")).base is None


def test_a_push_that_deletes_a_branch_has_nothing_to_check() -> None:
    with pytest.raises(EventError, match="deletes refs/tags/simple-tag") as caught:
        parse("push", example("push.deleted"))

    assert "github.event.deleted" in caught.value.hint


def test_a_merge_group_names_both_sides() -> None:
    body = example("merge_group.checks_requested")

    found = parse("merge_group", body)

    assert found.kind is EventKind.MERGE_GROUP
    assert found.head == body["merge_group"]["head_sha"]
    assert found.base == body["merge_group"]["base_sha"]
    assert found.number is None


def test_a_dispatch_takes_its_commit_from_the_environment() -> None:
    body = example("workflow_dispatch")

    found = parse("workflow_dispatch", body, GITHUB_SHA=HEAD, GITHUB_REF="refs/heads/main")

    assert (found.head, found.base, found.head_ref) == (HEAD, None, "refs/heads/main")
    with pytest.raises(EventError, match="GITHUB_SHA"):
        parse("workflow_dispatch", body)


def dispatch(**inputs: object) -> Event:
    body = example("workflow_dispatch") | {"inputs": inputs}
    return parse("workflow_dispatch", body, GITHUB_SHA=TIP, GITHUB_REF="refs/heads/main")


def test_a_dispatch_for_a_pull_request_checks_that_commit_and_trusts_nobody() -> None:
    found = dispatch(number="12", head=HEAD, suite="", bench="")

    assert found.kind is EventKind.WORKFLOW_DISPATCH
    assert (found.head, found.number, found.base, found.base_ref) == (HEAD, 12, TIP, "main")
    assert found.is_fork
    assert not found.is_partial


def test_a_dispatch_may_name_the_base_by_commit_or_by_branch() -> None:
    by_commit = dispatch(number=12, head=HEAD, base="c" * 40)
    by_branch = dispatch(number=12, head=HEAD, base="release/7.x")

    assert (by_commit.base, by_commit.base_ref) == ("c" * 40, None)
    assert (by_branch.base, by_branch.base_ref) == (None, "release/7.x")


def test_a_dispatch_may_ask_for_a_suite_or_a_benchmark_only() -> None:
    found = dispatch(number="12", head=HEAD, suite="unit tests", bench="*")

    assert (found.suite, found.bench, found.is_partial) == ("unit tests", "*", True)
    assert dispatch(suite="unit").suite == "unit"


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"head": ""}, "`head` is ''"),
        ({"head": "main"}, "`head` is 'main'"),
        ({"head": "--upload-pack=evil"}, "no full commit name"),
        ({"head": f"{HEAD}\n{HEAD}"}, "no full commit name"),
        ({"number": ""}, "`number` is ''"),
        ({"number": "0"}, "no pull request"),
        ({"number": "-1"}, "no pull request"),
        ({"number": "9" * 30}, "no pull request"),
        ({"number": "5/../6"}, "no pull request"),
        ({"number": True}, "no pull request"),
        ({"base": "-x"}, "no commit and no branch"),
        ({"base": "a..b"}, "no commit and no branch"),
        ({"base": "main@{1}"}, "no commit and no branch"),
        ({"base": "../x"}, "no commit and no branch"),
        ({"base": "x.lock"}, "no commit and no branch"),
        ({"suite": "unit; rm -rf /"}, "no suite or benchmark"),
        ({"bench": "$(id)"}, "no suite or benchmark"),
        ({"bench": "x" * 81}, "no suite or benchmark"),
        ({"suite": "\x1b[2J"}, "no suite or benchmark"),
    ],
)
def test_an_input_that_is_not_what_it_should_be_is_refused(changed: dict[str, object], why: str) -> None:
    with pytest.raises(EventError) as caught:
        dispatch(**{"number": "12", "head": HEAD, **changed})

    assert why in str(caught.value)
    assert caught.value.hint


@pytest.mark.parametrize("inputs", [None, [], "text", {"number": None, "head": None}])
def test_a_dispatch_without_inputs_checks_the_branch_it_runs_on(inputs: object) -> None:
    body = example("workflow_dispatch") | {"inputs": inputs}

    found = parse("workflow_dispatch", body, GITHUB_SHA=TIP)

    assert (found.head, found.number, found.is_fork) == (TIP, None, False)


@pytest.mark.parametrize("name", ["", "issues", "pull_request_target", "local", "Pull_Request"])
def test_other_triggers_are_named_with_those_that_work(name: str) -> None:
    with pytest.raises(EventError) as caught:
        parse(name, example("pull_request.opened"))

    assert "pull_request, push, merge_group and workflow_dispatch" in caught.value.hint


def test_an_event_file_cut_in_half_is_told_as_that() -> None:
    whole = json.dumps(example("pull_request.opened")).encode()

    with pytest.raises(EventError, match="may be cut off"):
        parse("pull_request", whole[: len(whole) // 2])


@pytest.mark.parametrize(
    "payload", [b"", b"hello", b"\xff\xfe{", b"[" * 100_000, b'"text"', b"[]", b"null", b"12"]
)
def test_what_is_no_json_object_is_refused(payload: bytes) -> None:
    with pytest.raises(EventError, match="the event file"):
        parse("pull_request", payload)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("pull_request",), None),
        (("pull_request",), []),
        (("pull_request", "head"), "text"),
        (("pull_request", "head", "sha"), None),
        (("pull_request", "head", "sha"), 12),
        (("pull_request", "head", "sha"), "main"),
        (("pull_request", "head", "sha"), "a" * 39),
        (("pull_request", "head", "sha"), f"{HEAD}\n"),
        (("pull_request", "head", "sha"), "--upload-pack=evil"),
        (("pull_request", "base", "sha"), {"a": 1}),
    ],
)
def test_a_commit_of_a_wrong_type_is_named_by_its_place(path: tuple[str, ...], value: object) -> None:
    body = example("pull_request.opened")
    part = body
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value

    with pytest.raises(EventError, match=r"no commit at pull_request\.(head|base)\.sha"):
        parse("pull_request", body)


@pytest.mark.parametrize("value", [None, "2", True, 2.5, [], {"a": 1}])
def test_a_wrong_number_or_title_is_no_crash(value: object) -> None:
    body = example("pull_request.opened")
    body["pull_request"] |= {"number": value, "title": value, "labels": value}

    found = parse("pull_request", body)

    assert found.number in (None, 2)
    assert found.title in (None, "2")


def test_a_payload_larger_than_github_ever_sends_is_not_even_parsed() -> None:
    with pytest.raises(EventError, match="30000002 bytes"):
        parse("pull_request", b'"' + b"x" * 30_000_000 + b'"')
