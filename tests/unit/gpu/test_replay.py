from __future__ import annotations

import os
from pathlib import Path

from rocm_ci.gpu.collect import collect
from rocm_ci.gpu.collectors.rocminfo import ROCMINFO
from rocm_ci.gpu.replay import ReplayReader


def put(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def test_a_system_tree_is_found_at_any_depth(tmp_path: Path) -> None:
    nested = tmp_path / "run 1" / "sys" / "module" / "amdgpu"
    nested.mkdir(parents=True)
    (nested / "version").write_text("6.12.12\n")

    reader = ReplayReader(tmp_path)

    assert reader.text("/sys/module/amdgpu/version") == "6.12.12\n"
    assert reader.names("/sys/module") == ("amdgpu",)


def test_a_copied_folder_of_nodes_is_taken_for_the_topology(tmp_path: Path) -> None:
    node = tmp_path / "topology" / "nodes" / "1"
    node.mkdir(parents=True)
    (node / "properties").write_text("simd_count 416\nsimd_per_cu 4\ngfx_target_version 90010\n")

    assert [gpu.gfx for gpu in collect(ReplayReader(tmp_path)).gpus] == ["gfx90a"]


def test_a_terminal_transcript_is_taken_apart(tmp_path: Path) -> None:
    put(
        tmp_path,
        log="user@host:~/x$ cat /opt/rocm/.info/version\n6.4.1-83\nuser@host:~/x$ rocminfo\nUnable to open /dev/kfd\n"
        "# readlink -f /opt/rocm\n/opt/rocm-6.4.1\n",
    )

    reader = ReplayReader(tmp_path)

    assert reader.text("/opt/rocm/.info/version") == "6.4.1-83\n"
    assert reader.resolve("/opt/rocm") == "/opt/rocm-6.4.1"
    assert reader.ask(ROCMINFO).problem == "rocminfo: Unable to open /dev/kfd"


def test_heads_of_several_files_are_taken_apart(tmp_path: Path) -> None:
    put(
        tmp_path,
        x="==> /sys/module/amdgpu/version <==\n6.12.12\n\n==> /sys/module/amdgpu/initstate <==\nlive\n",
    )

    assert (ReplayReader(tmp_path).text("/sys/module/amdgpu/version") or "").strip() == "6.12.12"
    assert ReplayReader(tmp_path).names("/sys/module/amdgpu") == ("initstate", "version")


def test_a_file_that_was_not_there_is_not_there(tmp_path: Path) -> None:
    put(
        tmp_path, x="$ cat /opt/rocm/.info/version\ncat: /opt/rocm/.info/version: No such file or directory\n"
    )

    assert ReplayReader(tmp_path).text("/opt/rocm/.info/version") is None


def test_links_do_not_lead_out_of_the_recording(tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("6.66.6")
    module = tmp_path / "case" / "sys" / "module" / "amdgpu"
    module.mkdir(parents=True)
    (module / "version").symlink_to(tmp_path / "outside")
    (tmp_path / "case" / "loose.txt").symlink_to("/etc/os-release")

    reader = ReplayReader(tmp_path / "case")

    assert reader.text("/sys/module/amdgpu/version") is None
    assert collect(reader).host.os is None


def test_output_in_sixteen_bit_characters_is_read(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_bytes("ROCk module version 6.7.0 is loaded\r\n".encode("utf-16"))

    assert collect(ReplayReader(tmp_path)).driver.version == "6.7.0"


def test_binary_empty_and_odd_files_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "core").write_bytes(bytes(range(256)) * 400)
    (tmp_path / "empty").write_bytes(b"")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder.json").mkdir()

    facts = collect(ReplayReader(tmp_path))

    assert facts.gpus == ()
    assert facts.notes == ()


def test_a_file_that_was_not_there_is_not_there_in_any_language(tmp_path: Path) -> None:
    put(tmp_path, x="$ cat /opt/rocm/.info/version\ncat: /opt/rocm/.info/version: Datei nicht gefunden\n")

    assert ReplayReader(tmp_path).text("/opt/rocm/.info/version") is None


def test_files_printed_by_one_command_are_told_apart_by_their_order(tmp_path: Path) -> None:
    put(tmp_path, x="$ cat /sys/module/amdgpu/version /sys/module/amdgpu/initstate\n6.12.12\nlive\n")

    assert ReplayReader(tmp_path).text("/sys/module/amdgpu/initstate") == "live\n"


def test_nodes_printed_behind_each_other_keep_their_numbers(tmp_path: Path) -> None:
    put(
        tmp_path,
        x="cpu_cores_count 64\nsimd_count 0\ncpu_cores_count 0\nsimd_count 416\nsimd_per_cu 4\n"
        "gfx_target_version 90010\n",
    )

    (gpu,) = collect(ReplayReader(tmp_path)).gpus

    assert (gpu.node, gpu.gfx, gpu.compute_units) == (1, "gfx90a", 104)


def test_paths_and_contents_on_one_line_are_files(tmp_path: Path) -> None:
    nodes = "/sys/class/kfd/kfd/topology/nodes"
    put(
        tmp_path,
        x=f"$ grep gfx_target_version {nodes}/*/properties\n{nodes}/0/properties:gfx_target_version 0\n"
        f"{nodes}/1/properties:gfx_target_version 90402\n",
    )

    assert [(g.node, g.gfx) for g in collect(ReplayReader(tmp_path)).gpus] == [(1, "gfx942")]


def test_the_bus_address_in_a_path_is_no_end_of_it(tmp_path: Path) -> None:
    put(
        tmp_path,
        x="/sys/bus/pci/devices/0000:05:00.0/vendor:0x1002\n/sys/bus/pci/devices/0000:05:00.0/device:0x74a1\n",
    )

    assert ReplayReader(tmp_path).text("/sys/bus/pci/devices/0000:05:00.0/device") == "0x74a1\n"
