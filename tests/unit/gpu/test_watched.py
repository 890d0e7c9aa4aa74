"""How long memory may take to come back, and whether a GPU may be reset: by the runner's words alone."""

from __future__ import annotations

import pytest

from rocm_ci.gpu.watched import DRAIN_S, MAX_DRAIN_S, Limits, Watched


@pytest.mark.parametrize(
    ("said", "seconds"),
    [("5s", 5.0), ("1.5m", 90.0), ("250ms", 0.25), ("7", 7.0), (" 3s ", 3.0), ("0", 0.0), ("900m", MAX_DRAIN_S),
     ("", DRAIN_S), ("soon", DRAIN_S), ("-5s", DRAIN_S), ("5h", DRAIN_S), ("1e9", DRAIN_S), ("٣s", DRAIN_S)],
)  # fmt: skip
def test_the_time_to_drain_is_read_or_the_default(said: str, seconds: float) -> None:
    assert Limits.of({"ROCM_CI_DRAIN": said}).drain_s == seconds


@pytest.mark.parametrize("said", ["", "1", "true", "always", "WHEN-FREE", "when-free "])
def test_a_reset_is_allowed_by_exactly_one_word(said: str) -> None:
    assert not Limits.of({"ROCM_CI_GPU_RESET": said}).may_reset
    assert Limits.of({"ROCM_CI_GPU_RESET": "when-free"}).may_reset


def test_a_partition_shares_the_files_of_its_card() -> None:
    assert Watched(id="0000:0c:00.0/1", label="GPU 1").is_partition
    assert not Watched(id="0000:0c:00.0", label="GPU 0").is_partition
