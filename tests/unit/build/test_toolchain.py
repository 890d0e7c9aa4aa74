"""Which HIP compiler is here, and what it can build for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocm_ci.build import toolchain
from tests.fakes import FakeRunner

if TYPE_CHECKING:
    from pathlib import Path

AMD = "HIP version: 6.4.43483-a187df25c\nAMD clang version 19.0.0git (https://github.com/RadeonOpenCompute/llvm-project)\n"
NVIDIA = "nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release 13.0, V13.0.48\n"


@pytest.mark.parametrize(
    ("said", "text", "nvidia"),
    [(AMD, "hipcc 6.4.43483-a187df25c (clang 19.0.0git)", False), (NVIDIA, "hipcc for NVIDIA", True)],
)
def test_hipcc_names_itself(said: str, text: str, *, nvidia: bool) -> None:
    found = toolchain.compiler(FakeRunner(answers={"hipcc": (0, said)}), {})

    assert found is not None
    assert (found.text, found.nvidia) == (text, nvidia)


def test_no_hipcc_is_none() -> None:
    assert toolchain.compiler(FakeRunner(), {}) is None


def test_targets_are_tried_one_by_one(tmp_path: Path) -> None:
    def probe(arch: str) -> str:
        return f"hipcc --offload-arch={arch} --cuda-device-only -c {tmp_path}/probe.hip -o /dev/null"

    run = FakeRunner(
        answers={
            probe("gfx90a"): (0, ""),
            probe("gfx942"): (1, "clang: error: invalid target ID 'gfx942'; format is a processor name"),
            probe("gfx1100"): (
                1,
                "clang: error: cannot find ROCm device library for gfx1100; provide its path",
            ),
            probe("gfx906"): (1, "clang: error: something else"),
        }
    )

    refused = toolchain.refused(run, {}, ("gfx90a", "gfx942", "gfx1100", "gfx906"), tmp_path)

    assert list(refused) == ["gfx942", "gfx1100"]
    assert "invalid target ID 'gfx942'" in refused["gfx942"]
