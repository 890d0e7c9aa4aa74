"""Stages in order, each result kept whatever happens to the others."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rocm_ci.config.options import Config
from rocm_ci.context import Context, Job
from rocm_ci.errors import InterruptedRunError, MachineError
from rocm_ci.model.changes import Changes
from rocm_ci.model.event import Event, EventKind
from rocm_ci.model.facts import Facts
from rocm_ci.model.plan import Plan, StageName, Step
from rocm_ci.model.result import BuildResult, Crashed, ScanResult, Skipped, StageResult, stage_of
from rocm_ci.model.verdict import Verdict
from rocm_ci.pipeline import STAGES, run
from tests.fakes import context

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocm_ci.model.report import Report

PASSED = ScanResult(verdict=Verdict.PASS, duration_s=1.0)


def job(*, skip: tuple[StageName, ...] = (), neutral: str | None = None) -> Job:
    steps = tuple(Step(stage=s, run=s not in skip, reason="planned") for s in StageName)
    return Job(
        event=Event(kind=EventKind.LOCAL, head="a" * 40),
        config=Config(),
        changes=Changes(),
        facts=Facts(),
        plan=Plan(steps=steps, neutral_reason=neutral),
        done={},
    )


def gives(result: StageResult) -> Callable[[Context, Job], StageResult]:
    return lambda _ctx, _job: result


def raises(error: BaseException) -> Callable[[Context, Job], StageResult]:
    def stage(_ctx: Context, _job: Job) -> StageResult:
        raise error

    return stage


def report(
    tmp_path: Path, *, skip: tuple[StageName, ...] = (), **stages: Callable[[Context, Job], StageResult]
) -> Report:
    chosen = tuple((name, stages.get(name.value, gives(PASSED))) for name, _ in STAGES)
    return run(context(tmp_path), job(skip=skip), stages=chosen)


def test_the_real_stages_cover_every_name_in_order() -> None:
    assert [name for name, _ in STAGES] == list(StageName)


def test_all_green(tmp_path: Path) -> None:
    made = report(tmp_path)

    assert made.verdict is Verdict.PASS
    assert len(made.results) == len(StageName)


def test_a_crash_becomes_error_with_its_traceback_and_the_rest_still_runs(tmp_path: Path) -> None:
    made = report(tmp_path, scan=raises(ZeroDivisionError("oops")))

    crashed = made.results[1]
    assert isinstance(crashed, Crashed)
    assert "ZeroDivisionError: oops" in crashed.reason
    assert crashed.traceback is not None
    assert "test_pipeline.py" in crashed.traceback
    assert made.verdict is Verdict.ERROR
    assert all(r == PASSED for r in (made.results[0], *made.results[2:]))


def test_a_full_disk_in_the_middle_of_a_stage_is_the_machine_s(tmp_path: Path) -> None:
    made = report(tmp_path, scan=raises(OSError(errno.ENOSPC, "No space left on device")))

    scan = made.results[1]
    assert isinstance(scan, Crashed)
    assert scan.reason.startswith("no space is left on a disk → ")
    assert not scan.traceback


def test_an_expected_error_keeps_its_advice_and_has_no_traceback(tmp_path: Path) -> None:
    made = report(tmp_path, preflight=raises(MachineError("no disk", hint="free some")))

    assert made.results[0] == Crashed(
        stage=StageName.PREFLIGHT, reason="no disk → free some", duration_s=made.results[0].duration_s
    )


@pytest.mark.parametrize(
    ("build", "reason"),
    [
        (gives(BuildResult(verdict=Verdict.FAIL, duration_s=1)), "the build failed"),
        (gives(BuildResult(verdict=Verdict.ERROR, duration_s=1)), "the build failed"),
        (raises(RuntimeError("x")), "the build could not be run"),
    ],
    ids=["failed", "machine", "crashed"],
)
def test_what_needs_the_build_is_skipped_with_the_reason(
    tmp_path: Path, build: Callable[[Context, Job], StageResult], reason: str
) -> None:
    made = report(tmp_path, build=build)

    assert [r for r in made.results if isinstance(r, Skipped)] == [
        Skipped(stage=s, reason=reason) for s in (StageName.KERNELS, StageName.TEST, StageName.PERF)
    ]


def test_a_build_that_was_not_planned_blocks_nothing(tmp_path: Path) -> None:
    made = report(tmp_path, skip=(StageName.BUILD,))

    assert [stage_of(r) for r in made.results if isinstance(r, Skipped)] == [StageName.BUILD]
    assert made.verdict is Verdict.PASS


@pytest.mark.parametrize("error", [InterruptedRunError("SIGTERM"), KeyboardInterrupt()])
def test_an_interruption_keeps_what_was_done_and_is_never_green(tmp_path: Path, error: BaseException) -> None:
    made = report(tmp_path, build=raises(error))

    assert made.interrupted
    assert made.verdict is Verdict.ERROR
    assert made.results[1] == PASSED
    assert [r.reason for r in made.results[3:] if isinstance(r, Skipped)] == ["the run was interrupted"] * 3


def test_a_stage_sees_the_results_before_it(tmp_path: Path) -> None:
    seen: list[set[StageName]] = []

    def look(_ctx: Context, given: Job) -> StageResult:
        seen.append(set(given.done))
        return PASSED

    report(tmp_path, build=look)

    assert seen == [{StageName.PREFLIGHT, StageName.SCAN}]
