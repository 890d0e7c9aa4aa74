from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from rocm_ci.config.options import BuildOptions, Config, PerfOptions, TestOptions
from rocm_ci.context import Job
from rocm_ci.gpu.checks.resources import Folder
from rocm_ci.gpu.ledger import Entry, Ledger
from rocm_ci.model.changes import Changes
from rocm_ci.model.event import Event, EventKind
from rocm_ci.model.facts import Driver, Facts, Gpu, Host, Rocm
from rocm_ci.model.plan import Plan, StageName, Step
from rocm_ci.model.result import PreflightResult
from rocm_ci.model.verdict import Verdict
from rocm_ci.stages import preflight
from tests.fakes import FakeGpus, FakeRunner, context

GOOD = Facts(
    host=Host(kernel="6.8.0", memory_bytes=64 << 30),
    driver=Driver(loaded=True, version="6.12.12"),
    rocm=Rocm(hipcc="6.4"),
    gpus=(Gpu(index=0, gfx="gfx942"),),
)
NO_GPU = Facts(host=Host(memory_bytes=64 << 30), rocm=Rocm(hipcc="6.4"))
SUITE = TestOptions(name="unit", run="ctest", gpus=1)
ON_CPU = TestOptions(name="host", run="ctest")


PLENTY = Folder(name="everywhere", free_bytes=100_000_000_000)


@pytest.fixture(autouse=True)
def _plenty_of_space(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rocm_ci.gpu.checks.resources.folders", lambda _named: (PLENTY,))


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
    # A pretended machine with next to nothing in it: what this host is must not matter.
    (root / "host" / "dev").mkdir(parents=True, exist_ok=True)
    (root / "host" / "dev" / "kfd").touch()
    ctx = replace(context(root, gpus=FakeGpus(total=len(facts.gpus))), host=root / "host")
    return preflight.run(ctx, job(config, facts, *stages))


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


def test_gpus_are_tried_only_where_something_wants_them(tmp_path: Path) -> None:
    runner = FakeRunner(answers={"hipcc": (1, "clang: error: odd")})
    wanting, not_wanting = (job(Config(test=(suite,)), GOOD, StageName.TEST) for suite in (SUITE, ON_CPU))

    preflight.run(replace(context(tmp_path, runner), host=tmp_path), not_wanting)
    assert [argv for argv in runner.calls if argv[0] == "hipcc"] == []

    result = preflight.run(replace(context(tmp_path, runner), host=tmp_path), wanting)
    (smoke,) = [check for check in result.checks if check.id == "smoke"]
    assert smoke.status is Verdict.NEUTRAL
    assert "hipcc cannot compile for gfx942: clang: error: odd" in smoke.seen


def test_advice_is_one_annotation_and_what_is_not_known_is_named(tmp_path: Path) -> None:
    ctx = replace(context(tmp_path), host=tmp_path)
    ctx = replace(
        ctx, environment={**ctx.environment, "HIP_VISIBLE_DEVICES": "0", "CUDA_VISIBLE_DEVICES": "1"}
    )

    preflight.run(ctx, job(Config(), GOOD, StageName.SCAN))

    said = ctx.log.err.getvalue()  # type: ignore[union-attr]
    assert said.count("warning: ") == 1
    assert "this machine could be better: " in said
    assert "visible-devices: HIP_VISIBLE_DEVICES=0, CUDA_VISIBLE_DEVICES=1 → `unset CUDA_" in said
    assert re.search(r"not known of this machine: .*\becc\b.*`rocm-ci doctor`", said)


def test_a_gpu_in_quarantine_is_told_by_the_ledger_of_the_host(tmp_path: Path) -> None:
    ctx = replace(context(tmp_path), host=tmp_path)
    for run_of in range(3):
        entry = Entry(time=ctx.clock.now(), gpu="gpu-0", kind="gpu-hang", run=str(run_of))
        Ledger(ctx.state, ctx.environment, host=tmp_path).add(entry)

    checks = preflight.run(ctx, job(Config(test=(SUITE,)), GOOD, StageName.TEST)).checks

    assert next(check for check in checks if check.id == "quarantine").status is Verdict.ERROR


def test_a_machine_that_says_too_much_is_cut_to_what_a_report_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rocm_ci.gpu.checks.resources.folders", lambda _named: ())
    facts = Facts(host=Host(kernel="6.8." + "9" * 100_000))

    result = run(tmp_path, Config(), facts, StageName.SCAN)

    assert max(len(c.seen) + len(c.needed) + len(c.fix or "") for c in result.checks) <= 1800
    assert len(result.checks) < 50


def test_a_state_folder_that_may_only_be_read_is_no_reason_not_to_test(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A container gets it like that, and its writes go out another way."""

    def looked(named: dict[str, Path]) -> tuple[Folder, ...]:
        return tuple(replace(PLENTY, name=name, writable="state" not in name) for name in named)

    monkeypatch.setattr("rocm_ci.gpu.checks.resources.folders", looked)

    checks = run(tmp_path, Config(), GOOD, StageName.SCAN).checks

    assert next(check for check in checks if check.id == "disk").status is Verdict.PASS
