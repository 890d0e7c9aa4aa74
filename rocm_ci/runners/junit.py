"""JUnit XML of any dialect, size and state of health → cases. Pure but for reading the files."""

from __future__ import annotations

import os
import stat
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, BinaryIO

from rocm_ci.model.case import Case, CaseStatus
from rocm_ci.runners import junit_loose, junit_strict
from rocm_ci.runners.excerpt import clean, shortened
from rocm_ci.runners.junit_elements import Builder, RefusedError
from rocm_ci.runners.junit_index import Elements
from rocm_ci.runners.junit_retries import merged
from rocm_ci.runners.junit_strict import Ending
from rocm_ci.runners.junit_text import Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

MAX_BYTES = 1_000_000_000


@dataclass(frozen=True, kw_only=True)
class Document:
    """One report file. `readable` is False when nothing of it may count; `problem` says why."""

    elements: Elements = field(default_factory=Elements)
    repaired: bool = False
    truncated: bool = False
    readable: bool = True
    problem: str = ""
    suite_errors: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Reading:
    """Several documents together. `elements` counts `<testcase>`, `retried` the superseded attempts."""

    cases: Sequence[Case] = ()
    elements: int = 0
    retried: int = 0
    repaired: bool = False
    truncated: bool = False
    readable: bool = True
    problems: tuple[str, ...] = ()
    suite_errors: tuple[str, ...] = ()

    def count(self, status: CaseStatus) -> int:
        """How many cases ended so."""
        return self._counts[status]

    @cached_property
    def _counts(self) -> Counter[CaseStatus]:
        return Counter(case.status for case in self.cases)


def read_file(path: Path, *, suite: str = "") -> Document:
    """One report. A pull request chose the file: only a regular one of bounded size is opened."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        return Document(readable=False, problem=f"it cannot be read: {error.strerror}")
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        return Document(readable=False, problem="it is not a regular file")
    with os.fdopen(descriptor, "rb") as source:
        if status.st_size > MAX_BYTES:
            return Document(readable=False, problem=f"it has {status.st_size} bytes, over {MAX_BYTES}")
        if status.st_size == 0:
            return Document(readable=False, problem="it is empty")
        return read(source, suite=suite)


def read(source: BinaryIO, *, suite: str = "") -> Document:
    """A report from a seekable binary file. `suite` names the cases' suite instead of the report."""
    text, builder = Text(source), Builder(suite)
    try:
        outcome = junit_strict.parse(text, builder)
        if outcome.ending is Ending.WHOLE:
            return _document(builder, repaired=text.repaired, problem=builder.contradiction)
        if outcome.ending is Ending.TRUNCATED:
            builder.finish()
            return _document(builder, repaired=True, truncated=True, problem=_cut(builder, outcome.detail))
        return _loosely(source, suite, outcome.detail)
    except RefusedError as error:
        return Document(readable=False, problem=f"refused: {error}")


def _loosely(source: BinaryIO, suite: str, detail: str) -> Document:
    source.seek(0)
    builder = Builder(suite)
    loose = junit_loose.Loose(builder)
    loose.feed(Text(source))
    if loose.truncated:
        builder.finish()
    loose.finish()
    problem = _cut(builder, detail) if loose.truncated else f"not well-formed ({detail}); repaired"
    return _document(builder, repaired=True, truncated=loose.truncated, problem=problem)


def _cut(builder: Builder, detail: str) -> str:
    inside = f", inside of {shortened(builder.cut[0], 200)}" if builder.cut else ""
    return f"the report breaks off{inside} ({detail})"


def _document(builder: Builder, *, repaired: bool, truncated: bool = False, problem: str = "") -> Document:
    if not builder.is_junit:
        root = f"its root is <{shortened(clean(builder.roots[0]), 60)}>" if builder.roots else "it is not XML"
        return Document(readable=False, problem=f"no JUnit report: {root}")
    return Document(
        elements=builder.elements,
        repaired=repaired,
        truncated=truncated,
        problem=problem,
        suite_errors=tuple(builder.suite_errors),
    )


def joined(documents: Iterable[tuple[str, Document]]) -> Reading:
    """Documents (with the name to call each in a problem) as one; retries resolved across them."""
    named = list(documents)
    cases, retried = merged([(name, document.elements) for name, document in named])
    return Reading(
        cases=cases,
        elements=sum(len(document.elements) for _, document in named),
        retried=retried,
        repaired=any(document.repaired for _, document in named),
        truncated=any(document.truncated for _, document in named),
        readable=all(document.readable for _, document in named),
        problems=tuple(f"{name}: {document.problem}" for name, document in named if document.problem),
        suite_errors=tuple(error for _, document in named for error in document.suite_errors),
    )
