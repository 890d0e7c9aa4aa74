"""Events that come twice, answers that get lost, a GitHub that is down: each command is still done once."""

from __future__ import annotations

import pytest

from rocm_ci.cli.main import main
from tests.e2e.github.conversation import Talk, acts, ran, vouched, waits
from tests.standin.faults import Fault, Faults


@pytest.mark.parametrize(
    "command", ["run", "run unit", "bench", "rerun-failed", "cancel", "help", "nonsense", "explain nothing"]
)
def test_an_event_that_comes_again_does_nothing_more(talk: Talk, command: str) -> None:
    ran(talk, conclusion=None if command == "cancel" else "failure")
    first = talk.say(f"/rocm-ci {command}")
    before = (acts(talk), talk.answers, talk.reactions)

    again = talk.again()

    assert first.action != "ignored"
    assert (again.code, again.action) == (0, "ignored")
    assert (acts(talk), talk.answers, talk.reactions) == before


def test_ok_to_test_that_comes_again_does_nothing_more(fork: Talk) -> None:
    waits(fork)
    fork.say("/rocm-ci ok-to-test")

    assert fork.again().action == "ignored"

    assert (vouched(fork), len(fork.dispatched), len(fork.answers)) == (["success"], 1, 1)


@pytest.mark.attack("19", "20 % of all requests fail, in every way")
@pytest.mark.parametrize("seed", range(12))
def test_with_a_fifth_of_all_requests_failing_each_command_is_done_once(fork: Talk, seed: int) -> None:
    waits(fork)
    fork.github.faults = Faults(rate=0.2, seed=seed)

    done = [fork.say(f"/rocm-ci {c}").code for c in ("ok-to-test", "run unit", "bench saxpy", "help")]

    assert done == [0, 0, 0, 0]
    wanted = [("", ""), ("unit", ""), ("", "saxpy")]
    assert [(r.inputs["suite"], r.inputs["bench"]) for r in fork.dispatched] == wanted
    assert (len(fork.answers), fork.reactions) == (2, ["rocket"])
    assert fork.github.forbidden == []


@pytest.mark.parametrize("place", range(14))
def test_a_lost_answer_at_any_place_starts_no_second_run(talk: Talk, place: int) -> None:
    talk.github.faults = Faults(next_ones=[*[Fault.NONE] * place, Fault.HALF])

    assert talk.say("/rocm-ci run unit").code == 0

    assert (len(talk.dispatched), talk.reactions) == (1, ["rocket"])


@pytest.mark.parametrize("place", range(14))
def test_a_lost_answer_at_any_place_repeats_a_run_once(talk: Talk, place: int) -> None:
    number = ran(talk, conclusion="failure")
    talk.github.faults = Faults(next_ones=[*[Fault.NONE] * place, Fault.HALF])

    assert talk.say("/rocm-ci rerun-failed").code == 0

    assert talk.run(number).attempt == 2


@pytest.mark.attack("19", "GitHub is down while the bot works; the job is run again later")
@pytest.mark.parametrize("place", range(1, 12))
def test_what_stopped_halfway_is_finished_when_the_job_runs_again(talk: Talk, place: int) -> None:
    talk.github.faults = Faults(next_ones=[*[Fault.NONE] * place, *[Fault.UNAVAILABLE] * 200])
    talk.say("/rocm-ci run unit\n/rocm-ci help")
    talk.github.faults = Faults()

    assert talk.again().code == 0

    assert (len(talk.dispatched), len(talk.answers)) == (1, 1)
    assert talk.reactions == ["rocket"]


def test_when_github_is_down_the_job_fails(talk: Talk) -> None:
    talk.github.faults = Faults(rate=1.0, kinds=(Fault.UNAVAILABLE,))

    done = talk.say("/rocm-ci run")

    assert (done.code, done.action) == (4, "refused")


