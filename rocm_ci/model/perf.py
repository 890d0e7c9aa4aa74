"""Measurements of two sides, and the decision over them."""

from __future__ import annotations

import enum

from rocm_ci.model.base import Frozen
from rocm_ci.model.verdict import Verdict

# Said of a benchmark with series that the head measures no more: it cannot be green.
GONE = "no longer measured"


class Better(enum.Enum):
    """Which direction is an improvement."""

    LOWER = "lower"
    HIGHER = "higher"


class PerfVerdict(enum.Enum):
    """What can be said about one benchmark."""

    REGRESSION = "regression"
    IMPROVED = "improved"
    UNCHANGED = "unchanged"
    SUSPICIOUS = "suspicious"
    INCONCLUSIVE = "inconclusive"

    @property
    def counts_as(self) -> Verdict:
        """What it makes of the run, unless a maintainer has let it pass."""
        match self:
            case PerfVerdict.REGRESSION:
                return Verdict.FAIL
            case PerfVerdict.IMPROVED | PerfVerdict.UNCHANGED:
                return Verdict.PASS
            case PerfVerdict.SUSPICIOUS | PerfVerdict.INCONCLUSIVE:
                return Verdict.INCONCLUSIVE


class Series(Frozen, frozen=True, kw_only=True):
    """Samples of one metric. `base[k]` and `head[k]` are one process each, taken in turn."""

    name: str
    unit: str = ""
    better: Better = Better.LOWER
    base: tuple[tuple[float, ...], ...]
    head: tuple[tuple[float, ...], ...]
    control: bool = False


class Comparison(Frozen, frozen=True, kw_only=True):
    """The decision over one series.

    `effect_pct` is the change of the head against the base in percent of the base, as measured
    (positive = larger number); `interval_pct` its confidence interval; `p` the one-sided p-value
    of the worse direction; `detects_pct` the smallest effect this run could have shown.
    `accepted` says who lets a regression pass, and why.
    """

    name: str
    verdict: PerfVerdict
    unit: str = ""
    better: Better = Better.LOWER
    base_median: float | None = None
    head_median: float | None = None
    effect_pct: float | None = None
    interval_pct: tuple[float, float] | None = None
    p: float | None = None
    rounds: int = 0
    detects_pct: float | None = None
    reason: str = ""
    accepted: str = ""
