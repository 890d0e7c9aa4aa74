"""Stage test: the suites, side by side where there is room, their results in the configured order."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from rocm_ci.config.options import seconds
from rocm_ci.errors import InterruptedRunError
from rocm_ci.model.result import Suite, TestResult
from rocm_ci.model.verdict import worst
from rocm_ci.runners import judge, suite
from rocm_ci.schedule import board, part, times
from rocm_ci.schedule.execution import Execution
from rocm_ci.schedule.halt import Halt
from rocm_ci.schedule.progress import Progress
from rocm_ci.stages import orders
from rocm_ci.stages.suites import Piece, Work

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocm_ci.context import Context, Job
    from rocm_ci.runners.attempt import Order


def run(ctx: Context, job: Job) -> TestResult:
    """Run the suites. A misspelt placeholder is told before any of them starts."""
    began = ctx.clock.monotonic()
    course = _Course(ctx, job, orders.of(ctx, job))
    try:
        course.run()
    except (InterruptedRunError, KeyboardInterrupt) as error:
        # Hours of finished suites are worth more than one line about the last of them.
        said = f"interrupted by {error}" if str(error) else "interrupted"
        stopped = error if isinstance(error, InterruptedRunError) else InterruptedRunError(str(error))
        stopped.partial = _result(ctx, course.suites(said), began)
        raise stopped from error
    suites = course.suites()
    course.record(suites)
    return _result(ctx, suites, began)


class _Course:
    """All suites of one run: those that are decided before, and those that are scheduled."""

    def __init__(self, ctx: Context, job: Job, every: Sequence[Order]) -> None:
        self._job = job
        self._halt = Halt(ctx.stop)
        self._ctx = dataclasses.replace(ctx, stop=self._halt)
        self._repository = job.event.repository or ctx.root.name
        self._lanes = board.lanes(job.config.parallel, ctx.gpus.total)
        self._progress = Progress(ctx.log, ctx.clock)
        self._execution: Execution[Piece] = Execution(
            (),
            gpus=ctx.gpus,
            clock=ctx.clock,
            halt=self._halt,
            parallel=job.config.parallel,
            lease_wait_s=seconds(job.config.lease_wait),
            watcher=self._progress,
        )
        known = job.times.over(times.known(ctx.state, self._repository))
        idle = [orders.idle(ctx, job, order.options) for order in every]
        is_beside = not self._lanes.is_strict and idle.count(None) > 1
        self._suites: list[Suite | Work] = []
        for order, lack in zip(every, idle, strict=True):
            if lack is not None:
                self._suites.append(suite.unrun(order, *lack))
                continue
            log = ctx.log.named(order.options.name) if is_beside else ctx.log
            work = Work(
                ctx=dataclasses.replace(self._ctx, log=log),
                order=order,
                known=known,
                shards=self._shards(order),
                part=part.parsed(job.event.shard) if job.event.shard else None,
                add=self._execution.add,
            )
            self._suites.append(work)
        for one in self._suites:
            if isinstance(one, Suite) and one.verdict.name == "ERROR":
                ctx.log.warning(f"{one.name}: {one.reason}")

    def run(self) -> None:
        """Until all have ended."""
        works = [one for one in self._suites if isinstance(one, Work)]
        self._execution.add([task for work in works for task in work.tasks()])
        try:
            self._execution.run()
        finally:
            self._progress.close()

    def suites(self, interrupted: str = "") -> tuple[Suite, ...]:
        """The results as far as they are there, in the configured order."""
        ended = self._execution.ended
        return tuple(one.result(ended, interrupted) if isinstance(one, Work) else one for one in self._suites)

    def record(self, suites: Sequence[Suite]) -> None:
        """Keep the times for the next run."""
        took = {}
        for one in self._suites:
            taken = one.took_s(self._execution.ended) if isinstance(one, Work) else None
            if isinstance(one, Work) and taken is not None:
                took[one.order.options.name] = taken
        if not took:
            return
        ctx = self._ctx
        problem = times.record(ctx.state, self._repository, suites, took=took, clock=ctx.clock)
        if problem:
            ctx.log.info(f"the times of this run are not kept for the next one: {problem}")

    def _shards(self, order: Order) -> int:
        """Into how many pieces a suite is cut: as many as were asked for, or as the GPUs allow."""
        options = order.options
        if self._lanes.is_strict or self._job.event.shard:
            return 1
        room = self._lanes.gpus // options.gpus if options.gpus else self._lanes.plain
        return options.shards or max(1, min(room, self._lanes.slots))


def _result(ctx: Context, suites: tuple[Suite, ...], began: float) -> TestResult:
    return TestResult(
        verdict=worst(one.verdict for one in suites),
        duration_s=ctx.clock.monotonic() - began,
        reason=_reason(suites),
        suites=suites,
    )


def _reason(suites: tuple[Suite, ...]) -> str:
    """`2 failed, 211 passed, 3 skipped`, and which suite has more to say than that."""
    counts = judge.counted(case for one in suites for case in one.cases)
    others = [
        f"{one.name}: {one.reason}" for one in suites if one.reason not in ("", judge.counted(one.cases))
    ]
    return "; ".join(part for part in (counts, *others) if part)
