"""The perf stage: every benchmark on the merge base and on the head, in turn, then one decision."""

from __future__ import annotations

import dataclasses
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from rocm_ci import registry
from rocm_ci.build.base import base_build
from rocm_ci.config.options import percent, seconds
from rocm_ci.config.placeholders import fill
from rocm_ci.errors import ConfigError, MachineError
from rocm_ci.gpu import visible
from rocm_ci.model.perf import GONE, Comparison, PerfVerdict
from rocm_ci.model.result import Bench, PerfResult
from rocm_ci.model.verdict import Verdict, worst
from rocm_ci.perf import formats, measure, samples, statistics
from rocm_ci.perf.formats.base import Format
from rocm_ci.plan import asks_for_bench
from rocm_ci.schedule.execution import Execution
from rocm_ci.schedule.halt import Halt
from rocm_ci.schedule.progress import Notices
from rocm_ci.schedule.task import Task
from rocm_ci.tools import file

if TYPE_CHECKING:
    from pathlib import Path

    from rocm_ci.build.base import BaseBuild
    from rocm_ci.config.options import PerfOptions
    from rocm_ci.context import Context, Job, Lease


def run(ctx: Context, job: Job) -> PerfResult:
    """Measure and compare. Needs a merge base and a build of both sides."""
    began = ctx.clock.monotonic()
    known = registry.load(formats, "FORMAT", Format)  # type: ignore[type-abstract]
    for options in job.config.perf:
        _known(options, known)
    base = base_build(ctx, job)
    made: dict[str, Bench] = {}
    tasks = []
    for options in job.config.perf:
        idle = _idle(ctx, job, options, base)
        if idle is not None:
            made[options.name] = _unmeasured(options, *idle)
            continue
        sides = measure.Sides(base=base.root, head=ctx.root)
        run_it = partial(_on_gpus, ctx, options, known[options.format], sides)
        tasks.append(Task(name=options.name, gpus=options.gpus, run=run_it, whole_card=True))
    made |= _measured(ctx, job, tasks)
    benches = [made[options.name] for options in job.config.perf]
    benches = _told_apart(benches)
    return PerfResult(
        verdict=worst(b.verdict for b in benches),
        duration_s=ctx.clock.monotonic() - began,
        reason=_summary(benches),
        base=job.event.merge_base,
        benches=tuple(benches),
    )


def _idle(ctx: Context, job: Job, options: PerfOptions, base: BaseBuild) -> tuple[Verdict, str] | None:
    """Why a benchmark is not measured, and how bad that is; None when it is."""
    if not asks_for_bench(job.event, options):
        return Verdict.SKIPPED, f"not asked for: only {job.event.bench!r} was"
    lack = visible.lacking(
        options.gpus, visible.usable(job.facts, ctx.environment), required=job.config.require_gpu
    )
    if lack is None and not base.ok:
        reason = f"the merge base could not be built, so there is nothing to compare with: {base.reason}"
        return Verdict.INCONCLUSIVE, reason
    return lack


def _measured(ctx: Context, job: Job, tasks: list[Task[Bench]]) -> dict[str, Bench]:
    """One after the other, whatever `parallel` says: a neighbour would be in the numbers."""
    work = Execution(
        tasks,
        gpus=ctx.gpus,
        clock=ctx.clock,
        halt=Halt(ctx.stop),
        parallel=1,
        lease_wait_s=seconds(job.config.lease_wait),
        watcher=Notices(ctx.log),
    )
    done = {}
    for name, ended in work.run().items():
        options = next(one for one in job.config.perf if one.name == name)
        if ended.value is not None:
            done[name] = ended.value
        elif ended.error is not None and not isinstance(ended.error, MachineError):
            raise ended.error
        else:
            done[name] = _unmeasured(options, Verdict.ERROR, ended.refused or f"machine: {ended.error}")
    return done


def _on_gpus(ctx: Context, options: PerfOptions, form: Format, sides: measure.Sides, lease: Lease) -> Bench:
    """Both sides on the same GPUs. What was measured on a faulty one says nothing about the change."""
    scoped = dataclasses.replace(ctx, environment={**ctx.environment, **lease.environment})
    bench = _bench(scoped, options, form, sides)
    incidents = [one for one in ctx.gpus.incidents(lease) if not one.is_note]
    if not incidents:
        return bench
    followed = [ctx.gpus.blame(lease, one) for one in incidents if one.is_gpu]
    said = "; ".join(dict.fromkeys(text for text in (*(one.text for one in incidents), *followed) if text))
    return replace(bench, verdict=Verdict.ERROR, reason=f"machine: {said}")


def _told_apart(benches: list[Bench]) -> list[Bench]:
    """Two benchmarks may measure series of one name: those get the benchmark's name before theirs."""
    seen = Counter(c.name for bench in benches for c in bench.comparisons)
    return [
        replace(
            bench,
            comparisons=tuple(
                replace(c, name=f"{bench.name}: {c.name}") if seen[c.name] > 1 else c
                for c in bench.comparisons
            ),
        )
        for bench in benches
    ]


