from __future__ import annotations

import pytest

from rocm_ci.gpu import collectors
from rocm_ci.gpu.collect import collect, inventory, primary
from rocm_ci.gpu.collectors.kfd import NODES
from rocm_ci.gpu.live import LiveReader
from rocm_ci.gpu.observation import Collector
from rocm_ci.gpu.reader import Answer, Tool
from rocm_ci.model.facts import Facts, Gpu
from rocm_ci.registry import load
from tests.fakes import FakeRunner, MemoryReader


def card(**more: int) -> str:
    properties = {
        "simd_count": 1216,
        "simd_per_cu": 4,
        "gfx_target_version": 90402,
        "device_id": 29857,
        "wave_front_size": 64,
        "lds_size_in_kb": 64,
    }
    return "".join(f"{key} {value}\n" for key, value in (properties | more).items())


def test_every_source_is_found_by_its_module() -> None:
    found = load(collectors, "COLLECTOR", Collector)

    assert {
        "host",
        "kfd",
        "pci",
        "driver",
        "rocminfo",
        "amd_smi",
        "rocm_smi",
        "rocm",
        "torch",
        "toolchain",
    } <= set(found)


def test_a_machine_without_a_gpu_is_a_fact_with_reasons(tmp_path: object) -> None:
    reader = MemoryReader(
        files={"/sys/module/kvm/initstate": "live", "/proc/cpuinfo": "model name : AMD EPYC\n"}
    )

    facts = collect(reader)

    assert facts.gpus == ()
    assert facts.driver.loaded is False
    assert facts.hardware_key == "cpu-only: AMD EPYC"
    assert {u.name: u.reason for u in facts.unknown}[
        "gpus"
    ] == "no /sys/class/kfd: the amdgpu driver is not loaded"


def test_tools_that_are_not_installed_are_the_reason_for_what_is_unknown() -> None:
    reader = LiveReader(FakeRunner(), {"PATH": "/nowhere"})

    reasons = {u.name: u.reason for u in collect(reader).unknown}

    assert "hipconfig is not installed" in reasons["rocm.version"]
    assert "amd-smi is not installed" in reasons["rocm.version"]
    assert reasons["rocm.torch"] == "python3 is not installed"


def test_a_source_that_breaks_hides_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(MemoryReader):
        def ask(self, tool: Tool) -> Answer:
            if tool.name == "rocminfo":
                raise RecursionError("too deep")
            return super().ask(tool)

    facts = collect(Broken(files={f"{NODES}/1/properties": card()}))

    assert [gpu.gfx for gpu in facts.gpus] == ["gfx942"]
    assert facts.notes == ("rocm-ci could not understand rocminfo: RecursionError: too deep",)


def test_partitions_of_a_card_are_devices_of_their_own() -> None:
    files = {
        f"{NODES}/{n + 2}/properties": card(simd_count=152, location_id=0x0C00 + n, drm_render_minor=128 + n)
        for n in range(8)
    }
    bus = "/sys/bus/pci/devices/0000:0c:00.0"
    files |= {
        f"{bus}/vendor": "0x1002",
        f"{bus}/class": "0x120000",
        f"{bus}/device": "0x74a1",
        f"{bus}/mem_info_vram_total": "206141652992",
        f"{bus}/current_compute_partition": "CPX",
        f"{bus}/current_memory_partition": "NPS4",
    }
    listing = "".join(f"{n},0000:0c:00.0,c0ffee\n" for n in range(8))

    facts = collect(MemoryReader(files=files, recordings=("gpu,gpu_bdf,gpu_uuid\n" + listing,)))

    assert len(facts.gpus) == 8
    assert {gpu.compute_units for gpu in facts.gpus} == {38}
    assert {gpu.compute_partition for gpu in facts.gpus} == {"CPX"}
    # The card's memory is not the partition's.
    assert {gpu.vram_bytes for gpu in facts.gpus} == {None}
    assert "gpus[*].vram_bytes" in {u.name for u in facts.unknown}
    assert facts.conflicts == ()


def test_gpus_that_the_runtime_hides_are_marked() -> None:
    files = {f"{NODES}/{n}/properties": card() for n in (1, 2)}
    rocminfo = "ROCk module is loaded\nAgent 2\n  Name: gfx942\n  Node: 2\n  Device Type: GPU\n"

    facts = collect(MemoryReader(files=files, recordings=(rocminfo,)))

    assert [gpu.visible for gpu in facts.gpus] == [False, True]
    assert facts.conflicts[0].name == "gpu count"
    assert facts.conflicts[0].said == {"kfd": "2", "rocminfo": "1"}


