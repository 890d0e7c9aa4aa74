"""Plan → Report. A crash becomes ERROR with the traceback kept; the other stages' results stay."""

from __future__ import annotations

import traceback
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from rocm_ci import __version__
from rocm_ci.errors import InterruptedRunError, RocmCiError, of_machine
from rocm_ci.model.plan import StageName
from rocm_ci.model.report import Report, Setting, verdict_of
from rocm_ci.model.result import BuildResult, Crashed, ScanResult, Skipped, StageResult, TestResult
from rocm_ci.model.verdict import Verdict
from rocm_ci.stages import build, kernels, perf, preflight, scan, test
from rocm_ci.stages.diagnose import Explainer

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocm_ci.context import Context, Job

Stage: TypeAlias = "Callable[[Context, Job], StageResult]"

# Order is design: cheap before dear, and nothing runs on what did not build.
STAGES: tuple[tuple[StageName, Stage], ...] = (
    (StageName.PREFLIGHT, preflight.run),
    (StageName.SCAN, scan.run),
    (StageName.BUILD, build.run),
    (StageName.KERNELS, kernels.run),
    (StageName.TEST, test.run),
    (StageName.PERF, perf.run),
)
NEEDS_BUILD = (StageName.KERNELS, StageName.TEST, StageName.PERF)


def run(
    ctx: Context,
    job: Job,
    *,
    settings: tuple[Setting, ...] = (),
    notices: tuple[str, ...] = (),
    stages: tuple[tuple[StageName, Stage], ...] = STAGES,
    interrupted: bool = False,
) -> Report:
    """Run every stage of the plan in order and join the results; none when we are `interrupted` already.

    An interruption (SIGINT, SIGTERM) ends the running stage and leaves a readable partial report.
    """
    started, began = ctx.clock.now(), ctx.clock.monotonic()
    wanted = {step.stage: step for step in job.plan.steps}
    done: dict[StageName, StageResult] = {}
    explainer = Explainer(ctx, job)
    for name, stage in stages:
        step = wanted[name]
        try:
            blocked = _blocked(name, done)
            if interrupted:
                done[name] = Skipped(stage=name, reason="the run was interrupted")
            elif not step.run:
                done[name] = Skipped(stage=name, reason=step.reason)
            elif blocked:
                done[name] = Skipped(stage=name, reason=blocked)
            else:
                done[name] = _guarded(name, stage, ctx, replace(job, done=dict(done)))
                done[name] = explainer.told(done[name])
        except (InterruptedRunError, KeyboardInterrupt) as error:
            interrupted = True
            partial = getattr(error, "partial", None)
            if isinstance(partial, TestResult):
                done.setdefault(name, partial)
            said = f"interrupted by {error}" if str(error) else "interrupted"
            done.setdefault(name, Crashed(stage=name, reason=said))
    results = tuple(done[name] for name, _ in stages)
    return Report(
        tool=f"rocm-ci {__version__}",
        event=job.event,
        plan=job.plan,
        facts=job.facts,
        results=results,
        verdict=verdict_of(results, job.plan, interrupted=interrupted),
        started=started,
        duration_s=ctx.clock.monotonic() - began,
        interrupted=interrupted,
        settings=settings,
        notices=(
            *notices,
            *(n for r in results if isinstance(r, ScanResult) for n in r.notices),
            *explainer.notices,
        ),
    )


def _guarded(name: StageName, stage: Stage, ctx: Context, job: Job) -> StageResult:
    began = ctx.clock.monotonic()
    with ctx.log.step(name.value):
        try:
            return stage(ctx, job)
        except InterruptedRunError:
            raise
        except Exception as error:  # noqa: BLE001 - any crash of a stage must leave the others standing
            known = error if isinstance(error, RocmCiError) else of_machine(error)
            if known is not None:
                reason = f"{known} → {known.hint}" if known.hint else str(known)
                ctx.log.error(str(known), known.hint)
                return Crashed(stage=name, reason=reason, duration_s=ctx.clock.monotonic() - began)
            reason = f"rocm-ci itself failed: {type(error).__name__}: {error}"
            ctx.log.error(reason, "please report it with the traceback in the report")
            return Crashed(
                stage=name,
                reason=reason,
                traceback=traceback.format_exc(),
                duration_s=ctx.clock.monotonic() - began,
            )


def _blocked(name: StageName, done: dict[StageName, StageResult]) -> str:
    """Why a stage cannot run after what came before; empty when it can."""
    if name not in NEEDS_BUILD:
        return ""
    match done.get(StageName.BUILD):
        case BuildResult(verdict=Verdict.FAIL | Verdict.ERROR):
            return "the build failed"
        case Crashed():
            return "the build could not be run"
        case _:
            return ""
