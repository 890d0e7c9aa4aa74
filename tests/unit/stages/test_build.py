"""The build stage's decisions, with fake processes and miniature binaries."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from rocm_ci.config.options import BuildOptions, Config
from rocm_ci.context import Job
from rocm_ci.errors import ConfigError
from rocm_ci.model.changes import Changes
from rocm_ci.model.event import Event, EventKind
from rocm_ci.model.facts import Facts
from rocm_ci.model.plan import Plan
from rocm_ci.model.result import BuildResult, Skipped
from rocm_ci.model.verdict import Verdict
from rocm_ci.stages import build
from tests import fakes
from tests.unit.kernels import binaries

if TYPE_CHECKING:
    from pathlib import Path

HIPCC = "HIP version: 6.4.1\nAMD clang version 19.0.0\n"
CODE = binaries.code_object(binaries.kernel())


def job(*steps: BuildOptions, archs: tuple[str, ...] = ("gfx90a",)) -> Job:
    return Job(
        event=Event(kind=EventKind.LOCAL, head="0" * 40),
        config=Config(arch=archs, build=steps),
        changes=Changes(files=()),
        facts=Facts(),
        plan=Plan(steps=()),
        done={},
    )


def step(*artifacts: str) -> BuildOptions:
    return BuildOptions(name="lib", run="make", artifacts=artifacts)


def put(root: Path, name: str, content: bytes) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    # Written by the build, as far as the stage can see.
    os.utime(path, (4e9, 4e9))


def ran(root: Path, the_job: Job, *, answers: dict[str, tuple[int, str]] | None = None) -> BuildResult:
    run = fakes.FakeRunner(answers=answers or {"bash": (0, ""), "hipcc": (0, HIPCC)})
    result = build.run(fakes.context(root, run), the_job)
    assert isinstance(result, BuildResult)
    return result


def test_a_project_without_a_hip_build_is_passed_over_not_failed(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text("print()")

    result = build.run(fakes.context(tmp_path), job())

    assert isinstance(result, Skipped)
    assert result.reason.startswith("no HIP build was found")


def test_a_sound_artifact_passes_with_its_targets(tmp_path: Path) -> None:
    put(tmp_path, "build/a.so", binaries.fat_object(binaries.bundle({"gfx90a": CODE})))

    result = ran(tmp_path, job(step("build/*.so")))

    assert result.verdict is Verdict.PASS
    assert result.compiler == "hipcc 6.4.1 (clang 19.0.0)"
    assert [(a.path, a.archs) for a in result.steps[0].artifacts] == [("build/a.so", ("gfx90a",))]


def test_a_library_and_the_links_to_it_are_one_artifact(tmp_path: Path) -> None:
    put(tmp_path, "liba.so.1", binaries.fat_object(binaries.bundle({"gfx90a": CODE})))
    (tmp_path / "liba.so").symlink_to("liba.so.1")

    assert len(ran(tmp_path, job(step("liba.so*"))).steps[0].artifacts) == 1


def test_a_missing_target_fails_and_names_file_and_target(tmp_path: Path) -> None:
    put(tmp_path, "a.so", binaries.fat_object(binaries.bundle({"gfx90a": CODE})))

    result = ran(tmp_path, job(step("a.so"), archs=("gfx90a", "gfx942")))

    assert result.verdict is Verdict.FAIL
    assert result.reason == "lib: a.so holds no code for gfx942 (it has gfx90a)"


def test_a_target_that_the_compiler_refuses_is_the_machines_fault(tmp_path: Path) -> None:
    put(tmp_path, "a.so", binaries.fat_object(binaries.bundle({"gfx90a": CODE})))
    probe = f"hipcc --offload-arch=gfx942 --cuda-device-only -c {tmp_path}/work/probe.hip -o /dev/null"
    answers = {
        "bash": (0, ""),
        "hipcc --version": (0, HIPCC),
        probe: (1, "clang: error: invalid target ID 'gfx942'; format is"),
    }

    result = ran(tmp_path, job(step("a.so"), archs=("gfx90a", "gfx942")), answers=answers)

    assert result.verdict is Verdict.ERROR
    assert "cannot build for gfx942" in result.reason


def test_code_for_the_default_target_fails_with_the_flags_to_add(tmp_path: Path) -> None:
    put(tmp_path, "a.so", binaries.fat_object(binaries.bundle({"gfx803": CODE})))

    result = ran(tmp_path, job(step("a.so")))

    assert result.verdict is Verdict.FAIL
    assert "gfx803" in result.reason
    assert "--offload-arch=gfx90a" in result.reason


def test_parts_without_some_target_are_noted_on_a_passing_step(tmp_path: Path) -> None:
    content = binaries.fat_object(
        binaries.bundle({"gfx90a": CODE, "gfx942": CODE}), binaries.bundle({"gfx942": CODE})
    )
    put(tmp_path, "a.so", content)

    result = ran(tmp_path, job(step("a.so"), archs=("gfx90a", "gfx942")))

    assert result.verdict is Verdict.PASS
    assert result.steps[0].reason == "1 of the 2 parts of a.so lack code for some target"


def test_what_cannot_be_looked_into_is_noted_not_failed(tmp_path: Path) -> None:
    packed = binaries.packed(binaries.bundle({"gfx90a": CODE}), size=1 << 31)
    put(tmp_path, "a.so", binaries.fat_object(packed))

    result = ran(tmp_path, job(step("a.so")))

    assert result.verdict is Verdict.PASS
    assert "a.so could not be looked into" in result.steps[0].reason


def test_without_globs_new_files_with_gpu_code_are_found_and_linked_ones_speak(tmp_path: Path) -> None:
    code = binaries.fat_object(binaries.bundle({"gfx90a": CODE}))
    put(tmp_path, "build/a.o", code)
    put(tmp_path, "build/liba.so", code)
    put(tmp_path, "build/host.so", binaries.elf())
    put(tmp_path, "out/logged.so", code)
    put(tmp_path, "stale.so", code)
    os.utime(tmp_path / "stale.so", (1, 1))

    result = ran(tmp_path, job(step()))

    assert [a.path for a in result.steps[0].artifacts] == ["build/liba.so"]


def test_a_build_without_any_gpu_code_passes_when_it_names_no_artifacts(tmp_path: Path) -> None:
    assert ran(tmp_path, job(step())).verdict is Verdict.PASS


def test_globs_that_match_nothing_fail(tmp_path: Path) -> None:
    assert "no file matches" in ran(tmp_path, job(step("*.so"))).reason


def test_a_failed_build_is_not_asked_for_artifacts(tmp_path: Path) -> None:
    answers = {"bash": (2, "a.hip:1:2: error: bad\n"), "hipcc": (0, HIPCC)}

    result = ran(tmp_path, job(step("*.so")), answers=answers)

    assert result.reason == "lib: a.hip:1: bad"


def test_a_glob_out_of_the_checkout_is_a_configuration_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        ran(tmp_path, job(step("../*.so")))


def test_a_detected_build_needs_hipcc(tmp_path: Path) -> None:
    (tmp_path / "a.hip").touch()

    result = ran(tmp_path, job(), answers={"bash": (0, "")})

    assert result.verdict is Verdict.ERROR
    assert "hipcc is not on this machine" in result.reason
    assert result.detected == "folder of .hip files (a.hip)"
    assert result.steps == ()


def test_a_detected_build_with_hipcc_for_nvidia_is_the_machines_fault(tmp_path: Path) -> None:
    (tmp_path / "a.hip").touch()

    result = ran(tmp_path, job(), answers={"hipcc": (0, "nvcc: NVIDIA (R) Cuda compiler driver\n")})

    assert result.verdict is Verdict.ERROR
    assert "NVIDIA" in result.reason


@pytest.mark.parametrize(
    ("torch", "reason"),
    [
        ((1, ""), "torch is not installed"),
        ((0, "2.6.0+cu124 -\n"), "torch 2.6.0+cu124 on this machine is not"),
    ],
)
def test_a_torch_extension_needs_torch_for_rocm(tmp_path: Path, torch: tuple[int, str], reason: str) -> None:
    (tmp_path / "setup.py").write_text("from torch.utils.cpp_extension import CUDAExtension")

    result = ran(tmp_path, job(), answers={"python3": torch, "hipcc": (0, HIPCC)})

    assert result.verdict is Verdict.ERROR
    assert result.reason.startswith(reason)


def test_an_extension_for_processors_needs_neither_hipcc_nor_torch_for_rocm(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text("from torch.utils.cpp_extension import CppExtension")

    result = ran(tmp_path, job(), answers={"python3": (0, "2.6.0+cpu -\n"), "bash": (0, "")})

    assert result.verdict is Verdict.PASS
    assert result.detected == "torch extension (setup.py)"


def test_without_hipcc_a_configured_build_still_runs(tmp_path: Path) -> None:
    result = ran(tmp_path, job(step()), answers={"bash": (0, "")})

    assert (result.verdict, result.compiler) == (Verdict.PASS, None)
