"""Checks of the software: the compiler and its platform, and what PyTorch was built for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.gpu import compat, release
from rocm_ci.gpu.checks.outcome import unused
from rocm_ci.gpu.compat import Word
from rocm_ci.model.result import Check
from rocm_ci.model.verdict import Verdict

if TYPE_CHECKING:
    from rocm_ci.gpu.checks.machine import Machine, Needs

_COMPILES = re.compile(r"hip|cmake|rocm|amdclang", re.IGNORECASE)


def hipcc(machine: Machine, needs: Needs) -> Check:
    """Is there a HIP compiler, and does it build for AMD?"""
    rocm = machine.facts.rocm
    needed = "hipcc on the AMD platform"
    if rocm.hip_platform == "nvidia":
        return Check(
            id="hipcc",
            status=Verdict.ERROR if needs.builds else Verdict.NEUTRAL,
            seen="hipcc compiles for NVIDIA: it found nvcc",
            needed=needed,
            fix="set HIP_PLATFORM=amd and install ROCm's compiler (hipcc, rocm-device-libs)",
        )
    if rocm.hipcc:
        where = f" in {rocm.root}" if rocm.root else ""
        seen = f"hipcc {rocm.hipcc}{where}{_beside_nvcc(machine)}"
        return Check(id="hipcc", status=Verdict.PASS, seen=seen, needed=needed)
    reason = next((u.reason for u in machine.facts.unknown if u.name == "rocm.hipcc"), "not found")
    if not needs.builds:
        return unused("hipcc", reason, "nothing: no build is planned")
    # A project of Triton or Python code builds without hipcc; only a command that says so needs it.
    certain = any(_COMPILES.search(command) for command in needs.commands)
    return Check(
        id="hipcc",
        status=Verdict.ERROR if certain else Verdict.NEUTRAL,
        seen=reason,
        needed=needed,
        fix="use a ROCm image, or install the packages hipcc, rocm-device-libs and libamdhip64-dev; "
        "an unusual prefix goes into ROCM_PATH",
    )


def _beside_nvcc(machine: Machine) -> str:
    nvcc = machine.facts.tools.get("nvcc")
    if not nvcc:
        return ""
    # hipcc and hipconfig choose the NVIDIA platform wherever they find nvcc.
    return f"; nvcc {nvcc} is there too: without HIP_PLATFORM=amd, which rocm-ci sets, hipcc would use it"


def torch(machine: Machine, _needs: Needs) -> Check:
    """Does an installed PyTorch know AMD GPUs, and is it of the ROCm installed beside it?

    A CUDA or CPU build runs on the CPU without a word.
    """
    rocm = machine.facts.rocm
    needed = "a ROCm build of PyTorch, where there is one at all"
    if rocm.torch is None:
        reason = next((u.reason for u in machine.facts.unknown if u.name == "rocm.torch"), "")
        return unused("torch", reason or "torch is not installed", needed)
    stack = "the CPU"
    if rocm.torch_hip or rocm.torch_cuda:
        stack = f"HIP {rocm.torch_hip}" if rocm.torch_hip else f"CUDA {rocm.torch_cuda}"
    seen = f"torch {rocm.torch}, built for {stack}"
    if rocm.torch_hip or release.of_wheel(rocm.torch):
        return _beside_rocm(machine, seen, needed)
    if not machine.facts.gpus and not machine.facts.driver.loaded:
        return Check(id="torch", status=Verdict.PASS, seen=f"{seen}; there is no GPU", needed=needed)
    return Check(
        id="torch",
        status=Verdict.NEUTRAL,
        seen=f"{seen}: it does not see the GPU and computes on the CPU",
        needed=needed,
        fix="install the wheel that PyTorch's install selector names for ROCm, pinned with its `+rocm` tag",
    )


def _beside_rocm(machine: Machine, seen: str, needed: str) -> Check:
    """A ROCm build: of the same major release as the compiler that extensions are built with?"""
    rocm = machine.facts.rocm
    installed = release.release(rocm.version) or release.of_hip(rocm.hip)
    reply = compat.torch(installed, str(rocm.torch)) if installed else None
    if reply is None or reply.word is not Word.NO:
        told = f"; {reply.reason}" if reply and reply.word is Word.YES else ""
        return Check(id="torch", status=Verdict.PASS, seen=f"{seen}{told}", needed=needed)
    return Check(
        id="torch",
        status=Verdict.NEUTRAL,
        seen=f"{seen}; {reply.reason}: two majors in one process end in crashes",
        needed="a PyTorch of the same major ROCm as the compiler for extensions",
        fix="pin a wheel by its exact `+rocm` tag: as text +rocm10.0 sorts below +rocm7.0, so resolvers "
        "may choose the older one",
    )
