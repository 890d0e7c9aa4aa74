"""What each command of the bot does, over the stand-in GitHub."""

from __future__ import annotations

import pytest

from tests.e2e.github.conftest import FIRST, SECOND
from tests.e2e.github.conversation import MAIN, Talk, ran, sent


def test_run_repeats_the_pull_requests_own_run(talk: Talk) -> None:
    number = ran(talk, conclusion="failure")

    done = talk.say("/rocm-ci run")

    assert (done.code, done.action) == (0, "run")
    assert (talk.run(number).attempt, talk.run(number).status) == (2, "queued")
    assert (talk.reactions, talk.answers, talk.dispatched) == (["rocket"], [], [])


def test_run_starts_one_where_none_is(talk: Talk) -> None:
    assert talk.say("/rocm-ci run").action == "run"

    (run,) = talk.dispatched
    assert run.inputs == {"number": "5", "head": FIRST, "suite": "", "bench": ""}
    assert (run.branch, run.head, run.title.rstrip()) == ("main", MAIN, f"rocm-ci #5 {FIRST}")


def test_run_of_a_suite_starts_only_that(talk: Talk) -> None:
    ran(talk)

    talk.say('Only this one:\n\n/rocm-ci run "unit tests"')

    assert [r.inputs["suite"] for r in talk.dispatched] == ["unit tests"]


def test_run_that_is_under_way_is_left_alone(talk: Talk) -> None:
    number = ran(talk, conclusion=None)

    assert talk.say("/rocm-ci run").action == "run"

    assert talk.run(number).attempt == 1
    assert "under way already" in talk.answers[0]


@pytest.mark.parametrize(("said", "bench"), [("bench", "*"), ("bench saxpy", "saxpy")])
def test_bench_measures_all_or_one(talk: Talk, said: str, bench: str) -> None:
    talk.say(f"/rocm-ci {said}")

    assert [(r.inputs["suite"], r.inputs["bench"]) for r in talk.dispatched] == [("", bench)]


def test_a_pull_request_on_another_branch_says_which(talk: Talk) -> None:
    talk.github.world.open_pull("o/r", 5, FIRST, base_branch="release/1")

    talk.say("/rocm-ci run unit")

    assert talk.dispatched[0].inputs["base"] == "release/1"


def test_rerun_failed_repeats_the_newest_run_of_the_commit(talk: Talk) -> None:
    ran(talk, conclusion="failure")
    newest = sent(talk, conclusion="failure", created="2026-11-30T11:30:00Z")

    assert talk.say("/rocm-ci rerun-failed").action == "rerun-failed"

    assert talk.run(newest).attempt == 2


@pytest.mark.parametrize(
    ("conclusion", "why"),
    [("success", "nothing failed"), (None, "still under way"), ("action_required", "nothing has run")],
)
def test_rerun_failed_says_when_there_is_nothing_to_repeat(
    talk: Talk, conclusion: str | None, why: str
) -> None:
    ran(talk, conclusion=conclusion)

    done = talk.say("/rocm-ci rerun-failed")

    assert (done.code, done.action) == (0, "refused")
    assert why in done.reason
    assert why in talk.answers[0]
    assert talk.reactions == ["confused"]


def test_cancel_ends_what_runs_for_this_commit_and_nothing_else(talk: Talk) -> None:
    own, ours = ran(talk, conclusion=None), sent(talk, conclusion=None)
    part = sent(talk, conclusion=None, title=f"rocm-ci #5 {FIRST} unit tests")
    others = [
        ran(talk, head=SECOND, conclusion=None),
        ran(talk, conclusion=None, workflow="docs.yml"),
        # A pull request chooses its own title.
        ran(talk, head=SECOND, conclusion=None, title=f"rocm-ci #5 {FIRST}"),
        sent(talk, conclusion=None, title=f"rocm-ci #6 {FIRST}"),
        sent(talk, conclusion=None, head=SECOND),
        sent(talk, conclusion=None, title=f"rocm-ci #5 {FIRST}0"),
    ]

    assert talk.say("/rocm-ci cancel").action == "cancel"

    assert {talk.run(n).conclusion for n in (own, ours, part)} == {"cancelled"}
    assert {talk.run(n).conclusion for n in others} == {None}


def test_help_and_explain_answer_everybody(talk: Talk) -> None:
    assert talk.say("/rocm-ci help", "stranger").action == "help"
    assert talk.say("/rocm-ci explain cuda-install-path", "reader").action == "explain"

    assert "accept-perf" in talk.answers[0]
    assert "ROCM_PATH" in talk.answers[1]
    assert "answered" in talk.again().reason


def test_several_commands_of_one_comment_are_done_in_order(talk: Talk) -> None:
    done = talk.say("/rocm-ci run unit\n/rocm-ci bench saxpy\n/rocm-ci help")

    assert done.action == "run, bench, help"
    assert [(r.inputs["suite"], r.inputs["bench"]) for r in talk.dispatched] == [("unit", ""), ("", "saxpy")]
    assert len(talk.answers) == 1


def test_after_cancel_the_next_command_sees_what_was_cancelled(talk: Talk) -> None:
    number = ran(talk, conclusion=None)

    assert talk.say("/rocm-ci cancel\n/rocm-ci run").action == "cancel, run"

    assert (talk.run(number).attempt, talk.run(number).status) == (2, "queued")
