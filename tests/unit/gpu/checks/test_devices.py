from __future__ import annotations

from rocm_ci.gpu.checks import devices
from rocm_ci.gpu.checks.machine import Machine, Needs, Node
from rocm_ci.model.facts import Conflict, Driver, Facts, Gpu, Unknown
from rocm_ci.model.verdict import Verdict

ONE = Facts(gpus=(Gpu(index=0, gfx="gfx942", render="renderD128"),), driver=Driver(loaded=True))
NONE = Facts(
    driver=Driver(loaded=False),
    unknown=(Unknown(name="gpus", reason="no /sys/class/kfd: the amdgpu driver is not loaded"),),
)
WANTS_ONE = Needs(wanted={"suite unit": 1})


def test_nothing_that_needs_a_gpu_passes_without_one() -> None:
    check = devices.gpus(Machine(facts=NONE), Needs())

    assert check.status is Verdict.PASS
    assert check.seen == "no GPU: no /sys/class/kfd: the amdgpu driver is not loaded"
    assert "no suite or benchmark asks" in check.needed


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


def test_an_unloaded_driver_is_what_to_fix() -> None:
    assert "modprobe amdgpu" in (devices.gpus(Machine(facts=NONE), WANTS_ONE).fix or "")


def test_a_closed_device_file_names_the_numeric_group_to_pass() -> None:
    nodes = (
        Node(path="/dev/kfd", exists=True, usable=False, gid=992),
        Node(path="/dev/dri/renderD128", exists=True, usable=True, gid=44),
    )

    check = devices.device_nodes(Machine(facts=ONE, nodes=nodes), WANTS_ONE)

    assert check.status is Verdict.ERROR
    assert check.seen == "/dev/kfd belongs to group 992"
    assert check.fix == (
        "start the container with --device=/dev/kfd --device=/dev/dri --group-add 44 --group-add 992"
    )


def test_a_missing_device_file_is_only_advice_when_nothing_needs_it() -> None:
    nodes = (Node(path="/dev/kfd", exists=False, usable=False),)

    check = devices.device_nodes(Machine(facts=ONE, nodes=nodes), Needs())

    assert check.status is Verdict.NEUTRAL
    assert check.seen == "/dev/kfd is not there"
    assert "stat -c %g" in (check.fix or "")


def test_mixed_visible_device_variables_are_pointed_out() -> None:
    def check(**environment: str) -> Verdict:
        return devices.visible_devices(Machine(facts=ONE, environment=environment), Needs()).status

    assert check() is Verdict.PASS
    assert check(HIP_VISIBLE_DEVICES="0") is Verdict.PASS
    assert check(HIP_VISIBLE_DEVICES="0", CUDA_VISIBLE_DEVICES="0") is Verdict.PASS
    assert check(HIP_VISIBLE_DEVICES="0", CUDA_VISIBLE_DEVICES="1") is Verdict.NEUTRAL
    assert check(ROCR_VISIBLE_DEVICES="0", HIP_VISIBLE_DEVICES="0") is Verdict.NEUTRAL
    assert check(HIP_VISIBLE_DEVICES="5") is Verdict.NEUTRAL


def test_a_spoofed_target_is_never_right_on_an_accelerator() -> None:
    spoofed = {"HSA_OVERRIDE_GFX_VERSION": "10.3.0"}
    radeon = Facts(gpus=(Gpu(index=0, gfx="gfx1031"),))

    assert devices.gfx_override(Machine(facts=ONE, environment=spoofed), WANTS_ONE).status is Verdict.ERROR
    assert devices.gfx_override(Machine(facts=ONE, environment=spoofed), Needs()).status is Verdict.NEUTRAL
    assert (
        devices.gfx_override(Machine(facts=radeon, environment=spoofed), WANTS_ONE).status is Verdict.NEUTRAL
    )
    assert devices.gfx_override(Machine(facts=ONE), WANTS_ONE).status is Verdict.PASS


def test_a_gpu_that_the_build_holds_no_code_for_is_found_before_the_tests() -> None:
    def check(*archs: str) -> Verdict:
        return devices.arch(Machine(facts=ONE), Needs(wanted={"suite unit": 1}, archs=archs)).status

    assert check("gfx90a", "gfx942") is Verdict.PASS
    assert check("gfx942:sramecc+:xnack-") is Verdict.PASS
    assert check("gfx90a") is Verdict.ERROR
    assert devices.arch(Machine(facts=ONE), Needs(archs=("gfx90a",))).status is Verdict.NEUTRAL
    assert devices.arch(Machine(facts=NONE), WANTS_ONE).status is Verdict.SKIPPED


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
