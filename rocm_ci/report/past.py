"""What a comment says beyond its own report: the base and the earlier runs of the pull request. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.report import delta_words, history, trend

if TYPE_CHECKING:
    from rocm_ci.model.past import Acceptance, Point
    from rocm_ci.report.delta import Delta
    from rocm_ci.report.links import Links
    from rocm_ci.report.room import Room


@dataclass(frozen=True, kw_only=True)
class Past:
    """`history` are earlier verdicts of this pull request, the oldest first, without the present one.

    `lack` says why there is no report of the base, where one was looked for.
    """

    delta: Delta | None = None
    lack: str = ""
    history: tuple[Point, ...] = ()
    accepted: tuple[Acceptance, ...] = ()


def blocks(past: Past | None, now: Point, room: Room, links: Links | None = None) -> list[str]:
    """The folded blocks: tests by name against the base, then the earlier verdicts and how they developed."""
    if past is None or not room.details:
        return []
    names = min(delta_words.NAMES, room.listed) if room.listed else 3
    parts = [
        delta_words.block(past.delta, names=names, links=links),
        history.block(
            past.history,
            now,
            links=links,
            limit=history.LIMIT if room.listed else 3,
            charts=trend.charts(past.history, now) if room.listed else (),
        ),
    ]
    return [part for part in parts if part]
