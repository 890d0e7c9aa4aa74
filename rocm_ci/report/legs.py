"""The legs of a merged report: what they may be called, which did what, how to name some. Pure."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from msgspec.structs import replace

from rocm_ci.model.facts import Facts
from rocm_ci.model.plan import StageName
from rocm_ci.model.result import Crashed, Skipped, StageResult, stage_of
from rocm_ci.model.verdict import Verdict
from rocm_ci.report import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rocm_ci.model.report import Leg, Report

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}\Z")
MAX_LEGS = 256  # docs.github.com: a matrix gives at most 256 jobs
LEFT_NONE = "left no report"
GATE = "gate"  # the leg by which the gate of the workflow tells what is missing
_UNAPPROVED = ("waiting for ok-to-test", "proves nothing")
_LOOK_FIRST = (
    "The change comes from a fork: nothing of it runs on a GPU machine before a maintainer has looked at it "
    "and commented `/rocm-ci ok-to-test`"
)
_NAMED = 3


def verdicts(results: Iterable[StageResult]) -> dict[str, Verdict]:
    """The worst of what carries each leg's name. What all legs share (no name) counts for none of them."""
    found: dict[str, Verdict] = {}
    for result in results:
        if result.leg:
            found[result.leg] = max(result.verdict, found.get(result.leg, Verdict.SKIPPED))
    return found


def part(report: Report, leg: Leg, results: Iterable[StageResult]) -> Report:
    """What one leg found on its machine: `results`, as if they were a run of their own."""
    mine = tuple(replace(result, leg="") for result in results)
    return replace(report, results=mine, facts=leg.facts, verdict=leg.verdict, legs=())


def is_stand_in(report: Report) -> bool:
    """Whether a report only stands for one: no machine was seen, and its only result says why."""
    return len(report.results) == 1 and report.facts == Facts() and isinstance(report.results[0], Crashed)


def stand_ins(report: Report) -> dict[str, str]:
    """The legs of a merged report that left none of their own, and why."""
    many = Counter(result.leg for result in report.results)
    crashed = {result.leg: result.reason for result in report.results if isinstance(result, Crashed)}
    return {
        leg.name: crashed[leg.name]
        for leg in report.legs
        if many[leg.name] == 1 and leg.name in crashed and leg.facts == Facts()
    }


def lost(report: Report) -> tuple[str, ...]:
    """Those of them whose report is missing: others broke before they could run, or are the gate."""
    return tuple(name for name, why in stand_ins(report).items() if LEFT_NONE in why and name != GATE)


def unapproved(report: Report) -> str:
    """Why a stranger's change waits for somebody to look at it, as the gate says; empty when it does not."""
    reasons = (r.reason for r in report.results if isinstance(r, Crashed) and r.stage is StageName.PREFLIGHT)
    return next((why for why in reasons if any(said in why for said in _UNAPPROVED)), "")


def is_waiting(report: Report) -> bool:
    """Whether nothing of a stranger's change was run because nobody has looked at it."""
    return unapproved(report).startswith(_UNAPPROVED[0])


def only_waits(report: Report) -> bool:
    """Whether that is all there is against the change: nothing else in the report is red or undecided."""
    return is_waiting(report) and all(
        isinstance(r, Crashed) and r.reason.startswith(_UNAPPROVED[0])
        for r in report.results
        if r.verdict > Verdict.NEUTRAL
    )


def why_unapproved(reason: str) -> str:
    """The same for the first lines of a comment, in our own words where a stranger's gate says it."""
    return _LOOK_FIRST if reason.startswith(_UNAPPROVED[0]) else reason


def in_short(reason: str) -> str:
    """The reason without what the comment explains above its table."""
    return _UNAPPROVED[0] if reason.startswith(_UNAPPROVED[0]) else reason


def that_did(report: Report, stage: StageName) -> tuple[str, ...]:
    """The legs with a result of a stage, in order; a skip is none."""
    names = (r.leg for r in report.results if stage_of(r) is stage and not isinstance(r, Skipped))
    return tuple(dict.fromkeys(name for name in names if name))


def named(names: Sequence[str], among: Sequence[str]) -> str:
    """`all 4`, `mi210`, `mi210 and mi300x`, `all but mi210`: some legs among those that could be.

    Empty when there is but one that could be.
    """
    some = tuple(dict.fromkeys(names))
    if len(among) < 2 or not some:
        return ""
    if len(some) >= len(among):
        return words.joined(some) if len(among) == 2 else f"all {len(among):,}"
    there = set(some)
    others = [name for name in among if name not in there]
    if len(others) == 1 and len(some) > _NAMED:
        return f"all but {others[0]}"
    return words.first(some, _NAMED)


def on(names: Sequence[str], among: Sequence[str]) -> str:
    """`on mi210 only`, `on all 4 legs`, `on mi210 and mi300x`; empty when there is but one that could be."""
    said = named(names, among)
    if not said:
        return ""
    if said.startswith("all ") and len(set(names)) >= len(among):
        return f"on {said} legs"
    return f"on {said} only" if len(set(names)) == 1 else f"on {said}"
