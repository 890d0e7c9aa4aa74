"""The one product of a run: a frozen, versioned document. It is also the trust boundary."""

from __future__ import annotations

from rocm_ci.model.base import Frozen
from rocm_ci.model.event import Event
from rocm_ci.model.facts import Facts
from rocm_ci.model.plan import Plan
from rocm_ci.model.result import StageResult
from rocm_ci.model.verdict import Verdict, worst

VERSION = 1


class Setting(Frozen, frozen=True, kw_only=True):
    """One configuration value that differs from the default, and where it came from."""

    name: str
    value: str
    source: str


class Leg(Frozen, frozen=True, kw_only=True):
    """One run of a matrix inside a merged report: its name, its machine, how it ended."""

    name: str
    facts: Facts
    verdict: Verdict
    started: str
    duration_s: float
    run_id: int | None = None
    run_attempt: int | None = None


class Report(Frozen, frozen=True, kw_only=True):
    """A finished (or interrupted) run. Times are UTC, ISO 8601, to the second.

    A report that was merged from several has `legs`, and each of its results names one; `facts` are then
    those of the first leg with a GPU.
    """

    version: int = VERSION
    tool: str
    event: Event
    plan: Plan
    facts: Facts
    results: tuple[StageResult, ...]
    verdict: Verdict
    started: str
    duration_s: float
    interrupted: bool = False
    settings: tuple[Setting, ...] = ()
    notices: tuple[str, ...] = ()
    legs: tuple[Leg, ...] = ()


def verdict_of(results: tuple[StageResult, ...], plan: Plan, *, interrupted: bool = False) -> Verdict:
    """The worst stage wins; a run in which nothing ran is ERROR, or NEUTRAL if the plan says why.

    An interrupted run is at least ERROR: what was not looked at cannot be green.
    """
    verdict = worst(r.verdict for r in results)
    if verdict is Verdict.SKIPPED:
        verdict = Verdict.NEUTRAL if plan.neutral_reason else Verdict.ERROR
    return max(verdict, Verdict.ERROR) if interrupted else verdict