def test_sources_that_disagree_about_a_target_are_told() -> None:
    smi = '{"card0": {"GFX Version": "gfx940", "Node ID": "1"}, "system": {}}'

    facts = collect(MemoryReader(files={f"{NODES}/1/properties": card()}, recordings=(smi,)))

    assert facts.gpus[0].gfx == "gfx942"
    assert [c.name for c in facts.conflicts] == ["gpus[0].gfx"]


def test_ids_of_devices_stay_beside_the_facts() -> None:
    smi = '{"card0": {"Unique ID": "0xc0ffee", "Card Series": "MI300X"}, "system": {}}'

    found = inventory(MemoryReader(recordings=(smi,)))

    assert found.uuids == ("0xc0ffee",)
    assert "c0ffee" not in repr(found.facts)


def test_a_bus_full_of_cards_without_a_driver_is_said() -> None:
    lspci = "0c:00.0 Processing accelerators [1200]: Advanced Micro Devices, Inc. [AMD/ATI] X [1002:74a1]\n"

    facts = collect(MemoryReader(recordings=(lspci,)))

    assert facts.gpus == ()
    assert facts.unknown[0].reason == "1 AMD GPU(s) on the PCI bus, but the amdgpu driver is not loaded"


def test_a_card_comes_before_a_processors_graphics_and_a_hidden_card_after_all() -> None:
    gpus = (
        Gpu(index=0, integrated=True, vram_bytes=1 << 40),
        Gpu(index=1, integrated=False, visible=False),
        Gpu(index=2, integrated=False),
    )

    assert primary(Facts(gpus=gpus)) == 2
    assert primary(Facts()) is None


def test_the_kernels_release_is_labelled_where_it_stands_in() -> None:
    uname = "Linux h 6.12.63-ci #1 SMP x86_64 GNU/Linux\n"

    built_in = collect(
        MemoryReader(
            files={"/sys/module/amdgpu/parameters/x": "1", f"{NODES}/1/properties": card()},
            recordings=(uname,),
        )
    )
    told = collect(
        MemoryReader(recordings=(uname, '{"card0": {}, "system": {"Driver version": "6.12.63-ci"}}'))
    )

    assert (built_in.driver.version, built_in.driver.source) == (None, "part of kernel 6.12.63-ci")
    assert told.driver.source == "rocm-smi: the kernel's release stands in for a version"


def test_cards_of_other_jobs_on_the_same_host_are_not_lost_cards() -> None:
    files = {f"{NODES}/1/properties": card(location_id=0x0C00), f"{NODES}/2/properties": ""}
    for address in ("0000:0c:00.0", "0000:22:00.0"):
        files |= {
            f"/sys/bus/pci/devices/{address}/vendor": "0x1002",
            f"/sys/bus/pci/devices/{address}/class": "0x120000",
        }

    isolated = collect(MemoryReader(files=files))
    broken = collect(MemoryReader(files={k: v for k, v in files.items() if v}))

    assert len(isolated.gpus) == len(broken.gpus) == 1
    assert not [note for note in isolated.notes if "is listed by" in note]
    assert [note for note in broken.notes if note.startswith("0000:22:00.0: ")]


@pytest.mark.parametrize(("device", "is_virtual"), [(0x74B5, True), (0x74A1, False)])
def test_a_virtual_function_is_known_by_its_id_whatever_tools_call_it(
    device: int, *, is_virtual: bool
) -> None:
    called = '[{"gpu": 0, "asic": {"market_name": "AMD Instinct MI300X"}}]'
    files = {f"{NODES}/1/properties": card(device_id=device)}

    facts = collect(MemoryReader(files=files, recordings=(called,)))

    assert facts.gpus[0].name == "AMD Instinct MI300X"
    assert facts.gpus[0].virtual_function is is_virtual


def test_in_a_guest_every_gpu_is_a_virtual_function() -> None:
    files = {f"{NODES}/1/properties": card()}
    said = (
        "AMDSMI Tool: 26.0.0+37d158ab | AMDSMI Library version: 26.0.0 | ROCm version: 7.0.0 | "
        "Platform: Linux Guest\n"
    )

    facts = collect(MemoryReader(files=files, recordings=(said,)))

    assert facts.gpus[0].virtual_function is True
