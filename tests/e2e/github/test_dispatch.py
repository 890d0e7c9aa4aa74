"""A run that was dispatched for a pull request: the GPU plane checks that commit, the report job answers it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from rocm_ci.model.event import EventKind
from rocm_ci.model.result import Skipped, TestResult
from rocm_ci.model.verdict import Verdict
from rocm_ci.report import codec
from tests.e2e.command import rocm_ci
from tests.e2e.github.conftest import BOT, FIRST, SECOND, Plane, artifact, workflow_run
from tests.repositories import Repository, repository
from tests.standin.reports import report

if TYPE_CHECKING:
    from pathlib import Path

    from rocm_ci.model.report import Report
    from tests.standin.server import StandIn

REPORT, TIP = "rocm-ci-report", "b" * 40


def inputs(head: str = FIRST, number: int = 5, **more: str) -> dict[str, Any]:
    """The part of a `workflow_dispatch` payload that matters."""
    return {
        "ref": "refs/heads/main",
        "repository": {"full_name": "o/r", "id": 1, "default_branch": "main"},
        "inputs": {"number": str(number), "head": head, "suite": "", "bench": "", **more},
    }


def dispatched(
    github: StandIn, plane: Plane, left: dict[str, Report], body: dict[str, Any] | None = None, **env: str
) -> None:
    """We stand in the report job of a dispatched workflow whose GPU job left these reports."""
    run = github.world.ran("o/r", head=TIP, event="workflow_dispatch", branch="main", conclusion=None)
    for name, what in left.items():
        github.world.store("o/r", run, name, artifact(what))
    plane.event("workflow_dispatch", body or inputs())
    plane.env(
        **{
            "GITHUB_SHA": TIP,
            "GITHUB_REF": "refs/heads/main",
            "GITHUB_RUN_ID": str(run),
            "GITHUB_RUN_ATTEMPT": "1",
            "GITHUB_WORKFLOW_REF": "o/r/.github/workflows/rocm-ci.yml@refs/heads/main",
            **env,
        }
    )


def states(github: StandIn, commit: str = FIRST) -> list[str]:
    return [s.state for s in github.world.repositories["o/r"].statuses if s.sha == commit]


def comments(github: StandIn) -> list[tuple[int, str]]:
    found = github.world.repositories["o/r"].comments
    return [(c.number, c.body) for c in found if c.author == BOT]


def test_the_report_of_a_dispatched_run_answers_the_pull_request_of_its_inputs(
    github: StandIn, plane: Plane
) -> None:
    dispatched(github, plane, {REPORT: report(FIRST, Verdict.FAIL)})

    done = plane.run("--conclusion", "failure")

    assert (done.code, done.refused, done.verdict) == (0, [], "fail")
    assert [number for number, _ in comments(github)] == [5]
    assert (states(github), states(github, TIP)) == (["failure"], [])
    assert done.requests <= 12


def test_the_base_is_looked_up_by_the_workflows_own_file(github: StandIn, plane: Plane) -> None:
    run = github.world.ran("o/r", head="c" * 40, event="push", branch="main")
    github.world.store("o/r", run, REPORT, artifact(report("c" * 40, number=None)))
    dispatched(github, plane, {REPORT: report(FIRST)})

    done = plane.run()

    assert (done.code, done.notices) == (0, ())
    assert "/repos/o/r/actions/workflows/rocm-ci.yml/runs" in [e.request.path for e in github.log]
    assert done.requests <= 12


@pytest.mark.attack("17", "the GPU job of a dispatched run that died without a report")
def test_a_dispatched_run_whose_gpu_job_died_is_no_green(github: StandIn, plane: Plane) -> None:
    dispatched(github, plane, {f"{REPORT}-a": report(FIRST)})
    half = plane.run("--conclusion", "failure")
    dispatched(github, plane, {})
    nothing = plane.run("--conclusion", "failure")

    assert (half.verdict, nothing.code) == ("error", 2)
    assert states(github) == ["failure", "failure"]


@pytest.mark.attack("2", "a workflow that was dispatched on another branch, with inputs of its choice")
@pytest.mark.parametrize("where", ["payload", "environment"])
def test_a_dispatch_on_another_branch_is_refused(github: StandIn, plane: Plane, where: str) -> None:
    body = inputs() | ({"ref": "refs/heads/evil"} if where == "payload" else {})
    ref = "refs/heads/evil" if where == "environment" else "refs/heads/main"
    dispatched(github, plane, {REPORT: report(FIRST)}, body, GITHUB_REF=ref)

    done = plane.run()

    assert (done.code, github.log) == (2, [])
    assert "not on the default branch" in done.err


@pytest.mark.attack("13", "a push after the run was approved and dispatched")
def test_a_head_that_moved_on_meanwhile_gets_no_comment(github: StandIn, plane: Plane) -> None:
    dispatched(github, plane, {REPORT: report(FIRST)})
    github.world.push("o/r", 5, SECOND)

    done = plane.run()

    assert done.code == 0
    assert "moved on" in " ".join(done.refused)
    assert (comments(github), states(github, SECOND)) == ([], [])


@pytest.mark.attack("2", "a report of a dispatched run that is about something else than the run's inputs")
@pytest.mark.parametrize(
    ("about", "why"),
    [(report(SECOND), "about commit 2222"), (report(FIRST, number=9), "about pull request 9")],
    ids=["commit", "number"],
)
def test_a_report_about_something_else_than_the_inputs_is_refused(
    github: StandIn, plane: Plane, about: Report, why: str
) -> None:
    dispatched(github, plane, {REPORT: about})

    done = plane.run()

    assert (done.code, comments(github), states(github)) == (2, [], ["failure"])
    assert why in " ".join(done.refused)


@pytest.mark.attack("12", "a part of the suites that passes, to turn the whole green")
def test_a_green_part_turns_nothing_green(github: StandIn, plane: Plane) -> None:
    dispatched(github, plane, {REPORT: report(FIRST)}, inputs(suite="unit"))

    done = plane.run()

    assert (done.code, states(github)) == (0, [])
    assert done.refused[0].startswith("status: only a part of the suites was asked for")
    assert [number for number, _ in comments(github)] == [5]


def test_a_red_part_turns_the_whole_red(github: StandIn, plane: Plane) -> None:
    dispatched(github, plane, {REPORT: report(FIRST, Verdict.FAIL)}, inputs(bench="*"))

    done = plane.run()

    assert (done.code, done.refused, states(github)) == (0, [], ["failure"])


def test_the_reporter_of_workflow_run_leaves_dispatched_runs_alone(github: StandIn, plane: Plane) -> None:
    plane.event("workflow_run", workflow_run(TIP, event="workflow_dispatch", branch="main"))

    done = plane.run()

    assert (done.code, github.log) == (0, [])
    assert "it reports itself" in done.refused[0]
    assert "::error" not in done.err


# -- the GPU plane ---------------------------------------------------------------------------------

CONFIG = """require-gpu: false
stages: [scan, test]
test:
  - {name: unit, run: 'echo "<testsuite><testcase name=\\"a\\"/></testsuite>" > {junit}'}
  - {name: slow, layer: system, run: "touch slow-ran; false"}
