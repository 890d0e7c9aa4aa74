from __future__ import annotations

from pathlib import Path

import pytest

from rocm_ci.config.options import BuildOptions, Config, PerfOptions, TestOptions
from rocm_ci.context import Job
from rocm_ci.model.changes import Changes
from rocm_ci.model.event import Event, EventKind
from rocm_ci.model.facts import Facts, Gpu, Host, Rocm
from rocm_ci.model.plan import Plan, StageName, Step
from rocm_ci.model.result import PreflightResult
from rocm_ci.model.verdict import Verdict
from rocm_ci.stages import preflight
from tests.fakes import context

GOOD = Facts(host=Host(memory_bytes=64 << 30), rocm=Rocm(hipcc="6.4"), gpus=(Gpu(index=0, gfx="gfx942"),))
NO_GPU = Facts(host=Host(memory_bytes=64 << 30), rocm=Rocm(hipcc="6.4"))
SUITE = TestOptions(name="unit", run="ctest", gpus=1)


@pytest.fixture(autouse=True)
def _plenty_of_space_and_open_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rocm_ci.gpu.checks.machine._free", lambda _folder: 100_000_000_000)
    monkeypatch.setattr("rocm_ci.gpu.checks.machine._nodes", lambda _facts, _dev: ())


def job(config: Config, facts: Facts, *stages: StageName) -> Job:
    steps = tuple(Step(stage=s, run=s in stages, reason="") for s in StageName)
    return Job(
        event=Event(kind=EventKind.LOCAL, head="0" * 40),
        config=config,
        changes=Changes(),
        facts=facts,
        plan=Plan(steps=steps),
        done={},
    )


def run(root: Path, config: Config, facts: Facts, *stages: StageName) -> PreflightResult:
    return preflight.run(context(root), job(config, facts, *stages))


def test_a_machine_with_what_is_asked_for_passes(tmp_path: Path) -> None:
    result = run(tmp_path, Config(test=(SUITE,)), GOOD, StageName.BUILD, StageName.TEST)

    assert result.verdict is Verdict.PASS
    assert result.reason == ""
    assert {c.id for c in result.checks} >= {"gpus", "device-nodes", "hipcc", "disk", "memory", "arch"}


def test_a_missing_gpu_makes_the_machine_unusable(tmp_path: Path) -> None:
    result = run(tmp_path, Config(test=(SUITE,)), NO_GPU, StageName.TEST)

    assert result.verdict is Verdict.ERROR
    assert result.reason.startswith("machine unusable: gpus: needs 1 GPU(s): suite unit wants 1")


def test_a_missing_gpu_that_is_not_required_is_visible_and_green(tmp_path: Path) -> None:
    result = run(tmp_path, Config(test=(SUITE,), require_gpu=False), NO_GPU, StageName.TEST)

    assert result.verdict is Verdict.NEUTRAL
    assert result.verdict.is_green
    assert "gpus: 0 GPU(s)" in result.reason


def test_without_gpu_and_without_need_it_passes_and_says_so(tmp_path: Path) -> None:
    result = run(tmp_path, Config(), NO_GPU, StageName.BUILD)

    assert result.verdict is Verdict.PASS
    assert result.reason == "no GPU, and nothing asks for one"


def test_a_suite_of_a_stage_that_will_not_run_asks_for_nothing(tmp_path: Path) -> None:
    bench = PerfOptions(name="saxpy", run="./bench", gpus=8)

    skipped = run(tmp_path, Config(test=(SUITE,), perf=(bench,)), NO_GPU, StageName.SCAN)
    wanted = run(tmp_path, Config(perf=(bench,)), GOOD, StageName.PERF)

    assert skipped.verdict is Verdict.PASS
    assert wanted.verdict is Verdict.ERROR
    assert "benchmark saxpy wants 8" in wanted.reason


def test_needs_come_from_the_configuration() -> None:
    config = Config(
        arch=("gfx90a",), build=(BuildOptions(name="k", run="cmake -B build"),), require_gpu=False
    )

    needs = preflight.needs_of(job(config, GOOD, StageName.BUILD))

    assert (needs.builds, needs.commands, needs.archs, needs.require_gpu) == (
        True,
        ("cmake -B build",),
        ("gfx90a",),
        False,
    )
