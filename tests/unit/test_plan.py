"""What runs and why."""

from __future__ import annotations

import pytest

from rocm_ci.config.load import load
from rocm_ci.model.changes import ChangeKind, Changes, FileChange
from rocm_ci.model.event import Event, EventKind
from rocm_ci.model.facts import Facts
from rocm_ci.model.plan import Plan, StageName
from rocm_ci.model.report import verdict_of
from rocm_ci.model.verdict import Verdict
from rocm_ci.plan import plan

HEAD, BASE = "a" * 40, "b" * 40
TESTS = "test:\n  - {name: unit, run: ctest}\nperf:\n  - {name: b, run: x}\n"


def planned(*paths: str, text: str = TESTS, merge_base: str | None = BASE, whole: bool = False) -> Plan:
    files = tuple(FileChange(path=p, kind=ChangeKind.MODIFIED) for p in paths)
    event = Event(kind=EventKind.LOCAL, head=HEAD, merge_base=merge_base)
    return plan(event, load(text, {}).config, Changes(files=files, whole_tree=whole), Facts())


def step(made: Plan, stage: StageName) -> tuple[bool, str]:
    one = next(s for s in made.steps if s.stage is stage)
    return one.run, one.reason


def test_every_stage_has_a_step_with_a_reason() -> None:
    made = planned("src/a.hip")

    assert [s.stage for s in made.steps] == list(StageName)
    assert all(s.reason for s in made.steps)
    assert all(s.run for s in made.steps)


@pytest.mark.parametrize("paths", [("README.md",), ("docs/a.rst", "logo.SVG", "LICENSE")])
def test_documentation_alone_needs_no_run(paths: tuple[str, ...]) -> None:
    made = planned(*paths)

    assert made.neutral_reason == "only documentation changed"
    assert not any(s.run for s in made.steps)


def test_documentation_beside_code_runs_all() -> None:
    assert planned("README.md", "a.cpp").neutral_reason is None


def test_a_source_that_is_renamed_to_look_like_documentation_is_no_documentation() -> None:
    gone = FileChange(path="kernel.md", old_path="kernel.hip", kind=ChangeKind.RENAMED)
    event = Event(kind=EventKind.LOCAL, head="1" * 40, merge_base=BASE)

    assert plan(event, load(TESTS, {}).config, Changes(files=(gone,)), Facts()).neutral_reason is None


def test_a_requirements_file_is_not_documentation() -> None:
    assert planned("requirements.txt").neutral_reason is None


def test_an_empty_change_is_neutral_and_says_so() -> None:
    assert planned().neutral_reason == "nothing changed against the base"


def test_a_whole_tree_of_nothing_still_runs() -> None:
    assert planned(whole=True).neutral_reason is None


def test_a_stage_that_is_not_wanted_says_where_that_was_decided() -> None:
    assert step(planned("a.hip", text="stages: [scan]\n"), StageName.BUILD) == (
        False,
        "not in `stages` of the configuration",
    )


def test_without_suites_or_benchmarks_these_stages_say_so() -> None:
    made = planned("a.hip", text="")

    assert step(made, StageName.TEST) == (False, "no test suite is configured")
    assert step(made, StageName.PERF) == (False, "no benchmark is configured")


def test_speed_needs_a_base() -> None:
    assert step(planned("a.hip", merge_base=None), StageName.PERF) == (
        False,
        "there is no base to compare with",
    )


PARTS = (
    "test:\n  - {name: fast, run: ctest}\n  - {name: slow, run: ctest, layer: system}\n"
    "perf:\n  - {name: gemm, run: x}\n  - {name: copy, run: x}\n"
)


def part(text: str = PARTS, **asked: str) -> Plan:
    event = Event(kind=EventKind.WORKFLOW_DISPATCH, head=HEAD, merge_base=BASE, number=1, **asked)  # type: ignore[arg-type]
    return plan(event, load(text, {}).config, Changes(whole_tree=True), Facts())


def test_a_run_for_one_suite_measures_nothing_and_still_builds() -> None:
    made = part(suite="fast")

    assert step(made, StageName.TEST) == (True, "1 suite(s)")
    assert step(made, StageName.PERF) == (False, "only a test suite was asked for")
    assert step(made, StageName.BUILD)[0]
    assert step(part(suite="system"), StageName.TEST) == (True, "1 suite(s)")
    assert step(part(suite="*"), StageName.TEST) == (True, "2 suite(s)")


def test_a_run_for_one_benchmark_tests_nothing() -> None:
    made = part(bench="gemm")

    assert step(made, StageName.TEST) == (False, "only a benchmark was asked for")
    assert step(made, StageName.PERF) == (True, "1 benchmark(s) against the merge base")
    assert step(part(bench="*"), StageName.PERF)[1].startswith("2 benchmark(s)")


def test_both_can_be_asked_for_at_once() -> None:
    made = part(suite="fast", bench="gemm")

    assert step(made, StageName.TEST) == (True, "1 suite(s)")
    assert step(made, StageName.PERF)[1].startswith("1 benchmark(s)")


@pytest.mark.parametrize(
    ("text", "asked", "why"),
    [
        (PARTS, {"suite": "fats"}, "no test suite is called 'fats'; there are: fast, slow"),
        (PARTS, {"bench": "gem"}, "no benchmark is called 'gem'; there are: gemm, copy"),
        ("test: []\n", {"suite": "*"}, "no test suite is configured"),
        ("perf: []\n", {"bench": "*"}, "no benchmark is configured"),
    ],
)
def test_a_run_that_nothing_was_selected_for_is_never_green(
    text: str, asked: dict[str, str], why: str
) -> None:
    made = part(text, **asked)

    assert {(s.run, s.reason) for s in made.steps} == {(False, why)}
    assert made.neutral_reason is None
    assert verdict_of((), made) is Verdict.ERROR
