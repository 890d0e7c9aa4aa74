"""Flags and helpers that a module imports from others of its project."""

from __future__ import annotations

import pytest

from rocm_ci.scan.languages.python import LANGUAGE
from rocm_ci.scan.outcome import IS_AMD, UNKNOWN
from rocm_ci.scan.python_modules import Modules
from rocm_ci.scan.source import Guard, RegionKind, Source

FILES = {
    "pkg/__init__.py": "from .device import on_accel as accel\n",
    "pkg/device.py": (
        "import torch\nfrom functools import (\n    cache,\n    wraps,\n)\n"
        "FLAG = torch.version.hip is not None\n"
        "OTHER: bool = FLAG\n"
        "@cache\ndef on_accel() -> bool:\n    if torch.version.hip is not None:\n        return True\n    return False\n"
        "def again():\n    return on_accel()\n"
        "loop = around\naround = loop\n"
    ),
    "pkg/ops/gemm.py": "",
    "src/lib/flags.py": "import torch\nthing = torch.version.hip\n",
}


def outcome(path: str, full: str) -> object:
    return Modules(lambda p: FILES[p].encode() if p in FILES else None).outcome(path, full)


@pytest.mark.parametrize(
    ("path", "full"),
    [
        ("pkg/ops/gemm.py", "pkg.device.FLAG"),
        ("pkg/ops/gemm.py", "..device.FLAG"),
        ("pkg/ops/gemm.py", "..device.OTHER"),
        ("pkg/ops/gemm.py", "pkg.device.on_accel()"),
        ("pkg/ops/gemm.py", "pkg.device.again()"),
        ("pkg/ops/gemm.py", "pkg.accel()"),
        ("pkg/ops/gemm.py", "..accel()"),
        ("setup.py", "pkg.device.FLAG"),
        ("tests/test_a.py", "lib.flags.thing"),
    ],
)
def test_a_name_of_another_module_is_understood(path: str, full: str) -> None:
    assert outcome(path, full) == IS_AMD


@pytest.mark.parametrize(
    "full", ["pkg.device.nothing", "pkg.device.loop", "numpy.x", ".x", "x", "....x", "pkg.device"]
)
def test_what_cannot_be_found_says_nothing(full: str) -> None:
    assert outcome("pkg/ops/gemm.py", full) == UNKNOWN


def test_a_guard_from_another_module_holds() -> None:
    text = "from pkg.device import on_accel\nif not on_accel():\n    import pynvml\n"
    source = Source(
        "pkg/ops/gemm.py",
        text,
        tuple(text.split("\n")),
        read=lambda p: FILES[p].encode() if p in FILES else None,
    )
    found = {r.text: r.guard for r in LANGUAGE.parse(source).regions if r.kind is RegionKind.INCLUDE}

    assert found["pynvml"] is Guard.NVIDIA
