"""A small kernel and a copy, really run on each GPU: compiled by hipcc, or through an installed PyTorch."""

from __future__ import annotations

import enum
import re
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rocm_ci.errors import MachineError
from rocm_ci.gpu.documents import documents
from rocm_ci.gpu.quantity import whole, word
from rocm_ci.gpu.reader import clean, complaint
from rocm_ci.model.incident import Incident, IncidentKind
from rocm_ci.tools.process import NOT_FOUND

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rocm_ci.context import Gpus, Lease
    from rocm_ci.model.facts import Facts
    from rocm_ci.tools.process import Captured, Runner

SOURCE = Path(__file__).with_name("smoke.hip")
SCRIPT = Path(__file__).with_name("smoke_torch.py")
STEP = "smoke"
COMPILE_S = 120.0
# The first call of a runtime loads its libraries from disk; a kernel that has not ended by then never will.
RUN_S = 60.0
_MOST = 64
_SIDE_BY_SIDE = 8


class Ending(enum.Enum):
    """How it ended on one GPU."""

    RIGHT = "right"
    WRONG = "wrong"
    HUNG = "hung"
    REFUSED = "refused"
    BUSY = "busy"


@dataclass(frozen=True, kw_only=True)
class Result:
    """One GPU: what it said in a few words, and what to do where that was not right."""

    label: str
    ending: Ending
    detail: str = ""
    fix: str = ""


@dataclass(frozen=True, kw_only=True)
class Smoke:
    """All GPUs. Without results `reason` says why nothing was run, and `fix` what would help."""

    results: tuple[Result, ...] = ()
    tool: str = ""
    reason: str = ""
    fix: str = ""


@dataclass(frozen=True, kw_only=True)
class Program:
    """What is run on each GPU; `argv` is empty when there is none, and `reason` says why."""

    argv: tuple[str, ...] = ()
    tool: str = ""
    reason: str = ""
    fix: str = ""


