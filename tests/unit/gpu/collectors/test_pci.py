from __future__ import annotations

from rocm_ci.gpu.collectors.pci import collect
from tests.fakes import MemoryReader

BUS = "/sys/bus/pci/devices/0000:0c:00.0"
CARD = {
    f"{BUS}/vendor": "0x1002\n",
    f"{BUS}/device": "0x74a1\n",
    f"{BUS}/class": "0x120000\n",
    f"{BUS}/uevent": "DRIVER=amdgpu\nPCI_SLOT_NAME=0000:0c:00.0\n",
    f"{BUS}/mem_info_vram_total": "206141652992\n",
    f"{BUS}/vbios_version": "113-M3000100-102\n",
    f"{BUS}/current_compute_partition": "CPX\n",
    f"{BUS}/current_memory_partition": "NPS4\n",
    f"{BUS}/hwmon/hwmon7/power1_cap": "750000000\n",
    f"{BUS}/hwmon/hwmon7/temp2_input": "35000\n",
    f"{BUS}/fw_version/smc_fw_version": "0x00557300\n",
    f"{BUS}/fw_version/vcn_fw_version": "0x00000000\n",
    f"{BUS}/unique_id": "c0ffee\n",
    f"{BUS}/serial_number": "c0ffee\n",
}


def test_a_card_tells_memory_firmware_modes_and_power() -> None:
    device = collect(MemoryReader(files=CARD)).devices[0]

    assert device.values["vram_bytes"] == 206141652992
    assert device.values["vbios"] == "113-M3000100-102"
    assert (device.values["compute_partition"], device.values["memory_partition"]) == ("CPX", "NPS4")
    assert device.values["power_cap_w"] == 750
    assert device.values["temperature_c"] == 35.0
    assert device.firmware == {"SMC": "0x00557300"}
    assert "c0ffee" not in repr(device)


def test_other_vendors_and_other_classes_are_passed_over() -> None:
    files = {
        "/sys/bus/pci/devices/0000:01:00.0/vendor": "0x10de\n",
        "/sys/bus/pci/devices/0000:02:00.0/vendor": "0x1002\n",
        "/sys/bus/pci/devices/0000:02:00.0/class": "0x040300\n",
    }

    found = collect(MemoryReader(files=files))

    assert found.devices == ()
    assert found.problem == "no AMD GPU on the PCI bus in /sys"


def test_a_card_below_drm_is_the_same_card() -> None:
    drm = {name.replace(BUS, "/sys/class/drm/card1/device"): text for name, text in CARD.items()}

    assert len(collect(MemoryReader(files=CARD | drm)).devices) == 1
    assert collect(MemoryReader(files=drm)).devices[0].values["bus"] == "0000:0c:00.0"


def test_a_virtual_function_has_a_physical_one() -> None:
    assert (
        collect(MemoryReader(files=CARD | {f"{BUS}/physfn/vendor": "0x1002"}))
        .devices[0]
        .values["virtual_function"]
    )


def test_memory_errors_of_all_blocks_are_added_up() -> None:
    counts = {
        f"{BUS}/ras/umc_err_count": "ue: 1\nce: 40\n",
        f"{BUS}/ras/sdma_err_count": "ue: 0\nce: 2\n",
        f"{BUS}/ras/features": "feature mask: 0x7\n",
    }

    values = collect(MemoryReader(files=CARD | counts)).devices[0].values

    assert (values["ecc_correctable"], values["ecc_uncorrectable"]) == (42, 1)
    assert "ecc_correctable" not in collect(MemoryReader(files=CARD)).devices[0].values
