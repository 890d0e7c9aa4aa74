from __future__ import annotations

from rocm_ci.gpu.checks import variables
from rocm_ci.gpu.checks.machine import Machine, Needs
from rocm_ci.model.facts import Facts, Gpu
from rocm_ci.model.result import Check
from rocm_ci.model.verdict import Verdict

ONE = Facts(gpus=(Gpu(index=0, gfx="gfx942"),))
EIGHT = Facts(gpus=tuple(Gpu(index=n) for n in range(8)))
WANTS_ONE = Needs(wanted={"suite unit": 1})


def visible(**environment: str) -> Check:
    return variables.visible_devices(Machine(facts=EIGHT, environment=environment), WANTS_ONE)


def override(value: str, *targets: str, needs: Needs = WANTS_ONE, name: str = variables.OVERRIDE) -> Check:
    facts = Facts(gpus=tuple(Gpu(index=n, gfx=target) for n, target in enumerate(targets)))
    return variables.gfx_override(Machine(facts=facts, environment={name: value}), needs)


def test_variables_that_agree_pass() -> None:
    assert visible().seen == "none set"
    for environment in (
        {"HIP_VISIBLE_DEVICES": "0"},
        {"HIP_VISIBLE_DEVICES": "0,1", "CUDA_VISIBLE_DEVICES": "0, 1"},
        {"ROCR_VISIBLE_DEVICES": "4,5", "HIP_VISIBLE_DEVICES": "0,1"},
    ):
        assert visible(**environment).status is Verdict.PASS, environment


def test_variables_that_name_different_devices_contradict_each_other() -> None:
    check = visible(HIP_VISIBLE_DEVICES="0", CUDA_VISIBLE_DEVICES="1", GPU_DEVICE_ORDINAL="0")

    assert check.status is Verdict.NEUTRAL
    assert (
        check.fix == "`unset CUDA_VISIBLE_DEVICES GPU_DEVICE_ORDINAL`: programs read different ones of them"
    )


def test_an_inner_list_that_counts_from_the_host_is_pointed_out() -> None:
    check = visible(ROCR_VISIBLE_DEVICES="4,5", HIP_VISIBLE_DEVICES="1,5")

    assert check.status is Verdict.NEUTRAL
    assert "starting at 0 again" in (check.fix or "")


def test_variables_that_hide_every_gpu_make_the_machine_unusable() -> None:
    for environment in (
        {"HIP_VISIBLE_DEVICES": ""},
        {"HIP_VISIBLE_DEVICES": "-1"},
        {"ROCR_VISIBLE_DEVICES": "0", "HIP_VISIBLE_DEVICES": "4"},
    ):
        check = visible(**environment)

        assert check.status is Verdict.ERROR, environment
        assert check.fix == f"`unset {' '.join(environment)}`: together they hide every GPU"


def test_a_device_id_is_not_shown() -> None:
    assert "c0ffee" not in visible(ROCR_VISIBLE_DEVICES="GPU-c0ffee01").seen


def test_a_spoofed_target_is_never_right_on_an_accelerator() -> None:
    check = override("10.3.0", "gfx942")

    assert check.status is Verdict.ERROR
    assert check.seen == "HSA_OVERRIDE_GFX_VERSION=10.3.0 on gfx942"
    assert "`unset HSA_OVERRIDE_GFX_VERSION`" in (check.fix or "")
    assert override("9.4.0", "gfx942").status is Verdict.ERROR
    assert override("10.3.0", "gfx942", needs=Needs()).status is Verdict.NEUTRAL


def test_a_target_within_the_family_is_advice_and_across_it_an_error() -> None:
    assert override("10.3.0", "gfx1031").status is Verdict.NEUTRAL
    assert override("11.0.0", "gfx1103").status is Verdict.NEUTRAL
    assert override("11.0.0", "gfx1031").status is Verdict.ERROR
    assert override("11.0.0", "gfx1151").status is Verdict.ERROR
    assert override("9.4.2", "gfx942").status is Verdict.NEUTRAL
    assert override("gfx1030", "gfx1031").status is Verdict.ERROR
    assert override("11.0.0", "gfx1031", name="HSA_OVERRIDE_GFX_VERSION_0").status is Verdict.ERROR


def test_no_override_passes() -> None:
    assert variables.gfx_override(Machine(facts=ONE), WANTS_ONE).status is Verdict.PASS
    assert override("", "gfx942").status is Verdict.PASS


def test_versions_are_read_as_the_runtime_reads_them() -> None:
    assert variables.as_target("9.0.10") == "gfx90a"
    assert variables.as_target("10.3.0") == "gfx1030"
    assert variables.as_target("9") is None


def test_an_environment_that_was_not_recorded_is_not_an_empty_one() -> None:
    found = Machine(facts=Facts(), unseen={"environment": "no environment was recorded"})

    for check in (variables.visible_devices, variables.gfx_override):
        assert check(found, Needs()).status is Verdict.SKIPPED
        assert "record `env" in (check(found, Needs()).fix or "")
