from __future__ import annotations

from rocm_ci.gpu.checks import bus
from rocm_ci.gpu.checks.bus import Bus, Card
from rocm_ci.gpu.checks.history import History
from rocm_ci.gpu.checks.kernel import Kernel
from rocm_ci.gpu.checks.machine import Machine, Needs
from rocm_ci.model.facts import Driver, Facts, Gpu
from rocm_ci.model.verdict import Verdict
from tests.fakes import MemoryReader

FIRST, SECOND = "0000:0c:00.0", "0000:22:00.0"
LOADED = Driver(loaded=True)
ONE = Facts(gpus=(Gpu(index=0, bus=FIRST),), driver=LOADED)
TWO = Facts(gpus=(Gpu(index=0, bus=FIRST), Gpu(index=1, bus=SECOND)), driver=LOADED)
WANTS_TWO = Needs(wanted={"suite multi": 2})


def files(address: str, **more: str) -> dict[str, str]:
    folder = f"/sys/bus/pci/devices/{address}"
    usual = {"vendor": "0x1002\n", "class": "0x120000\n", "device": "0x74a1\n", "uevent": "DRIVER=amdgpu\n"}
    return {f"{folder}/{name}": text for name, text in (usual | more).items()}


def test_the_bus_is_read_from_sysfs() -> None:
    reader = MemoryReader(
        files={
            **files(FIRST, current_link_width="8\n", max_link_width="16\n", config="\x02\x10"),
            **files(SECOND, config="\ufffd" * 64, uevent="PCI_ID=1002:74A1\n"),
            "/sys/bus/pci/devices/0000:00:01.0/vendor": "0x1022\n",
            **{
                f"/sys/bus/pci/devices/0000:00:02.0/{k}": v
                for k, v in (("vendor", "0x1002"), ("class", "0x040300"))
            },
            "/sys/kernel/iommu_groups/12/type": "DMA-FQ\n",
            f"/sys/kernel/iommu_groups/12/devices/{FIRST}": "",
        }
    )

    assert bus.look(reader) == Bus(
        cards=(
            Card(bus=FIRST, device_id="0x74a1", driver="amdgpu", iommu="DMA-FQ", lanes=(8, 16)),
            Card(bus=SECOND, device_id="0x74a1", silent=True),
        ),
        is_translated=True,
        looked=True,
    )
    assert bus.look(MemoryReader()) == Bus()


def test_links_without_atomics_are_read_from_the_topology() -> None:
    nodes = "/sys/class/kfd/kfd/topology/nodes"

    def look(flags: int, kind: int = 2) -> tuple[int, ...] | None:
        text = f"type {kind}\nnode_from 1\nnode_to 0\nflags {flags}\n"
        links = {f"{nodes}/1/gpu_id": "4711\n", f"{nodes}/1/io_links/0/properties": text}
        return bus.look(MemoryReader(files={**links, f"{nodes}/0/gpu_id": "0\n"})).atomics

    assert look(1) == ()
    assert look(0b1101) == (1,)
    # Bit 2 excludes those of 32 bits, bit 3 those of 64.
    assert look(0b0101) == look(0b1001) == (1,)
    assert look(0b0011) == ()
    assert look(1, kind=11) is None


def test_a_device_that_the_driver_skips_for_atomics_is_an_error() -> None:
    line = "kfd kfd: amdgpu: skipped device 1002:67e3, PCI rejects atomics 730<0"
    machine = Machine(facts=Facts(), history=History(refused=(line,)))

    check = bus.pcie_atomics(machine, Needs(wanted={"suite unit": 1}))

    assert check.status is Verdict.ERROR
    assert line in check.seen
    assert "slot" in (check.fix or "")


def test_atomics_pass_only_where_somebody_tells_of_them() -> None:
    def check(atomics: tuple[int, ...] | None) -> Verdict:
        return bus.pcie_atomics(Machine(facts=ONE, bus=Bus(atomics=atomics)), Needs()).status

    assert check(()) is Verdict.PASS
    assert check((1,)) is Verdict.NEUTRAL
    assert check(None) is Verdict.SKIPPED


