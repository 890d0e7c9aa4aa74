"""A finished build command → whose fault it is, in one sentence. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.build.evidence import HINTS, SIGNS, Evidence, Fault
from rocm_ci.model.finding import Severity
from rocm_ci.model.verdict import Verdict

if TYPE_CHECKING:
    from rocm_ci.model.diagnostic import Diagnostic

_COMPILERS = ("clang", "gcc", "nvcc")
_KILLED = (137, -9)
_ANY_SIGN = re.compile("|".join(SIGNS.values()))


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """A verdict and its reason; a machine's fault comes with what to do."""

    verdict: Verdict
    reason: str


@dataclass(frozen=True, kw_only=True)
class Ended:
    """How a command ended. `timeout` is the configured text."""

    exit_code: int
    timed_out: bool = False
    timeout: str = ""
    last_line: str = ""


def judge(
    ended: Ended, diagnostics: tuple[Diagnostic, ...], evidence: Evidence, archs: tuple[str, ...]
) -> Judgement:
    """FAIL blames the change, ERROR the machine. When both are at fault, both are said and FAIL stands."""
    errors = [d for d in diagnostics if d.severity is Severity.ERROR]
    if ended.exit_code == 0 and not ended.timed_out:
        if evidence.untargeted:
            return Judgement(verdict=Verdict.FAIL, reason=untargeted_reason(evidence.untargeted, archs))
        return Judgement(verdict=Verdict.PASS, reason="")
    machine = _machine(ended, evidence, archs, known=bool(errors))
    own = [d for d in errors if _is_own(d, evidence, archs, machine=bool(machine))]
    if own:
        more = f" (and {len(own) - 1} more)" if len(own) > 1 else ""
        also = f". Besides, {machine[0].lower() + machine[1:]}" if machine else ""
        return Judgement(verdict=Verdict.FAIL, reason=f"{_told(own[0])}{more}{also}")
    if machine:
        return Judgement(verdict=Verdict.ERROR, reason=machine)
    if ended.timed_out:
        reason = f"timed out after {ended.timeout}; the whole process tree was ended"
        return Judgement(verdict=Verdict.FAIL, reason=reason)
    what = _told(errors[0]) if errors else ended.last_line
    return Judgement(verdict=Verdict.FAIL, reason=_joined(f"exit status {ended.exit_code}", what))


def untargeted_reason(call: str, archs: tuple[str, ...]) -> str:
    """Why a call of hipcc without a target is refused."""
    flags = " ".join(f"--offload-arch={arch}" for arch in archs)
    return (
        f"hipcc is called without --offload-arch and silently builds for the GPU it finds, or for gfx803: "
        f"`{call}` → add {flags} (in a configured command: $ROCM_CI_OFFLOAD_FLAGS)"
    )


def refused_reason(refused: dict[str, str], compiler: str | None) -> str:
    """Why targets cannot be built on this machine."""
    names = ", ".join(refused)
    return (
        f"{compiler or 'the HIP compiler'} on this machine cannot build for {names}: "
        f"{next(iter(refused.values()))} → install a ROCm that knows {names}, or take it out of `arch`"
    )


def _machine(ended: Ended, evidence: Evidence, archs: tuple[str, ...], *, known: bool) -> str:
    declared = {arch: line for arch, line in evidence.refused.items() if arch in archs}
    if declared:
        return refused_reason(declared, None)
    if evidence.faults:
        fault, line = next(iter(evidence.faults.items()))
        return f"{fault.value}: {line} → {HINTS[fault]}"
    if ended.exit_code in _KILLED and not ended.timed_out and not known:
        return f"{Fault.MEMORY.value} (exit status {ended.exit_code}) → {HINTS[Fault.MEMORY]}"
    return ""


def _is_own(error: Diagnostic, evidence: Evidence, archs: tuple[str, ...], *, machine: bool) -> bool:
    """Whether an error is the change's. Beside a fault of the machine only located code errors are."""
    if _ANY_SIGN.search(error.message) or any(a in archs and a in error.message for a in evidence.refused):
        return False
    return not machine or (error.tool in _COMPILERS and error.path is not None and error.line is not None)


def _told(error: Diagnostic) -> str:
    if error.path is None:
        return error.message
    return f"{error.path}:{error.line}: {error.message}" if error.line else f"{error.path}: {error.message}"


def _joined(first: str, second: str) -> str:
    return f"{first}: {second}" if second else first
