"""The files by which a cluster says which GPUs a pod has: honoured, and never silently empty."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocm_ci.errors import MachineError
from rocm_ci.gpu import podinfo

if TYPE_CHECKING:
    from pathlib import Path


def put(host: Path, name: str, text: str) -> None:
    path = host / "etc/podinfo" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_the_flags_for_docker_name_the_render_nodes(tmp_path: Path) -> None:
    put(tmp_path, "gha-render-devices", "--device /dev/dri/renderD136 --device=/dev/dri/renderD144\n")

    assert podinfo.read(tmp_path, {}, gpus=8).render == frozenset({"renderD136", "renderD144"})


def test_the_whole_folder_in_so_many_words_is_no_restriction(tmp_path: Path) -> None:
    put(tmp_path, "gha-render-devices", "--device /dev/kfd --device /dev/dri\n")

    assert podinfo.read(tmp_path, {}, gpus=8).render is None


@pytest.mark.parametrize(
    "text",
    ["ROCR_VISIBLE_DEVICES=2,3\n", 'export ROCR_VISIBLE_DEVICES="2,3"\r\n', "A=b\nROCR_VISIBLE_DEVICES=2,3"],
)
def test_the_isolation_file_sets_variables(tmp_path: Path, text: str) -> None:
    put(tmp_path, "gha-gpu-isolation-settings", text)

    assert podinfo.read(tmp_path, {}, gpus=8).variables == {"ROCR_VISIBLE_DEVICES": "2,3"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("gha-render-devices", ""),
        ("gha-render-devices", "\n \n"),
        ("gha-render-devices", "--device /dev/kfd"),
        ("gha-gpu-isolation-settings", ""),
        ("gha-gpu-isolation-settings", "ROCR_VISIBLE_DEVICES=\n"),
        ("gha-gpu-isolation-settings", "# nothing yet\n"),
    ],
)
def test_a_file_that_allots_nothing_is_an_error_and_not_all_gpus(
    tmp_path: Path, name: str, text: str
) -> None:
    put(tmp_path, name, text)

    with pytest.raises(MachineError, match=name) as error:
        podinfo.read(tmp_path, {}, gpus=8)
    assert "allocation" in error.value.hint


def test_other_files_of_the_cluster_without_one_about_gpus_are_an_error(tmp_path: Path) -> None:
    put(tmp_path, "gha-docker-cpu-flags", "--cpus=24\n")

    with pytest.raises(MachineError, match="no file there says which GPUs are ours"):
        podinfo.read(tmp_path, {}, gpus=8)
    assert podinfo.read(tmp_path, {}, gpus=0).render is None


def test_a_file_that_is_there_and_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "etc/podinfo/gha-render-devices").mkdir(parents=True)

    with pytest.raises(MachineError, match="allots no GPU"):
        podinfo.read(tmp_path, {}, gpus=8)


def test_a_machine_outside_of_a_cluster_has_no_allotment(tmp_path: Path) -> None:
    (tmp_path / "etc/podinfo").mkdir(parents=True)

    assert podinfo.read(tmp_path, {}, gpus=8) == podinfo.Allotment()


def test_a_pod_in_which_nothing_says_what_is_its_own_is_told(tmp_path: Path) -> None:
    pod = {"KUBE_CPU_REQUEST": "24"}

    assert "KUBE_CPU_REQUEST" in podinfo.read(tmp_path, pod, gpus=8).notes[0]
    assert podinfo.read(tmp_path, pod, gpus=1).notes == ()
    assert podinfo.read(tmp_path, {**pod, "ROCR_VISIBLE_DEVICES": "1"}, gpus=8).notes == ()
