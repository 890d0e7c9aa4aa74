from __future__ import annotations

import pytest

from rocm_ci.gpu.checks import kernel
from rocm_ci.gpu.checks.bus import Bus, Card
from rocm_ci.gpu.checks.kernel import Kernel
from rocm_ci.gpu.checks.machine import Machine, Needs
from rocm_ci.gpu.checks.process import Process
from rocm_ci.model.facts import Driver, Facts, Host
from rocm_ci.model.verdict import Verdict
from tests.fakes import MemoryReader

WANTS_ONE = Needs(wanted={"suite unit": 1})
CARD = Bus(cards=(Card(bus="0000:0c:00.0"),), looked=True)


def unloaded(bus: Bus = CARD, **told: object) -> Machine:
    return Machine(facts=Facts(driver=Driver(loaded=False)), bus=bus, kernel=Kernel(**told))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("release", "status"),
    [
        ("6.8.0-79-generic", Verdict.PASS),
        ("5.15.0-1053-aws", Verdict.PASS),
        ("5.14.0-503.el9.x86_64", Verdict.PASS),
        ("4.18.0-553.el8_10.x86_64", Verdict.PASS),
        ("5.14.21-150500.55.7-default", Verdict.PASS),
        ("5.4.0-42-generic", Verdict.ERROR),
        ("3.10.0-1160.el7.x86_64", Verdict.ERROR),
        ("4.12.14-122.231-default", Verdict.ERROR),
        ("unreadable", Verdict.SKIPPED),
        (None, Verdict.SKIPPED),
    ],
)
def test_a_kernel_that_the_driver_runs_on(release: str | None, status: Verdict) -> None:
    machine = Machine(facts=Facts(host=Host(kernel=release)))

    assert kernel.kernel(machine, WANTS_ONE).status is status


def test_an_old_kernel_is_no_error_where_nothing_wants_a_gpu() -> None:
    machine = Machine(facts=Facts(host=Host(kernel="5.4.0-42-generic")))

    assert kernel.kernel(machine, Needs()).status is Verdict.NEUTRAL


def test_a_driver_that_is_built_in_is_there() -> None:
    for driver, word in (
        (Driver(loaded=True, built_in=True), "built into the kernel"),
        (Driver(loaded=True, built_in=False, version="6.12.12"), "amdgpu 6.12.12: a module"),
    ):
        check = kernel.driver(Machine(facts=Facts(driver=driver)), WANTS_ONE)

        assert check.status is Verdict.PASS
        assert word in check.seen


def test_a_card_without_its_driver_is_repaired_by_loading_it() -> None:
    check = kernel.driver(unloaded(), WANTS_ONE)

    assert check.status is Verdict.ERROR
    assert check.seen == "amdgpu is not loaded; 1 AMD GPU(s) on the PCI bus"
    assert "`modprobe amdgpu`" in (check.fix or "")


def test_what_keeps_the_driver_out_is_what_to_remove() -> None:
    def fix(**told: object) -> str:
        return kernel.driver(unloaded(**told), WANTS_ONE).fix or ""  # type: ignore[arg-type]

    assert "remove `modprobe.blacklist=nouveau,amdgpu`" in fix(
        command_line="quiet modprobe.blacklist=nouveau,amdgpu"
    )
    assert "remove `nomodeset`" in fix(command_line="ro nomodeset quiet")
    assert "takes no modules" in fix(takes_modules=False)
    passed_on = Bus(cards=(Card(bus="0000:0c:00.0", driver="vfio-pci"),))
    assert "belongs to vfio-pci" in (kernel.driver(unloaded(bus=passed_on), WANTS_ONE).fix or "")


def test_a_machine_without_a_card_needs_no_driver_and_is_not_green() -> None:
    check = kernel.driver(unloaded(bus=Bus(looked=True)), Needs())

    assert check.status is Verdict.SKIPPED
    assert "no AMD GPU is on the PCI bus either" in check.seen
    assert kernel.driver(Machine(facts=Facts()), Needs()).status is Verdict.SKIPPED


def test_a_kernel_that_only_drives_displays_is_found() -> None:
    loaded = Facts(driver=Driver(loaded=True))

    assert kernel.kfd(Machine(facts=loaded, kernel=Kernel(kfd=True)), WANTS_ONE).status is Verdict.PASS
    check = kernel.kfd(Machine(facts=loaded, kernel=Kernel(kfd=False)), WANTS_ONE)
    assert check.status is Verdict.ERROR
    assert "CONFIG_HSA_AMD" in (check.fix or "")
    assert kernel.kfd(Machine(facts=loaded), WANTS_ONE).status is Verdict.SKIPPED
    assert kernel.kfd(unloaded(kfd=False), WANTS_ONE).status is Verdict.SKIPPED


def test_counters_are_open_by_the_level_or_by_a_capability() -> None:
    def check(level: int | None, capabilities: int = 0) -> Verdict:
        machine = Machine(
            facts=Facts(), kernel=Kernel(profiling=level), process=Process(capabilities=capabilities)
        )
        return kernel.profilers(machine, Needs()).status

    assert check(2) is Verdict.PASS
    assert check(-1) is Verdict.PASS
    assert check(4) is Verdict.NEUTRAL
    assert check(4, 1 << 38) is Verdict.PASS
    assert check(4, 1 << 21) is Verdict.PASS
    assert check(None) is Verdict.SKIPPED


def test_what_the_kernel_says_is_read_from_its_files() -> None:
    reader = MemoryReader(
        files={
            "/proc/cmdline": "ro quiet iommu=pt\n",
            "/proc/modules": "amdgpu 1 0 - Live 0x0\n",
            "/proc/sys/kernel/perf_event_paranoid": "4\n",
            "/sys/class/kfd/kfd/topology/generation_id": "2\n",
        }
    )

    assert kernel.look(reader) == Kernel(
        command_line="ro quiet iommu=pt\n", takes_modules=True, kfd=True, profiling=4
    )
    assert kernel.look(MemoryReader()) == Kernel()
    garbage = MemoryReader(
        files={"/proc/sys/kernel/perf_event_paranoid": "\x00" * 9, "/sys/class/x": "", "/sys/x": ""}
    )
    assert kernel.look(garbage) == Kernel(takes_modules=False, kfd=False)
