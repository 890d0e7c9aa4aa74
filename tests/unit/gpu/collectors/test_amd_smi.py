from __future__ import annotations

import json
from typing import Any

import pytest

from rocm_ci.gpu.collectors.amd_smi import collect
from rocm_ci.gpu.observation import Observation
from tests.fakes import MemoryReader

STATIC: dict[str, Any] = {
    "gpu": 0,
    "asic": {
        "market_name": "AMD Instinct MI300X",
        "device_id": "0x74a1",
        "asic_serial": "0xSECRET",
        "num_compute_units": "304",
        "target_graphics_version": "gfx942",
    },
    "bus": {"bdf": "0000:0C:00.0"},
    "driver": {"name": "amdgpu", "version": "6.12.12"},
    "vram": {"size": {"value": 196592, "unit": "MB"}},
    "limit": {"max_power": {"value": 750, "unit": "W"}, "socket_power": {"value": 600, "unit": "W"}},
    "partition": {"accelerator_partition": "CPX", "memory_partition": "NPS4"},
}


def observe(*outputs: object) -> Observation:
    texts = tuple(o if isinstance(o, str) else json.dumps(o, indent=4) for o in outputs)
    return collect(MemoryReader(recordings=texts))


@pytest.mark.parametrize(
    "document", [[STATIC], {"gpu_data": [STATIC]}, STATIC], ids=["list", "object", "single"]
)
def test_the_layouts_of_all_releases_say_the_same(document: object) -> None:
    found = observe(document)

    values = found.devices[0].values
    assert values["bus"] == "0000:0c:00.0"
    assert values["compute_units"] == 304
    assert values["vram_bytes"] == 196592 << 20
    assert values["power_cap_w"] == 600
    assert (values["compute_partition"], values["memory_partition"]) == ("CPX", "NPS4")
    assert found.driver["version"] == "6.12.12"
    assert "SECRET" not in repr(found)


@pytest.mark.parametrize(
    ("limit", "watts"),
    [
        (
            {
                "ppt0": {
                    "max_power_limit": {"value": 1400, "unit": "W"},
                    "socket_power_limit": {"value": 1000, "unit": "W"},
                }
            },
            1000,
        ),
        ({"max_power": 750, "socket_power": "N/A"}, 750),
        ({"power_cap": "300 W"}, 300),
        ("N/A", None),
    ],
    ids=["ppt", "only the maximum", "old", "none"],
)
def test_the_power_cap_is_found_under_every_name(limit: object, watts: int | None) -> None:
    values = observe([STATIC | {"limit": limit}]).devices[0].values

    assert values["power_cap_w"] == watts


def test_subcommands_are_joined_by_device_number() -> None:
    listing = [
        {"gpu": 0, "bdf": "0000:0c:00.0", "uuid": "c0ffee", "kfd_id": 28851, "node_id": 2, "partition_id": 3}
    ]
    firmware = {"gpu_data": [{"gpu": 0, "fw_list": [{"fw_id": "SMC", "fw_version": "00.85.118.00"}]}]}
    metric = [
        {
            "gpu": 0,
            "power": {"socket_power": {"value": 133, "unit": "W"}},
            "mem_usage": {"used_vram": "300 MB"},
        }
    ]

    device = observe([STATIC], listing, firmware, metric).devices[0]

    assert device.values["node"] == 2
    assert device.values["partition"] == 3
    assert device.values["power_w"] == 133.0
    assert device.values["vram_used_bytes"] == 300 << 20
    assert device.firmware == {"SMC": "00.85.118.00"}


def test_text_is_read_like_json() -> None:
    text = (
        "GPU: 0\n    ASIC:\n        MARKET_NAME: MI300A\n        DEVICE_ID: 0x74a0\n    BUS:\n"
        "        BDF: 0001:01:00.0\n    VRAM:\n        SIZE: 64289 MB\n    FW_LIST:\n        FW 0:\n"
        "            FW_ID: SMC\n            FW_VERSION: 04.85.90.00\n\nGPU: 1\n    ASIC:\n        MARKET_NAME: N/A\n"
    )

    first, second = observe(text).devices

    assert first.values["name"] == "MI300A"
    assert first.values["bus"] == "0001:01:00.0"
    assert first.values["vram_bytes"] == 64289 << 20
    assert first.firmware == {"SMC": "04.85.90.00"}
    assert second.values["name"] is None


def test_a_table_of_partitions_keeps_each_device() -> None:
    table = "gpu,gpu_bdf,gpu_uuid\n0,0000:0c:00.0,aa\n1,0000:0c:00.0,aa\n"

    assert [d.values["bus"] for d in observe(table).devices] == ["0000:0c:00.0", "0000:0c:00.0"]


