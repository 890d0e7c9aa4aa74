"""The stage table: the rows of all results, one where legs agree. Plain text; still to be made inert."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rocm_ci.model.result import BuildResult, PerfResult, StageResult, stage_of
from rocm_ci.model.verdict import Verdict
from rocm_ci.report import stage_rows
from rocm_ci.report.delta import against_all, build_against
from rocm_ci.report.legs import is_waiting, named
from rocm_ci.report.tally import cases, in_range
from rocm_ci.report.united import united

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rocm_ci.model.plan import StageName
    from rocm_ci.model.report import Report
    from rocm_ci.report.delta import Delta
    from rocm_ci.report.stage_rows import Row


_LATER = "not run yet"
_IT_IS, _THEY_ARE = "because it is ", "because they are "


@dataclass(frozen=True, kw_only=True)
class _Entry:
    """One row of one leg, and the result it came from."""

    row: Row
    source: StageResult

    @property
    def key(self) -> tuple[StageName, str]:
        """What the rows of several legs have in common: the stage, and in it the suite or layer."""
        return stage_of(self.source), self.row.stage if self.row.suites else ""

    @property
    def agreement(self) -> tuple[Verdict, str]:
        """Legs with an equal one share a row. Green suites do, however many tests each GPU has."""
        alike = self.row.suites and self.row.verdict is Verdict.PASS
        return self.row.verdict, "" if alike else self.row.result


def rows(report: Report, delta: Delta | None = None) -> tuple[Row, ...]:
    """All stages in order; in each, what is worst comes first. `delta` fills the cells about the base."""
    groups: dict[tuple[StageName, str], list[_Entry]] = {}
    for result in report.results:
        for row in stage_rows.of(result):
            entry = _Entry(row=row, source=result)
            groups.setdefault(entry.key, []).append(entry)
    if not report.legs:
        return _skips_together(_row([e], [], delta) for group in groups.values() for e in group)
    told = [row for group in groups.values() for row in _agreeing(group, delta)]
    if is_waiting(report):
        told = [replace(row, result=_LATER) if row.verdict is Verdict.SKIPPED else row for row in told]
    return _skips_together(told)


def _agreeing(group: Sequence[_Entry], delta: Delta | None) -> Iterator[Row]:
    legs = list(dict.fromkeys(entry.source.leg for entry in group if entry.source.leg))
    alike: dict[tuple[Verdict, str], list[_Entry]] = {}
    for entry in group:
        alike.setdefault(entry.agreement, []).append(entry)
    for agreed in sorted(alike, key=lambda agreement: agreement[0], reverse=True):
        yield _row(alike[agreed], legs, delta)


def _row(entries: Sequence[_Entry], legs: Sequence[str], delta: Delta | None) -> Row:
    first = entries[0].row
    names = [entry.source.leg for entry in entries if entry.source.leg]
    stage, result = first.stage, first.result
    if len(entries) > 1:
        together = united(entry.source for entry in entries)[0]
        if isinstance(together, BuildResult):
            stage = stage_rows.build_title(together)
        if any(entry.row.result != result for entry in entries):
            result = in_range([cases(entry.row.suites) for entry in entries]) or "no test ran"
    return replace(
        first,
        stage=stage,
        result=result,
        against=_against(entries, delta),
        duration_s=max(entry.row.duration_s for entry in entries),
        on=named(names, legs) or (names[0] if names else ""),
    )


def _against(entries: Sequence[_Entry], delta: Delta | None) -> str:
    first = entries[0]
    if first.row.suites:
        places = [[(e.source.leg, suite.name) for suite in e.row.suites] for e in entries]
        each = {against_all(delta, of_leg) for of_leg in places}
        # One test that fails on four GPUs is one failure, not four.
        return each.pop() if len(each) == 1 else against_all(delta, [p for of_leg in places for p in of_leg])
    if isinstance(first.source, PerfResult) and len(entries) > 1:
        together = united(entry.source for entry in entries)[0]
        return stage_rows.floor(together) if isinstance(together, PerfResult) else ""
    said = {e.row.against or _of_build(e, delta) for e in entries}
    return said.pop() if len(said) == 1 else ""


def _of_build(entry: _Entry, delta: Delta | None) -> str:
    return build_against(delta, entry.source.leg) if isinstance(entry.source, BuildResult) else ""


def _skips_together(listed: Iterable[Row]) -> tuple[Row, ...]:
    """What was skipped for one reason is told once, with the names of all."""
    made: list[Row] = []
    for row in listed:
        before = made[-1] if made else None
        if (
            before
            and row.verdict is before.verdict is Verdict.SKIPPED
            and (row.result.replace(_IT_IS, _THEY_ARE), row.on)
            == (before.result.replace(_IT_IS, _THEY_ARE), before.on)
        ):
            said = row.result.replace(_IT_IS, _THEY_ARE)
            made[-1] = replace(before, stage=f"{before.stage}, {row.stage}", result=said)
        else:
            made.append(row)
    return tuple(made)