def _known(options: PerfOptions, known: dict[str, Format]) -> None:
    if options.format not in known:
        message = f"perf.{options.name}.format: no format {options.format!r}"
        raise ConfigError(message, hint=f"known: {', '.join(sorted(known))}")


def _unmeasured(options: PerfOptions, verdict: Verdict, reason: str) -> Bench:
    return Bench(name=options.name, command=_command(options), verdict=verdict, duration_s=0.0, reason=reason)


def _command(options: PerfOptions) -> str:
    """The command as a reader can paste it."""
    return fill(options.run, {"out": "result.json"}, option=f"perf.{options.name}.run")


def _bench(ctx: Context, options: PerfOptions, form: Format, sides: measure.Sides) -> Bench:
    began = ctx.clock.monotonic()
    log = ctx.out / "logs" / f"perf-{options.name}.log"
    bench = measure.Bench(ctx, options, form, sides, log)
    collected = measure.Collected()
    try:
        ctx.log.info(f"{options.name}: warm-up, then {options.rounds} rounds of base and head in turn")
        bench.warm_up()
        bench.rounds(options.rounds, collected)
        # Many series share one error rate: below so many rounds none of them could ever decide.
        needed = statistics.processes_needed(len(collected.series()))
        if needed > options.rounds:
            ctx.log.info(f"{options.name}: {len(collected.series())} series need {needed} rounds")
            bench.rounds(needed - options.rounds, collected)
        comparisons = _compared(options, collected)
        if any(c.verdict is PerfVerdict.REGRESSION for c in comparisons):
            ctx.log.info(f"{options.name}: looks slower; measuring once more before saying so")
            again = bench.rounds(max(options.rounds, needed), measure.Collected())
            comparisons = _confirmed(comparisons, _compared(options, again))
    except measure.MeasureError as error:
        verdict = Verdict.FAIL if error.side == "head" else Verdict.INCONCLUSIVE
        failed = _unmeasured(options, verdict, f"{error.side}: {error}")
        return replace(failed, duration_s=ctx.clock.monotonic() - began, log=_shown(ctx, log, error.side))
    kept = ctx.out / "perf" / f"{options.name}.samples.json"
    file.write(kept, samples.encode(collected.series()))
    return Bench(
        name=options.name,
        command=_command(options),
        verdict=_verdict(comparisons, collected),
        duration_s=ctx.clock.monotonic() - began,
        reason=_remarks(options, collected),
        rounds=collected.rounds,
        log=_shown(ctx, log, "head"),
        comparisons=comparisons,
    )


def _verdict(comparisons: tuple[Comparison, ...], collected: measure.Collected) -> Verdict:
    """The worst series. Of one that the head no longer measures nothing can be said, so it is not green."""
    _, gone = collected.one_sided()
    decided = worst(c.verdict.counts_as for c in comparisons) if comparisons else Verdict.NEUTRAL
    return max(decided, Verdict.INCONCLUSIVE) if gone else decided


def _compared(options: PerfOptions, collected: measure.Collected) -> tuple[Comparison, ...]:
    return statistics.compare(collected.series(), min_effect_pct=percent(options.min_effect))


def _confirmed(first: tuple[Comparison, ...], again: tuple[Comparison, ...]) -> tuple[Comparison, ...]:
    """A regression stands only when fresh processes show it again; else it is suspicious."""
    second = {c.name: c for c in again}
    kept = []
    for one in first:
        other = second.get(one.name)
        if one.verdict is not PerfVerdict.REGRESSION:
            kept.append(one)
        elif other is not None and other.verdict is PerfVerdict.REGRESSION:
            kept.append(replace(one, reason=f"confirmed by {other.rounds} fresh rounds"))
        else:
            kept.append(replace(one, verdict=PerfVerdict.SUSPICIOUS, reason="not seen again in fresh rounds"))
    return tuple(kept)


def _remarks(options: PerfOptions, collected: measure.Collected) -> str:
    new, gone = collected.one_sided()
    remarks = []
    if collected.rounds < options.rounds:
        remarks.append(f"only {collected.rounds} of {options.rounds} rounds fit into {options.timeout}")
    if new:
        remarks.append(f"new, not compared: {', '.join(new[:5])}")
    if gone:
        remarks.append(f"{GONE}: {', '.join(gone[:5])}")
    return "; ".join(remarks)


def _summary(benches: list[Bench]) -> str:
    counts: dict[str, int] = {}
    for bench in benches:
        for comparison in bench.comparisons:
            counts[comparison.verdict.value] = counts.get(comparison.verdict.value, 0) + 1
        if not bench.comparisons:
            counts["not measured"] = counts.get("not measured", 0) + 1
    return ", ".join(f"{count} {word}" for word, count in counts.items())


def _shown(ctx: Context, log: Path, side: str) -> str:
    return log.with_suffix(f".{side}.log").relative_to(ctx.out).as_posix()
