"""The box that `amd-smi` prints without a subcommand since ROCm 7.0."""

from __future__ import annotations

import pytest

from rocm_ci.gpu import amdsmi_box
from rocm_ci.gpu.collectors.amd_smi import collect
from tests.fakes import MemoryReader

RULE = "+------------------------------------------------------------------------------+"
HEAD = f"""\
{RULE}
| AMD-SMI 26.2.0+0a1b2c3d      amdgpu version: 6.16.6   ROCm version: 7.1.1    |
| VBIOS version: 00159017                                                      |
| Platform: Linux Baremetal                                                    |
|-------------------------------------+----------------------------------------|
| BDF                        GPU-Name | Mem-Uti   Temp   UEC       Power-Usage |
| GPU  HIP-ID  OAM-ID  Partition-Mode | GFX-Uti    Fan               Mem-Usage |
|=====================================+========================================|
"""
FIRST = """\
| 0000:05:00.0    AMD Instinct MI300X | 3 %      40 °C   0           142/750 W |
|   0       0       7        DPX/NPS2 | 97 %       N/A         14283/196592 MB |
|-------------------------------------+----------------------------------------|
"""
SECOND = """\
| 0000:26:00.0 ...Instinct MI300X OAM | N/A        N/A   2           N/A/750 W |
|   1       1     N/A             N/A | N/A        N/A            492/98296 MB |
+-------------------------------------+----------------------------------------+
"""
BOX = HEAD + FIRST + SECOND


def test_every_line_of_the_box_is_read() -> None:
    found = collect(MemoryReader(recordings=(BOX,)))

    first, second = (device.values for device in found.devices)
    assert found.driver["version"] == "6.16.6"
    assert (found.rocm["version"], found.rocm["amd_smi"]) == ("7.1.1", "26.2.0+0a1b2c3d")
    assert (first["bus"], first["name"]) == ("0000:05:00.0", "AMD Instinct MI300X")
    assert (first["compute_partition"], first["memory_partition"]) == ("DPX", "NPS2")
    assert (first["temperature_c"], first["power_w"], first["power_cap_w"]) == (40, 142, 750)
    assert (first["vram_used_bytes"], first["vram_bytes"]) == (14283 << 20, 196592 << 20)
    assert (first["busy_pct"], first["ecc_uncorrectable"]) == (97, 0)
    assert (second["bus"], second["vram_bytes"]) == ("0000:26:00.0", 98296 << 20)


def test_what_a_device_does_not_tell_is_unknown_and_what_it_tells_beside_it_counts() -> None:
    second = collect(MemoryReader(recordings=(BOX,))).devices[1].values

    assert (second.get("temperature_c"), second.get("power_w"), second.get("busy_pct")) == (None, None, None)
    assert second.get("compute_partition") is None
    assert (second["power_cap_w"], second["ecc_uncorrectable"]) == (750, 2)


def test_a_name_without_its_beginning_is_none() -> None:
    assert collect(MemoryReader(recordings=(BOX,))).devices[1].values.get("name") is None


def test_the_firmware_of_one_kind_is_that_of_all_and_of_several_nobodys() -> None:
    assert collect(MemoryReader(recordings=(HEAD + FIRST,))).devices[0].firmware == {"IFWI": "00159017"}
    assert all(device.firmware == {} for device in collect(MemoryReader(recordings=(BOX,))).devices)


@pytest.mark.parametrize(("platform", "guest"), [("Linux Baremetal", None), ("Linux Guest", True)])
def test_a_guest_is_told_from_a_host(platform: str, *, guest: bool | None) -> None:
    found = collect(MemoryReader(recordings=(BOX.replace("Linux Baremetal", platform),)))

    assert found.driver.get("guest") is guest


def test_a_driver_of_the_kernels_own_tree_has_no_version() -> None:
    driver = collect(MemoryReader(recordings=(BOX.replace("6.16.6  ", "Linuxver"),))).driver

    assert (driver["in_tree"], driver.get("version")) == (True, None)


def test_a_cap_of_0_watts_is_none() -> None:
    apu = FIRST.replace("        142/750 W", "          N/A/0 W")

    assert collect(MemoryReader(recordings=(HEAD + apu,))).devices[0].values.get("power_cap_w") is None


@pytest.mark.parametrize("margin", ["    ", "> ", "\t"])
def test_a_box_that_was_indented_or_quoted_is_the_same(margin: str) -> None:
    text = "".join(f"{margin}{line}" for line in BOX.splitlines(keepends=True))

    assert amdsmi_box.looks_like(text)
    assert amdsmi_box.records(text) == amdsmi_box.records(BOX)


def test_another_table_is_no_box() -> None:
    assert not amdsmi_box.looks_like("| NVIDIA-SMI 550.54  Driver Version: 550.54  CUDA Version: 12.4 |")
    assert amdsmi_box.records("| AMD-SMI |") == []
