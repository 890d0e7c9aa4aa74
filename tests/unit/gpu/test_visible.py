"""What makes exactly the chosen GPUs visible, in all variables at once."""

from __future__ import annotations

import pytest

from rocm_ci.gpu.visible import lacking, usable, variables
from rocm_ci.model.facts import Facts, Gpu
from rocm_ci.model.verdict import Verdict

FOUR = Facts(gpus=tuple(Gpu(index=n) for n in range(4)))


def test_rocr_chooses_and_hip_counts_what_is_left_from_0() -> None:
    assert variables([2, 3], {}) == {"ROCR_VISIBLE_DEVICES": "2,3", "HIP_VISIBLE_DEVICES": "0,1"}


def test_no_gpu_is_hidden_by_a_value_that_both_runtimes_take_for_none() -> None:
    assert variables([], {}) == {"ROCR_VISIBLE_DEVICES": "-1", "HIP_VISIBLE_DEVICES": "-1"}


def test_what_would_narrow_further_is_overridden_where_it_is_set() -> None:
    environment = {"CUDA_VISIBLE_DEVICES": "3", "GPU_DEVICE_ORDINAL": "1", "ROCR_VISIBLE_DEVICES": "1,3"}

    assert variables([3], environment) == {
        "ROCR_VISIBLE_DEVICES": "3",
        "HIP_VISIBLE_DEVICES": "0",
        "CUDA_VISIBLE_DEVICES": "0",
        "GPU_DEVICE_ORDINAL": "0",
    }
    assert variables([], environment)["CUDA_VISIBLE_DEVICES"] == "-1"


@pytest.mark.parametrize(
    ("environment", "count"),
    [({}, 4), ({"ROCR_VISIBLE_DEVICES": "1"}, 1), ({"HIP_VISIBLE_DEVICES": ""}, 0)],
)
def test_hidden_gpus_do_not_count(environment: dict[str, str], count: int) -> None:
    assert usable(FOUR, environment) == count


def test_what_is_lacking_is_an_error_unless_the_configuration_says_otherwise() -> None:
    assert lacking(1, 1, required=True) is None
    assert lacking(2, 1, required=True) == (Verdict.ERROR, "machine unusable: needs 2 GPU(s), 1 seen")
    refused = lacking(2, 1, required=False)
    assert refused is not None
    assert refused[0] is Verdict.SKIPPED
