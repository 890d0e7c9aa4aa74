"""The perf stage: every benchmark on the merge base and on the head, in turn, then one decision."""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import TYPE_CHECKING

from msgspec.structs import replace

from rocm_ci import registry
from rocm_ci.build.base import base_build
from rocm_ci.config.options import percent
from rocm_ci.config.placeholders import fill
from rocm_ci.errors import ConfigError
from rocm_ci.gpu import visible
from rocm_ci.model.perf import GONE, Comparison, PerfVerdict
from rocm_ci.model.result import Bench, PerfResult
from rocm_ci.model.verdict import Verdict, worst
from rocm_ci.perf import formats, measure, samples, statistics
from rocm_ci.perf.formats.base import Format
from rocm_ci.plan import asks_for_bench
from rocm_ci.tools import file

if TYPE_CHECKING:
    from pathlib import Path

    from rocm_ci.config.options import PerfOptions
    from rocm_ci.context import Context, Job


def run(ctx: Context, job: Job) -> PerfResult:
    """Measure and compare. Needs a merge base and a build of both sides."""
    began = ctx.clock.monotonic()
    known = registry.load(formats, "FORMAT", Format)  # type: ignore[type-abstract]
    for options in job.config.perf:
        _known(options, known)
    base = base_build(ctx, job)
    benches = []
    for options in job.config.perf:
        if not asks_for_bench(job.event, options):
            reason = f"not asked for: only {job.event.bench!r} was"
            benches.append(_unmeasured(options, Verdict.SKIPPED, reason))
            continue
        seen = visible.usable(job.facts, ctx.environment)
        lack = visible.lacking(options.gpus, seen, required=job.config.require_gpu)
        if lack is not None:
            benches.append(_unmeasured(options, *lack))
        elif not base.ok:
            reason = f"the merge base could not be built, so there is nothing to compare with: {base.reason}"
            benches.append(_unmeasured(options, Verdict.INCONCLUSIVE, reason))
        else:
            sides = measure.Sides(base=base.root, head=ctx.root)
            lease = ctx.gpus.lease(options.gpus, step=options.name, whole_card=True)
            if lease is None:
                busy = f"machine: {options.gpus} GPU(s) are not free"
                benches.append(_unmeasured(options, Verdict.ERROR, busy))
                continue
            scoped = dataclasses.replace(ctx, environment={**ctx.environment, **lease.environment})
            try:
                benches.append(_bench(scoped, options, known[options.format], sides))
            finally:
                ctx.gpus.give_back(lease)
    benches = _told_apart(benches)
    return PerfResult(
        verdict=worst(b.verdict for b in benches),
        duration_s=ctx.clock.monotonic() - began,
        reason=_summary(benches),
        base=job.event.merge_base,
        benches=tuple(benches),
    )


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
