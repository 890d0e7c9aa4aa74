from __future__ import annotations

import pytest

from rocm_ci.gpu import merge


def test_the_kernel_beats_a_tool_and_a_missing_answer_beats_nobody() -> None:
    assert merge.choose("gfx", {"rocm-smi": "gfx943", "kfd": "gfx942"}) == ("gfx942", "kfd")
    assert merge.choose("vbios", {"sysfs": None, "rocm-smi": "113-X"}) == ("113-X", "rocm-smi")
    assert merge.choose("vbios", {}) == (None, None)


def test_different_answers_to_an_exact_question_are_a_conflict() -> None:
    conflict = merge.conflict("gpus[0].gfx", "gfx", {"kfd": "gfx942", "rocm-smi": "gfx940", "table": None})

    assert conflict is not None
    assert conflict.said == {"kfd": "gfx942", "rocm-smi": "gfx940"}


@pytest.mark.parametrize(
    ("field", "one", "other"),
    [
        ("compute_units", 304, 38),
        ("device_id", "0x74a1", "0x74a5"),
        ("wave_size", 64, 32),
        ("lds_bytes", 65536, 163840),
        ("compute_partition", "SPX", "CPX"),
        ("version", "6.12.12", "6.16.6"),
    ],
)
def test_every_exact_fact_is_checked_against_the_other_sources(
    field: str, one: object, other: object
) -> None:
    conflict = merge.conflict("x", field, {"kfd": one, "rocminfo": other})  # type: ignore[dict-item]

    assert conflict is not None
    assert conflict.said == {"kfd": str(one), "rocminfo": str(other)}
    assert merge.conflict("x", field, {"kfd": one, "rocminfo": one}) is None  # type: ignore[dict-item]


def test_sizes_may_differ_by_what_the_driver_reserves() -> None:
    assert merge.conflict("x", "vram_bytes", {"sysfs": 206158430208, "amd-smi": 206141652992}) is None
    assert merge.conflict("x", "vram_bytes", {"sysfs": 206158430208, "rocminfo": 103079215104}) is not None


def test_names_are_never_a_conflict() -> None:
    assert (
        merge.conflict("x", "name", {"amd-smi": "AMD Radeon Graphics", "table": "AMD Instinct MI355X"})
        is None
    )
