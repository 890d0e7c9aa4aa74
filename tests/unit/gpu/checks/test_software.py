from __future__ import annotations

import msgspec

from rocm_ci.gpu.checks import software
from rocm_ci.gpu.checks.machine import Machine, Needs
from rocm_ci.model.facts import Facts, Gpu, Rocm, Unknown
from rocm_ci.model.verdict import Verdict

GPU = (Gpu(index=0),)


def machine(rocm: Rocm, gpus: tuple[Gpu, ...] = ()) -> Machine:
    reason = (Unknown(name="rocm.hipcc", reason="hipcc is not installed"),)
    return Machine(facts=Facts(rocm=rocm, gpus=gpus, unknown=reason))


def test_a_compiler_for_amd_passes() -> None:
    check = software.hipcc(machine(Rocm(hipcc="6.4.43483", root="/opt/rocm")), Needs(builds=True))

    assert check.status is Verdict.PASS
    assert check.seen == "hipcc 6.4.43483 in /opt/rocm"


def test_hipcc_on_the_other_platform_is_an_error_of_the_machine() -> None:
    check = software.hipcc(machine(Rocm(hipcc="6.4", hip_platform="nvidia")), Needs(builds=True))

    assert check.status is Verdict.ERROR
    assert "HIP_PLATFORM=amd" in (check.fix or "")


def test_a_missing_compiler_is_an_error_only_where_the_build_says_that_it_needs_one() -> None:
    missing = machine(Rocm())

    assert software.hipcc(missing, Needs(builds=True, commands=("cmake -B build",))).status is Verdict.ERROR
    assert software.hipcc(missing, Needs(builds=True, commands=("pip install .",))).status is Verdict.NEUTRAL
    assert software.hipcc(missing, Needs(builds=False)).status is Verdict.SKIPPED


def test_a_cuda_wheel_beside_an_amd_gpu_is_pointed_out() -> None:
    check = software.torch(machine(Rocm(torch="2.9.0+cu128", torch_cuda="12.8"), GPU), Needs())

    assert check.status is Verdict.NEUTRAL
    assert check.seen.startswith("torch 2.9.0+cu128, built for CUDA 12.8: it does not see the GPU")


def test_any_wheel_is_right_where_there_is_no_gpu() -> None:
    for wheel in (Rocm(torch="2.9.0+cpu"), Rocm(torch="2.9.0", torch_cuda="12.8")):
        assert software.torch(machine(wheel), Needs()).status is Verdict.PASS
        assert software.torch(machine(wheel, GPU), Needs()).status is Verdict.NEUTRAL


def test_a_rocm_wheel_passes_and_no_torch_is_no_matter() -> None:
    assert software.torch(
        machine(Rocm(torch="2.9.0+rocm7.0", torch_hip="7.0.51831"), GPU), Needs()
    ).status is (Verdict.PASS)
    assert software.torch(machine(Rocm(), GPU), Needs()).status is Verdict.SKIPPED


def test_a_wheel_of_another_major_rocm_is_pointed_out_and_one_of_the_same_passes() -> None:
    older = Rocm(version="10.0.0", torch="2.12.0+rocm7.2", torch_hip="7.2.53211")

    check = software.torch(machine(older, GPU), Needs())

    assert check.status is Verdict.NEUTRAL
    assert "brings libraries of ROCm 7.2, what is compiled here loads those of 10.0.0" in check.seen
    assert "+rocm10.0 sorts below +rocm7.0" in (check.fix or "")
    same = Rocm(version="7.2.1", torch="2.9.1+rocm7.2.0.lw.git7e1940d4", torch_hip="7.2.53211")
    assert software.torch(machine(same, GPU), Needs()).status is Verdict.PASS


def test_nvcc_beside_hipcc_is_told() -> None:
    found = machine(Rocm(hipcc="6.4.43483"))
    facts = msgspec.structs.replace(found.facts, tools={"nvcc": "12.8"})

    check = software.hipcc(Machine(facts=facts), Needs(builds=True))

    assert check.status is Verdict.PASS
    assert "nvcc 12.8 is there too: without HIP_PLATFORM=amd" in check.seen
