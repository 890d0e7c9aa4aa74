"""Series → Comparison. Pure. The unit of observation is a process, never an iteration.

Method: the k-th process of both sides ran one after the other and shares the machine's state, so
the pairs' log ratios are compared by a one-sided Wilcoxon signed-rank test; the effect is their
Hodges-Lehmann estimate with the interval of the Walsh averages. Where the sides have different
numbers of processes, Mann-Whitney U and the shift of all pairs take their place. Holm's correction
covers all series of a run. Sources: Hollander, Wolfe & Chicken, Nonparametric Statistical Methods,
sections 3.1-3.3 and 4.1-4.3; Holm 1979.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from rocm_ci.model.perf import Better, Comparison, PerfVerdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rocm_ci.model.perf import Series

ALPHA = 0.01  # the chance of any false alarm in a whole run
CONFIDENCE = 0.95
DEFAULT_MIN_EFFECT_PCT = 3.0
_BLIND = 3.0  # a run that can only see so many times the minimum effect has not looked
_COLD = 1.25  # an iteration that much slower than the process's median, at its start, is warm-up
_Z_POWER = 0.8416  # normal quantile of 80 % power
_WILCOXON_EFFICIENCY = math.sqrt(math.pi / 3)  # against the t-test, for normal data


@dataclass(frozen=True, kw_only=True)
class _Test:
    """What the data of one series say. Effects are log ratios; positive means worse."""

    effect: float
    interval: tuple[float, float] | None
    p_worse: float
    p_better: float
    p_least: float
    detects: float | None


@dataclass(frozen=True, kw_only=True)
class _Bounds:
    """What decides: the minimum effect in percent, the error rate, how many series share it."""

    min_effect_pct: float
    alpha: float
    family: int


def compare(
    series: Sequence[Series],
    *,
    min_effect_pct: float = DEFAULT_MIN_EFFECT_PCT,
    min_effects_pct: Mapping[str, float] | None = None,
    alpha: float = ALPHA,
) -> tuple[Comparison, ...]:
    """Decide every series of a run together. `min_effects_pct` overrides the bound by name."""
    tests = [_test(s) for s in series]
    family = [i for i, t in enumerate(tests) if isinstance(t, _Test) and not series[i].control]
    worse = _holm({i: t.p_worse for i in family if isinstance(t := tests[i], _Test)})
    better = _holm({i: t.p_better for i in family if isinstance(t := tests[i], _Test)})
    bounds = min_effects_pct or {}
    decided = []
    for i, (one, test) in enumerate(zip(series, tests, strict=True)):
        bound = bounds.get(one.name, min_effect_pct)
        if isinstance(test, str):
            decided.append(_undecided(one, test))
        else:
            adjusted = (worse.get(i, test.p_worse), better.get(i, test.p_better))
            decided.append(
                _decided(
                    one,
                    test,
                    adjusted,
                    _Bounds(min_effect_pct=bound, alpha=alpha, family=max(1, len(family))),
                )
            )
    return tuple(decided)


def processes_needed(family: int, *, alpha: float = ALPHA) -> int:
    """How many processes a side let a run of `family` series decide at all (least p of the test)."""
    return max(5, math.ceil(math.log2(max(1, family) / alpha)))


def process_value(values: Sequence[float], better: Better) -> float:
    """One figure for a process: the median of its warm iterations.

    Leading iterations far off on the slow side are warm-up; at most a third of them is dropped.
    """
    middle = median(values)
    warm = list(values)
    for _ in range(len(values) // 3):
        first = warm[0]
        cold = first > middle * _COLD if better is Better.LOWER else first * _COLD < middle
        if not cold:
            break
        warm = warm[1:]
    return median(warm)


def _test(one: Series) -> _Test | str:
    """The test of one series, or in words why there is none."""
    base = [process_value(p, one.better) for p in one.base if p]
    head = [process_value(p, one.better) for p in one.head if p]
    if not base or not head:
        return "one side has no measurement"
    if min(*base, *head) <= 0:
        return "a measurement is zero or negative, so there is no ratio"
    sign = 1.0 if one.better is Better.LOWER else -1.0
    if len(base) == len(head):
        ratios = [sign * math.log(h / b) for b, h in zip(base, head, strict=True)]
        return _paired(ratios)
    return _unpaired([sign * math.log(b) for b in base], [sign * math.log(h) for h in head])


def _paired(ratios: list[float]) -> _Test:
    # scipy costs more than the rest of the program together; only a measurement needs it.
    from scipy import stats  # noqa: PLC0415

    n = len(ratios)
    moved = [r for r in ratios if r != 0.0]
    p_worse = p_better = 1.0
    if moved:
        p_worse = float(stats.wilcoxon(moved, alternative="greater").pvalue)
        p_better = float(stats.wilcoxon(moved, alternative="less").pvalue)
    walsh = sorted((a + b) / 2 for i, a in enumerate(ratios) for b in ratios[i:])
    return _Test(
        effect=median(walsh),
        interval=_walsh_interval(walsh, n),
        p_worse=p_worse,
        p_better=p_better,
        p_least=0.5**n,
        detects=_detects(ratios, n),
    )


def _unpaired(base: list[float], head: list[float]) -> _Test:
    from scipy import stats  # noqa: PLC0415 - see _paired

    shifts = sorted(h - b for h in head for b in base)
    n, m = len(head), len(base)
    # The middle CONFIDENCE of the shifts, cut by the normal approximation of the U statistic.
    z = float(stats.norm.ppf(0.5 + CONFIDENCE / 2))
    cut = int(n * m / 2 - z * math.sqrt(n * m * (n + m + 1) / 12))
    spread = [x - median(side) for side in (base, head) for x in side]
    return _Test(
        effect=median(shifts),
        interval=(shifts[cut], shifts[-1 - cut]) if 0 <= cut < len(shifts) / 2 else None,
        p_worse=float(stats.mannwhitneyu(head, base, alternative="greater").pvalue),
        p_better=float(stats.mannwhitneyu(head, base, alternative="less").pvalue),
        p_least=1 / math.comb(n + m, n),
        detects=_detects([s * math.sqrt(2) for s in spread], min(n, m)),
    )


def _walsh_interval(walsh: list[float], n: int) -> tuple[float, float] | None:
    """Order statistics of the Walsh averages, from the exact signed-rank distribution."""
    counts = [1.0]
    for rank in range(1, n + 1):
        longer = [0.0] * (len(counts) + rank)
        for total, count in enumerate(counts):
            longer[total] += count / 2
            longer[total + rank] += count / 2
        counts = longer
    tail, cut = 0.0, 0
    for count in counts:
        tail += count
        if tail > (1 - CONFIDENCE) / 2:
            break
        cut += 1
    return (walsh[cut - 1], walsh[-cut]) if cut else None


def _detects(ratios: list[float], n: int) -> float | None:
    """The smallest shift that a run like this finds with 80 % power, in log ratio."""
    from scipy import stats  # noqa: PLC0415 - see _paired

    if n < 3:
        return None
    middle = median(ratios)
    spread = 1.4826 * median([abs(r - middle) for r in ratios])
    z = float(stats.norm.ppf(1 - ALPHA)) + _Z_POWER
    return z * spread * _WILCOXON_EFFICIENCY / math.sqrt(n)


def _holm(p_values: dict[int, float]) -> dict[int, float]:
    adjusted: dict[int, float] = {}
    running = 0.0
    for rank, (i, p) in enumerate(sorted(p_values.items(), key=lambda item: item[1])):
        running = max(running, min(1.0, p * (len(p_values) - rank)))
        adjusted[i] = running
    return adjusted


def _undecided(one: Series, reason: str) -> Comparison:
    return Comparison(
        name=one.name,
        verdict=PerfVerdict.INCONCLUSIVE,
        unit=one.unit,
        better=one.better,
        rounds=min(len(one.base), len(one.head)),
        reason=reason,
    )


def _decided(one: Series, test: _Test, adjusted: tuple[float, float], bounds: _Bounds) -> Comparison:
    bound = math.log1p(bounds.min_effect_pct / 100)
    alpha, family = bounds.alpha, bounds.family
    p_worse, p_better = adjusted
    if test.p_least * family > alpha:
        needed = processes_needed(family, alpha=alpha)
        verdict, reason = PerfVerdict.INCONCLUSIVE, f"too few processes to decide: {needed} a side are needed"
    elif p_worse < alpha and test.effect >= bound:
        verdict, reason = PerfVerdict.REGRESSION, ""
    elif p_better < alpha and -test.effect >= bound:
        verdict, reason = PerfVerdict.IMPROVED, ""
    elif test.p_worse < alpha and test.effect >= bound:
        verdict, reason = PerfVerdict.SUSPICIOUS, f"significant alone, but not among {family} series"
    elif test.effect >= bound:
        verdict, reason = PerfVerdict.INCONCLUSIVE, "looks slower, but cannot be told apart from noise"
    elif test.detects is not None and test.detects > _BLIND * bound > 0:
        seen = f"only a change of {_pct(test.detects):.0f} % or more would have shown"
        verdict, reason = PerfVerdict.INCONCLUSIVE, f"too noisy: {seen}"
    else:
        verdict, reason = PerfVerdict.UNCHANGED, ""
    flip = 1.0 if one.better is Better.LOWER else -1.0
    interval = None
    if test.interval is not None:
        ends = sorted(_pct(flip * end) for end in test.interval)
        interval = (ends[0], ends[1])
    return Comparison(
        name=one.name,
        verdict=verdict,
        unit=one.unit,
        better=one.better,
        base_median=median([process_value(p, one.better) for p in one.base if p]),
        head_median=median([process_value(p, one.better) for p in one.head if p]),
        effect_pct=_pct(flip * test.effect),
        interval_pct=interval,
        p=p_worse,
        rounds=min(len(one.base), len(one.head)),
        detects_pct=None if test.detects is None else max(_pct(test.detects), bounds.min_effect_pct),
        reason=reason,
    )


def _pct(log_ratio: float) -> float:
    return 100 * math.expm1(log_ratio)
