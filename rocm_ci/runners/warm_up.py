"""What is run before a suite so that its own time is its own: compiled kernels, fetched models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from rocm_ci.config.options import seconds
from rocm_ci.config.placeholders import fill
from rocm_ci.model.incident import Try

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocm_ci.context import Context, Lease
    from rocm_ci.model.result import Suite
    from rocm_ci.runners.attempt import Order

WHY = "warm-up"
_CHOOSING = {"HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"}


def run(ctx: Context, order: Order, lease: Lease) -> Try | None:
    """Run it on the suite's GPUs, with its environment, a limit and a log of its own. None without one."""
    options = order.options
    if not options.warm_up.strip():
        return None
    log = ctx.out / "logs" / f"test-{order.stem}.warm-up.log"
    command = fill(options.warm_up, order.values, option=f"test[{options.name}].warm-up")
    ctx.log.info(f"{options.name}: warm-up: {command}")
    with ctx.log.untrusted():
        done = ctx.run.stream(
            ["bash", "-c", command],
            cwd=ctx.root,
            env={**order.environment, **visible(order, lease), **options.env},
            timeout_s=seconds(options.warm_up_timeout),
            log=log,
            on_line=ctx.log.output,
            stop=ctx.stop,
        )
    outcome = ""
    if done.timed_out:
        outcome = f"ended after {options.warm_up_timeout}"
    elif done.stopped is not None:
        outcome = done.why or "ended"
    elif done.exit_code:
        outcome = f"exit status {done.exit_code}"
    if outcome and not ctx.stop():
        ctx.log.warning(f"{options.name}: the warm-up failed ({outcome}): the suite runs cold")
    return Try(
        number=0,
        why=WHY,
        duration_s=done.duration_s,
        exit_code=done.exit_code,
        gpus=lease.labels,
        log=log.relative_to(ctx.out).as_posix(),
        outcome=outcome,
    )


def visible(order: Order, lease: Lease) -> Mapping[str, str]:
    """What makes the leased GPUs visible; a suite that chooses its GPUs in its own `env` is left alone."""
    return {} if _CHOOSING & set(order.options.env) else lease.environment


def told(suite: Suite, warm: Try | None) -> Suite:
    """The suite with its warm-up; one that failed is told, and changes nothing else."""
    if warm is None:
        return suite
    remark = f"the warm-up failed ({warm.outcome}), so it ran cold" if warm.outcome else ""
    reason = "; ".join(part for part in (suite.reason, remark) if part)
    return replace(suite, tries=(warm, *suite.tries), reason=reason)