def smoke(
    facts: Facts, gpus: Gpus, run: Runner, environment: Mapping[str, str], *, run_s: float = RUN_S
) -> Smoke:
    """Try every GPU that is free. Each is leased alone, so that no other run's work is disturbed.

    A GPU that hangs is named and left; the others go on. Raises nothing for what it finds.
    """
    if not facts.gpus:
        return Smoke(reason="there is no GPU")
    with tempfile.TemporaryDirectory(prefix="rocm-ci-smoke-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        program = prepare(facts, run, environment, folder)
        if not program.argv:
            return Smoke(reason=program.reason, fix=program.fix)
        leases, refused = _leases(gpus)

        def attempt(lease: Lease) -> Result:
            child = {**environment, **lease.environment, "HIP_PLATFORM": "amd"}
            done = run.capture(program.argv, cwd=folder, env=child, timeout_s=run_s)
            label = ", ".join(lease.labels) or "the first visible GPU"
            return _reported(judged(label, done, run_s), lease, gpus)

        try:
            with ThreadPoolExecutor(max_workers=_SIDE_BY_SIDE) as pool:
                results = tuple(pool.map(attempt, leases))
        finally:
            for lease in leases:
                gpus.give_back(lease)
    results += _not_tried(gpus.total, len(leases), refused)
    return Smoke(results=results, tool=program.tool, reason="" if results else "no GPU could be leased")


def _leases(gpus: Gpus) -> tuple[list[Lease], str]:
    """One lease for each free GPU, and what the machine said where one could not be had."""
    leases: list[Lease] = []
    seen: set[str] = set()
    for _ in range(min(gpus.total, _MOST)):
        try:
            lease = gpus.lease(1, step=STEP, avoid=tuple(seen))
        except MachineError as error:
            return leases, str(error)
        if lease is None:
            break
        leases.append(lease)
        if not lease.devices or seen.issuperset(lease.devices):
            break
        seen.update(lease.devices)
    return leases, ""


def _not_tried(total: int, tried: int, refused: str) -> tuple[Result, ...]:
    if refused:
        fix = "`rocm-ci facts` shows what each source lists; unset the visible-device variables"
        return (Result(label="the next GPU", ending=Ending.REFUSED, detail=refused[:300], fix=fix),)
    left = min(total, _MOST) - tried
    if left <= 0:
        return ()
    return (Result(label=f"{left} GPU(s)" if tried else f"all {left} GPU(s)", ending=Ending.BUSY),)


def prepare(facts: Facts, run: Runner, environment: Mapping[str, str], folder: Path) -> Program:
    """The compiled program for the targets of all GPUs; a script where there is no compiler for them."""
    targets = sorted({gpu.gfx for gpu in facts.gpus if gpu.gfx})
    compiled = _compile(targets, run, environment, folder) if targets else None
    if compiled is not None and compiled.argv:
        return compiled
    why = compiled.reason if compiled is not None else "no GPU's target is known"
    if facts.rocm.torch_hip:
        return Program(argv=("python3", "-I", str(SCRIPT)), tool=f"torch {facts.rocm.torch}", reason=why)
    return Program(
        reason=f"{why}; and no PyTorch for ROCm is installed",
        fix="install hipcc with rocm-device-libs, or use a ROCm image, so that a kernel can be built",
    )


def _compile(targets: Sequence[str], run: Runner, environment: Mapping[str, str], folder: Path) -> Program:
    # The compiler writes beside its source: what is installed may not be writable, or shared.
    source, program = folder / SOURCE.name, folder / "smoke"
    shutil.copyfile(SOURCE, source)
    archs = tuple(f"--offload-arch={target}" for target in targets)
    argv = ("hipcc", "-O1", *archs, str(source), "-o", str(program))
    done = run.capture(argv, cwd=folder, env={**environment, "HIP_PLATFORM": "amd"}, timeout_s=COMPILE_S)
    if done.exit_code == NOT_FOUND:
        return Program(reason="hipcc is not installed")
    if done.timed_out:
        return Program(reason=f"hipcc did not end within {COMPILE_S:g} s")
    if done.exit_code != 0 or not program.is_file():
        said = complaint(clean(done.error_text or done.text)) or f"exit code {done.exit_code}"
        return Program(reason=f"hipcc cannot compile for {', '.join(targets)}: {said}")
    return Program(argv=(str(program),), tool="a program compiled by hipcc")


def _reported(result: Result, lease: Lease, gpus: Gpus) -> Result:
    """With what the ledger makes of it: a GPU that fails here again and again gets no more work."""
    if result.ending not in (Ending.HUNG, Ending.WRONG):
        return result
    kind = IncidentKind.GPU_HANG if result.ending is Ending.HUNG else IncidentKind.ECC
    text = f"a small test program: {result.detail}"
    incident = Incident(kind=kind, text=text, source="rocm-ci doctor", gpu=result.label, is_gpu=True)
    told = gpus.blame(lease, incident)
    return replace(result, detail=f"{result.detail}; {told}") if told else result


def judged(label: str, done: Captured, run_s: float) -> Result:
    """What the program's output and exit code say of the GPU."""
    if done.timed_out:
        fix = "look at `dmesg` on the host; reset the GPU, or restart the host"
        return Result(
            label=label, ending=Ending.HUNG, detail=f"a small kernel did not end within {run_s:g} s", fix=fix
        )
    said = next(
        iter(documents(done.text[-20_000:], lambda v: isinstance(v, dict) and "rocm_ci_smoke" in v)), None
    )
    if said is None or "error" in said:
        return _refused(label, done, said or {})
    wrong = _wrong(said)
    if wrong or done.exit_code != 0:
        detail = wrong or f"ended with code {done.exit_code} after right values"
        fix = "take the GPU out of use and test its memory (`rvs`): right values are the least it must give"
        return Result(label=label, ending=Ending.WRONG, detail=detail, fix=fix)
    memory = whole(said.get("memory_bytes"))
    parts = [
        word(said.get("target")),
        f"wave {said.get('wave')}" if whole(said.get("wave")) else None,
        f"{memory / (1 << 30):.0f} GiB" if memory else None,
        f"{whole(said.get('values')) or 0:,} values",
    ]
    return Result(label=label, ending=Ending.RIGHT, detail=", ".join(part for part in parts if part))


def _is_ours(value: object) -> bool:
    return isinstance(value, dict) and "rocm_ci_smoke" in value


def _wrong(said: Mapping[str, object]) -> str:
    """What was not as it must be; empty when all was."""
    sums, copies, values = (whole(said.get(name)) for name in ("wrong_sums", "wrong_copies", "values"))
    if not values or sums is None or copies is None:
        return "did not say what it checked"
    if sums or copies:
        return f"{sums} of {values:,} sums and {copies} copied values are wrong"
    devices = whole(said.get("devices"))
    if devices != 1:
        return f"one GPU was leased, and the runtime shows {devices}"
    target, wave, told = word(said.get("target")) or "", whole(said.get("wave")), whole(said.get("wave_told"))
    right = _wave_of(target)
    if wave and ((told and wave != told) or (right and wave != right)):
        return f"a wave of {wave} lanes on {target or 'this GPU'}, which has {right or told}"
    return ""


def _wave_of(target: str) -> int | None:
    """gfx9 computes in waves of 64 lanes, what came later in HIP in waves of 32."""
    found = re.match(r"gfx(\d+?)[0-9a-f]{2}(?![0-9a-f])", target)
    if found is None:
        return None
    return 64 if int(found.group(1)) <= 9 else 32


def _refused(label: str, done: Captured, said: Mapping[str, object]) -> Result:
    error, step = word(said.get("error")), word(said.get("step"))
    if error:
        detail = f"{error} when {step}" if step else error
    else:
        told = complaint(clean(done.error_text or done.text))
        detail = f"ended with code {done.exit_code}" + (f": {told}" if told else "")
    fix = "see the checks `device-access`, `driver` and `visible-devices`"
    lowered = detail.lower()
    if "nobinary" in lowered.replace(" ", "") or "invalid device function" in lowered:
        fix = "the runtime and the compiler do not know the same targets: install both of one ROCm release"
    elif "memory" in lowered:
        fix = "see the check `vram`: the GPU's memory is taken"
    return Result(label=label, ending=Ending.REFUSED, detail=detail[:300], fix=fix)
