"""One thing to fix, as the comment, the annotations and the terminal all show it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocm_ci.model.diagnostic import Diagnosis
    from rocm_ci.model.finding import Severity

Kind = Literal["build", "scan", "test", "kernels", "perf", "machine"]
_DIGITS = re.compile(r"[0-9]+")
_ARCH = re.compile(r"gfx[0-9a-f]+")
_SAME = 200


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One thing to fix. All texts are raw: whoever shows them makes them inert.

    `subject` is a name (a test, a kernel, a benchmark), `also` further subjects with the same
    message; `command` reproduces it; `cause` explains it from the error library. `legs` are those of a
    matrix it was seen on; `on_base` says that the base has it too. `weight` tells the worst of several.
    """

    kind: Kind
    severity: Severity
    message: str
    subject: str | None = None
    also: tuple[str, ...] = ()
    path: str | None = None
    line: int | None = None
    column: int | None = None
    advice: str | None = None
    replacement: str | None = None
    rule: str | None = None
    docs: str | None = None
    command: str | None = None
    cause: Diagnosis | None = None
    legs: tuple[str, ...] = ()
    on_base: bool = False
    weight: float = 0.0

    @property
    def place(self) -> str | None:
        """`path:line`, as far as known."""
        return self.path and (f"{self.path}:{self.line}" if self.line else self.path)


def same(message: str) -> str:
    """What messages have in common that differ in numbers only."""
    return _DIGITS.sub("#", message[:_SAME])


def joined(listed: Iterable[Problem]) -> list[Problem]:
    """Problems of several legs, each once with all its legs. Those of one leg are never joined."""
    found: dict[tuple[object, ...], Problem] = {}
    seen: Counter[tuple[object, ...]] = Counter()
    for p in listed:
        # The same line is compiled for another GPU on every leg, and the numbers differ.
        words = same(_ARCH.sub("", p.message))
        key = (p.kind, p.severity, p.subject, p.place, p.column, p.rule, p.on_base, words)
        here = (*key, p.legs)
        nth = (*key, seen[here])
        seen[here] += 1
        known = found.get(nth)
        if known is None:
            found[nth] = p
            continue
        worse, other = (p, known) if p.weight > known.weight else (known, p)
        found[nth] = replace(
            worse,
            legs=(*known.legs, *p.legs),
            also=tuple(dict.fromkeys((*worse.also, *other.also))),
            cause=worse.cause or other.cause,
        )
    return list(found.values())


def most_likely(diagnoses: tuple[Diagnosis, ...]) -> Diagnosis | None:
    """The root cause: the error library tells it first, however sure it is of what follows from it."""
    return diagnoses[0] if diagnoses else None
