"""The earlier verdicts of a pull request: what is kept of them, and how they are told. Pure.

They live in the hidden payload of the comment, so they are few and small, and names in them are a
stranger's.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from rocm_ci.model.past import Point
from rocm_ci.model.perf import Better, PerfVerdict
from rocm_ci.model.verdict import Verdict
from rocm_ci.report import inert, words
from rocm_ci.report.details import fold, table
from rocm_ci.report.headline import ICONS
from rocm_ci.report.tally import cases, tally

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocm_ci.model.perf import Comparison
    from rocm_ci.model.report import Report
    from rocm_ci.report.links import Links

LIMIT = 10
# Of the payload's JSON; base64 makes four bytes of three, and GitHub counts them all.
ROOM = 2_600
BENCHMARKS = 3
NAME = 40
SHORT = 12  # digits of a commit: enough for a link, and short enough for a payload
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_SAID = {
    Verdict.PASS: "passed",
    Verdict.NEUTRAL: "passed, with advice",
    Verdict.INCONCLUSIVE: "not decidable",
    Verdict.ERROR: "not finished",
    Verdict.FAIL: "the change failed",
    Verdict.SKIPPED: "nothing ran",
}
_COUNTED = (
    ("findings", "finding", "findings"),
    ("failed", "failed test", "failed tests"),
    ("regressions", "regression", "regressions"),
)


def point(
    report: Report,
    *,
    history: Sequence[Point] = (),
    at: str = "",
    run: int | None = None,
    attempt: int | None = None,
    head: str = "",
) -> Point:
    """The present run as one point; `head`, `run`, `attempt` come from the trusted event where there is one.

    Of the benchmarks those are kept that the history follows already, then those with the largest effect.
    """
    found = tally(report)
    open_regressions = [c for c in found.perf(PerfVerdict.REGRESSION) if not c.accepted]
    return Point(
        head=head or report.event.head,
        verdict=report.verdict,
        at=at or report.started[:40],
        run=run if run is not None else report.event.run_id,
        attempt=attempt if attempt is not None else report.event.run_attempt,
        counts={
            "findings": len(found.findings),
            "failed": cases(found.suites).red,
            "regressions": len(open_regressions),
        },
        effects_pct=_effects(found.comparisons, history),
    )


def _effects(comparisons: Sequence[Comparison], history: Sequence[Point]) -> dict[str, float]:
    """Up to three benchmarks, positive = worse, two decimals."""
    seen: dict[str, float] = {}
    for c in comparisons:
        if c.effect_pct is None or not math.isfinite(c.effect_pct):
            continue
        name = inert.line(c.name, limit=NAME)
        worse = round(c.effect_pct if c.better is Better.LOWER else -c.effect_pct, 2)
        # The same benchmark on several machines: the worst of them is followed.
        seen[name] = max(worse, seen.get(name, worse))
    followed = [name for earlier in reversed(history) for name in earlier.effects_pct]
    largest = sorted(seen, key=lambda name: -abs(seen[name]))
    chosen = [name for name in dict.fromkeys((*followed, *largest)) if name in seen]
    return {name: seen[name] for name in chosen[:BENCHMARKS]}


def remember(
    points: Sequence[Point], latest: Point, *, limit: int = LIMIT, room: int = ROOM
) -> tuple[Point, ...]:
    """What to keep, oldest first: at most `limit` points, and `room` bytes of JSON.

    The same attempt of the same run is replaced where it stands; another run of the same commit is a
    point of its own.
    """
    latest = _small(latest)
    kept = [_small(p) for p in points]
    same = [n for n, p in enumerate(kept) if p.run is not None and _run(p) == _run(latest)]
    if same:
        kept[same[0]] = latest
    else:
        kept.append(latest)
    kept = kept[-limit:] if limit > 0 else []
    while kept and len(msgspec.json.encode(kept)) > room:
        kept.pop(0)
    return tuple(kept)


def _run(p: Point) -> tuple[int | None, int | None]:
    return (p.run, p.attempt)


def _small(p: Point) -> Point:
    """Only what is ever told of an earlier run, names and numbers cut."""
    effects = {
        inert.line(name, limit=NAME): round(value, 2)
        for name, value in list(p.effects_pct.items())[:BENCHMARKS]
        if math.isfinite(value)
    }
    return Point(
        head=p.head[:SHORT],
        verdict=p.verdict,
        at=p.at[:20],
        run=p.run,
        attempt=p.attempt,
        counts={name: p.counts[name] for name, _, _ in _COUNTED if p.counts.get(name)},
        effects_pct=effects,
    )


def earlier(history: Sequence[Point], now: Point) -> tuple[Point, ...]:
    """The history without the present run, should it be in there."""
    return tuple(p for p in history if p.run is None or _run(p) != _run(now))


def sentence(history: Sequence[Point], now: Point) -> str:
    """What the row of verdicts says, in our own words: `Green again after 2 red runs.`; empty for nothing.

    Runs that could not be finished, or where nothing could be decided, neither end a row of red runs nor
    count.
    """
    before = list(reversed(earlier(history, now)))
    if now.verdict.is_green:
        return _recovered(before, now)
    if now.verdict not in (Verdict.FAIL, Verdict.ERROR):
        return ""
    length, skipped, between = 1, 0, 0
    for p in before:
        if p.verdict is now.verdict:
            length += 1
            between += skipped
            skipped = 0
        elif p.verdict.is_green or now.verdict is Verdict.ERROR:
            break
        else:
            skipped += 1
    if length < 2:
        return ""
    often = f"for the {_ORDINALS[length - 1]} time" if length <= len(_ORDINALS) else f"{length} times"
    subject = "This change fails" if now.verdict is Verdict.FAIL else "The run could not be finished"
    aside = f" ({words.count(between, 'run')} in between decided nothing)" if between else ""
    return f"{subject} {often} in a row{aside}."


def _recovered(before: Sequence[Point], now: Point) -> str:
    red: list[Point] = []
    for p in before:
        if p.verdict.is_green:
            break
        if p.verdict is Verdict.FAIL:
            red.append(p)
    if not red:
        return ""
    if now.head and now.head[:SHORT] == red[0].head[:SHORT]:
        return "This very commit failed in an earlier run and passes now: something in it depends on luck."
    return f"Green again after {words.count(len(red), 'red run')}."


def block(
    history: Sequence[Point],
    now: Point,
    *,
    links: Links | None = None,
    limit: int = LIMIT,
    charts: Sequence[str] = (),
) -> str:
    """The folded table of the last verdicts, the newest first, this run on top, and the `charts` below it.

    Empty without any earlier run.
    """
    before = earlier(history, now)
    if not before or limit <= 0:
        return ""
    shown = [now, *reversed(before)][:limit]
    rows = [_row(p, links, is_now=index == 0) for index, p in enumerate(shown)]
    icons = "".join(ICONS[p.verdict] for p in reversed(shown))
    summary = f"{words.count(len(before), 'earlier run')} and this one: {icons}{' · trend' if charts else ''}"
    return fold(summary, table(("commit", "verdict", "counts", "when", "run"), rows), *charts)


def _row(p: Point, links: Links | None, *, is_now: bool) -> tuple[str, ...]:
    counted = [words.count(p.counts[k], one, many) for k, one, many in _COUNTED if p.counts.get(k)]
    verdict = f"{ICONS[p.verdict]} {_SAID[p.verdict]}"
    return (
        _linked(inert.tag(p.head[:7], limit=7), links.commit(p.head) if links else None),
        f"**{verdict}**" if is_now else verdict,
        ", ".join(counted) or "–",
        inert.text(words.clock(p.at), limit=24) or "–",
        _run_cell(p, links),
    )


def _run_cell(p: Point, links: Links | None) -> str:
    if p.run is None:
        return "–"
    said = f"{p.run}" + (f".{p.attempt}" if p.attempt and p.attempt > 1 else "")
    return _linked(said, links.run_page(p.run, p.attempt) if links else None)


def _linked(said: str, target: str | None) -> str:
    return f"[{said}]({target})" if target else said
