"""Regressions that a maintainer lets pass: found by name, applied to a report, kept small. Pure.

An acceptance goes up to the effect that was seen when it was given. What is worse than that, beyond the
doubt of the measurement, is a regression again.
"""

from __future__ import annotations

import difflib
import math
from typing import TYPE_CHECKING

import msgspec

from rocm_ci.errors import UsageError
from rocm_ci.model.past import Acceptance
from rocm_ci.model.perf import GONE, Better, Comparison, PerfVerdict
from rocm_ci.model.result import Bench, PerfResult
from rocm_ci.model.verdict import Verdict, worst
from rocm_ci.report import inert, words
from rocm_ci.report.merge import graded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocm_ci.model.report import Report

# Of the comment's payload, which remembers the earlier verdicts as well.
ROOM = 900
_REASON = 120


def accepted_name(report: Report, name: str) -> str:
    """The name of a regression as the report spells it; of a merged report also `LEG: NAME`.

    Capitals and spaces do not matter where only one name fits. Raises `UsageError` with the nearest names.
    """
    wanted = " ".join(name.split())
    known: dict[str, PerfVerdict] = {}
    for leg, comparison in _comparisons(report):
        for called in _names(leg, comparison):
            if known.get(called) is not PerfVerdict.REGRESSION:
                known[called] = comparison.verdict
    alike = [called for called in known if " ".join(called.split()).casefold() == wanted.casefold()]
    exact = wanted if wanted in known else alike[0] if len(alike) == 1 else None
    slower = [called for called, verdict in known.items() if verdict is PerfVerdict.REGRESSION]
    if exact is not None and known[exact] is PerfVerdict.REGRESSION:
        return exact
    shown = inert.line(wanted, limit=80) or "''"
    if exact is not None:
        message = f"benchmark {shown} is no regression in this run: it is {known[exact].value}"
    else:
        message = f"no benchmark of this run is called {shown}"
    raise UsageError(message, hint=_nearest(wanted, slower))


def _nearest(wanted: str, slower: Sequence[str]) -> str:
    if not slower:
        return "this run has no regression that could be accepted"
    near = difflib.get_close_matches(wanted[:200], [name[:200] for name in slower[:500]], n=3, cutoff=0.4)
    listed = [inert.line(name, limit=80) for name in (near or slower)]
    return f"{'nearest' if near else 'regressions of this run'}: {words.first(listed, 3)}"


def accept(report: Report, name: str, *, by: str, reason: str, head: str) -> Acceptance:
    """The acceptance of one regression of this report. Raises `UsageError` when it has none of that name."""
    found = accepted_name(report, name)
    effects = [
        _worse(c)
        for leg, c in _comparisons(report)
        if found in _names(leg, c) and c.verdict is PerfVerdict.REGRESSION
    ]
    most = max((e for e in effects if e is not None), default=None)
    if most is None:
        message = f"benchmark {inert.line(found, limit=80)} has no measured effect"
        raise UsageError(message, hint="run the benchmark again: /rocm-ci bench")
    return Acceptance(name=found, effect_pct=math.ceil(most * 100) / 100, by=by, reason=reason, head=head)


def bounded(accepted: Sequence[Acceptance], *, room: int = ROOM) -> tuple[Acceptance, ...]:
    """What a comment can keep: the newest ones, one for a name, `room` bytes of JSON, reasons cut."""
    latest = {a.name: a for a in accepted if math.isfinite(a.effect_pct)}
    ordered = sorted(latest.values(), key=lambda a: max(n for n, b in enumerate(accepted) if b is a))
    kept = [msgspec.structs.replace(a, reason=inert.line(a.reason, limit=_REASON)) for a in ordered]
    while kept and len(msgspec.json.encode(kept)) > room:
        kept.pop(0)
    return tuple(kept)


def applied(report: Report, accepted: Sequence[Acceptance]) -> Report:
    """The report with its accepted regressions marked, and every verdict above them formed anew.

    A regression stays one, with `accepted` set; for the verdict it counts as advice. A report without any
    is returned as it is.
    """
    by_name = {a.name: a for a in accepted}
    results = tuple(_result(r, by_name) if isinstance(r, PerfResult) else r for r in report.results)
    if all(one is other for one, other in zip(results, report.results, strict=True)):
        return report
    return graded(msgspec.structs.replace(report, results=results))


def _result(result: PerfResult, by_name: dict[str, Acceptance]) -> PerfResult:
    benches = tuple(_bench(bench, result.leg, by_name) for bench in result.benches)
    if all(one is other for one, other in zip(benches, result.benches, strict=True)):
        return result
    before, after = worst(b.verdict for b in result.benches), worst(b.verdict for b in benches)
    passed = sum(bool(c.accepted) for b in benches for c in b.comparisons)
    said = f"{words.count(passed, 'regression')} accepted"
    return msgspec.structs.replace(
        result,
        benches=benches,
        verdict=after if result.verdict is before else result.verdict,
        reason=f"{result.reason}; {said}" if result.reason else said,
    )


def _bench(bench: Bench, leg: str, by_name: dict[str, Acceptance]) -> Bench:
    comparisons = tuple(_comparison(c, leg, by_name) for c in bench.comparisons)
    if all(one is other for one, other in zip(comparisons, bench.comparisons, strict=True)):
        return bench
    verdict = bench.verdict
    slower = [c for c in comparisons if c.verdict is PerfVerdict.REGRESSION]
    if verdict is Verdict.FAIL and all(c.accepted for c in slower):
        verdict = worst(Verdict.NEUTRAL if c.accepted else c.verdict.counts_as for c in comparisons)
        if GONE in bench.reason:
            verdict = max(verdict, Verdict.INCONCLUSIVE)
    return msgspec.structs.replace(bench, comparisons=comparisons, verdict=verdict)


def _comparison(c: Comparison, leg: str, by_name: dict[str, Acceptance]) -> Comparison:
    if c.verdict is not PerfVerdict.REGRESSION:
        return c
    # The narrower name wins: it was given for this very leg.
    allowed = next((by_name[name] for name in reversed(_names(leg, c)) if name in by_name), None)
    least = _at_least(c)
    if allowed is None or least is None or not least <= allowed.effect_pct:
        return c
    return msgspec.structs.replace(c, accepted=f"by {allowed.by}: {allowed.reason}")


def _names(leg: str, c: Comparison) -> tuple[str, ...]:
    """What a regression may be called, the wider name first."""
    return (c.name, f"{leg}: {c.name}") if leg else (c.name,)


def _comparisons(report: Report) -> Iterator[tuple[str, Comparison]]:
    for result in report.results:
        if isinstance(result, PerfResult):
            for bench in result.benches:
                for comparison in bench.comparisons:
                    yield result.leg, comparison


def _worse(c: Comparison) -> float | None:
    """The effect in percent, positive = worse."""
    if c.effect_pct is None or not math.isfinite(c.effect_pct):
        return None
    return c.effect_pct if c.better is Better.LOWER else -c.effect_pct


def _at_least(c: Comparison) -> float | None:
    """How much worse it is at the least: the kind end of the interval, never more than the effect."""
    effect = _worse(c)
    if effect is None:
        return None
    sign = 1.0 if c.better is Better.LOWER else -1.0
    ends = [sign * end for end in c.interval_pct or () if math.isfinite(end)]
    return min([effect, *ends])
