"""Lines that blame the machine, and programs that are not there."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from rocm_ci.runners import machine

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("line", "meaning"),
    [
        ("HW Exception by GPU node-2 (Agent handle: 0x1) reason :GPU Hang", "the GPU hung"),
        ("RuntimeError: No HIP GPUs are available", "no GPU can be used"),
        ("hipErrorNoDevice: no ROCm-capable device is detected", "no GPU can be used"),
        ("Unable to open /dev/kfd read-write: Permission denied", "a GPU device may not be opened"),
        ("open('/dev/dri/renderD128'): Operation not permitted", "a GPU device may not be opened"),
        (
            "Unable to open /dev/kfd read-write: No such file or directory",
            "the GPU driver's device cannot be opened",
        ),
        ("OSError: [Errno 28] No space left on device", "the disk is full"),
        ("Out of memory: Killed process 12 (t)", "the host ran out of memory"),
        (
            "t: error while loading shared libraries: libamdhip64.so.6: cannot open",
            "a ROCm library is missing",
        ),
        ("amdgpu: MES failed to respond to msg=3", "the GPU driver lost the device"),
    ],
)
def test_a_sign_is_found_with_its_line(tmp_path: Path, line: str, meaning: str) -> None:
    log = tmp_path / "log"
    log.write_text(f"one\ntwo\n{line}")

    found = machine.sign(log)

    assert found is not None
    assert (found.meaning, found.line) == (meaning, 3)


@pytest.mark.parametrize(
    "line",
    [
        "Memory access fault by GPU node-1 on address 0x7f",
        "a.cc:3: Failure: Permission denied",
        "hipErrorOutOfMemory",
        "error while loading shared libraries: libmine.so: cannot open",
        "assert device in ('/dev/kfd',)",
    ],
)
def test_faults_of_a_change_are_no_signs(tmp_path: Path, line: str) -> None:
    log = tmp_path / "log"
    log.write_text(line)

    assert machine.sign(log) is None


def test_a_sign_in_an_endless_line_is_found_and_told_short(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"\xff" * 10_000 + b" No space left on device " + b"x" * 10_000 + b"\n")

    found = machine.sign(log)

    assert found is not None
    assert found.line == 1
    assert len(found.text) <= 200


@pytest.mark.parametrize(
    ("tail", "program", "is_rocm"),
    [
        ("bash: line 1: ./build/tests: No such file or directory", "./build/tests", False),
        ("x\nbash: line 3: rocprofv3: command not found\n", "rocprofv3", True),
        ("/bin/sh: 1: /opt/rocm/bin/hipcc: not found", "/opt/rocm/bin/hipcc", True),
        ("run.sh: line 2: ./x: Permission denied", "./x", False),
    ],
)
def test_the_program_that_is_missing_is_named(tail: str, program: str, is_rocm: bool) -> None:
    found = machine.missing_program(tail)

    assert found is not None
    assert (found.program, found.is_rocm) == (program, is_rocm)


def test_no_program_is_missing_without_the_shell_saying_so() -> None:
    assert machine.missing_program("test failed: No such file or directory") is None


def test_a_log_that_the_command_took_away_says_nothing(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    assert machine.sign(tmp_path / "gone.log") is None
    assert machine.sign(tmp_path / "pipe") is None