def test_the_partition_list_says_modes() -> None:
    document = {
        "current_partition": [{"gpu_id": 0, "memory": "NPS4", "accelerator_type": "CPX", "partition_id": "0"}]
    }

    values = observe(document).devices[0].values

    assert (values["compute_partition"], values["memory_partition"]) == ("CPX", "NPS4")


def test_versions_come_from_the_line_and_from_json() -> None:
    line = "AMDSMI Tool: 26.5.0+4c1b9d02 | AMDSMI Library version: 26.5.0 | ROCm version: 10.0.0 | amdgpu version: 6.18.4\n"
    document = [
        {
            "tool": "AMDSMI Tool",
            "version": "25.5.1",
            "amdsmi_library_version": "25.5.1",
            "rocm_version": "6.4.1",
        }
    ]

    assert observe(line).rocm == {"version": "10.0.0", "amd_smi": "26.5.0+4c1b9d02"}
    assert observe(line).driver["version"] == "6.18.4"
    assert observe(document).rocm == {"version": "6.4.1", "amd_smi": "25.5.1"}


def test_the_kernels_own_driver_has_no_version() -> None:
    found = observe(
        [STATIC | {"driver": {"name": "amdgpu", "version": "Linuxversion6.8.0-79-generic(buildd)"}}]
    )

    assert "version" not in found.driver
    assert found.driver["loaded"] is True


def test_a_cut_off_document_is_noted() -> None:
    text = json.dumps({"gpu_data": [STATIC, STATIC | {"gpu": 1}]}, indent=4)

    found = observe(text[: text.rindex('"partition"')])

    assert len(found.devices) == 1
    assert found.notes == ("amd-smi output is cut off: nothing is known of its GPU 1",)


def test_absurd_device_numbers_are_passed_over() -> None:
    assert observe([{"gpu": 10**12}, {"gpu": -1}, {"gpu": "many"}, {"gpu": None}]).devices == ()


@pytest.mark.parametrize(
    ("size", "mib"),
    [(196592, 196592), ("196592", 196592), ({"value": 192, "unit": "GB"}, 192 << 10), ("N/A", None)],
    ids=["plain", "text", "another unit", "none"],
)
def test_a_value_is_plain_text_or_has_a_unit_of_its_own(size: object, mib: int | None) -> None:
    values = observe([STATIC | {"vram": {"size": size}}]).devices[0].values

    assert values["vram_bytes"] == (None if mib is None else mib << 20)


def test_what_one_subcommand_knows_is_not_lost_to_a_later_one_that_does_not() -> None:
    later = {"gpu": 0, "asic": {"market_name": "N/A", "num_compute_units": "N/A"}}

    values = observe([STATIC], [later]).devices[0].values

    assert (values["name"], values["compute_units"]) == ("AMD Instinct MI300X", 304)


def test_a_device_keeps_its_id_of_the_list() -> None:
    uuid = "c0ff74a1-0000-1000-80c0-ffee00000001"

    assert observe([{"gpu": 0, "bdf": "0000:0c:00.0", "uuid": uuid}]).devices[0].values["uuid"] == uuid


@pytest.mark.parametrize(
    "metric",
    [
        {"mem_usage": {"used_vram": {"value": 3072, "unit": "MB"}}},
        {"mem_info": {"vram_used": "3072 MB"}},
        {"vram_used": {"value": 3, "unit": "GB"}},
        {"vram_used_mb": 3072},
    ],
    ids=["usage", "info", "used", "used in its name"],
)
def test_memory_in_use_is_found_under_every_name(metric: dict[str, object]) -> None:
    assert observe([{"gpu": 0} | metric]).devices[0].values["vram_used_bytes"] == 3 << 30


@pytest.mark.parametrize(
    ("kind", "integrated"), [("LPDDR5", True), ("DDR5", True), ("GDDR6", None), ("HBM3", None)]
)
def test_memory_of_the_system_tells_graphics_inside_of_a_processor(
    kind: str, *, integrated: bool | None
) -> None:
    values = (
        observe([STATIC | {"vram": {"type": kind, "size": {"value": 512, "unit": "MB"}}}]).devices[0].values
    )

    assert values.get("integrated") is integrated


def test_a_mode_is_its_name_alone_and_in_capitals() -> None:
    partition = {"accelerator_partition": "cpx/NPS4", "memory_partition": "nps4"}

    values = observe([STATIC | {"partition": partition}]).devices[0].values

    assert (values["compute_partition"], values["memory_partition"]) == ("CPX", "NPS4")
