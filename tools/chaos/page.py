"""docs/evidence/blame.md: the confusion matrix of a chaos run."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.model.result import TestResult
from tools.chaos.behaviours import BEHAVIOURS, CLASSES, PYTEST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocm_ci.model.report import Report
    from rocm_ci.model.result import Suite
    from tools.chaos.judge import Judgement
    from tools.chaos.project import Planted

_HEAD = """\
<!-- Written by `make chaos`; do not edit. -->
# Whose fault was it? {tests} misbehaving tests

`make chaos` draws {tests} tests (seed {seed}) and lays them out as a project with pytest, ctest and
GoogleTest suites. `rocm-ci run` then has four **pretended** GPUs: a folder of the driver's files, a
`rocminfo` that reads it, and kernel messages that the tests themselves write. No AMD GPU was there. All else
is real: processes, signals, crashes, hangs, daemons, a full disk. Each test is then looked up in the report.

| | |
| --- | --- |
| tests that were called what they are | **{right} of {total}** |
| results that are lost, or there twice | {lost} |
| processes that outlived the run | {orphans} |
| machine faults that nothing tells of | {untold} |
| suites whose verdict does not fit their tests | {verdicts} of {suites} |
| incidents in the report | {incidents} |
| it took | {took_s:.0f} s on {cores} processors, exit status {exit_code} |

## Confusion matrix

A row is what a test did, a column what the report calls it; **bold** is right. «Machine, passed elsewhere» is
a machine's fault that another GPU (or the same test repeated) made good: it is told, and blocks nothing.

"""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """One run, judged."""

    seed: int
    planted: Sequence[Planted]
    judgement: Judgement
    report: Report
    exit_code: int
    orphans: list[str]
    took_s: float

    @property
    def problems(self) -> list[str]:
        """Everything that must not be."""
        found = self.judgement
        return [
            *found.wrong,
            *(f"lost: {one}" for one in found.lost),
            *(f"twice: {one}" for one in found.twice),
            *(f"verdict: {one}" for one in found.verdicts),
            *(f"untold: {one}" for one in found.untold),
            *(f"still running: {one}" for one in self.orphans),
        ]


def text(outcome: Outcome) -> str:
    """The page."""
    found, suites = outcome.judgement, _suites(outcome.report)
    total = sum(found.matrix.values())
    incidents = Counter(i.kind.value for suite in suites for i in suite.incidents)
    head = _HEAD.format(
        tests=len(outcome.planted),
        seed=outcome.seed,
        right=total - len(found.wrong),
        total=total,
        lost=len(found.lost) + len(found.twice),
        orphans=len(outcome.orphans),
        untold=len(found.untold),
        verdicts=len(found.verdicts),
        suites=len(suites),
        incidents=", ".join(f"{count} {kind}" for kind, count in sorted(incidents.items())) or "none",
        took_s=outcome.took_s,
        cores=len(os.sched_getaffinity(0)),
        exit_code=outcome.exit_code,
    )
    return head + _matrix(found) + _wrong(outcome) + _legend()


def _suites(report: Report) -> list[Suite]:
    return [suite for result in report.results if isinstance(result, TestResult) for suite in result.suites]


def _matrix(found: Judgement) -> str:
    used = [c for c in CLASSES if any(found.matrix[row, c] for row, _ in found.matrix)]
    expected = {b.name: b.expected for b in BEHAVIOURS}
    expected |= {f"{b.name} (ctest)": b.as_ctest for b in BEHAVIOURS if b.as_ctest}
    expected |= {"is expected, never runs": ("vanished",)}
    rows = [f"| | {' | '.join(used)} |", f"| --- |{' ---: |' * len(used)}"]
    for name, right in expected.items():
        cells = []
        for column in used:
            count = found.matrix[name, column]
            cells.append((f"**{count}**" if column in right else f"{count} ✗") if count else "")
        if any(cells):
            rows.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(rows) + "\n"


def _wrong(outcome: Outcome) -> str:
    if not outcome.problems:
        return ""
    return "\n## Wrong\n\n" + "\n".join(f"- {problem}" for problem in outcome.problems) + "\n"


def _legend() -> str:
    rows = ["\n## What each does\n", "| test | what it does | in |", "| --- | --- | --- |"]
    rows += [f"| {b.name} | {b.does} | {', '.join(b.runners)} |" for b in BEHAVIOURS]
    return "\n".join(rows) + "\n"


__all__ = ["PYTEST", "Outcome", "text"]
