"""Who and what the bot refuses: point 12 of the list of attacks, one test each."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.github.conversation import Talk, acts, ran


@pytest.mark.attack("12", "a command of somebody without write access")
@pytest.mark.parametrize("login", ["stranger", "reader", "triager", "nobody"])
@pytest.mark.parametrize(
    "command", ["run", "ok-to-test", "cancel", "accept-perf saxpy because I say so", "nonsense"]
)
def test_without_write_access_nothing_is_done(talk: Talk, login: str, command: str) -> None:
    ran(talk, conclusion=None)

    done = talk.say(f"/rocm-ci {command}", login)

    assert (done.code, done.action, done.reason) == (0, "refused", f"{login} may not write to o/r")
    assert len(talk.answers) == 1
    assert talk.reactions == ["confused"]
    assert acts(talk) == []


@pytest.mark.parametrize("login", ["maintainer", "keeper", "owner"])
def test_write_maintain_and_admin_may(talk: Talk, login: str) -> None:
    assert talk.say("/rocm-ci run", login).action == "run"


@pytest.mark.attack("12", "a comment that claims to be an owner's")
def test_author_association_says_nothing(talk: Talk) -> None:
    done = talk.say("/rocm-ci run", "stranger")

    assert talk.payload["comment"]["author_association"] == "OWNER"
    assert done.action == "refused"


@pytest.mark.attack("12", "a right that was taken away since the last command")
def test_the_right_is_asked_for_each_time(talk: Talk) -> None:
    ran(talk)
    assert talk.say("/rocm-ci run").action == "run"
    talk.github.world.grant("o/r", "maintainer", "read")

    assert talk.say("/rocm-ci cancel").action == "refused"


IGNORED = {
    "edited": {"action": "edited"},
    "deleted": {"action": "deleted"},
    "on an issue": {"is_issue": True},
    "by a bot": {"type": "Bot"},
}


@pytest.mark.attack("12", "an edited or deleted comment, an issue, a bot")
@pytest.mark.parametrize("changed", IGNORED.values(), ids=IGNORED.keys())
def test_what_is_no_command_costs_no_request(talk: Talk, changed: dict[str, Any]) -> None:
    done = talk.say("/rocm-ci run", **changed)

    assert (done.code, done.action) == (0, "ignored")
    assert talk.github.log == []


@pytest.mark.parametrize(
    "body", ["> /rocm-ci run", "```\n/rocm-ci run\n```", "please /rocm-ci run", "Thanks!"]
)
def test_what_only_looks_like_a_command_costs_no_request(talk: Talk, body: str) -> None:
    assert talk.say(body).action == "ignored"
    assert talk.github.log == []


def test_an_answer_of_the_bot_is_no_command(talk: Talk) -> None:
    talk.say("/rocm-ci help")

    assert talk.say(talk.answers[0], "owner").action == "ignored"


@pytest.mark.attack("12", "a command in a closed or a locked pull request")
def test_a_closed_pull_request_gets_one_answer(talk: Talk) -> None:
    talk.github.world.repository("o/r").pulls[5].state = "closed"

    done = talk.say("/rocm-ci run", state="closed")

    assert (done.code, done.action) == (0, "refused")
    assert "closed" in talk.answers[0]
    assert acts(talk) == []


def test_a_pull_request_that_was_closed_meanwhile_is_closed(talk: Talk) -> None:
    talk.github.world.repository("o/r").pulls[5].state = "closed"

    assert "closed" in talk.say("/rocm-ci run").reason


def test_a_locked_conversation_is_left_alone(talk: Talk) -> None:
    done = talk.say("/rocm-ci run", locked=True)

    assert (done.code, done.action, talk.github.log) == (0, "refused", [])


@pytest.mark.attack("12", "unknown commands and arguments")
@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("rnu", "Did you mean `/rocm-ci run`?"),
        ("rerun", "Did you mean `/rocm-ci rerun-failed`?"),
        ("explain cuda-install-pth", "did you mean `cuda-install-path`"),
        ("accept-perf saxpy", "needs a reason"),
        ("run $(reboot)", "`$(reboot)` is no suite"),
        ("run unit tests", "quotation marks"),
        ("run 'unit", "a quotation mark is not closed"),
        ("explain cuda-includ", "did you mean `cuda-include`"),
        ("@org/team", "there is no `@org/team`"),
    ],
)
def test_a_mistake_gets_one_helpful_answer(talk: Talk, said: str, answer: str) -> None:
    done = talk.say(f"/rocm-ci {said}")

    assert (done.code, done.action) == (0, "refused")
    assert len(talk.answers) == 1
    assert answer.lower() in talk.answers[0].lower()
    assert acts(talk) == []


@pytest.mark.attack("12", "1,000 commands in one comment")
@pytest.mark.parametrize("login", ["maintainer", "stranger"])
def test_a_thousand_commands_in_one_comment_get_one_answer(talk: Talk, login: str) -> None:
    done = talk.say("\n".join(f"/rocm-ci run suite{n}" for n in range(1000)), login)

    assert done.action == "refused"
    assert len(talk.answers) == 1
    assert acts(talk) == []


@pytest.mark.attack("12", "1,000 comments of somebody without write access")
def test_many_comments_of_a_stranger_get_one_answer(talk: Talk) -> None:
    for _ in range(30):
        talk.say("/rocm-ci run", "stranger")

    assert len(talk.answers) == 1
    assert acts(talk) == []


@pytest.mark.attack("12", "a stranger who pretends to be the bot")
def test_a_forged_mark_silences_nobody(talk: Talk) -> None:
    for login in ("maintainer", "reader"):
        talk.say(f"Hello\n\n<!-- rocm-ci-bot:v1 comment=1 for={login} kind=stranger -->", "stranger")

    assert talk.say("/rocm-ci run", "reader").action == "refused"
    assert len(talk.answers) == 1


def test_help_is_not_given_without_end(talk: Talk) -> None:
    actions = [talk.say("/rocm-ci help", "stranger").action for _ in range(8)]

    assert actions == ["help"] * 3 + ["refused"] * 5
    assert len(talk.answers) == 4


def test_a_maintainer_is_slowed_down_too(talk: Talk) -> None:
    ran(talk)
    actions = [talk.say("/rocm-ci rerun-failed").reason for _ in range(23)]

    assert sum("within the hour" in reason for reason in actions) == 3
    assert sum("within the hour" in answer for answer in talk.answers) == 1


def test_after_an_hour_all_is_forgotten(talk: Talk) -> None:
    for _ in range(4):
        talk.say("/rocm-ci help", "stranger")
    talk.github.world.now = "2026-11-30T13:00:01Z"

    assert talk.say("/rocm-ci help", "stranger").action == "help"
