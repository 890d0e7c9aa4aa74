"""From the lines that were found to what they mean: the root cause first, what follows from it behind."""

from __future__ import annotations

import fnmatch
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.knowledge import place
from rocm_ci.knowledge.entry import CONFIDENCE, Certainty
from rocm_ci.model.diagnostic import Diagnosis

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import IO

    from rocm_ci.knowledge.entry import Entry, When
    from rocm_ci.knowledge.library import Armed, Library
    from rocm_ci.knowledge.sweep import Found, Hit

MOST = 20
MOST_SAID = 300
# A second signature of the same entry makes it surer, and so does a fact that fits.
_MORE, _FACT = 0.02, 0.03


@dataclass(frozen=True, kw_only=True)
class Machine:
    """What is known of where the log was written; empty or None is not known."""

    gfx: tuple[str, ...] = ()
    rocm: str = ""
    container: bool | None = None


@dataclass(slots=True)
class _Sighting:
    """An entry seen: where it is surest, and how sure."""

    entry: Entry
    hit: Hit
    confidence: float
    first: int
    values: dict[str, str]
    follows: tuple[str, ...] = ()


def explain(log: IO[bytes], library: Library, machine: Machine | None = None) -> tuple[Diagnosis, ...]:
    """What the log means, most likely root cause first; nothing where nothing is recognised."""
    found = library.sweep.over(log)
    seen = _sightings(found, library, machine or Machine())
    _follow(seen)
    order = sorted(seen.values(), key=lambda s: (bool(s.follows), -_tier(s.confidence), s.first))
    return tuple(_told(one) for one in order[:MOST])


def _sightings(found: Mapping[int, Found], library: Library, machine: Machine) -> dict[str, _Sighting]:
    failed = any(number in found for number in library.failures)
    seen: dict[str, _Sighting] = {}
    for armed in library.armed:
        if armed.pattern not in found or (armed.signature.failing and not failed):
            continue
        fits = _fits(armed.entry.when, machine)
        if fits is None or any(number in found for number in armed.unless):
            continue
        hit = next((h for h in found[armed.pattern].hits if _holds(armed, h, found)), None)
        if hit is None:
            continue
        confidence = min(0.99, CONFIDENCE[armed.signature.certainty] + (_FACT if fits else 0))
        known = seen.get(armed.entry.id)
        if known is None:
            seen[armed.entry.id] = _Sighting(armed.entry, hit, confidence, hit.line, dict(hit.values))
            continue
        known.values = {**hit.values, **known.values}
        if armed.signature.certainty is not Certainty.HINT:
            known.first = min(known.first, hit.line)
        if (confidence, -hit.line) > (known.confidence, -known.hit.line):
            known.hit = hit
        known.confidence = min(0.99, max(confidence, known.confidence) + _MORE)
    _detected(found, library, machine, seen)
    return seen


def _detected(
    found: Mapping[int, Found], library: Library, machine: Machine, seen: dict[str, _Sighting]
) -> None:
    """What detectors see of the same lines; where a signature saw it too, the surer one counts."""
    for one in library.watching:
        hits = {name: found[n].hits if n in found else [] for name, n in one.patterns.items()}
        if not any(hits.values()) or _fits(one.entry.when, machine) is None:
            continue
        told = one.detector.look(hits)
        known = seen.get(one.entry.id)
        if told is None or (known is not None and known.confidence > told.confidence):
            continue
        values = {**(known.values if known else {}), **told.values}
        seen[one.entry.id] = _Sighting(one.entry, told.hit, told.confidence, told.hit.line, values)


def _holds(armed: Armed, hit: Hit, found: Mapping[int, Found]) -> bool:
    """Whether a line counts: nothing speaks against it, and what it needs is near enough."""
    if armed.not_line is not None and armed.not_line.pattern.search(hit.said.text):
        return False
    within = armed.signature.within
    for number in armed.needs:
        others = found[number].hits if number in found else []
        if not any(within is None or abs(other.line - hit.line) <= within for other in others):
            return False
    return True


def _fits(when: When, machine: Machine) -> bool | None:
    """None where a fact contradicts; True where one bears it out; False where nothing is known of it."""
    is_borne_out = False
    if when.gfx and machine.gfx:
        if not any(fnmatch.fnmatchcase(gfx.split(":")[0], glob) for gfx in machine.gfx for glob in when.gfx):
            return None
        is_borne_out = True
    if when.rocm and machine.rocm:
        if not _compares(machine.rocm, when.rocm):
            return None
        is_borne_out = True
    if when.container is not None and machine.container is not None:
        if when.container is not machine.container:
            return None
        is_borne_out = True
    return is_borne_out


def _compares(have: str, wanted: str) -> bool:
    found = re.fullmatch(r"(<=|>=|<|>|==)\s*(\d+(?:\.\d+){0,2})", wanted.strip())
    numbers = tuple(int(n) for n in re.findall(r"\d+", have)[:3])
    if found is None or not numbers:
        return True
    other = tuple(int(n) for n in found[2].split("."))
    length = (
        min(len(numbers), len(other)) if found[1] in ("<=", ">=", "==") else max(len(numbers), len(other))
    )
    one, two = (*numbers, 0, 0, 0)[:length], (*other, 0, 0, 0)[:length]
    return {"<": one < two, ">": one > two, "<=": one <= two, ">=": one >= two, "==": one == two}[found[1]]


def _follow(seen: Mapping[str, _Sighting]) -> None:
    """Mark what is a consequence of something else that was seen."""
    for one in seen.values():
        causes = [seen[i] for i in one.entry.follows if i in seen and i != one.entry.id]
        sure = [c.entry.id for c in causes if c.confidence >= CONFIDENCE[Certainty.POSSIBLE]]
        one.follows = tuple(sorted(sure))


def _tier(confidence: float) -> int:
    """Differences within a tier say nothing: there the first line is the cause."""
    return sum(
        confidence >= CONFIDENCE[one] for one in (Certainty.SURE, Certainty.LIKELY, Certainty.POSSIBLE)
    )


def _told(one: _Sighting) -> Diagnosis:
    entry = one.entry
    fixes = []
    for fix in entry.fixes:
        text = filled(fix.do, one.values)
        fixes.append(f"{text}: `{filled(fix.run, one.values)}`" if fix.run else text)
    return Diagnosis(
        id=entry.id,
        category=entry.category,
        line=one.hit.line,
        title=filled(entry.title, one.values),
        cause=filled(entry.cause, one.values),
        fixes=tuple(fixes),
        confidence=round(one.confidence * (0.5 if one.follows else 1.0), 2),
        location=place.of(one.hit),
        references=entry.references,
        severity=entry.severity,
        blame=entry.blame,
        said=one.hit.said.text[:MOST_SAID],
        is_not=entry.is_not,
        follows=one.follows,
    )


def filled(text: str, values: Mapping[str, str]) -> str:
    """With `{name}` replaced by what the log said, cut to a reasonable length; else «…»."""
    return re.sub(r"\{([a-z]\w*)\}", lambda found: values.get(found[1], "…")[:120], text)
