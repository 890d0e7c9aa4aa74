"""Stage kernels: registers, spills, scratch and occupancy of every kernel, against the merge base."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from rocm_ci.build.base import base_build
from rocm_ci.kernels import compare, inventory
from rocm_ci.model.plan import StageName
from rocm_ci.model.result import BuildResult, KernelsResult, Skipped
from rocm_ci.model.verdict import Verdict
from rocm_ci.tools import file

if TYPE_CHECKING:
    from rocm_ci.context import Context, Job
    from rocm_ci.model.kernel import Kernel, KernelChange

# A second build is worth its time up to here; when benchmarks need it anyway it costs nothing.
AFFORDABLE_S = 900.0
# The report keeps what a reader can use; the whole list is a file beside it.
MAX_KERNELS = 500
MAX_CHANGES = 500
MAX_TOLD = 3
LIST = "kernels.json"
_WORDS = {
    "vgpr_spills": "spills {head} VGPRs, {base} before",
    "sgpr_spills": "spills {head} SGPRs, {base} before",
    "scratch_bytes": "uses {head} bytes of scratch, {base} before",
    "occupancy": "fits {head} waves per SIMD, {base} before",
}


def run(ctx: Context, job: Job) -> KernelsResult | Skipped:
    """Read the kernels of the build's artifacts. A regression is advice: the speed gate decides."""
    began = ctx.clock.monotonic()
    built = job.done.get(StageName.BUILD)
    names = _artifacts(built)
    if not names:
        return Skipped(stage=StageName.KERNELS, reason="the build made no file with GPU code")
    env = ctx.environment
    head = inventory.of([(ctx.root / name, name) for name in names], ctx.run, env)
    if not head.kernels:
        why = head.problems[0] if head.problems else "there is no kernel in the artifacts"
        return Skipped(stage=StageName.KERNELS, reason=why)
    file.write(ctx.out / LIST, msgspec.json.encode(head.kernels))
    changes: tuple[KernelChange, ...] = ()
    reason = _not_compared(job, built)
    if not reason:
        base = base_build(ctx, job)
        before = [(base.root / name, name) for name in names if (base.root / name).is_file()]
        reason = "" if base.ok else f"not compared: {base.reason}"
        if base.ok and not before:
            reason = "not compared: the merge base has none of these artifacts"
        if not reason:
            changes = compare.changes(inventory.of(before, ctx.run, env).kernels, head.kernels)
    worse = [c for c in changes if c.is_regression]
    return KernelsResult(
        verdict=Verdict.NEUTRAL if worse else Verdict.PASS,
        duration_s=ctx.clock.monotonic() - began,
        reason=_told(worse) or reason,
        kernels=_worth_showing(head.kernels, changes),
        changes=changes[:MAX_CHANGES],
        compared=not reason,
    )


def _artifacts(built: object) -> tuple[str, ...]:
    if not isinstance(built, BuildResult):
        return ()
    return tuple(dict.fromkeys(a.path for step in built.steps for a in step.artifacts if a.archs))


def _not_compared(job: Job, built: object) -> str:
    """Why the base is not built for this; empty when it is."""
    if job.event.merge_base is None:
        return "not compared: there is no merge base"
    if any(step.stage is StageName.PERF and step.run for step in job.plan.steps):
        return ""
    if isinstance(built, BuildResult) and built.duration_s > AFFORDABLE_S:
        minutes = built.duration_s / 60
        return f"not compared: the build takes {minutes:.0f} minutes, and nothing else needs the merge base"
    return ""


def _told(worse: list[KernelChange]) -> str:
    """New spills first: a kernel that never touched memory for its registers now does."""
    ordered = sorted(worse, key=lambda c: not compare.is_new_spill(c))
    told = [f"{c.name} on {c.arch} {_WORDS[c.metric].format(head=c.head, base=c.base)}" for c in ordered]
    more = f"; {len(told) - MAX_TOLD} more" if len(told) > MAX_TOLD else ""
    return "; ".join(told[:MAX_TOLD]) + more


def _worth_showing(kernels: tuple[Kernel, ...], changes: tuple[KernelChange, ...]) -> tuple[Kernel, ...]:
    """Changed ones, then those that spill, then the rest; at most `MAX_KERNELS`, in order of name."""
    changed = {(c.name, c.arch) for c in changes}

    def dull(kernel: Kernel) -> tuple[bool, int]:
        spills = kernel.vgpr_spills + kernel.sgpr_spills + kernel.scratch_bytes
        return (kernel.name, kernel.arch) not in changed, -spills

    chosen = sorted(kernels, key=dull)[:MAX_KERNELS]
    return tuple(sorted(chosen, key=lambda k: (k.name, k.arch, k.artifact)))
