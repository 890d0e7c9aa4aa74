"""Which GPUs of a host are ours: variables, pod files and the container's own view together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocm_ci.gpu.offer import offer
from rocm_ci.model.facts import Facts, Gpu
from tests.unit.gpu.test_podinfo import put

if TYPE_CHECKING:
    from pathlib import Path


def host(count: int = 8, *, shown: set[int] | None = None) -> Facts:
    """`shown` is what rocminfo listed, None when it did not run."""
    return Facts(
        gpus=tuple(
            Gpu(
                index=n,
                node=n + 1,
                bus=f"0000:{0x10 + n:02x}:00.0",
                render=f"renderD{128 + 8 * n}",
                visible=None if shown is None else n in shown,
            )
            for n in range(count)
        )
    )


def ours(facts: Facts, environment: dict[str, str], where: Path) -> list[int]:
    found = offer(facts, environment, where)
    assert not found.problem, found.problem
    return [device.gpu.index for device in found.ours]


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, [0, 1, 2, 3]),
        ({"ROCR_VISIBLE_DEVICES": "2,3"}, [2, 3]),
        ({"ROCR_VISIBLE_DEVICES": "3,1"}, [3, 1]),
        ({"HIP_VISIBLE_DEVICES": "3, 1"}, [3, 1]),
        ({"CUDA_VISIBLE_DEVICES": "1"}, [1]),
        ({"HIP_VISIBLE_DEVICES": "2", "CUDA_VISIBLE_DEVICES": "1"}, [2]),
        ({"ROCR_VISIBLE_DEVICES": "2,3", "HIP_VISIBLE_DEVICES": "1"}, [3]),
        ({"ROCR_VISIBLE_DEVICES": ""}, []),
        ({"ROCR_VISIBLE_DEVICES": "-1"}, []),
        ({"HIP_VISIBLE_DEVICES": "-1"}, []),
        ({"ROCR_VISIBLE_DEVICES": "1,9,2"}, [1]),
        ({"ROCR_VISIBLE_DEVICES": "1,1"}, [1]),
    ],
)
def test_variables_are_read_as_the_runtimes_read_them(
    tmp_path: Path, environment: dict[str, str], expected: list[int]
) -> None:
    assert ours(host(4), environment, tmp_path) == expected


def test_what_a_variable_hides_is_counted_all_the_same(tmp_path: Path) -> None:
    found = offer(host(4, shown={2, 3}), {"ROCR_VISIBLE_DEVICES": "2,3"}, tmp_path)

    assert [found.counted.index(device) for device in found.ours] == [2, 3]


def test_what_the_container_hides_is_not_counted(tmp_path: Path) -> None:
    found = offer(host(4, shown={1, 3}), {}, tmp_path)

    assert [found.counted.index(device) for device in found.ours] == [0, 1]
    assert [device.gpu.index for device in found.ours] == [1, 3]


def test_a_container_with_some_nodes_and_a_variable_counts_its_own_nodes(tmp_path: Path) -> None:
    (tmp_path / "dev/dri").mkdir(parents=True)
    for number in (136, 152):
        (tmp_path / f"dev/dri/renderD{number}").touch()

    found = offer(host(4, shown={3}), {"ROCR_VISIBLE_DEVICES": "1"}, tmp_path)

    assert [(found.counted.index(d), d.gpu.index) for d in found.ours] == [(1, 3)]


def test_gpus_named_by_id_are_those_that_rocminfo_shows(tmp_path: Path) -> None:
    environment = {"ROCR_VISIBLE_DEVICES": "GPU-1c0ffee000000002,GPU-1c0ffee000000003"}

    assert ours(host(4, shown={2, 3}), environment, tmp_path) == [2, 3]
    unknown = offer(host(4), environment, tmp_path)
    assert unknown.ours == ()
    assert "without rocminfo" in unknown.problem
    assert "1c0ffee" not in unknown.problem
    both = offer(host(4, shown={2, 3}), {**environment, "HIP_VISIBLE_DEVICES": "1"}, tmp_path)
    assert "not clear" in both.problem


def test_a_variable_that_names_no_gpu_of_this_host_is_told(tmp_path: Path) -> None:
    found = offer(host(1), {"HIP_VISIBLE_DEVICES": "4"}, tmp_path)

    assert found.ours == ()
    assert "HIP_VISIBLE_DEVICES names no GPU" in found.problem


def test_render_nodes_of_the_pod_are_ours(tmp_path: Path) -> None:
    put(tmp_path, "gha-render-devices", "--device /dev/dri/renderD144 --device /dev/dri/renderD136")

    assert ours(host(), {}, tmp_path) == [1, 2]
    assert ours(host(), {"ROCR_VISIBLE_DEVICES": "2"}, tmp_path) == [2]


def test_the_isolation_file_counts_when_nobody_passed_it_on(tmp_path: Path) -> None:
    put(tmp_path, "gha-gpu-isolation-settings", "ROCR_VISIBLE_DEVICES=4,5\n")

    assert ours(host(), {}, tmp_path) == [4, 5]
    assert ours(host(shown={4, 5}), {"ROCR_VISIBLE_DEVICES": "4,5"}, tmp_path) == [4, 5]


def test_a_job_cannot_take_more_than_its_pod_was_given(tmp_path: Path) -> None:
    put(tmp_path, "gha-gpu-isolation-settings", "ROCR_VISIBLE_DEVICES=4,5\n")

    found = offer(host(), {"ROCR_VISIBLE_DEVICES": "5,6"}, tmp_path)

    assert found.ours == ()
    assert "GPU 6" in found.problem


def test_a_job_cannot_take_more_than_the_render_nodes_of_its_pod(tmp_path: Path) -> None:
    put(tmp_path, "gha-render-devices", "--device /dev/dri/renderD144 --device /dev/dri/renderD136")

    found = offer(host(), {"ROCR_VISIBLE_DEVICES": "2,3"}, tmp_path)

    assert found.ours == ()
    assert "GPU 3" in found.problem
    assert "gha-render-devices" in found.problem


def test_render_nodes_and_ordinals_must_mean_the_same_gpus(tmp_path: Path) -> None:
    put(tmp_path, "gha-render-devices", "--device /dev/dri/renderD136")
    put(tmp_path, "gha-gpu-isolation-settings", "ROCR_VISIBLE_DEVICES=1\n")
    assert ours(host(), {}, tmp_path) == [1]

    put(tmp_path, "gha-gpu-isolation-settings", "ROCR_VISIBLE_DEVICES=2\n")

    assert "do not agree" in offer(host(), {}, tmp_path).problem


def test_a_render_node_that_the_driver_does_not_show_is_told(tmp_path: Path) -> None:
    put(tmp_path, "gha-render-devices", "--device /dev/dri/renderD200")

    assert "renderD200" in offer(host(), {}, tmp_path).problem
