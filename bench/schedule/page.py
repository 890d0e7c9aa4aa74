"""What was found, as a page for docs/evidence."""

from __future__ import annotations

from typing import Any

HEAD = """\
# How near the schedule comes to the best possible

Written by `bench/schedule/run --markdown FILE`; the figures are those of commit {commit}, {date}.

{tests} tests on {gpus} GPUs, {seeds} draws of each kind, through the scheduler itself (estimates, order,
board, and the execution with its threads) on a host on which time only pretends to pass: no GPU and no
test ran. The durations are real; where they are from stands below each title. The figure is makespan /
lower bound: 1.000 is the best that any schedule could reach, the bar is {bar}. The bound is the largest
of: GPU seconds / GPUs; the longest test; the tests that want more than half of the GPUs, one after the
other; those without a GPU, in their one lane.

With nothing known all tests are alike, and a long one that happens to start last has nobody beside it.
That is the first run of a project on a host, and no other.
"""
TITLES = {
    "steps": "Each test a step of its own",
    "shards": "All of them one suite, cut into shards before any of them ran",
}


def written(found: dict[str, Any]) -> str:
    """Markdown."""
    parts = [HEAD.format(**found)]
    for name, distribution in found["distributions"].items():
        parts.append(f"## {name}\n\nThe {distribution['what']}. From {distribution['source']}.\n")
        for way, title in TITLES.items():
            rows = [row for row in found["rows"] if (row["distribution"], row["as"]) == (name, way)]
            if rows:
                parts.append(f"{title}:\n\n{_table(rows)}\n")
    return "\n".join(parts)


def _table(rows: list[dict[str, Any]]) -> str:
    rules = [rule for rule, one in rows[0].items() if isinstance(one, dict)]
    lines = ["| what is known of the times | " + " | ".join([rules[0], "its worst draw", *rules[1:]]) + " |"]
    lines.append("|---|" + "---:|" * (len(rules) + 1))
    for row in rows:
        first = row[rules[0]]
        figures = [first["mean"], first["worst"], *(row[rule]["mean"] for rule in rules[1:])]
        lines.append(f"| {row['case']} | " + " | ".join(f"{one:.3f}" for one in figures) + " |")
    return "\n".join(lines)
