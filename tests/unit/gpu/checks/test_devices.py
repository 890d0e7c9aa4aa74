from __future__ import annotations

from rocm_ci.gpu.checks import devices
from rocm_ci.gpu.checks.bus import Bus, Card
from rocm_ci.gpu.checks.machine import Machine, Needs
from rocm_ci.model.facts import Conflict, Driver, Facts, Gpu, Unknown
from rocm_ci.model.verdict import Verdict

ONE = Facts(gpus=(Gpu(index=0, gfx="gfx942", render="renderD128"),), driver=Driver(loaded=True))
NONE = Facts(
    driver=Driver(loaded=False),
    unknown=(Unknown(name="gpus", reason="no /sys/class/kfd: the amdgpu driver is not loaded"),),
)
WANTS_ONE = Needs(wanted={"suite unit": 1})


def cards(*modes: str, per_card: int = 1) -> Facts:
    """GPUs in these modes, `per_card` of them with one bus address."""
    return Facts(
        gpus=tuple(
            Gpu(
                index=n,
                bus=f"0000:{n // per_card:02x}:00.{n % per_card}",
                compute_partition=mode.split("/")[0],
                memory_partition=mode.split("/")[1],
            )
            for n, mode in enumerate(modes)
        )
    )


def test_nothing_that_needs_a_gpu_passes_without_one() -> None:
    check = devices.gpus(Machine(facts=NONE), Needs())

    assert check.status is Verdict.PASS
    assert check.seen == "no GPU (no /sys/class/kfd: the amdgpu driver is not loaded)"
    assert "no suite or benchmark asks" in check.needed


def test_a_person_who_asks_is_told_that_there_is_no_gpu() -> None:
    check = devices.gpus(Machine(facts=NONE, bus=Bus(looked=True)), Needs(curious=True))

    assert check.status is Verdict.NEUTRAL
    assert "machine with an AMD GPU" in (check.fix or "")


def test_a_suite_that_needs_more_gpus_than_there_are_makes_the_machine_unusable() -> None:
    check = devices.gpus(Machine(facts=ONE), Needs(wanted={"suite unit": 1, "suite multi": 4}))

    assert check.status is Verdict.ERROR
    assert check.seen == "1 GPU(s)"
    assert check.needed == "4 GPU(s): suite multi wants 4"
    assert check.fix


def test_a_project_that_does_not_require_a_gpu_is_told_and_not_failed() -> None:
    check = devices.gpus(Machine(facts=NONE), Needs(wanted={"suite unit": 1}, require_gpu=False))

    assert check.status is Verdict.NEUTRAL
    assert "require-gpu: false" in (check.fix or "")


def test_hidden_gpus_do_not_count_and_the_variable_is_named() -> None:
    check = devices.gpus(Machine(facts=ONE, environment={"HIP_VISIBLE_DEVICES": ""}), WANTS_ONE)

    assert check.status is Verdict.ERROR
    assert check.seen == "0 of 1 GPU(s) usable"
    assert "HIP_VISIBLE_DEVICES" in (check.fix or "")


def test_a_card_without_driver_sends_the_reader_to_the_driver() -> None:
    machine = Machine(facts=NONE, bus=Bus(cards=(Card(bus="0000:0c:00.0"),), looked=True))

    assert "check `driver`" in (devices.gpus(machine, WANTS_ONE).fix or "")


def test_a_gpu_that_the_build_holds_no_code_for_is_found_before_the_tests() -> None:
    def check(*archs: str) -> Verdict:
        return devices.arch(Machine(facts=ONE), Needs(wanted={"suite unit": 1}, archs=archs)).status

    assert check("gfx90a", "gfx942") is Verdict.PASS
    assert check("gfx942:sramecc+:xnack-") is Verdict.PASS
    assert check("gfx90a") is Verdict.ERROR
    assert devices.arch(Machine(facts=ONE), Needs(archs=("gfx90a",))).status is Verdict.NEUTRAL
    assert devices.arch(Machine(facts=NONE), Needs(archs=("gfx90a",))).status is Verdict.SKIPPED
    assert check() is Verdict.SKIPPED


def test_a_card_that_is_divided_differently_is_named() -> None:
    check = devices.partitions(Machine(facts=cards("SPX/NPS1", "CPX/NPS4", "SPX/NPS1")), Needs())

    assert check.status is Verdict.NEUTRAL
    assert check.seen == "CPX/NPS4: GPU 1; SPX/NPS1: GPU 0, 2"
    assert "amd-smi set --compute-partition" in (check.fix or "")


def test_cards_divided_alike_pass_and_a_partition_that_is_gone_does_not() -> None:
    whole = devices.partitions(Machine(facts=cards(*["CPX/NPS4"] * 8, per_card=4)), Needs())
    torn = devices.partitions(Machine(facts=cards(*["CPX/NPS4"] * 7, per_card=4)), Needs())

    assert (whole.status, whole.seen) == (Verdict.PASS, "8 device(s) in CPX/NPS4")
    assert torn.status is Verdict.NEUTRAL
    assert torn.seen == "0000:01:00 shows 3 of 4 devices"


def test_modes_that_nobody_tells_are_no_pass() -> None:
    assert devices.partitions(Machine(facts=ONE), Needs()).status is Verdict.SKIPPED
    assert devices.partitions(Machine(facts=NONE), Needs()).status is Verdict.SKIPPED


def test_a_card_that_fell_off_is_pointed_out() -> None:
    note = "0000:22:00.0: AMD Instinct MI300X (0x74a1) is listed by sysfs but not by kfd"
    facts = Facts(
        gpus=ONE.gpus, notes=(note,), conflicts=(Conflict(name="gpu count", said={"kfd": "1", "x": "2"}),)
    )

    check = devices.sources_agree(Machine(facts=facts), Needs())

    assert check.status is Verdict.NEUTRAL
    assert note in check.seen
    assert "gpu count: kfd says 1, x says 2" in check.seen


def test_a_process_that_owns_a_part_of_a_host_is_not_warned_of_the_rest() -> None:
    count = (Conflict(name="gpu count", said={"kfd": "8", "rocminfo": "1"}),)
    by_variable = Machine(facts=Facts(conflicts=count), environment={"ROCR_VISIBLE_DEVICES": "4"})
    by_container = Machine(facts=Facts(conflicts=count, notes=("7 KFD node(s) cannot be read: [2]",)))

    assert devices.sources_agree(by_variable, Needs()).status is Verdict.PASS
    assert devices.sources_agree(by_container, Needs()).status is Verdict.PASS
    assert devices.sources_agree(Machine(facts=Facts(conflicts=count)), Needs()).status is Verdict.NEUTRAL


def test_a_value_that_a_tool_words_differently_is_told_and_passes() -> None:
    facts = Facts(conflicts=(Conflict(name="gpus[0].gfx", said={"kfd": "gfx942", "rocm-smi": "gfx940"}),))

    check = devices.sources_agree(Machine(facts=facts), Needs())

    assert check.status is Verdict.PASS
    assert "gpus[0].gfx: kfd says gfx942, rocm-smi says gfx940" in check.seen


def test_where_no_source_lists_a_gpu_they_do_not_agree_either() -> None:
    failed = Facts(notes=("rocm-ci could not understand rocminfo: OSError: no more processes",))

    assert devices.sources_agree(Machine(facts=Facts()), Needs()).status is Verdict.SKIPPED
    # A tool that complains is no tool that agrees.
    assert devices.sources_agree(Machine(facts=failed), Needs()).status is Verdict.SKIPPED
