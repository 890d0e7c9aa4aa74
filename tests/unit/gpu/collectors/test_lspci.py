from __future__ import annotations

from rocm_ci.gpu.collectors.lspci import collect
from tests.fakes import MemoryReader

CARD = (
    "0c:00.0 Processing accelerators [1200]: Advanced Micro Devices, Inc. [AMD/ATI] "
    "Aqua Vanjaram [Instinct MI300X] [1002:74a1]\n"
)
DETAILS = (
    "\tSubsystem: Advanced Micro Devices, Inc. [AMD/ATI] Device [1002:74a1]\n\tKernel driver in use: {}\n"
)
DESKTOP = (
    "0000:03:00.0 VGA compatible controller [0300]: Advanced Micro Devices, Inc. [AMD/ATI] "
    "Navi 31 [Radeon RX 7900 XT/7900 XTX] [1002:744c] (rev c8)\n"
)
SOUND = "03:00.1 Audio device [0403]: Advanced Micro Devices, Inc. [AMD/ATI] Navi 31 HDMI [1002:ab30]\n"
OTHER = "65:00.0 VGA compatible controller [0300]: NVIDIA Corporation GH100 [10de:2330]\n"


def test_accelerators_and_displays_of_amd_are_listed_with_the_driver_of_their_own() -> None:
    text = CARD + DETAILS.format("vfio-pci") + SOUND + DETAILS.format("snd_hda_intel") + OTHER + DESKTOP

    first, second = (device.values for device in collect(MemoryReader(recordings=(text,))).devices)

    assert (first["bus"], first["device_id"], first["driver"]) == ("0000:0c:00.0", "0x74a1", "vfio-pci")
    assert (second["bus"], second["device_id"], second["revision"]) == ("0000:03:00.0", "0x744c", "0xc8")
    assert second.get("driver") is None


def test_without_numbers_address_and_name_are_left() -> None:
    text = "03:00.0 VGA compatible controller: Advanced Micro Devices, Inc. [AMD/ATI] Navi 21 (rev c1)\n"

    (device,) = collect(MemoryReader(recordings=(text,))).devices

    assert device.values == {"bus": "0000:03:00.0", "revision": "0xc1", "name": "Navi 21"}


def test_a_machine_without_a_listing_says_so() -> None:
    assert collect(MemoryReader()).problem == "no lspci output"
