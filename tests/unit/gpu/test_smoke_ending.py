from __future__ import annotations

import json
from typing import Any

import pytest

from rocm_ci.gpu.smoke_ending import Ending, judged
from rocm_ci.model.incident import IncidentKind
from rocm_ci.tools.process import Captured

GOOD: dict[str, Any] = {
    "rocm_ci_smoke": 1, "devices": 1, "target": "gfx942:sramecc+:xnack-", "wave": 64, "wave_told": 64,
    "memory_bytes": 192 << 30, "values": 1 << 20, "wrong_sums": 0, "wrong_copies": 0,
}  # fmt: skip


def captured(text: str, code: int = 0, *, error: str = "", timed_out: bool = False) -> Captured:
    return Captured(
        argv=("smoke",),
        exit_code=code,
        stdout=text.encode(),
        stderr=error.encode(),
        timed_out=timed_out,
    )


def test_wrong_values_are_wrong_whatever_the_exit_code_says() -> None:
    for said in (
        captured(json.dumps(GOOD | {"wrong_sums": 3}), 0),
        captured(json.dumps(GOOD | {"wrong_copies": 1}), 1),
        captured(json.dumps(GOOD), 1),
        captured(json.dumps(GOOD | {"values": 0}), 0),
        captured(json.dumps({"rocm_ci_smoke": 1}), 0),
    ):
        assert judged("GPU 0", said, 60).ending is Ending.WRONG, said
    sums = judged("GPU 0", captured(json.dumps(GOOD | {"wrong_sums": 3}), 1), 60)
    assert sums.detail == "3 of 1,048,576 sums and 0 copied values are wrong"


def test_a_copy_that_is_wrong_counts_like_a_sum_and_against_the_gpu() -> None:
    found = judged("GPU 0", captured(json.dumps(GOOD | {"wrong_copies": 2}), 0), 60)

    assert (found.ending, found.blame) == (Ending.WRONG, IncidentKind.ECC)
    assert found.detail == "0 of 1,048,576 sums and 2 copied values are wrong"


def test_more_than_the_one_leased_gpu_is_wrong() -> None:
    found = judged("GPU 0", captured(json.dumps(GOOD | {"devices": 8})), 60)

    assert found.ending is Ending.WRONG
    assert found.detail == "one GPU was leased, and the runtime shows 8"


def test_the_wave_must_be_that_of_the_target() -> None:
    def ending(target: str, wave: int, told: int) -> Ending:
        said = GOOD | {"target": target, "wave": wave, "wave_told": told}
        return judged("GPU 0", captured(json.dumps(said)), 60).ending

    assert ending("gfx90a", 64, 64) is Ending.RIGHT
    assert ending("gfx1100", 32, 32) is Ending.RIGHT
    assert ending("gfx942", 32, 32) is Ending.WRONG
    assert ending("gfx1030", 64, 64) is Ending.WRONG
    assert ending("gfx942", 64, 32) is Ending.WRONG
    assert ending("", 32, 32) is Ending.RIGHT


def test_a_runtime_that_refuses_says_at_which_step() -> None:
    said = {"rocm_ci_smoke": 1, "step": "allocating", "error": "hipErrorOutOfMemory (2)"}

    found = judged("GPU 0", captured(json.dumps(said), 3), 60)

    assert found.ending is Ending.REFUSED
    assert found.detail == "hipErrorOutOfMemory (2) when allocating"
    assert "`vram`" in found.fix


def test_a_runtime_without_a_device_is_told_apart_from_one_that_refuses() -> None:
    for error in ("hipErrorNoDevice (100)", "no device"):
        said = {"rocm_ci_smoke": 1, "step": "counting devices", "error": error}
        found = judged("GPU 0", captured(json.dumps(said), 2), 60)
        assert found.ending is Ending.NO_DEVICE
        assert "`device-access`" in found.fix


@pytest.mark.parametrize(
    ("code", "error", "detail"),
    [
        (-11, "", "ended by SIGSEGV"),
        (139, "", "ended by SIGSEGV"),
        (
            -6,
            "rocm-ci smoke: running the kernel\nHW Exception by GPU node-1: error GPU Hang\x1b[2J",
            "ended by SIGABRT: HW Exception by GPU node-1: error GPU Hang",
        ),
        (1, "rocm-ci smoke: counting devices\n", "ended with code 1 and no result"),
        (0, "", "ended with code 0 and no result"),
    ],
)
def test_a_program_that_ends_without_a_result_has_crashed(code: int, error: str, detail: str) -> None:
    found = judged("GPU 0", captured("garbage" if not error else "", code, error=error or ""), 60)

    assert found.ending is Ending.CRASHED
    assert found.detail.startswith(detail)
    assert found.blame is None


def test_a_library_that_is_not_found_has_a_fix_of_its_own() -> None:
    error = "smoke: error while loading shared libraries: libamdhip64.so.6: cannot open shared object file"

    assert "LD_LIBRARY_PATH" in judged("GPU 0", captured("", 127, error=error), 60).fix


def test_a_hang_is_the_gpus_only_where_the_program_had_reached_it() -> None:
    def hung(error: str) -> tuple[str, bool]:
        found = judged("GPU 0", captured("", -9, error=error, timed_out=True), 60)
        assert found.ending is Ending.HUNG
        return found.detail, found.blame is not None

    begun = "rocm-ci smoke: counting devices\n"
    assert hung(begun + "rocm-ci smoke: running the kernel\n") == (
        "did not end within 60 s, stuck when running the kernel",
        True,
    )
    assert hung(begun) == (
        "did not end within 60 s, when counting devices: a slow disk, or a driver that does not answer",
        False,
    )
    assert not hung("")[1]
