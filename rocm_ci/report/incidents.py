"""What the machine did while tests ran on it, and how often a suite was started. Inert Markdown, folded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.model.finding import Severity
from rocm_ci.model.verdict import Verdict
from rocm_ci.report import inert, words
from rocm_ci.report.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rocm_ci.model.incident import Incident, Try
    from rocm_ci.model.result import Suite
    from rocm_ci.report.room import Room

_TRIES = 8  # of one suite
_KEPT = 10


def body(suites: Sequence[Suite], room: Room) -> tuple[str, str]:
    """Title and body of the fold; both empty where nothing happened, ran twice or was kept."""
    seen = _once((suite.name, incident) for suite in suites for incident in suite.incidents)
    again = [suite for suite in suites if len(suite.tries) > 1]
    kept = list(dict.fromkeys(path for suite in suites for path in suite.kept))
    if not seen and not again and not kept:
        return "", ""
    counted = [
        words.count(len(seen), "incident") if seen else "",
        f"{words.count(len(again), 'suite')} run more than once" if again else "",
        f"{words.count(len(kept), 'file')} kept" if not seen and not again else "",
    ]
    parts = (
        _table(seen[: room.listed], len(seen)),
        "\n".join(_course(suite, room) for suite in again[: room.listed]),
        f"Kept: {', '.join(inert.code(path) for path in kept[:_KEPT])}" if kept else "",
    )
    title = f"What the machine did: {', '.join(part for part in counted if part)}"
    return title, "\n\n".join(part for part in parts if part)


def advice(suites: Iterable[Suite]) -> Iterator[Problem]:
    """The machine's faults beside suites that are not red for them: somebody has to look at that machine."""
    for suite in suites:
        if suite.verdict is Verdict.ERROR:
            continue
        for incident in suite.incidents:
            if not incident.is_note:
                yield Problem(
                    kind="machine",
                    severity=Severity.WARNING,
                    message=f"{incident.text} (seen in: {incident.source}), while {suite.name} ran",
                    subject=incident.gpu or suite.name,
                )


def _once(told: Iterable[tuple[str, Incident]]) -> list[tuple[str, Incident]]:
    """Several suites see the same line of the kernel's log; the first of them tells it."""
    found: dict[Incident, str] = {}
    for suite, incident in told:
        found.setdefault(incident, suite)
    ordered = sorted(found.items(), key=lambda item: item[0].is_note)
    return [(suite, incident) for incident, suite in ordered]


def _table(shown: Sequence[tuple[str, Incident]], total: int) -> str:
    if not shown:
        return ""
    rows = [
        "| what | GPU | while | seen in |",
        "| --- | --- | --- | --- |",
        *(
            f"| {inert.text(incident.text, limit=200)} | {inert.text(incident.gpu or '', limit=80)} "
            f"| {inert.tag(suite, limit=60)} | {inert.text(incident.source, limit=60)} |"
            for suite, incident in shown
        ),
    ]
    more = f"\n\n… and {total - len(shown):,} more, in the report." if total > len(shown) else ""
    return "\n".join(rows) + more


def _course(suite: Suite, room: Room) -> str:
    """`unit`: first run on GPU 2: hung → again on GPU 5: passed."""
    said = " → ".join(_try(one, room) for one in suite.tries[:_TRIES])
    more = f" → {len(suite.tries) - _TRIES:,} more" if len(suite.tries) > _TRIES else ""
    return f"- {inert.code(suite.name)}: {said}{more}"


def _try(one: Try, room: Room) -> str:
    tests = f", {words.count(one.tests, 'test')}" if one.tests is not None else ""
    where = f" ({', '.join(one.gpus)})" if one.gpus else ""
    ended = f": {one.outcome}" if one.outcome else ""
    return inert.text(f"{one.why}{where}{tests}{ended}", limit=room.text)
