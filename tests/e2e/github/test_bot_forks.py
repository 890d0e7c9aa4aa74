"""A fork's commit runs only after ok-to-test, and only the very commit a maintainer has seen."""

from __future__ import annotations

import pytest

from rocm_ci.github.connect import connect
from tests.e2e.github.conftest import FIRST, SECOND
from tests.e2e.github.conversation import EARLY, FORK, LATE, Talk, ran, vouched, waits
from tests.standin.things import BOT_WRITES, Identity, PullFile


@pytest.mark.attack("12", "a fork's commit that nobody has let run")
@pytest.mark.parametrize("command", ["run", "run unit", "bench", "bench saxpy"])
def test_a_forks_commit_never_starts_without_ok_to_test(fork: Talk, command: str) -> None:
    waiting = waits(fork)

    done = fork.say(f"/rocm-ci {command}")

    assert (done.code, done.action) == (0, "refused")
    assert "nobody has let this commit run" in done.reason
    assert f"/rocm-ci ok-to-test {FIRST}" in fork.answers[0]
    assert (fork.dispatched, fork.run(waiting).conclusion) == ([], "action_required")


def test_ok_to_test_marks_the_commit_approves_what_waits_and_starts_the_trusted_workflow(fork: Talk) -> None:
    waiting = waits(fork)

    done = fork.say("/rocm-ci ok-to-test")

    assert (done.code, done.action) == (0, "ok-to-test")
    assert vouched(fork) == ["success"]
    assert fork.run(waiting).status == "queued"
    assert [r.inputs["head"] for r in fork.dispatched] == [FIRST]
    assert FIRST in fork.answers[0]


@pytest.mark.attack("13", "a fork that changes its own workflows, which could name any machine")
def test_runs_of_a_fork_that_changes_workflows_are_not_approved(fork: Talk) -> None:
    waiting = waits(fork)
    change = PullFile(filename=".github/workflows/rocm-ci-run.yml", patch="@@ -1 +1 @@\n-a\n+b")
    fork.github.world.repository("o/r").pulls[5].files = [change]

    done = fork.say("/rocm-ci ok-to-test")

    assert (done.action, fork.run(waiting).conclusion) == ("ok-to-test", "action_required")
    assert [r.inputs["head"] for r in fork.dispatched] == [FIRST]
    assert "reaches below `.github/`" in fork.answers[0]


def test_after_ok_to_test_the_other_commands_work(fork: Talk) -> None:
    waits(fork)
    fork.say("/rocm-ci ok-to-test")

    for command in ("run", "run unit", "bench"):
        assert fork.say(f"/rocm-ci {command}").action != "refused"

    assert [(r.inputs["suite"], r.inputs["bench"]) for r in fork.dispatched] == [
        ("", ""),
        ("", ""),
        ("unit", ""),
        ("", "*"),
    ]


def test_a_workflow_that_cannot_be_dispatched_runs_by_its_approval(fork: Talk) -> None:
    waiting = waits(fork)
    fork.github.world.workflow("o/r", "rocm-ci-run.yml").can_dispatch = False

    assert fork.say("/rocm-ci ok-to-test").action == "ok-to-test"

    assert fork.run(waiting).status == "queued"


@pytest.mark.attack("13", "a push after ok-to-test")
def test_a_new_push_needs_a_new_ok_to_test(fork: Talk) -> None:
    waits(fork)
    fork.say("/rocm-ci ok-to-test")
    fork.github.world.push("o/r", 5, SECOND)

    done = fork.say("/rocm-ci run")

    assert "nobody has let this commit run" in done.reason
    assert [r.inputs["head"] for r in fork.dispatched] == [FIRST]


@pytest.mark.attack("13", "a push between the comment and the bot")
def test_a_commit_that_is_newer_than_the_comment_is_not_vouched_for(fork: Talk) -> None:
    waits(fork)
    waits(fork, SECOND, created=LATE)
    fork.github.world.push("o/r", 5, SECOND)

    done = fork.say("/rocm-ci ok-to-test")

    assert "pushed after your comment" in done.reason
    assert (vouched(fork), vouched(fork, SECOND), fork.dispatched) == ([], [], [])


@pytest.mark.attack("13", "a push back to a commit that ran long ago")
def test_a_commit_that_was_not_the_last_before_the_comment_is_not_vouched_for(fork: Talk) -> None:
    waits(fork, FIRST, created="2026-11-30T10:00:00Z")
    waits(fork, SECOND, created=EARLY)

    done = fork.say("/rocm-ci ok-to-test")

    assert "not what was pushed last" in done.reason
    assert vouched(fork) == []


@pytest.mark.attack("13", "a commit without a run is shown, then one that ran before is pushed back")
def test_what_was_pushed_back_by_force_is_not_vouched_for(fork: Talk) -> None:
    waits(fork)
    # [skip ci], or in conflict with the base branch: what the maintainer reads has no run.
    fork.github.world.push("o/r", 5, SECOND)
    fork.github.world.push("o/r", 5, FIRST, forced="2026-11-30T12:00:01Z")

    done = fork.say("/rocm-ci ok-to-test")

    assert "pushed by force after 111111111111 had run" in done.reason
    assert (vouched(fork), fork.dispatched) == ([], [])


