from __future__ import annotations

from rocm_ci.gpu.collectors.kernel_messages import collect
from tests.fakes import MemoryReader

UP = """\
[    4.1] [drm] amdgpu kernel modesetting enabled.
[    4.2] amdgpu 0000:03:00.0: amdgpu: VRAM: 196592M 0x0000008000000000 - 0x000000AFFEFFFFFF (196592M used)
[    5.0] [drm] Initialized amdgpu 3.61.0 20150101 for 0000:03:00.0 on minor 1
"""
LOST = "[    3.9] amdgpu 0000:03:00.0: amdgpu: Fatal error during GPU init\n"


def test_a_device_that_failed_at_first_and_came_up_later_is_one() -> None:
    found = collect(MemoryReader(recordings=(LOST + UP,)))

    assert [device.values["bus"] for device in found.devices] == ["0000:03:00.0"]
    assert found.devices[0].values["vram_bytes"] == 196592 << 20
    assert found.notes == ()


def test_a_device_that_the_driver_gave_up_is_a_note_and_no_gpu() -> None:
    found = collect(MemoryReader(recordings=(UP + LOST,)))

    assert found.devices == ()
    assert found.notes == (
        "0000:03:00.0: the kernel log says that the driver gave this device up: Fatal error during GPU init",
    )
