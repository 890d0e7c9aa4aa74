"""The kernels stage: what it shows, what it calls a regression, when it does not compare."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from rocm_ci.build.base import BaseBuild
from rocm_ci.config.options import Config
from rocm_ci.context import Job
from rocm_ci.model.changes import Changes
from rocm_ci.model.event import Event, EventKind
from rocm_ci.model.facts import Facts
from rocm_ci.model.plan import Plan, StageName, Step
from rocm_ci.model.result import Artifact, BuildResult, BuildStep, KernelsResult, Skipped
from rocm_ci.model.verdict import Verdict
from rocm_ci.stages import kernels
from tests import fakes
from tests.unit.kernels import binaries

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

BASE = "b" * 40


def job(*names: str, merge_base: str | None = None, perf: bool = False, took_s: float = 1.0) -> Job:
    artifacts = tuple(Artifact(path=name, archs=("gfx90a",)) for name in names)
    built = BuildResult(
        verdict=Verdict.PASS,
        duration_s=took_s,
        steps=(
            BuildStep(name="lib", command="make", verdict=Verdict.PASS, duration_s=1, artifacts=artifacts),
        ),
    )
    return Job(
        event=Event(kind=EventKind.LOCAL, head="0" * 40, merge_base=merge_base),
        config=Config(arch=("gfx90a",)),
        changes=Changes(files=()),
        facts=Facts(),
        plan=Plan(steps=(Step(stage=StageName.PERF, run=perf, reason=""),)),
        done={StageName.BUILD: built},
    )


def put(folder: Path, **fields: object) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "a.co").write_bytes(binaries.code_object(binaries.kernel("k", **fields)))


def ran(root: Path, the_job: Job) -> KernelsResult:
    (root / "out").mkdir(exist_ok=True)
    result = kernels.run(fakes.context(root), the_job)
    assert isinstance(result, KernelsResult)
    return result


def with_base(monkeypatch: pytest.MonkeyPatch, root: Path, *, ok: bool = True, reason: str = "") -> list[int]:
    asked: list[int] = []

    def base_build(_ctx: object, _job: object) -> BaseBuild:
        asked.append(1)
        return BaseBuild(root=root, ok=ok, reason=reason)

    monkeypatch.setattr(kernels, "base_build", base_build)
    return asked


def test_kernels_of_the_artifacts_are_shown_and_kept_whole_in_a_file(tmp_path: Path) -> None:
    put(tmp_path, vgpr_count=64)

    result = ran(tmp_path, job("a.co"))

    assert [(k.name, k.artifact, k.vgpr) for k in result.kernels] == [("k", "a.co", 64)]
    assert len(msgspec.json.decode((tmp_path / "out" / kernels.LIST).read_bytes())) == 1


def test_new_spills_are_advice_and_come_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, vgpr_spill_count=12, private_segment_fixed_size=48)
    put(tmp_path / "base")
    with_base(monkeypatch, tmp_path / "base")

    result = ran(tmp_path, job("a.co", merge_base=BASE))

    assert (result.verdict, result.compared) == (Verdict.NEUTRAL, True)
    assert result.reason == (
        "k on gfx90a spills 12 VGPRs, 0 before; k on gfx90a uses 48 bytes of scratch, 0 before"
    )


def test_equal_kernels_pass_without_a_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path)
    put(tmp_path / "base")
    with_base(monkeypatch, tmp_path / "base")

    result = ran(tmp_path, job("a.co", merge_base=BASE))

    assert (result.verdict, result.reason, result.compared, result.changes) == (Verdict.PASS, "", True, ())


def test_a_base_that_does_not_build_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path)
    with_base(monkeypatch, tmp_path / "base", ok=False, reason="the merge base does not build: x")

    result = ran(tmp_path, job("a.co", merge_base=BASE))

    assert (result.verdict, result.compared) == (Verdict.PASS, False)
    assert result.reason == "not compared: the merge base does not build: x"


def test_a_long_build_is_repeated_only_when_benchmarks_need_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path)
    put(tmp_path / "base")
    asked = with_base(monkeypatch, tmp_path / "base")

    alone = ran(tmp_path, job("a.co", merge_base=BASE, took_s=7200))
    assert "the build takes 120 minutes" in alone.reason
    assert asked == []

    assert ran(tmp_path, job("a.co", merge_base=BASE, took_s=7200, perf=True)).compared


def test_without_gpu_code_there_is_nothing_to_look_at(tmp_path: Path) -> None:
    for the_job in (job(), replace(job(), done={})):
        assert isinstance(kernels.run(fakes.context(tmp_path), the_job), Skipped)


def test_an_artifact_that_is_gone_or_forged_is_no_crash(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "a.co").write_bytes(b"\x7fELF\x02\x01" + b"\xff" * 100)

    result = kernels.run(fakes.context(tmp_path), job("a.co", "gone.so"))

    assert isinstance(result, Skipped)


def test_the_report_keeps_changed_and_spilling_kernels_of_very_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernels, "MAX_KERNELS", 2)
    many = [binaries.kernel(f"k{i}") for i in range(9)]
    (tmp_path / "a.co").write_bytes(
        binaries.code_object(
            *many, binaries.kernel("spills", vgpr_spill_count=3), binaries.kernel("changed", sgpr_count=30)
        )
    )
    (tmp_path / "base").mkdir()
    (tmp_path / "base/a.co").write_bytes(binaries.code_object(binaries.kernel("changed")))
    with_base(monkeypatch, tmp_path / "base")

    result = ran(tmp_path, job("a.co", merge_base=BASE))

    assert [k.name for k in result.kernels] == ["changed", "spills"]