perf:
  - {name: gemm, run: "false"}
"""


@pytest.fixture
def project(tmp_path: Path) -> Repository:
    """A clone, as actions/checkout makes it: the head is checked out, the default branch is there too."""
    origin = repository(tmp_path / "origin")
    origin.write(".github/rocm-ci.yml", CONFIG)
    origin.commit(**{"a.py": "x = 1\n"})
    origin.git("checkout", "-q", "-b", "change")
    origin.commit(**{"b.py": "y = 2\n"})
    origin.git("clone", "-q", f"file://{origin.root}", str(tmp_path / "clone"))
    return Repository(tmp_path / "clone")


def checked(project: Repository, tmp_path: Path, suite: str) -> tuple[int, Report]:
    head, tip = project.git("rev-parse", "HEAD"), project.git("rev-parse", "origin/main")
    path = tmp_path / "event.json"
    path.write_text(json.dumps(inputs(head, suite=suite)))
    done = rocm_ci(
        "run",
        cwd=project.root,
        GITHUB_EVENT_NAME="workflow_dispatch",
        GITHUB_EVENT_PATH=str(path),
        GITHUB_SHA=tip,
        GITHUB_REF="refs/heads/main",
        GITHUB_REPOSITORY="o/r",
    )
    return done.code, codec.decode((project.root / "rocm-ci-out" / "report.json").read_bytes())


def test_a_dispatched_run_checks_the_commit_of_its_inputs_against_the_default_branch(
    project: Repository, tmp_path: Path
) -> None:
    code, made = checked(project, tmp_path, suite="unit")

    assert (code, made.verdict) == (0, Verdict.PASS)
    assert made.event.kind is EventKind.WORKFLOW_DISPATCH
    assert made.event.head == project.git("rev-parse", "HEAD")
    assert made.event.merge_base == project.git("rev-parse", "origin/main")
    assert (made.event.number, made.event.suite, made.event.is_fork) == (5, "unit", True)
    (tests,) = [result for result in made.results if isinstance(result, TestResult)]
    assert [(s.name, s.verdict, s.reason) for s in tests.suites] == [
        ("unit", Verdict.PASS, ""),
        ("slow", Verdict.SKIPPED, "not asked for: only 'unit' was"),
    ]
    assert not (project.root / "slow-ran").exists()


def test_a_suite_that_nobody_knows_is_an_error_that_names_those_there_are(
    project: Repository, tmp_path: Path
) -> None:
    code, made = checked(project, tmp_path, suite="untit")

    assert (code, made.verdict) == (3, Verdict.ERROR)
    assert all(isinstance(result, Skipped) for result in made.results)
    assert made.plan.steps[0].reason == "no test suite is called 'untit'; there are: unit, slow"


@pytest.mark.attack("10", "a dispatched commit whose own configuration weakens the gates")
def test_the_gates_of_a_dispatched_head_come_from_its_merge_base(project: Repository, tmp_path: Path) -> None:
    """Nobody on this plane knows whose code it is."""
    project.write(".github/rocm-ci.yml", CONFIG + "scan: {fail-on: never}\n")
    project.commit(**{"c.py": "import cupy\n", "src/k.cu": "void f() { cudaMalloc(0, 1); }\n"})

    code, made = checked(project, tmp_path, suite="unit")

    assert (code, made.verdict) == (1, Verdict.FAIL)


def test_a_run_of_one_suite_that_nobody_dispatched_makes_nothing_green_either(
    github: StandIn, plane: Plane
) -> None:
    whole = report(FIRST)
    part = replace(whole, event=replace(whole.event, suite="unit"))

    done = plane.ended(github, {REPORT: part})

    assert (done.code, states(github)) == (0, [])
    assert "only a part of the suites was asked for" in " ".join(done.refused)
