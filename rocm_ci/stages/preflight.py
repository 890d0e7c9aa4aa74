"""Stage preflight: can this machine do what the plan asks? Says so, and stops nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from rocm_ci.gpu.checks import quarantine, resources
from rocm_ci.gpu.checks.machine import Needs, survey
from rocm_ci.gpu.checks.outcome import is_unknown
from rocm_ci.gpu.checks.run import run_checks, trouble, verdict
from rocm_ci.gpu.live import live_reader
from rocm_ci.gpu.smoke import Smoke, smoke
from rocm_ci.model.plan import StageName
from rocm_ci.model.result import Check, PreflightResult
from rocm_ci.model.verdict import Verdict

if TYPE_CHECKING:
    from pathlib import Path

    from rocm_ci.context import Context, Job

# A report has many other things to hold: a check is a line or two, whatever a machine says of itself.
_MOST = 600


def run(ctx: Context, job: Job) -> PreflightResult:
    """Check the machine against the job.

    ERROR means that the machine is unusable for a part of the job. The stages that can run
    without that part still run: a scan needs no GPU.
    """
    began = ctx.clock.monotonic()
    needs = needs_of(job)

    def on_gpus() -> Smoke:
        ctx.log.info("a small kernel and a copy on each free GPU …")
        return smoke(job.facts, ctx.gpus, ctx.run, ctx.environment)

    machine = survey(
        job.facts,
        live_reader(ctx.run, ctx.environment, root=ctx.host),
        folders=_folders(ctx),
        host=ctx.host,
        run=ctx.run,
        quarantined=lambda: quarantine.look(job.facts, ctx.state, ctx.environment, ctx.clock.now(), ctx.host),
        smoke=on_gpus if needs.gpus and job.facts.gpus else None,
    )
    checks = tuple(_short(check) for check in run_checks(machine, needs))
    _tell(ctx, checks)
    return PreflightResult(
        verdict=verdict(checks),
        duration_s=ctx.clock.monotonic() - began,
        reason=_reason(checks, needs, gpus=len(job.facts.gpus)),
        checks=checks,
    )


def needs_of(job: Job) -> Needs:
    """What the stages that will run ask of the machine."""
    runs = {step.stage for step in job.plan.steps if step.run}
    wanted: dict[str, int] = {}
    if StageName.TEST in runs:
        wanted |= {f"suite {suite.name}": suite.gpus for suite in job.config.test if suite.gpus}
    if StageName.PERF in runs:
        wanted |= {f"benchmark {bench.name}": bench.gpus for bench in job.config.perf if bench.gpus}
    return Needs(
        wanted=wanted,
        require_gpu=job.config.require_gpu,
        builds=StageName.BUILD in runs,
        commands=tuple(build.run for build in job.config.build),
        archs=job.config.arch,
    )


def _folders(ctx: Context) -> dict[str, Path]:
    """What a run writes to, as a reader calls it."""
    named = {"the checkout": ctx.root, "results": ctx.out, "scratch files": ctx.work}
    state = {"the state of this host": ctx.state}
    # A container gets it for reading only, and what it keeps goes out another way: no reason not to test.
    return named | state if all(one.writable for one in resources.folders(state)) else named


def _short(check: Check) -> Check:
    return replace(
        check,
        seen=_cut(check.seen),
        needed=_cut(check.needed),
        fix=None if check.fix is None else _cut(check.fix),
    )


def _cut(text: str) -> str:
    return text if len(text) <= _MOST else text[: _MOST - 2] + " …"


def _reason(checks: tuple[Check, ...], needs: Needs, *, gpus: int) -> str:
    wrong = trouble(checks)
    if wrong:
        return f"machine unusable: {wrong}"
    if not gpus and not needs.gpus:
        return "no GPU, and nothing asks for one"
    advice = [f"{c.id}: {c.seen}" for c in checks if c.status is Verdict.NEUTRAL]
    return "; ".join(advice)


def _tell(ctx: Context, checks: tuple[Check, ...]) -> None:
    """One annotation for each error and one for all advice: a workflow shows but ten."""
    for check in checks:
        if check.status is Verdict.ERROR:
            ctx.log.error(f"{check.id}: needs {check.needed}, saw {check.seen}", check.fix or "")
        elif check.status is Verdict.NEUTRAL:
            ctx.log.info(f"{check.id}: {check.seen} → {check.fix}")
        elif check.status is Verdict.PASS:
            ctx.log.info(f"{check.id}: {check.seen}")
    advice = ", ".join(check.id for check in checks if check.status is Verdict.NEUTRAL)
    if advice:
        ctx.log.warning(f"this machine could be better: {advice}; the log of this step says how")
    unknown = ", ".join(check.id for check in checks if is_unknown(check))
    if unknown:
        ctx.log.info(f"not known of this machine: {unknown}; `rocm-ci doctor` says how to find out")