@pytest.mark.attack("13", "a commit that ran for an earlier pull request of the same branch")
def test_a_run_from_before_the_pull_request_proves_nothing(fork: Talk) -> None:
    waits(fork, created="2026-11-29T12:00:00Z")

    done = fork.say("/rocm-ci ok-to-test")

    assert "before this pull request was opened" in done.reason
    assert (vouched(fork), fork.dispatched) == ([], [])


def test_a_push_by_force_before_the_run_is_as_good_as_any(fork: Talk) -> None:
    fork.github.world.push("o/r", 5, FIRST, forced=EARLY)
    waits(fork)

    assert fork.say("/rocm-ci ok-to-test").action == "ok-to-test"
    assert vouched(fork) == ["success"]


@pytest.mark.attack("13", "another fork's pull request with the same commit, whose run waits as well")
def test_the_waiting_run_of_another_fork_is_not_approved(fork: Talk) -> None:
    mine = waits(fork)
    other = waits(fork, head_repository="other/r")

    assert fork.say("/rocm-ci ok-to-test").action == "ok-to-test"

    assert (fork.run(mine).status, fork.run(other).conclusion) == ("queued", "action_required")


@pytest.mark.attack("13", "runs of other forks with a branch of the same name")
def test_only_runs_of_this_very_fork_prove_anything(fork: Talk) -> None:
    waits(fork, head_repository="other/r")
    waits(fork, branch="another")

    assert "cannot be told when" in fork.say("/rocm-ci ok-to-test").reason
    assert vouched(fork) == []


@pytest.mark.attack("13", "a flood of runs that hides what was pushed last")
def test_a_list_of_runs_that_is_cut_proves_nothing(fork: Talk) -> None:
    waits(fork)
    for _ in range(100):
        waits(fork, SECOND, head_repository="other/r", created="2026-11-30T11:30:00Z")

    assert "cannot be told when" in fork.say("/rocm-ci ok-to-test").reason
    assert vouched(fork) == []


@pytest.mark.attack("13", "a commit of which nobody knows when it was pushed")
def test_a_commit_without_runs_must_be_named(fork: Talk) -> None:
    assert "cannot be told when" in fork.say("/rocm-ci ok-to-test").reason
    assert vouched(fork) == []

    assert fork.say(f"/rocm-ci ok-to-test {FIRST}").action == "ok-to-test"
    assert vouched(fork) == ["success"]


@pytest.mark.attack("13", "a commit named that is not the head any more")
def test_a_named_commit_must_be_the_head(fork: Talk) -> None:
    waits(fork)
    fork.github.world.push("o/r", 5, SECOND)

    done = fork.say(f"/rocm-ci ok-to-test {FIRST}")

    assert "the head is 222222222222" in done.reason
    assert (vouched(fork), vouched(fork, SECOND), fork.dispatched) == ([], [], [])


@pytest.mark.attack("13", "the beginning of a commit's name, which can be forged")
def test_the_beginning_of_a_name_is_not_enough(fork: Talk) -> None:
    assert "is no commit" in fork.say(f"/rocm-ci ok-to-test {FIRST[:12]}").reason
    assert vouched(fork) == []


@pytest.mark.attack("13", "a status called ok-to-test that somebody else has set")
def test_only_the_bots_own_status_counts(fork: Talk) -> None:
    fork.github.world.tokens["other"] = Identity(login="other-ci[bot]", is_app=True, writes=BOT_WRITES)
    other = connect({"GITHUB_API_URL": fork.github.url, "GITHUB_TOKEN": "other"}, "GITHUB_TOKEN", pause_s=0)
    other.set_status("o/r", FIRST, state="success", context="rocm-ci/ok-to-test", description="", url=None)

    assert fork.say("/rocm-ci run unit").action == "refused"


def test_a_forks_own_run_runs_again_and_is_told_what_lets_it_on_a_gpu(fork: Talk) -> None:
    ran(fork, branch="patch", head_repository=FORK, conclusion="failure")

    done = fork.say("/rocm-ci run")

    assert done.action == "run"
    assert f"`/rocm-ci ok-to-test {FIRST}`" in fork.answers[-1]
    assert fork.dispatched == []


def test_a_branch_of_the_repository_needs_no_ok(talk: Talk) -> None:
    assert "not come from a fork" in talk.say("/rocm-ci ok-to-test").reason


@pytest.mark.attack("12", "a fork's run that was cancelled before anybody approved it")
@pytest.mark.parametrize("command", ["run", "rerun-failed"])
def test_a_run_that_never_began_is_not_repeated(fork: Talk, command: str) -> None:
    number = waits(fork, conclusion="cancelled")

    assert "nobody has let this commit run" in fork.say(f"/rocm-ci {command}").reason

    assert fork.run(number).attempt == 1


def test_an_approved_run_of_a_fork_is_repeated_as_github_keeps_it(fork: Talk) -> None:
    number = waits(fork, conclusion="failure")

    assert fork.say("/rocm-ci run").action == "run"

    assert (fork.run(number).attempt, fork.dispatched) == (2, [])
