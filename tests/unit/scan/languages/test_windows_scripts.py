"""PowerShell and batch files → commands and settings with guards."""

from __future__ import annotations

import pytest

from rocm_ci.scan.languages.windows_script import LANGUAGE
from rocm_ci.scan.source import Guard, RegionKind
from tests.unit.scan.languages.cut import guards, places

NV, AMD, NONE, EITHER = Guard.NVIDIA, Guard.AMD, Guard.NONE, Guard.EITHER


def cut(text: str, path: str) -> dict[str, Guard]:
    return guards(LANGUAGE, text, path)


@pytest.mark.parametrize(
    ("condition", "inside", "otherwise"),
    [
        ('$Backend -eq "cuda"', NV, AMD),
        ('$Backend -ne "cuda"', AMD, NV),
        ("Get-Command nvcc -ErrorAction SilentlyContinue", NV, NONE),
        ("-not (Get-Command nvcc)", NONE, NV),
        ("$env:CUDA_PATH", NV, NONE),
        ("$Verbose", NONE, NONE),
    ],
)
def test_conditions_of_powershell_guard_both_branches(
    condition: str, inside: Guard, otherwise: Guard
) -> None:
    found = cut(f"if ({condition}) {{\n  one x\n}} else {{\n  two x\n}}\nthree x\n", "a.ps1")

    assert (found["one x"], found["two x"], found["three x"]) == (inside, otherwise, NONE)


@pytest.mark.parametrize(
    ("condition", "inside", "otherwise"),
    [
        ('"%BACKEND%"=="cuda"', NV, AMD),
        ('not "%BACKEND%"=="cuda"', AMD, NV),
        ("defined CUDA_PATH", NV, NONE),
        ("exist C:\\rocm\\bin\\hipcc.exe", AMD, NV),
    ],
)
def test_conditions_of_batch_guard_both_branches(condition: str, inside: Guard, otherwise: Guard) -> None:
    found = cut(f"if {condition} (\n  one x\n) else (\n  two x\n)\nthree x\n", "a.bat")

    assert (found["one x"], found["two x"], found["three x"]) == (inside, otherwise, NONE)


def test_a_lookup_of_batch_guards_what_follows_on_its_line() -> None:
    found = cut("where nvcc >nul && nvcc -V\nnvcc -O\n", "a.bat")

    assert (found["nvcc -V"], found["nvcc -O"]) == (NV, NONE)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.bat", "rem nvcc\n:: nvcc\necho nvcc\n@echo off\n"),
        ("a.ps1", "# nvcc\n<# nvcc\nnvcc #>\nWrite-Host nvcc\n$x = @'\nnvcc\n'@\n"),
    ],
)
def test_comments_and_messages_are_left_out(path: str, text: str) -> None:
    assert not any("nvcc" in region for region in cut(text, path))


@pytest.mark.parametrize(
    ("path", "text"),
    [("a.bat", "set CUDA_PATH=C:\\cuda\n"), ("a.ps1", '$env:CUDA_PATH = "C:\\cuda"\n')],
)
def test_settings_are_keys_and_values(path: str, text: str) -> None:
    column = text.index("CUDA_PATH") + 1

    assert places(LANGUAGE, text, path, RegionKind.KEY) == [(1, column, "CUDA_PATH")]
    assert places(LANGUAGE, text, path, RegionKind.VALUE)[0][2].strip('"') == "C:\\cuda"
