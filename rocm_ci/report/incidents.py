"""What the machine did while tests ran on it, and how often a suite was started. Inert Markdown, folded."""

from __future__ import annotations

import re
from collections import Counter
from itertools import groupby
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
_COUNT = re.compile(r"([0-9]+) (failed|errored|flaky|passed|skipped)\b")


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
            f"| {inert.text(_event(incident), limit=200)} | {inert.text(incident.gpu or '', limit=80)} "
            f"| {inert.tag(suite, limit=60)} | {inert.text(incident.source, limit=60)} |"
            for suite, incident in shown
        ),
    ]
    more = f"\n\n… and {total - len(shown):,} more, in the report." if total > len(shown) else ""
    return "\n".join(rows) + more


def _event(incident: Incident) -> str:
    """What happened; the GPU has a column of its own."""
    return incident.text.removeprefix(f"{incident.gpu}: ")


def _course(suite: Suite, room: Room) -> str:
    """`unit`: first run (GPU 2): hung → failed, again alone (GPU 5), 3 tests: 1 failed, 2 passed."""
    runs = [list(alike) for _, alike in groupby(suite.tries, key=lambda one: (one.why, one.gpus))]
    said = " → ".join(_tries(alike, room) for alike in runs[:_TRIES])
    more = f" → {sum(map(len, runs[_TRIES:])):,} more" if len(runs) > _TRIES else ""
    return f"- {inert.code(suite.name)}: {said}{more}"


def _tries(alike: Sequence[Try], room: Room) -> str:
    """Runs of the same kind on the same GPUs, such as those of each failed test alone, in one."""
    first = alike[0]
    # The machine's own part of the comment has their names and addresses.
    gpus = " + ".join(label.partition(" (")[0] for label in first.gpus)
    where = f" ({gpus})" if gpus else ""
    known = [one.tests for one in alike if one.tests is not None]
    tests = f", {words.count(sum(known), 'test')}" if known else ""
    ended = first.outcome if len(alike) == 1 else _summed(alike)
    return inert.text(f"{first.why}{where}{tests}" + (f": {ended}" if ended else ""), limit=room.text)


def _summed(alike: Sequence[Try]) -> str:
    """`2 failed, 3 passed` of several outcomes; what else they say is told with the tests."""
    found: Counter[str] = Counter()
    for one in alike:
        for number, word in _COUNT.findall(one.outcome.partition(";")[0]):
            found[word] += int(number)
    return ", ".join(f"{number:,} {word}" for word, number in found.items())
