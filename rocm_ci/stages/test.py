"""Stage test: the configured suites in their order, each with the GPUs it asks for."""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING

from msgspec.structs import replace

import rocm_ci.runners
from rocm_ci import registry
from rocm_ci.errors import InterruptedRunError, RocmCiError
from rocm_ci.gpu import visible
from rocm_ci.model.result import Suite, TestResult
from rocm_ci.model.verdict import Verdict, worst
from rocm_ci.plan import asks_for_suite
from rocm_ci.runners import judge, suite
from rocm_ci.runners.attempt import Order
from rocm_ci.runners.base import SuiteRunner

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rocm_ci.config.options import TestOptions
    from rocm_ci.context import Context, Job


def run(ctx: Context, job: Job) -> TestResult:
    """Run the suites in their order. A misspelt placeholder is told before any of them starts."""
    began = ctx.clock.monotonic()
    runners = registry.load(rocm_ci.runners, "RUNNER", SuiteRunner)  # type: ignore[type-abstract]
    orders = [_order(ctx, job, runners, index) for index in range(len(job.config.test))]
    for order in orders:
        order.command("report.xml")
    done: list[Suite] = []
    try:
        for order in orders:
            done.append(_guarded(ctx, job, order))  # noqa: PERF401 - what is done counts when one is stopped
    except InterruptedRunError as error:
        # Hours of finished suites are worth more than one line about the last of them.
        said = f"interrupted by {error}" if str(error) else "interrupted"
        done += [suite.unrun(order, Verdict.ERROR, said) for order in orders[len(done) :]]
        error.partial = _result(ctx, done, began)
        raise
    return _result(ctx, done, began)


def _result(ctx: Context, done: Sequence[Suite], began: float) -> TestResult:
    suites = tuple(done)
    return TestResult(
        verdict=worst(one.verdict for one in suites),
        duration_s=ctx.clock.monotonic() - began,
        reason=_reason(suites),
        suites=suites,
    )


def _guarded(ctx: Context, job: Job, order: Order) -> Suite:
    """A suite that meets a defect of ours must not take the others' results away."""
    try:
        return _suite(ctx, job, order)
    except RocmCiError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, it is told and the others go on
        said = f"rocm-ci itself failed: {type(error).__name__}: {error}"
        ctx.log.error(f"{order.options.name}: {said}", "please report it with the traceback in the report")
        lost = suite.unrun(order, Verdict.ERROR, said)
        return replace(lost, excerpt=traceback.format_exc())


def _order(ctx: Context, job: Job, runners: Mapping[str, SuiteRunner], index: int) -> Order:
    options = job.config.test[index]
    earlier = {other.name for other in job.config.test[:index]}
    information = {
        "ROCM_CI": "1",
        "ROCM_CI_SUITE": options.name,
        "ROCM_CI_LAYER": options.layer.value,
        "ROCM_CI_GPUS": str(options.gpus),
        "ROCM_CI_ARCHS": ";".join(job.config.arch),
    }
    return Order(
        options=options,
        runner=_runner(runners, options),
        stem=options.name if options.name not in earlier else f"{options.name}-{index + 1}",
        values={
            "arch": job.config.arch,
            "jobs": str(job.config.jobs or job.facts.host.cpus or 1),
            "gpus": str(options.gpus),
        },
        environment={**ctx.environment, **information},
    )


def _runner(runners: Mapping[str, SuiteRunner], options: TestOptions) -> SuiteRunner:
    """The configured runner, or the first that knows the command's program."""
    if options.runner != "auto":
        return runners[options.runner]
    return next((one for one in runners.values() if one.claims(options.run)), runners["command"])


def _suite(ctx: Context, job: Job, order: Order) -> Suite:
    options = order.options
    if not asks_for_suite(job.event, options):
        return suite.unrun(order, Verdict.SKIPPED, f"not asked for: only {job.event.suite!r} was")
    seen = visible.usable(job.facts, ctx.environment)
    lack = visible.lacking(options.gpus, seen, required=job.config.require_gpu)
    if lack is not None:
        verdict, reason = lack
        ctx.log.warning(f"{options.name}: {reason}")
        return suite.unrun(order, verdict, reason)
    ctx.log.info(f"{options.name} ({options.layer.value}, {order.runner.name}): {options.run}")
    lease = ctx.gpus.lease(options.gpus, step=options.name)
    if lease is None:
        return suite.unrun(order, Verdict.ERROR, f"machine: {options.gpus} GPU(s) are not free")
    try:
        done = suite.run(ctx, order, lease)
    finally:
        ctx.gpus.give_back(lease)
    ctx.log.info(f"{options.name}: {done.verdict.value}{f' – {done.reason}' if done.reason else ''}")
    return done


def _reason(suites: tuple[Suite, ...]) -> str:
    """`2 failed, 211 passed, 3 skipped`, and which suite has more to say than that."""
    counts = judge.counted(case for one in suites for case in one.cases)
    others = [
        f"{one.name}: {one.reason}" for one in suites if one.reason not in ("", judge.counted(one.cases))
    ]
    return "; ".join(part for part in (counts, *others) if part)
