from __future__ import annotations

import pytest

from rocm_ci.gpu.visibility import chosen, selected, usable_gpus
from rocm_ci.model.facts import Facts, Gpu

EIGHT = Facts(gpus=tuple(Gpu(index=n) for n in range(8)))


@pytest.mark.parametrize(
    ("value", "count"),
    [
        ("0", 1),
        ("0,1,2", 3),
        ("", 0),
        ("-1", 0),
        ("7,8,1", 1),
        ("GPU-1c0ffee01c0ffee0", 1),
        ("x", 0),
        ("1, 3", 2),
    ],
)
def test_a_variable_selects_up_to_the_first_entry_that_is_no_device(value: str, count: int) -> None:
    assert selected(value, 8) == count


def test_variables_hide_devices() -> None:
    assert usable_gpus(EIGHT, {}) == 8
    assert usable_gpus(EIGHT, {"HIP_VISIBLE_DEVICES": "2,3"}) == 2
    assert usable_gpus(EIGHT, {"CUDA_VISIBLE_DEVICES": ""}) == 0


def test_hip_counts_within_what_the_runtime_leaves() -> None:
    assert usable_gpus(EIGHT, {"ROCR_VISIBLE_DEVICES": "4", "HIP_VISIBLE_DEVICES": "4"}) == 0
    assert usable_gpus(EIGHT, {"ROCR_VISIBLE_DEVICES": "4", "HIP_VISIBLE_DEVICES": "0"}) == 1


def test_what_rocminfo_already_hides_is_not_taken_off_twice() -> None:
    facts = Facts(gpus=tuple(Gpu(index=n, visible=n == 4) for n in range(8)))

    assert usable_gpus(facts, {"ROCR_VISIBLE_DEVICES": "4"}) == 1


def test_ids_of_single_devices_are_not_shown() -> None:
    assert chosen({"ROCR_VISIBLE_DEVICES": "GPU-1c0ffee01c0ffee0,1"}) == {"ROCR_VISIBLE_DEVICES": "GPU-…,1"}
