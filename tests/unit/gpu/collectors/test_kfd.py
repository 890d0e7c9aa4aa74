from __future__ import annotations

import pytest

from rocm_ci.gpu.collectors.kfd import NODES, collect, target
from tests.fakes import MemoryReader

CARD = """\
cpu_cores_count 0
simd_count 1216
lds_size_in_kb 64
wave_front_size 64
simd_per_cu 4
gfx_target_version 90402
vendor_id 4098
device_id 29857
location_id 29952
domain 1
drm_render_minor 136
local_mem_size 0
num_xcc 8
fw_version 166
unique_id 12345678901234567890
"""


def nodes(**texts: str) -> MemoryReader:
    return MemoryReader(
        files={f"{NODES}/{n.removeprefix('n')}/properties": text for n, text in texts.items()}
    )


@pytest.mark.parametrize(
    ("encoded", "name"),
    [
        (90010, "gfx90a"),
        (90402, "gfx942"),
        (90500, "gfx950"),
        (90012, "gfx90c"),
        (100306, "gfx1036"),
        (110501, "gfx1151"),
        (120001, "gfx1201"),
        (0, None),
        (99999, None),
    ],
)
def test_target_versions_are_decimal_with_hexadecimal_digits(encoded: int, name: str | None) -> None:
    assert target(encoded) == name


def test_a_gpu_node_is_read_and_a_processor_node_is_not() -> None:
    found = collect(nodes(n0="cpu_cores_count 96\nsimd_count 0\n", n2=CARD))

    assert len(found.devices) == 1
    values = found.devices[0].values
    assert values["node"] == 2
    assert values["gfx"] == "gfx942"
    assert values["compute_units"] == 304
    assert values["bus"] == "0001:75:00.0"
    assert values["render"] == "renderD136"
    assert values["xcc"] == 8
    assert found.devices[0].firmware == {"MEC": "166"}
    assert "uuid" not in values


def test_nodes_are_ordered_by_number_and_not_as_text() -> None:
    found = collect(nodes(n10=CARD, n9=CARD))

    assert [d.values["node"] for d in found.devices] == [9, 10]


def test_memory_is_the_sum_of_the_devices_own_banks() -> None:
    reader = nodes(n1=CARD)
    reader.files |= {
        f"{NODES}/1/mem_banks/0/properties": "heap_type 1\nsize_in_bytes 206141652992\n",
        f"{NODES}/1/mem_banks/1/properties": "heap_type 0\nsize_in_bytes 999\n",
    }

    assert collect(reader).devices[0].values["vram_bytes"] == 206141652992


def test_a_node_of_an_old_driver_has_no_target_but_an_id() -> None:
    text = "simd_count 256\nsimd_per_cu 4\nwave_front_size 64\ndevice_id 26720\n"

    values = collect(nodes(n1=text)).devices[0].values

    assert "gfx" not in values
    assert values["device_id"] == "0x6860"
    assert values["compute_units"] == 64


def test_nodes_that_the_control_group_hides_are_noted() -> None:
    found = collect(nodes(n1=CARD, n2=""))

    assert len(found.devices) == 1
    assert found.notes == ("1 KFD node(s) cannot be read: [2]",)


def test_no_topology_on_a_machine_means_no_driver() -> None:
    assert "driver is not loaded" in collect(MemoryReader(files={"/sys/module/x/version": "1"})).problem
    assert collect(MemoryReader()).problem == "no sys tree was recorded"


def test_garbage_in_a_node_is_passed_over() -> None:
    assert collect(nodes(n1="simd_count many\n\x00\x00", n2="simd_count 9" + "9" * 400)).devices == ()


def test_a_driver_that_is_loaded_without_a_topology_is_not_called_missing() -> None:
    found = collect(MemoryReader(files={"/sys/module/amdgpu/version": "7.1.8.12\n"}))

    assert found.problem == "no /sys/class/kfd, though the amdgpu driver is loaded"


@pytest.mark.parametrize("kib", [64, 160])
def test_lds_is_what_the_node_says_in_bytes(kib: int) -> None:
    found = collect(nodes(n1=CARD.replace("lds_size_in_kb 64", f"lds_size_in_kb {kib}")))

    assert found.devices[0].values["lds_bytes"] == kib * 1024
