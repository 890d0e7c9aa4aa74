"""A folder `cuda` of a torch project holds what ROCm runs as well, unless its place or a twin denies it."""

from __future__ import annotations

import pytest

from rocm_ci.model.finding import Severity
from tests.unit.scan.trees import scan_all

JIT = (
    'from torch.utils.cpp_extension import load\nload("k", ["k.cu"], extra_cuda_cflags=["--use_fast_math"])\n'
)
ERROR = {("nvcc-only-flag", Severity.ERROR)}


def loud(path: str, *others: str) -> set[tuple[str, Severity]]:
    files: dict[str, str | bytes] = {path: JIT, **dict.fromkeys(others, "")}
    return {(f.rule, f.severity) for f in scan_all(files).findings if f.severity is not Severity.NOTE}


@pytest.mark.parametrize("path", ["pkg/cuda/_backend.py", "cuda/_backend.py", "pkg/cuda/deep/_backend.py"])
def test_a_folder_that_is_only_called_cuda_is_read(path: str) -> None:
    assert loud(path) == ERROR
    assert loud(path, "pkg/other/rocm.py", "pkg/cuda/rocm.txt") == ERROR


@pytest.mark.parametrize(
    "other", ["pkg/hip/__init__.py", "pkg/rocm/_backend.py", "pkg/amd/__init__.py", "pkg/rocm.py"]
)
def test_one_with_a_twin_for_amd_is_not(other: str) -> None:
    assert loud("pkg/cuda/_backend.py", other) == set()


@pytest.mark.parametrize(
    "path", ["pkg/backends/cuda/_backend.py", "tests/cuda/jit.py", "platforms/cuda/x.py"]
)
def test_one_among_those_of_backends_or_tests_is_not(path: str) -> None:
    assert loud(path) == set()


def test_one_of_a_module_that_does_not_know_torch_is_not() -> None:
    text = 'import subprocess\n\nsubprocess.run(["nvcc", "--use_fast_math", "k.cu"])\n'

    assert scan_all({"pkg/cuda/compiler.py": text}).findings == ()
    assert scan_all({"pkg/cuda/compiler.py": f"import torch\n{text}"}).findings != ()


def test_a_folder_of_nvidia_by_name_is_not() -> None:
    assert loud("pkg/nvidia/_backend.py") == set()


@pytest.mark.parametrize(
    ("sister", "is_found"), [("installed_rocm_version", False), ("installed_version", True)]
)
def test_a_function_that_has_a_sister_for_amd_is_not_for_amd(sister: str, is_found: bool) -> None:
    text = (
        "import torch.utils.cpp_extension\n\ndef installed_cuda_version():\n"
        "    home = torch.utils.cpp_extension.CUDA_HOME\n"
        '    if home is None:\n        raise RuntimeError("CUDA_HOME does not exist")\n'
        f'    return home + "/bin/nvcc"\n\nclass Builder:\n    def {sister}(self):\n        return 1\n'
    )
    found = [f for f in scan_all({"build.py": text}).findings if f.rule == "cuda-home-used"]

    assert bool(found) is is_found
