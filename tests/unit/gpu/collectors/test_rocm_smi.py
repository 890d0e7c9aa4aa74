from __future__ import annotations

import json

import pytest

from rocm_ci.gpu.collectors.rocm_smi import collect
from rocm_ci.gpu.observation import Observation
from tests.fakes import MemoryReader


def observe(*texts: str) -> Observation:
    return collect(MemoryReader(recordings=texts))


def test_json_between_warnings_is_found_and_the_warnings_are_kept() -> None:
    card = {
        "Card Series": "AMD Instinct MI300X",
        "Card Model": "0x74a1",
        "GFX Version": "gfx942",
        "Node ID": "2",
    }
    text = (
        "WARNING: low-power state {see documentation}\n\n"
        + json.dumps({"card0": card, "system": {"Driver version": "6.10.5", "PID1": "python, 1"}})
        + "\nWARNING:\t\t One or more commands failed\n"
    )

    found = observe(text)

    assert found.devices[0].values["device_id"] == "0x74a1"
    assert found.driver["version"] == "6.10.5"
    assert found.notes == (
        "rocm-smi warns: low-power state {see documentation}",
        "rocm-smi warns: One or more commands failed",
    )


def test_labels_of_rocm_5_are_understood_and_the_boards_id_is_not_the_devices() -> None:
    card = {
        "GPU ID": "0x740f",
        "Unique ID": "0x33d8808f71bf6cd4",
        "Serial Number": "692224000227",
        "Card series": "Instinct MI210",
        "Card model": "0x0c34",
        "PCI Bus": "0000:2F:00.0",
        "Max Graphics Package Power (W)": "300.0",
        "sclk clock speed:": "(800Mhz)",
        "MEC firmware version": "71",
        "CE firmware version": "0",
        "ASD firmware version": "0x00000000",
    }

    device = observe(json.dumps({"card0": card})).devices[0]

    assert device.values["device_id"] == "0x740f"
    assert device.values["bus"] == "0000:2f:00.0"
    assert device.values["power_cap_w"] == 300
    assert device.values["sclk_mhz"] == 800
    assert device.firmware == {"MEC": "71"}
    assert "692224000227" not in repr(device)


def test_csv_is_read_by_its_heads_and_not_by_position() -> None:
    new = 'device,VRAM Total Used Memory (B),VRAM Total Memory (B),Card Series\ncard0,2,9,"RX 7600, 7600M"\n'

    values = observe(new).devices[0].values

    assert (values["vram_used_bytes"], values["vram_bytes"], values["name"]) == (2, 9, "RX 7600, 7600M")


def test_the_systems_row_of_an_old_csv_is_no_card() -> None:
    found = observe("device,Card series,Card model\ncard0,Arcturus,0x0c34\ncardsystem,5.11.32\n")

    assert len(found.devices) == 1
    assert found.devices[0].values.get("device_id") is None
    assert found.driver["version"] == "5.11.32"


def test_several_csv_blocks_are_joined_by_card() -> None:
    text = (
        "device,Card Series\ncard0,MI300X\ncard1,MI300X\n\ndevice,VRAM Total Memory (B)\ncard0,7\ncard1,8\n"
    )

    assert [d.values["vram_bytes"] for d in observe(text).devices] == [7, 8]


def test_labelled_text_is_read() -> None:
    text = (
        "Driver version: 6.12.12\n"
        "GPU[0]\t\t: Card Series: \t\tAMD Instinct MI300X\n"
        "GPU[0]\t\t: GUID: \t\t28851\n"
        "GPU[1]\t\t: Compute Partition: CPX\n"
    )

    first, second = observe(text).devices

    assert (first.values["name"], first.values["kfd_id"]) == ("AMD Instinct MI300X", 28851)
    assert second.values["compute_partition"] == "CPX"


def test_the_concise_table_is_better_than_nothing() -> None:
    text = (
        "=== ROCm System Management Interface ===\n"
        "0       [0x74a1 : 0x00]       35.0°C      133.0W    NPS1, SPX       131Mhz  900Mhz  0%   auto  750.0W    0%   0%\n"
        "        AMD Instinct MI300X\n"
    )

    values = observe(text).devices[0].values

    assert values["device_id"] == "0x74a1"
    assert (values["compute_partition"], values["memory_partition"]) == ("SPX", "NPS1")
    assert values["power_cap_w"] == 750


def test_an_error_on_a_green_exit_code_gives_no_device() -> None:
    found = observe("ERROR:root:Driver not initialized (amdgpu not found in modules)\n")

    assert found.devices == ()
    assert found.driver == {}


@pytest.mark.parametrize(
    ("total", "used"),
    [
        ("VRAM Total Memory (B)", "VRAM Total Used Memory (B)"),
        ("VRAM total memory (B)", "VRAM used memory (B)"),
        ("Total VRAM Memory (B)", "VRAM Used Memory (B)"),
    ],
)
def test_memory_is_found_under_the_labels_of_every_release(total: str, used: str) -> None:
    table = observe(f"device,{used},{total}\ncard0,297627648,206141652992\n").devices[0].values
    document = observe(json.dumps({"card0": {total: "206141652992", used: "297627648"}})).devices[0].values

    assert table == document
    assert (table["vram_bytes"], table["vram_used_bytes"]) == (206141652992, 297627648)
