"""What a pull request's comment remembers from run to run."""

from __future__ import annotations

from rocm_ci.model.base import Frozen
from rocm_ci.model.verdict import Verdict


class Point(Frozen, frozen=True, kw_only=True):
    """One earlier verdict. `at` is UTC in ISO 8601; `counts` such as findings, failed, regressions.

    `effects_pct` holds the change against the merge base of a few benchmarks, positive = worse.
    """

    head: str
    verdict: Verdict
    at: str = ""
    run: int | None = None
    attempt: int | None = None
    counts: dict[str, int] = {}
    effects_pct: dict[str, float] = {}


class Acceptance(Frozen, frozen=True, kw_only=True):
    """A regression that a maintainer lets pass, up to the effect that was seen then.

    `effect_pct` is how much worse it was (positive = worse); more than that is a regression again.
    """

    name: str
    effect_pct: float
    by: str
    reason: str
    head: str
