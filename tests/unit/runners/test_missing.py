"""Programs that are not there."""

from __future__ import annotations

import pytest

from rocm_ci.runners.missing import missing_program


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
    found = missing_program(tail)

    assert found is not None
    assert (found.program, found.is_rocm) == (program, is_rocm)


def test_no_program_is_missing_without_the_shell_saying_so() -> None:
    assert missing_program("test failed: No such file or directory") is None
