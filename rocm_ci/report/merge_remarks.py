"""What the legs of a matrix say beside their results: settings, notices, and when they ran. Pure."""

from __future__ import annotations

import datetime as dt
import math
from typing import TYPE_CHECKING

from msgspec.structs import replace

from rocm_ci.report import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocm_ci.model.report import Report, Setting

_NAMED = 4


def settings(parts: Sequence[tuple[str, Report]]) -> tuple[Setting, ...]:
    """All of them once; one that not every leg has tells where it holds."""
    said: dict[Setting, list[str]] = {}
    for name, report in parts:
        for setting in report.settings:
            said.setdefault(setting, []).append(name)
    return tuple(
        setting
        if len(names) >= len(parts)
        else replace(setting, source=f"{setting.source}, on {words.first(names, _NAMED)}")
        for setting, names in said.items()
    )


def notices(parts: Sequence[tuple[str, Report]]) -> tuple[str, ...]:
    """All of them once, with the legs where they are few; then where the legs are unlike each other."""
    said: dict[str, list[str]] = {}
    for name, report in parts:
        for notice in dict.fromkeys(report.notices):
            said.setdefault(notice, []).append(name)
    told = [
        f"{words.first(names, _NAMED)}: {notice}" if 2 * len(names) <= len(parts) else notice
        for notice, names in said.items()
    ]
    bases = {report.event.merge_base for _, report in parts} - {None}
    if len(bases) > 1:
        told.append("The legs compare with different merge bases: the base branch moved while they ran.")
    tools = {report.tool for _, report in parts}
    if len(tools) > 1:
        told.append("The legs were made by different versions of rocm-ci.")
    return tuple(told)


def span(reports: Sequence[Report]) -> tuple[str, float]:
    """When the first of them began, and the seconds from there to the end of the last one.

    Legs run side by side and one after the other; the sum of their times would mean nothing.
    """
    began: list[tuple[float, str, float]] = []
    for report in reports:
        moment = _seconds(report.started)
        if moment is not None:
            began.append((moment, report.started, report.duration_s))
    if not began:
        return "", max((r.duration_s for r in reports), default=0.0)
    first = min(began)
    took = max(moment + duration_s for moment, _, duration_s in began) - first[0]
    return first[1], took if math.isfinite(took) and took >= 0 else first[2]


def _seconds(moment: str) -> float | None:
    try:
        return dt.datetime.strptime(moment, "%Y-%m-%dT%H:%M:%S%z").timestamp()
    except (ValueError, OverflowError):
        return None
