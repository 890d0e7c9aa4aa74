from __future__ import annotations

from rocm_ci.gpu.collectors.driver import collect
from tests.fakes import MemoryReader

MODULE = "/sys/module/amdgpu"


def test_a_module_has_a_state_and_a_version() -> None:
    found = collect(MemoryReader(files={f"{MODULE}/initstate": "live\n", f"{MODULE}/version": "6.12.12\n"}))

    assert found.driver == {"loaded": True, "built_in": False, "version": "6.12.12"}


def test_a_driver_without_a_state_file_is_built_in_and_not_missing() -> None:
    found = collect(MemoryReader(files={f"{MODULE}/parameters/ppfeaturemask": "1\n"}))

    assert found.driver == {"loaded": True, "built_in": True}


def test_a_machine_with_modules_but_without_this_one_has_no_driver() -> None:
    found = collect(MemoryReader(files={"/sys/module/kvm/initstate": "live\n"}))

    assert found.driver == {"loaded": False}
    assert "not loaded" in found.problem


def test_a_recording_without_modules_says_nothing() -> None:
    assert collect(MemoryReader()).driver == {}


def test_modinfo_tells_what_lies_on_disk() -> None:
    text = "filename:       /lib/modules/6.8.0/updates/dkms/amdgpu.ko.zst\nversion:        6.12.12\n"

    assert collect(MemoryReader(recordings=(text,))).driver == {"on_disk": "6.12.12"}


def test_modinfo_tells_a_driver_that_is_part_of_the_kernel() -> None:
    text = "name:           amdgpu\nfilename:       (builtin)\nlicense:        GPL and additional rights\n"

    assert collect(MemoryReader(recordings=(text,))).driver == {"built_in": True}


def test_a_module_that_is_going_is_not_loaded() -> None:
    found = collect(MemoryReader(files={f"{MODULE}/initstate": "going\n"}))

    assert found.driver == {"loaded": False, "built_in": False}
