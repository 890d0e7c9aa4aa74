"""A small kernel and a copy, really run on each GPU: compiled by hipcc, or through an installed PyTorch."""

from __future__ import annotations

import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rocm_ci.errors import MachineError
from rocm_ci.gpu.reader import clean, complaint
from rocm_ci.gpu.smoke_ending import Ending, Result, judged
from rocm_ci.model.incident import Incident
from rocm_ci.tools.process import NOT_FOUND

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rocm_ci.context import Gpus, Lease
    from rocm_ci.model.facts import Facts
    from rocm_ci.tools.process import Runner

SOURCE = Path(__file__).with_name("smoke.hip")
SCRIPT = Path(__file__).with_name("smoke_torch.py")
STEP = "smoke"
COMPILE_S = 120.0
# The first call of a runtime loads its libraries from disk; a kernel that has not ended by then never will.
RUN_S = 60.0
_MOST = 64
_SIDE_BY_SIDE = 8


@dataclass(frozen=True, kw_only=True)
class Smoke:
    """All GPUs. Without results `reason` says why nothing was run, and `fix` what would help.

    `is_broken`: there is a compiler, and it cannot make a program for these GPUs.
    """

    results: tuple[Result, ...] = ()
    tool: str = ""
    reason: str = ""
    fix: str = ""
    is_broken: bool = False


@dataclass(frozen=True, kw_only=True)
class Program:
    """What is run on each GPU; `argv` is empty when there is none, and `reason` says why."""

    argv: tuple[str, ...] = ()
    tool: str = ""
    reason: str = ""
    fix: str = ""
    is_broken: bool = False


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
            return Smoke(reason=program.reason, fix=program.fix, is_broken=program.is_broken)
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
    is_broken = compiled is not None and compiled.is_broken
    fix = "install hipcc with rocm-device-libs, or use a ROCm image, so that a kernel can be built"
    if is_broken:
        fix = "install the compiler, rocm-device-libs and HIP's headers of one ROCm that knows these targets"
    return Program(reason=f"{why}; and no PyTorch for ROCm is installed", fix=fix, is_broken=is_broken)


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
        return Program(reason=f"hipcc did not end within {COMPILE_S:g} s", is_broken=True)
    if done.exit_code != 0 or not program.is_file():
        said = complaint(clean(done.error_text or done.text)) or f"exit code {done.exit_code}"
        return Program(reason=f"hipcc cannot compile for {', '.join(targets)}: {said}", is_broken=True)
    return Program(argv=(str(program),), tool="a program compiled by hipcc")


def _reported(result: Result, lease: Lease, gpus: Gpus) -> Result:
    """With what the ledger makes of it: a GPU that fails here again and again gets no more work."""
    if result.blame is None:
        return result
    text = f"a small test program: {result.detail}"
    incident = Incident(kind=result.blame, text=text, source="rocm-ci doctor", gpu=result.label, is_gpu=True)
    told = gpus.blame(lease, incident)
    return replace(result, detail=f"{result.detail}; {told}") if told else result
