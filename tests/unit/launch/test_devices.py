from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from rocm_ci.launch import devices
from rocm_ci.launch.machine import LaunchError
from tests.hosts import AMD, INTEL, device_tree, pod_file

if TYPE_CHECKING:
    from pathlib import Path

FOUR = {f"renderD{number}": AMD for number in range(128, 132)}
RUNTIME = {"Runtimes": {"runc": {}, "amd": {"path": "amd-container-runtime"}}}


def test_without_a_lease_every_amd_gpu_is_ours_in_the_order_of_its_number(tmp_path: Path) -> None:
    root = device_tree(tmp_path, {"renderD1000": AMD, "renderD128": AMD})

    assert devices.leased_nodes(root) == ["/dev/dri/renderD128", "/dev/dri/renderD1000"]


def test_an_integrated_gpu_of_another_maker_is_not_ours(tmp_path: Path) -> None:
    root = device_tree(tmp_path, {"renderD128": INTEL, "renderD129": AMD})

    assert devices.leased_nodes(root) == ["/dev/dri/renderD129"]


def test_the_pods_lease_file_narrows_the_gpus(tmp_path: Path) -> None:
    root = device_tree(tmp_path, FOUR)
    pod_file(
        root, devices.LEASE, "--group-add 110 --device /dev/dri/renderD129 --device=/dev/dri/renderD131\n"
    )

    assert devices.leased_nodes(root) == ["/dev/dri/renderD129", "/dev/dri/renderD131"]


@pytest.mark.parametrize("text", ["", "\n", "--device /dev/dri\n"])
def test_a_lease_that_names_no_gpu_is_an_error_and_not_all_of_them(tmp_path: Path, text: str) -> None:
    root = device_tree(tmp_path, FOUR)
    pod_file(root, devices.LEASE, text)

    with pytest.raises(LaunchError, match="leases no GPU to this job") as caught:
        devices.leased_nodes(root)
    assert caught.value.code == 3


def test_a_leased_gpu_that_is_gone_is_named(tmp_path: Path) -> None:
    root = device_tree(tmp_path, FOUR)
    pod_file(root, devices.LEASE, "--device /dev/dri/renderD140")

    with pytest.raises(LaunchError, match="/dev/dri/renderD140 is not on this machine"):
        devices.leased_nodes(root)


def test_a_machine_without_the_driver_is_told_how_to_look(tmp_path: Path) -> None:
    root = device_tree(tmp_path, {}, kfd=False)

    with pytest.raises(LaunchError, match=r"/dev/kfd is not on this machine → .*ls -l /dev/kfd"):
        devices.leased_nodes(root)


def test_a_driver_without_a_gpu_is_an_error(tmp_path: Path) -> None:
    root = device_tree(tmp_path, {"renderD128": INTEL})

    with pytest.raises(LaunchError, match="no AMD GPU has a render node"):
        devices.leased_nodes(root)


def test_nodes_go_in_one_by_one_where_docker_knows_nothing_of_amd(tmp_path: Path) -> None:
    root = device_tree(tmp_path)

    assert devices.flags(root, devices.render_nodes(root), {}) == [
        "--device", "/dev/kfd", "--device", "/dev/dri/renderD128", "--device", "/dev/dri/renderD129",
    ]  # fmt: skip


def test_amds_runtime_is_asked_for_all_gpus(tmp_path: Path) -> None:
    root = device_tree(tmp_path)

    assert devices.flags(root, devices.render_nodes(root), RUNTIME) == [
        "--runtime", "amd", "--env", "AMD_VISIBLE_DEVICES=all",
    ]  # fmt: skip


def test_amds_runtime_is_never_asked_for_some_gpus(tmp_path: Path) -> None:
    root = device_tree(tmp_path)

    assert devices.flags(root, ["/dev/dri/renderD129"], RUNTIME) == [
        "--device", "/dev/kfd", "--device", "/dev/dri/renderD129",
    ]  # fmt: skip


