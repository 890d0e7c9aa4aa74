"""Checks of what hangs together by version: firmware of like GPUs, tools of one ROCm."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from rocm_ci.gpu import compat, names, release
from rocm_ci.gpu.checks.outcome import NO_GPU, fine, unknown, unused
from rocm_ci.gpu.matrix import matrix
from rocm_ci.model.result import Check
from rocm_ci.model.verdict import Verdict

if TYPE_CHECKING:
    from rocm_ci.gpu.checks.machine import Machine, Needs
    from rocm_ci.model.facts import Facts, Gpu

# With an older CMake, HIP is no language.
_CMAKE = "3.21"


def firmware(machine: Machine, _needs: Needs) -> Check:
    """Do GPUs of one kind run the same firmware? Which bundle ROCm wants is told where a release names it."""
    facts = machine.facts
    needed = "the same firmware on all GPUs of a kind"
    kinds: dict[str, list[Gpu]] = defaultdict(list)
    for gpu in facts.gpus:
        kinds[gpu.name or gpu.device_id or "AMD GPU"].append(gpu)
    known = {name: gpus for name, gpus in kinds.items() if any(g.vbios or g.firmware for g in gpus)}
    if not known:
        if not facts.gpus:
            return unknown("firmware", NO_GPU, needed)
        ask = "`amd-smi firmware` (package amd-smi-lib), or `rocm-smi --showvbios`"
        return unknown("firmware", "no tool tells the firmware", needed, ask)
    mixed = [text for name, gpus in known.items() for text in _differences(name, gpus)]
    if mixed:
        return Check(
            id="firmware",
            status=Verdict.NEUTRAL,
            seen="; ".join(mixed[:4]),
            needed=needed,
            fix="bring all cards to one firmware bundle with the vendor's update tool, then restart the host",
        )
    seen = "; ".join(_shown(name, gpus[0]) + _wanted(facts, name) for name, gpus in known.items())
    return Check(id="firmware", status=Verdict.PASS, seen=seen, needed=needed)


def tools(machine: Machine, needs: Needs) -> Check:
    """Are the tools those of the ROCm in use, and new enough for what is asked of them?"""
    facts = machine.facts
    wrong = [*_two_releases(facts), *_old_cmake(facts, needs), *_partitioned(facts)]
    needed = "tools of the ROCm in use" + (f"; cmake {_CMAKE} or newer for HIP" if needs.builds else "")
    if wrong:
        return Check(
            id="tool-versions",
            status=Verdict.NEUTRAL,
            seen="; ".join(text for text, _ in wrong),
            needed=needed,
            fix="; ".join(dict.fromkeys(fix for _, fix in wrong)),
        )
    parts = {"amd-smi": facts.rocm.amd_smi, "cmake": facts.tools.get("cmake")}
    seen = ", ".join(f"{name} {version}" for name, version in parts.items() if version)
    if not seen:
        return unused("tool-versions", "neither amd-smi nor cmake told a version", needed)
    return fine("tool-versions", seen, needed)


def _differences(name: str, gpus: list[Gpu]) -> list[str]:
    """Parts whose version is not the same on all GPUs that tell it."""
    parts: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for gpu in gpus:
        for part, version in {"VBIOS": gpu.vbios or "", **gpu.firmware}.items():
            if version:
                parts[part][version].append(gpu.index)
    return [
        f"{name}: {part} is "
        + ", ".join(f"{version} on GPU {_numbers(where)}" for version, where in sorted(versions.items()))
        for part, versions in parts.items()
        if len(versions) > 1
    ]


def _numbers(indexes: list[int]) -> str:
    shown = ", ".join(str(index) for index in indexes[:8])
    return shown + (" …" if len(indexes) > 8 else "")


def _shown(name: str, gpu: Gpu) -> str:
    telling = {"VBIOS": gpu.vbios, "IFWI": gpu.firmware.get("IFWI"), "PSP": gpu.firmware.get("PSP_SOS")}
    text = ", ".join(f"{part} {version}" for part, version in telling.items() if version)
    return f"{name}: {text or f'{len(gpu.firmware)} parts told'}"


def _wanted(facts: Facts, name: str) -> str:
    stack = release.release(facts.rocm.version)
    reply = compat.firmware(stack, name) if stack is not None else None
    return f" ({reply.reason}; the host's tools do not show the bundle)" if reply and reply.source else ""


def _two_releases(facts: Facts) -> list[tuple[str, str]]:
    """amd-smi tells which ROCm it is of: another one than the one in use means two on PATH."""
    said = next((c.said for c in facts.conflicts if c.name == "rocm.version"), {})
    versions = {source: release.release(text) for source, text in said.items()}
    lines = {found.line for found in versions.values() if found is not None}
    if len(lines) < 2:
        return []
    shown = ", ".join(f"{source} says {text}" for source, text in said.items())
    return [(f"two releases of ROCm on PATH: {shown}", "leave one ROCm on PATH and in LD_LIBRARY_PATH")]


def _old_cmake(facts: Facts, needs: Needs) -> list[tuple[str, str]]:
    version = facts.tools.get("cmake")
    uses = any("cmake" in command for command in needs.commands)
    if not version or not uses or release.numbers(version) >= release.numbers(_CMAKE):
        return []
    return [(f"cmake {version}", f"install cmake {_CMAKE} or newer (`pip install cmake`)")]


def _partitioned(facts: Facts) -> list[tuple[str, str]]:
    """A card in partitions needs more of driver, kernel and amd-smi than a whole one."""
    if not any(
        gpu.compute_partition not in (None, "SPX") and names.is_instinct(gpu.gfx) for gpu in facts.gpus
    ):
        return []
    lowest = matrix().partitioning
    has = {"kernel": facts.host.kernel, "amdgpu": facts.driver.version, "amd-smi": facts.rocm.amd_smi}
    wants = {"kernel": lowest.kernel, "amdgpu": lowest.module, "amd-smi": lowest.amd_smi}
    return [
        (f"{part} {has[part]} with a partitioned card", f"use {part} {wants[part]} or newer, or SPX mode")
        for part in wants
        if has[part] and release.numbers(has[part]) < release.numbers(wants[part])
    ]
