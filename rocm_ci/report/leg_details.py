"""The folded parts of a matrix: one for each leg, with its machine in the fold's line. Inert Markdown."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import msgspec

from rocm_ci.model.result import ScanResult, TestResult
from rocm_ci.model.verdict import Verdict
from rocm_ci.report import inert, legs, machine, words
from rocm_ci.report.details import details, fold, machine_body, table
from rocm_ci.report.faults import reason
from rocm_ci.report.headline import ICONS
from rocm_ci.report.problem import Problem, same
from rocm_ci.report.problems import advice
from rocm_ci.report.tally import RED, Tally, tally

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.model.report import Leg, Report
    from rocm_ci.model.result import StageResult, Suite
    from rocm_ci.report.room import Room

FOLDS = 16  # legs with a fold of their own; the others share a table
LINE = 8  # legs in the line that is never left out


@dataclass(frozen=True, kw_only=True)
class Part:
    """One leg, and what there is to say of it."""

    leg: Leg
    report: Report
    found: Tally
    advice: tuple[Problem, ...]


def parts(report: Report) -> tuple[Part, ...]:
    """All legs, red ones first. Findings are left to the whole: they are of no machine."""
    by_leg: dict[str, list[StageResult]] = {leg.name: [] for leg in report.legs}
    told: set[tuple[str, str, str]] = set()
    for result in report.results:
        if result.leg in by_leg and not isinstance(result, ScanResult):
            by_leg[result.leg].append(_untold(result, told))
    ordered = sorted(report.legs, key=lambda leg: leg.verdict, reverse=True)
    return tuple(_part(report, leg, by_leg[leg.name]) for leg in ordered)


def _part(report: Report, leg: Leg, results: list[StageResult]) -> Part:
    own = msgspec.structs.replace(legs.part(report, leg, results), settings=(), notices=())
    return Part(leg=leg, report=own, found=tally(own), advice=advice(own))


def _untold(result: StageResult, told: set[tuple[str, str, str]]) -> StageResult:
    """The result without the logs of tests that failed in the same words on a leg before."""
    if not isinstance(result, TestResult):
        return result
    suites = tuple(_untold_suite(suite, told) for suite in result.suites)
    return msgspec.structs.replace(result, suites=suites)


def _untold_suite(suite: Suite, told: set[tuple[str, str, str]]) -> Suite:
    red = [(n, case) for n, case in enumerate(suite.cases) if case.status in RED and case.excerpt]
    known = [(n, (suite.name, case.id, same(case.message or ""))) for n, case in red]
    silent = {n for n, key in known if key in told}
    told.update(key for _, key in known)
    if not silent:
        return suite
    cases = tuple(
        msgspec.structs.replace(case, excerpt=None) if n in silent else case
        for n, case in enumerate(suite.cases)
    )
    return msgspec.structs.replace(suite, cases=cases)


def leg_folds(listed: tuple[Part, ...], room: Room) -> list[str]:
    """A fold for each leg, a table for those that are too many; without details one line for all."""
    if not room.details:
        return [_line(listed, room)]
    shown, rest = listed[:FOLDS], listed[FOLDS:]
    share = max(len(shown) // 2, 1)
    narrow = replace(
        room,
        benchmarks=_fewer(room.benchmarks, share),
        listed=_fewer(room.listed, share),
        failed=_fewer(room.failed, share),
        kernels=_fewer(room.kernels, share),
        warnings=_fewer(room.warnings, share),
    )
    folds = [fold(_summary(part, room), *_bodies(part, narrow)) for part in shown]
    if rest:
        rows = [
            (inert.text(p.leg.name), _sign(p), inert.text(_machine(p), limit=room.text)) for p in rest[:100]
        ]
        more = f"\n\n… and {len(rest) - 100:,} more." if len(rest) > 100 else ""
        folds.append(fold(f"{len(rest):,} more legs", table(("leg", "", "machine"), rows) + more))
    return folds


def _fewer(bound: int, share: int) -> int:
    return max(bound // share, 3) if bound else 0


def _summary(part: Part, room: Room) -> str:
    name = f"<strong>{inert.text(part.leg.name, limit=60)}</strong>"
    return f"{_sign(part)} {name}: {inert.text(_machine(part), limit=room.text)}"


def _bodies(part: Part, room: Room) -> Iterator[str]:
    if legs.is_stand_in(part.report):
        yield inert.text(reason(part.report.results[0]), limit=room.text)
        return
    yield from details(part.report, part.found, part.advice, room)
    yield machine_body(part.leg.facts)
    yield f"<sub>took {words.duration(part.leg.duration_s)}{_run(part.leg)}</sub>"


def _run(leg: Leg) -> str:
    if leg.run_id is None:
        return ""
    return f", run {leg.run_id}" + (f", attempt {leg.run_attempt}" if leg.run_attempt else "")


def _sign(part: Part) -> str:
    return "⚠️" if part.leg.verdict is Verdict.NEUTRAL else ICONS[part.leg.verdict]


def _machine(part: Part) -> str:
    if not legs.is_stand_in(part.report):
        return machine.line(part.leg.facts)
    if part.leg.name == legs.GATE:
        return "what the run lacks"
    return "no report" if legs.LEFT_NONE in reason(part.report.results[0]) else "broke before it could run"


def _line(listed: tuple[Part, ...], room: Room) -> str:
    shown = [
        f"{inert.text(p.leg.name, limit=60)}: {inert.text(_machine(p), limit=min(room.text, 160))}"
        for p in listed[:LINE]
    ]
    more = f"; and {len(listed) - LINE:,} more" if len(listed) > LINE else ""
    return f"<sub>Machines: {'; '.join(shown)}{more}</sub>"
