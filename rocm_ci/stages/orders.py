"""The configured suites as orders for their runners, and those of them that are not to run here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import rocm_ci.runners
from rocm_ci import registry
from rocm_ci.config.options import seconds
from rocm_ci.errors import ConfigError
from rocm_ci.gpu import visible
from rocm_ci.model.verdict import Verdict
from rocm_ci.plan import asks_for_suite
from rocm_ci.runners import expected
from rocm_ci.runners.attempt import Order
from rocm_ci.runners.base import SuiteRunner

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocm_ci.config.options import TestOptions
    from rocm_ci.context import Context, Job


def of(ctx: Context, job: Job) -> list[Order]:
    """One for each suite, in the configured order. A misspelt placeholder raises `ConfigError`."""
    runners = registry.load(rocm_ci.runners, "RUNNER", SuiteRunner)  # type: ignore[type-abstract]
    orders = [_order(ctx, job, runners, index) for index in range(len(job.config.test))]
    for order in orders:
        order.command("report.xml")
        if order.options.shards != 1 and order.runner.name == "command":
            message = (
                f"test[{order.options.name}].shards: of a plain command it is not known which tests it has"
            )
            hint = "name its `runner` if it is pytest, ctest or gtest, or make several suites of it"
            raise ConfigError(message, hint=hint)
    return orders


def idle(ctx: Context, job: Job, options: TestOptions) -> tuple[Verdict, str] | None:
    """Why a suite does not run here, and how bad that is; None when it runs."""
    if not asks_for_suite(job.event, options):
        return Verdict.SKIPPED, f"not asked for: only {job.event.suite!r} was"
    seen = visible.usable(job.facts, ctx.environment)
    lack = visible.lacking(options.gpus, seen, required=job.config.require_gpu)
    if lack is None and options.gpus > ctx.gpus.total:
        left = f"needs {options.gpus} GPU(s); of the {seen} seen {ctx.gpus.total} can be had"
        return Verdict.ERROR, f"machine unusable: {left}, the others are in quarantine"
    return lack


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
        lease_wait_s=seconds(job.config.lease_wait),
        flaky=job.config.flaky,
        wanted=expected.of(options.expected, ctx.root),
    )


def _runner(runners: Mapping[str, SuiteRunner], options: TestOptions) -> SuiteRunner:
    """The configured runner, or the first that knows the command's program."""
    if options.runner != "auto":
        return runners[options.runner]
    return next((one for one in runners.values() if one.claims(options.run)), runners["command"])
