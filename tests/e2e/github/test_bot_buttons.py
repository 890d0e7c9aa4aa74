"""The buttons of our check run, where an App of one's own posts it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.github.conftest import FIRST, SECOND
from tests.e2e.github.conversation import Done, Talk, acts, ran, waits
from tests.standin.faults import Fault, Faults


def press(talk: Talk, button: str | None = "rerun", login: str = "maintainer", **changed: Any) -> Done:
    payload: dict[str, Any] = {
        "action": "requested_action" if button else "rerequested",
        "check_run": {
            "name": changed.get("name", "rocm-ci"),
            "head_sha": changed.get("head", FIRST),
            "pull_requests": [{"number": 5}] if changed.get("listed", True) else [],
        },
        "requested_action": {"identifier": button},
        "repository": {"full_name": "o/r", "default_branch": "main"},
        "sender": {"login": login, "type": changed.get("type", "User")},
    }
    if button is None:
        del payload["requested_action"]
    return talk.handle("check_run", payload)


@pytest.mark.parametrize(
    ("button", "action"), [("rerun", "run"), (None, "run"), ("rerun-failed", "rerun-failed")]
)
def test_a_button_repeats_the_run(talk: Talk, button: str | None, action: str) -> None:
    number = ran(talk, conclusion="failure")

    done = press(talk, button)

    assert (done.code, done.action, talk.run(number).attempt) == (0, action, 2)
    assert talk.answers == []


@pytest.mark.attack("12", "a button pressed by somebody without write access")
@pytest.mark.parametrize("login", ["reader", "stranger"])
def test_without_write_access_a_button_does_nothing(talk: Talk, login: str) -> None:
    ran(talk, conclusion="failure")

    assert press(talk, login=login).action == "refused"
    assert acts(talk) == []


@pytest.mark.parametrize(
    "changed", [{"name": "lint"}, {"name": "rocm-cinema"}, {"type": "Bot"}, {"button": "lgtm|1"}], ids=str
)
def test_what_is_none_of_ours_costs_no_request(talk: Talk, changed: dict[str, Any]) -> None:
    assert press(talk, **changed).action == "ignored"
    assert talk.github.log == []


def test_a_check_of_an_older_commit_is_refused(talk: Talk) -> None:
    ran(talk, conclusion="failure")
    talk.github.world.push("o/r", 5, SECOND)

    assert press(talk).action == "refused"
    assert acts(talk) == []


def test_the_pull_request_of_a_fork_is_found_by_its_branch(fork: Talk) -> None:
    number = waits(fork, conclusion="failure")

    assert press(fork, listed=False).action == "run"
    assert fork.run(number).attempt == 2


@pytest.mark.attack("12", "a button for a fork's commit that nobody has let run")
def test_a_forks_commit_does_not_start_by_a_button(fork: Talk) -> None:
    waiting = waits(fork)

    done = press(fork)

    assert (done.action, fork.dispatched) == ("refused", [])
    assert fork.run(waiting).conclusion == "action_required"


def test_a_button_without_a_run_starts_one(talk: Talk) -> None:
    assert press(talk, name="rocm-ci/mi300").action == "run"
    assert [r.inputs["head"] for r in talk.dispatched] == [FIRST]


def test_a_button_fails_when_github_is_down(talk: Talk) -> None:
    talk.github.faults = Faults(rate=1.0, kinds=(Fault.UNAVAILABLE,))

    assert press(talk).code == 4


def test_a_button_tells_when_github_refuses(talk: Talk) -> None:
    talk.github.world.repository("o/r").workflows.clear()

    done = press(talk)

    assert (done.code, done.action) == (4, "refused")
    assert "404" in done.reason