def cdi(root: Path, specification: Any, name: str = "amd.json") -> dict[str, Any]:
    """Write a CDI specification and return what such a daemon says of itself."""
    folder = root / "etc" / "cdi"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(specification if isinstance(specification, str) else json.dumps(specification))
    return {"CDISpecDirs": ["/etc/cdi", "/var/run/cdi"], **RUNTIME}


def device(name: str, *nodes: str) -> dict[str, Any]:
    return {"name": name, "containerEdits": {"deviceNodes": [{"path": f"/dev/dri/{node}"} for node in nodes]}}


def test_cdi_is_preferred_and_matched_by_node_not_by_number(tmp_path: Path) -> None:
    root = device_tree(tmp_path, FOUR)
    # Written in another order than the nodes': trusting the number would take a neighbour's GPU.
    named = [device(str(i), node, f"card{i}") for i, node in enumerate(reversed(FOUR))]
    daemon = cdi(root, {"kind": "amd.com/gpu", "devices": [*named, device("all", *FOUR)]})

    assert devices.flags(root, ["/dev/dri/renderD128", "/dev/dri/renderD130"], daemon) == [
        "--device", "amd.com/gpu=1", "--device", "amd.com/gpu=3",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "specification",
    [
        pytest.param("not JSON", id="not JSON"),
        pytest.param([], id="not a specification"),
        pytest.param({"kind": "nvidia.com/gpu", "devices": [device("0", "renderD128")]}, id="another maker"),
        pytest.param(
            {"kind": "amd.com/gpu", "devices": [device("0", "renderD128", "renderD129")]}, id="too much"
        ),
        pytest.param({"kind": "amd.com/gpu", "devices": [{"name": "0"}]}, id="no nodes"),
    ],
)
def test_a_cdi_specification_that_does_not_fit_the_lease_is_passed_over(
    tmp_path: Path, specification: Any
) -> None:
    root = device_tree(tmp_path, FOUR)

    assert devices.flags(root, ["/dev/dri/renderD128"], cdi(root, specification)) == [
        "--device", "/dev/kfd", "--device", "/dev/dri/renderD128",
    ]  # fmt: skip


def test_the_clusters_isolation_file_gives_variables_and_nothing_else(tmp_path: Path) -> None:
    pod_file(
        tmp_path,
        devices.ISOLATION,
        "ROCR_VISIBLE_DEVICES=2,3\nLD_PRELOAD=/evil.so\nHIP_VISIBLE_DEVICES=$(id)\n",
    )

    assert devices.isolation(tmp_path) == {"ROCR_VISIBLE_DEVICES": "2,3"}


@pytest.mark.parametrize(
    "line",
    ['export ROCR_VISIBLE_DEVICES="2,3"', "ROCR_VISIBLE_DEVICES='2,3'\r", "ROCR_VISIBLE_DEVICES= 2,3 "],
)
def test_the_isolation_file_is_read_as_shells_and_docker_write_it(tmp_path: Path, line: str) -> None:
    pod_file(tmp_path, devices.ISOLATION, f"{line}\n")

    assert devices.isolation(tmp_path) == {"ROCR_VISIBLE_DEVICES": "2,3"}


@pytest.mark.parametrize("text", ["", "ROCR_VISIBLE_DEVICES=\n", "HIP_VISIBLE_DEVICES=$(id)\n"])
def test_an_isolation_file_that_says_nothing_is_an_error_and_not_all_gpus(tmp_path: Path, text: str) -> None:
    root = device_tree(tmp_path, FOUR)
    pod_file(root, devices.ISOLATION, text)

    with pytest.raises(LaunchError, match="sets no GPU variable to a value"):
        devices.leased_nodes(root)


def test_an_isolation_file_that_says_which_leaves_the_nodes_to_its_variable(tmp_path: Path) -> None:
    root = device_tree(tmp_path, FOUR)
    pod_file(root, devices.ISOLATION, "ROCR_VISIBLE_DEVICES=2,3\n")

    assert devices.leased_nodes(root) == devices.render_nodes(root)


def test_no_isolation_file_means_no_variables(tmp_path: Path) -> None:
    assert devices.isolation(tmp_path) == {}
