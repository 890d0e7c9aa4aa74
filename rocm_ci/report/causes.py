"""What the error library says of a failure: below the problem it explains, in a fold, as advice. Inert."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from rocm_ci import registry
from rocm_ci.model.result import Bench, PerfResult, Suite, TestResult
from rocm_ci.model.verdict import Verdict
from rocm_ci.report import inert
from rocm_ci.report.links import published
from rocm_ci.report.problem import Problem, most_likely

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocm_ci.model.diagnostic import Diagnosis
    from rocm_ci.model.result import BuildStep, Check, StageResult
    from rocm_ci.report.room import Room
    from rocm_ci.report.tally import Tally

_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\Z")
_LIKELY = 0.6
_FIXES = 3
_RED = (Verdict.FAIL, Verdict.ERROR)


@lru_cache(maxsize=512)
def page(identity: str) -> str | None:
    """The page of an error; None for one that is not ours. The name may come from a forged report."""
    if len(identity) > 100 or not _ID.match(identity):
        return None
    known = next((registry.data_folder("rules") / "errors").glob(f"*/{identity}.yaml"), None)
    return published(f"docs/errors/{identity}.md") if known else None


def lines(cause: Diagnosis, room: Room, *, at: str = "", known: int = 0, is_note: bool = False) -> list[str]:
    """What it is, why, what to do: further lines of a list item.

    `at` is its place, shown already as inert text; `known` the number of the item that has told the same.
    """
    word = "" if is_note else "Likely cause: " if cause.confidence >= _LIKELY else "Possible cause: "
    head = f"{word}**{inert.prose(cause.title, limit=160)}**{f' in {at}' if at else ''}"
    if known:
        return [f"{head}, as in {known}."]
    where = page(cause.id)
    other = next((url for url in map(published, cause.references) if url), None)
    if where:
        head += f" <sub>[{inert.tag(cause.id, limit=60)}]({where})</sub>"
    elif other:
        head += f" <sub>[why]({other})</sub>"
    told = [head, f"Why: {inert.prose(cause.cause, limit=2 * room.text)}"]
    fixes = cause.fixes[: _FIXES if room.details else 1]
    told += [
        f"{'Or' if n else 'Do this'}: {inert.prose(fix, limit=room.text)}" for n, fix in enumerate(fixes)
    ]
    if cause.is_not and room.details:
        told.append(f"It is not: {inert.prose(cause.is_not[0], limit=room.text)}")
    return told


def also(found: Tally, room: Room) -> tuple[str, int, str] | None:
    """Title, number and body of what was recognised besides the first cause of each part."""
    kinds: tuple[tuple[Check | BuildStep | Suite | Bench, ...], ...]
    kinds = (found.checks, found.steps, found.suites, found.benches)
    parts = [part.diagnoses for kind in kinds for part in kind]
    once: dict[tuple[str, str | None], Diagnosis] = {}
    told = {diagnoses[0].id for diagnoses in parts if diagnoses}
    for diagnoses in parts:
        for one in diagnoses[1:]:
            if one.id not in told:
                once.setdefault((one.id, one.location), one)
    shown = list(once.values())[: room.listed]
    if not shown:
        return None
    more = f"\n- … and {len(once) - len(shown):,} more, in the report" if len(once) > len(shown) else ""
    return "also recognised", len(once), "\n".join(_item(one, room) for one in shown) + more


def _item(one: Diagnosis, room: Room) -> str:
    where = page(one.id)
    name = inert.tag(one.id, limit=60)
    said = f"- {inert.prose(one.title, limit=160)} ({f'[{name}]({where})' if where else name}"
    said += f", {inert.code(one.location, limit=160)})" if one.location else ")"
    if one.follows:
        said += f": follows from {inert.tag(one.follows[0], limit=60)}"
    elif one.fixes:
        said += f": {inert.prose(one.fixes[0], limit=room.text)}"
    return said


def notes(result: StageResult) -> Iterator[Problem]:
    """What made a stage slow or less exact although it is green."""
    parts: tuple[Suite | Bench, ...] = ()
    if isinstance(result, TestResult):
        parts = result.suites
    elif isinstance(result, PerfResult):
        parts = result.benches
    for part in parts:
        first = most_likely(part.diagnoses)
        if first is None or part.verdict in _RED:
            continue
        path, line = placed(first)
        kind = "suite" if isinstance(part, Suite) else "benchmark"
        yield Problem(
            kind="test" if isinstance(part, Suite) else "perf",
            severity=first.severity,
            message=first.title,
            subject=f"{kind} {part.name}",
            path=path,
            line=line,
            cause=first,
        )


def placed(one: Diagnosis) -> tuple[str | None, int | None]:
    """Path and line that it names in the checkout."""
    path, _, line = (one.location or "").rpartition(":")
    return (path, int(line)) if path and line.isascii() and line.isdigit() and len(line) < 8 else (None, None)


def explained(found: list[Problem], diagnoses: Iterable[Diagnosis]) -> list[Problem]:
    """Problems of one part with the cause at the one it explains, which comes first."""
    cause = most_likely(tuple(diagnoses))
    if cause is None or not found:
        return found
    path, line = placed(cause)
    at = next((n for n, p in enumerate(found) if path and (p.path, p.line) == (path, line)), 0)
    first = replace(found[at], cause=cause)
    if first.path is None and path:
        first = replace(first, path=path, line=line)
    return [first, *found[:at], *found[at + 1 :]]
