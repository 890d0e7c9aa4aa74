from __future__ import annotations

import msgspec

from rocm_ci.gpu.key import hardware_key
from rocm_ci.model.facts import Driver, Facts, Gpu, GpuState, Host, Rocm

CARD = Gpu(
    index=0,
    name="AMD Instinct MI300X",
    gfx="gfx942",
    device_id="0x74a1",
    compute_partition="SPX",
    memory_partition="NPS1",
    power_cap_w=750,
)
MACHINE = Facts(
    host=Host(kernel="6.8.0-60-generic", image="sha256:1c9d"),
    driver=Driver(loaded=True, version="6.12.12"),
    rocm=Rocm(version="6.4.1"),
    gpus=(CARD,),
)
replace = msgspec.structs.replace


def test_the_key_names_what_speed_depends_on() -> None:
    assert hardware_key(MACHINE) == (
        "AMD Instinct MI300X (gfx942, 0x74a1, SPX/NPS1, 750 W) / ROCm 6.4.1 / amdgpu 6.12.12 / image sha256:1c9d"
    )


def test_number_of_gpus_and_momentary_state_do_not_change_the_key() -> None:
    busy = replace(CARD, index=1, state=GpuState(power_w=700.0, sclk_mhz=2100), bus="0000:22:00.0")

    assert hardware_key(replace(MACHINE, gpus=(CARD, busy))) == hardware_key(MACHINE)


def test_everything_that_changes_speed_changes_the_key() -> None:
    changed = (
        replace(MACHINE, gpus=(replace(CARD, compute_partition="CPX"),)),
        replace(MACHINE, gpus=(replace(CARD, power_cap_w=600),)),
        replace(MACHINE, gpus=(replace(CARD, virtual_function=True),)),
        replace(MACHINE, gpus=(replace(CARD, device_id="0x74b5"),)),
        replace(MACHINE, rocm=Rocm(version="10.0.0")),
        replace(MACHINE, driver=Driver(loaded=True, version="6.18.4")),
        replace(MACHINE, host=replace(MACHINE.host, image="sha256:ffff")),
    )

    assert len({hardware_key(MACHINE), *map(hardware_key, changed)}) == len(changed) + 1


def test_a_driver_without_a_version_is_named_after_its_kernel() -> None:
    in_tree = Driver(loaded=True, built_in=True, source="part of kernel 6.8.0-60-generic")

    assert "amdgpu of kernel 6.8.0-60-generic" in hardware_key(replace(MACHINE, driver=in_tree))
    assert "amdgpu ? kernel 6.8.0-60-generic" in hardware_key(replace(MACHINE, driver=Driver(loaded=True)))


def test_without_a_gpu_the_key_is_the_processor() -> None:
    facts = Facts(host=Host(cpu="AMD EPYC 9654 96-Core Processor"))

    assert hardware_key(facts) == "cpu-only: AMD EPYC 9654 96-Core Processor"
