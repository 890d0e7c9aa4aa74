from __future__ import annotations

import json

from rocm_ci.gpu.collectors.torch import collect
from rocm_ci.gpu.observation import Observation
from tests.fakes import MemoryReader


def observe(text: str) -> Observation:
    return collect(MemoryReader(recordings=(text,)))


def script(version_file: str | None) -> str:
    found = {"rocm_ci_python": "3.12.3"} | (
        {} if version_file is None else {"torch_version_py": version_file}
    )
    return json.dumps(found)


def test_a_rocm_wheel_says_its_hip() -> None:
    text = "__version__ = '2.9.0+rocm7.0'\ncuda: Optional[str] = None\nhip: Optional[str] = '7.0.51831-7c9236b16'\n"

    found = observe(script(text))

    assert found.rocm == {"torch": "2.9.0+rocm7.0", "torch_hip": "7.0.51831-7c9236b16"}
    assert found.host == {"python": "3.12.3"}


def test_a_cuda_wheel_says_its_cuda() -> None:
    assert observe(
        script("__version__ = '2.9.0+cu128'\ncuda: Optional[str] = '12.8'\nhip = None\n")
    ).rocm == {
        "torch": "2.9.0+cu128",
        "torch_cuda": "12.8",
    }


def test_an_interpreter_without_torch_is_said() -> None:
    found = observe(script(None))

    assert found.rocm == {}
    assert found.problem == "torch is not installed for python3 on PATH"


def test_the_environment_report_of_torch_and_pip_are_understood() -> None:
    report = (
        "PyTorch version: 2.8.0+rocm6.4\nCUDA used to build PyTorch: N/A\n"
        "ROCM used to build PyTorch: 6.4.43482-0f2d60242\n"
    )

    assert observe(report).rocm == {"torch": "2.8.0+rocm6.4", "torch_hip": "6.4.43482-0f2d60242"}
    assert observe("numpy==2.3.0\ntorch==2.9.0+rocm7.0\ntriton==3.5\n").rocm == {"torch": "2.9.0+rocm7.0"}
    assert observe("Package    Version\n---------- -------\ntorch      2.9.0\n").rocm == {"torch": "2.9.0"}