def test_several_gpus_want_a_passed_through_iommu() -> None:
    def check(
        line: str | None, kind: str | None, facts: Facts = TWO, *, groups: bool | None = True
    ) -> Verdict:
        cards = tuple(Card(bus=gpu.bus or "", iommu=kind) for gpu in facts.gpus)
        machine = Machine(
            facts=facts, kernel=Kernel(command_line=line), bus=Bus(cards=cards, is_translated=groups)
        )
        return bus.iommu(machine, Needs()).status

    assert check("ro quiet", "DMA") is Verdict.NEUTRAL
    assert check("ro amd_iommu=on", "DMA-FQ") is Verdict.NEUTRAL
    assert check("ro iommu=pt quiet", None) is Verdict.PASS
    assert check("ro quiet", "identity") is Verdict.PASS
    assert check("ro quiet", None, groups=False) is Verdict.PASS
    assert check("ro quiet", "DMA", ONE) is Verdict.PASS
    assert check(None, None) is Verdict.SKIPPED
    assert check("ro iommu=pt", None, Facts()) is Verdict.SKIPPED


def test_the_fix_for_the_iommu_is_a_kernel_option() -> None:
    machine = Machine(facts=TWO, kernel=Kernel(command_line="ro iommu=on"), bus=Bus(is_translated=True))

    check = bus.iommu(machine, Needs())

    assert "iommu=on" in check.seen
    assert "`iommu=pt`" in (check.fix or "")


def test_a_card_that_answers_nothing_or_has_no_device_is_dead() -> None:
    silent = Bus(cards=(Card(bus=FIRST, driver="amdgpu"), Card(bus=SECOND, silent=True)))
    lost = Bus(
        cards=(Card(bus=FIRST, driver="amdgpu"), Card(bus=SECOND, device_id="0x74a1", driver="amdgpu"))
    )

    check = bus.dead_devices(Machine(facts=ONE, bus=silent), WANTS_TWO)
    assert check.status is Verdict.ERROR
    assert check.seen == f"{SECOND} answers nothing (all ones)"
    check = bus.dead_devices(Machine(facts=ONE, bus=lost), Needs(wanted={"suite unit": 1}))
    assert check.status is Verdict.NEUTRAL
    assert check.seen == f"{SECOND} (0x74a1): amdgpu made no device of it"
    assert "dmesg" in (check.fix or "")


def test_a_container_with_one_card_of_two_is_not_told_that_the_other_is_dead() -> None:
    both = Bus(cards=(Card(bus=FIRST, driver="amdgpu"), Card(bus=SECOND, driver="amdgpu")))
    facts = Facts(gpus=ONE.gpus, driver=LOADED, notes=("1 KFD node(s) cannot be read: [2]",))

    assert bus.dead_devices(Machine(facts=facts, bus=both), WANTS_TWO).status is Verdict.PASS
    assert bus.dead_devices(Machine(facts=TWO, bus=both), WANTS_TWO).status is Verdict.PASS
    assert bus.dead_devices(Machine(facts=Facts()), Needs()).status is Verdict.SKIPPED


def test_a_card_in_half_a_slot_is_named() -> None:
    def check(*lanes: tuple[int, int] | None) -> Verdict:
        cards = tuple(Card(bus=FIRST, lanes=pair) for pair in lanes)
        return bus.pcie_link(Machine(facts=ONE, bus=Bus(cards=cards)), Needs()).status

    assert check((16, 16), (16, 16)) is Verdict.PASS
    assert check((16, 16), (8, 16)) is Verdict.NEUTRAL
    assert check((16, 16), None) is Verdict.SKIPPED
    assert check(None) is Verdict.SKIPPED
    assert check() is Verdict.SKIPPED


def test_a_copied_part_of_sys_does_not_say_that_there_is_no_iommu() -> None:
    part = bus.look(MemoryReader(files={"/sys/module/amdgpu/version": "6.12.12\n"}))
    whole = bus.look(MemoryReader(files={"/sys/kernel/mm/x": "", "/sys/module/amdgpu/version": "6.12.12\n"}))

    assert (part.is_translated, whole.is_translated) == (None, False)
    found = bus.iommu(Machine(facts=TWO, bus=part), WANTS_TWO)
    assert found.status is Verdict.SKIPPED
