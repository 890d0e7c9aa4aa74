"""Which GPUs a suite sees: both variables always say the same."""

from __future__ import annotations

import pytest

from rocm_ci.gpu.visible import usable, variables
from rocm_ci.model.facts import Facts, Gpu

FOUR = Facts(gpus=tuple(Gpu(index=n) for n in range(4)))


@pytest.mark.parametrize(
    ("environment", "wanted", "expected"),
    [
        ({}, 0, {}),
        ({}, 2, {"ROCR_VISIBLE_DEVICES": "0,1", "HIP_VISIBLE_DEVICES": "0,1"}),
        ({"ROCR_VISIBLE_DEVICES": "2,3"}, 1, {"ROCR_VISIBLE_DEVICES": "2", "HIP_VISIBLE_DEVICES": "0"}),
        ({"HIP_VISIBLE_DEVICES": "3, 1"}, 1, {"HIP_VISIBLE_DEVICES": "3"}),
        (
            {"ROCR_VISIBLE_DEVICES": "2,3", "HIP_VISIBLE_DEVICES": "1"},
            1,
            {"ROCR_VISIBLE_DEVICES": "2,3", "HIP_VISIBLE_DEVICES": "1"},
        ),
    ],
)
def test_the_choice_is_made_from_what_the_environment_left(
    environment: dict[str, str], wanted: int, expected: dict[str, str]
) -> None:
    assert variables(FOUR, environment, wanted) == expected


def test_an_integrated_gpu_comes_last_and_hip_counts_from_0() -> None:
    facts = Facts(gpus=(Gpu(index=0, integrated=True), Gpu(index=1)))

    assert variables(facts, {}, 1) == {"ROCR_VISIBLE_DEVICES": "1", "HIP_VISIBLE_DEVICES": "0"}


@pytest.mark.parametrize(
    ("environment", "count"),
    [({}, 4), ({"ROCR_VISIBLE_DEVICES": "1"}, 1), ({"HIP_VISIBLE_DEVICES": ""}, 0)],
)
def test_hidden_gpus_do_not_count(environment: dict[str, str], count: int) -> None:
    assert usable(FOUR, environment) == count


def test_a_gpu_that_the_container_hides_is_neither_chosen_nor_counted() -> None:
    facts = Facts(gpus=(Gpu(index=0, visible=False), Gpu(index=1, visible=True), Gpu(index=2, visible=True)))

    assert usable(facts, {}) == 2
    assert variables(facts, {}, 1) == {"ROCR_VISIBLE_DEVICES": "0", "HIP_VISIBLE_DEVICES": "0"}
