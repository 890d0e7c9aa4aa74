"""How a pull request developed from run to run, as charts that GitHub draws (Mermaid). Pure.

No text of a stranger gets into a chart: the axis holds digits of commits, the names stand in the Markdown
below. The colours are given here, because the first one of Mermaid's own can hardly be seen on white.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from rocm_ci.model.verdict import Verdict
from rocm_ci.report import inert
from rocm_ci.report.history import BENCHMARKS, earlier

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocm_ci.model.past import Point

LIMIT = 11
MOST = 1_000_000.0
_HEX = re.compile(r"[^0-9a-f]")
# Mid tones, which can be seen on white and on black, each with the sign that stands for it in the legend.
_COLOURS = (("#e5484d", "🔴"), ("#3b82f6", "🔵"), ("#f59e0b", "🟠"))


def charts(history: Sequence[Point], now: Point) -> list[str]:
    """Findings and failed tests, and the speed of up to three benchmarks, each with its legend.

    None with fewer than two runs, or when there never was anything to count.
    """
    points = [*earlier(history, now), now][-LIMIT:]
    return [part for part in (_counts(points), _speed(points)) if part] if len(points) > 1 else []


def _counts(points: Sequence[Point]) -> str:
    # A run on a machine that failed has counted nothing.
    points = [p for p in points if p.verdict not in (Verdict.ERROR, Verdict.SKIPPED)]
    lines = [
        (name, [float(p.counts.get(key, 0)) for p in points])
        for key, name in (("failed", "failed tests"), ("findings", "findings"))
    ]
    if len(points) < 2 or not any(value for _, values in lines for value in values):
        return ""
    return _drawn("Findings and failed tests", "count", points, lines)


def _speed(points: Sequence[Point]) -> str:
    """Only runs count that measured all of the benchmarks shown: a chart has no gaps."""
    names = list(points[-1].effects_pct)[:BENCHMARKS]
    while names:
        measured = [p for p in points if all(name in p.effects_pct for name in names)]
        if len(measured) >= 2:
            lines = [(inert.tag(n, limit=60), [p.effects_pct[n] for p in measured]) for n in names]
            return _drawn("Slower than the merge base, in percent", "percent", measured, lines)
        names.pop()
    return ""


def _drawn(
    title: str, unit: str, points: Sequence[Point], lines: Sequence[tuple[str, Sequence[float]]]
) -> str:
    """`lines` are pairs of an inert name and its values, which the legend joins with their colours."""
    kept = [(name, [_bounded(value) for value in values]) for name, values in lines]
    low, high = _range([value for _, values in kept for value in values])
    palette = ", ".join(colour for colour, _ in _COLOURS[: len(kept)])
    rows = [
        "```mermaid",
        "---",
        "config:",
        "  xyChart: {width: 760, height: 260}",
        f'  themeVariables: {{xyChart: {{plotColorPalette: "{palette}"}}}}',
        "---",
        "xychart-beta",
        f'  title "{title}"',
        f"  x-axis [{', '.join(_labels(points))}]",
        f'  y-axis "{unit}" {low} --> {high}',
        *(f"  line [{', '.join(map(_plain, values))}]" for _, values in kept),
        "```",
    ]
    legend = " · ".join(f"{_COLOURS[index][1]} {name}" for index, (name, _) in enumerate(kept))
    return "\n".join(rows) + f"\n\n<sub>{legend}</sub>"


def _labels(points: Sequence[Point]) -> list[str]:
    """One for each point, all different: points of one label would fall on each other."""
    found: list[str] = []
    for p in points:
        short = _HEX.sub("", p.head.lower())[:7] or "run"
        again = sum(label == short or label.startswith(f"{short} (") for label in found)
        found.append(f"{short} ({again + 1})" if again else short)
    return [f'"{label}"' for label in found]


def _bounded(value: float) -> float:
    return round(max(-MOST, min(MOST, value)), 2) if math.isfinite(value) else 0.0


def _plain(value: float) -> str:
    """Without an exponent, which the language of the charts does not know."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _range(values: Sequence[float]) -> tuple[int, int]:
    """Whole numbers around all values and zero, never an empty range."""
    low, high = math.floor(min(0.0, *values)), math.ceil(max(0.0, *values))
    return low, max(high, low + 1)