def test_a_failure_is_told_and_the_answer_replaced_by_a_better_one(talk: Talk) -> None:
    world = talk.github.world
    world.repository("o/r").workflows.clear()
    done = talk.say("/rocm-ci run unit")
    assert (done.code, talk.reactions) == (4, ["confused"])
    assert "404" in talk.answers[0]
    assert ".github/workflows/rocm-ci-run.yml" in talk.answers[0]
    world.workflow(
        "o/r", "rocm-ci-run.yml", inputs={"number": True, "head": True, "suite": False, "bench": False}
    )

    assert talk.again().action == "run"

    assert (len(talk.dispatched), talk.reactions) == (1, ["rocket"])
    assert len(talk.answers) == 1
    assert "404" not in talk.answers[0]


def test_a_workflow_that_cannot_be_started_is_told_what_it_lacks(talk: Talk) -> None:
    talk.github.world.workflow("o/r", "rocm-ci-run.yml").can_dispatch = False

    assert talk.say("/rocm-ci bench").code == 4

    assert "needs the trigger `workflow_dispatch`" in talk.answers[0]


def test_a_token_without_rights_is_told_what_it_needs(talk: Talk) -> None:
    talk.plane.env(GITHUB_TOKEN="workflow")  # it may comment, but not start a run

    done = talk.say("/rocm-ci run unit")

    assert (done.code, done.action) == (4, "refused")
    assert "403" in talk.answers[0]
    assert "actions" in talk.answers[0]


def test_what_cannot_be_said_stands_in_the_step_summary(talk: Talk) -> None:
    summary = talk.plane.folder / "summary.md"
    talk.plane.env(GITHUB_TOKEN="reader", GITHUB_STEP_SUMMARY=str(summary))

    done = talk.say("/rocm-ci help")

    assert done.code == 0
    assert "accept-perf" in summary.read_text()


def test_the_step_summary_says_what_became_of_it(talk: Talk) -> None:
    summary = talk.plane.folder / "summary.md"
    talk.plane.env(GITHUB_STEP_SUMMARY=str(summary))

    talk.say("/rocm-ci run", "stranger")

    assert "refused – stranger may not write" in summary.read_text()


@pytest.mark.parametrize(
    ("name", "payload"),
    [
        ("push", {}),
        ("", {}),
        ("issue_comment", {}),
        ("issue_comment", []),
        ("issue_comment", "cut"),
        ("check_run", {"action": "requested_action"}),
        ("workflow_run", {"action": "completed"}),
    ],
)
def test_a_wrong_event_is_a_usage_error(talk: Talk, name: str, payload: object) -> None:
    done = talk.handle(name, payload)

    assert done.code == 2
    assert "→" in done.err
    assert talk.github.log == []


def test_an_event_of_another_repository_is_refused(talk: Talk) -> None:
    talk.plane.env(GITHUB_REPOSITORY="o/other")

    assert talk.say("/rocm-ci run").code == 2
    assert talk.github.log == []


def test_a_typical_command_asks_github_at_most_twelve_times(fork: Talk) -> None:
    waits(fork)
    counts = {}
    for command in ("ok-to-test", "run unit", "bench", "rerun-failed", "help", "nonsense"):
        before = len(fork.github.log)
        fork.say(f"/rocm-ci {command}")
        counts[command] = len(fork.github.log) - before

    # What was pushed when, what changed, the status and the approval come on top.
    assert counts.pop("ok-to-test") <= 19
    assert max(counts.values()) <= 12, counts


def test_the_answer_as_text_is_one_line(talk: Talk) -> None:
    talk.say("Hello")

    main(["bot", "--pause", "0"])
    assert talk.plane.capsys.readouterr().out == "ignored: the comment holds no command\n"


def test_who_lost_the_right_meanwhile_gets_nothing_done_by_the_second_try(talk: Talk) -> None:
    workflows = talk.github.world.repository("o/r").workflows
    kept = list(workflows)
    workflows.clear()
    assert talk.say("/rocm-ci run unit").code == 4
    workflows += kept
    talk.github.world.grant("o/r", "maintainer", "read")

    assert talk.again().action == "ignored"

    assert talk.dispatched == []
