"""Applying the exact edits of findings: never two that overlap in one pass, until nothing is left to do."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from msgspec.structs import replace

from rocm_ci.model.edit import in_order
from rocm_ci.model.finding import SilencedBy
from rocm_ci.scan.document import Document
from rocm_ci.scan.files import utf8
from rocm_ci.scan.scanned import encodable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from rocm_ci.model.changes import Changes
    from rocm_ci.model.edit import Edit
    from rocm_ci.model.finding import Finding
    from rocm_ci.scan.files import FileSource
    from rocm_ci.scan.scanned import Scanned

MOST_PASSES = 10


@dataclass(frozen=True, slots=True)
class FixedFile:
    """One file before and after. `repaired` are the findings whose edits were applied."""

    path: str
    before: bytes
    after: bytes
    repaired: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Fixes:
    """What would be written. `refused` gives a reason by path."""

    files: tuple[FixedFile, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """How many findings they repair."""
        return sum(len(one.repaired) for one in self.files)


class Overlay:
    """A tree of which some files have other content, and keep their places."""

    def __init__(self, source: FileSource) -> None:
        self._source = source
        self.content: dict[str, bytes] = {}

    def read(self, path: str) -> bytes | None:
        """See `FileSource`."""
        return self.content[path] if path in self.content else self._source.read(path)

    def names(self, folder: str) -> tuple[str, ...]:
        """See `files.Lists`."""
        listed: tuple[str, ...] = getattr(self._source, "names", lambda _: ())(folder)
        return listed


def applicable(finding: Finding, *, unsafe: bool) -> bool:
    """Whether a finding has a repair that may be applied."""
    return bool(finding.edits) and (unsafe or not finding.unsafe)


def fixes(
    source: FileSource,
    changes: Changes,
    scanned: Scanned,
    rescan: Callable[[FileSource, Changes], Scanned],
    *,
    unsafe: bool = False,
) -> Fixes:
    """The files as they are to be, for the findings of a scan of `changes`; nothing is written.

    `rescan` scans some of the files again: what an edit brings to light is repaired in the next pass,
    on the lines that the change adds. No edit has a newline, so line numbers hold.
    """
    run = _Run(source, scanned, unsafe=unsafe)
    paths = {f.path for f in scanned.findings if applicable(f, unsafe=unsafe)}
    live = [change for change in changes.files if encodable(change.path) in paths]
    for number in range(MOST_PASSES):
        if not live:
            break
        found = rescan(run.overlay, replace(changes, files=tuple(live)))
        live = [c for c in live if run.apply(c.path, _of_path(found.findings, c.path), is_first=not number)]
    return run.outcome()


class _Run:
    def __init__(self, source: FileSource, scanned: Scanned, *, unsafe: bool) -> None:
        self._source = source
        self._unsafe = unsafe
        baselined = [f for f in scanned.silenced if f.silenced and f.silenced.by is SilencedBy.BASELINE]
        self._found = [*scanned.findings, *baselined]
        self._known = {(f.path, f.fingerprint) for f in baselined}
        self._repaired: dict[str, list[Finding]] = {}
        self._refused: dict[str, str] = {}
        self.overlay = Overlay(source)

    def apply(self, path: str, findings: Sequence[Finding], *, is_first: bool) -> bool:
        """One pass over one file; whether it changed."""
        if is_first and _repairs(findings) != _repairs(_of_path(self._found, path)):
            self._refused[path] = "it changed since it was read"
            return False
        wanted = [
            f
            for f in findings
            if applicable(f, unsafe=self._unsafe) and (f.path, f.fingerprint) not in self._known
        ]
        chosen, edits = chosen_edits(wanted)
        data = self.overlay.read(path)
        if not edits or data is None:
            return False
        try:
            after = Document(data).edited(edits)
            _check_syntax(path, data, after)
        except ValueError as error:
            self._refused[path] = str(error)
            self.overlay.content.pop(path, None)
            self._repaired.pop(path, None)
            return False
        if after == data:
            return False
        self.overlay.content[path] = after
        self._repaired.setdefault(path, []).extend(chosen)
        return True

    def outcome(self) -> Fixes:
        files = []
        for path, after in sorted(self.overlay.content.items()):
            before = self._source.read(path)
            if before is not None and before != after:
                files.append(FixedFile(path, before, after, tuple(self._repaired[path])))
        return Fixes(tuple(files), self._refused)


def chosen_edits(findings: Iterable[Finding]) -> tuple[list[Finding], tuple[Edit, ...]]:
    """Findings whose edits go together, in order, with these edits; each wholly or not at all."""
    chosen: list[Finding] = []
    together: tuple[Edit, ...] = ()
    for finding in findings:
        joined = in_order((*together, *finding.edits))
        if joined is not None:
            chosen.append(finding)
            together = joined
    return chosen, together


def _of_path(findings: Iterable[Finding], path: str) -> list[Finding]:
    shown = encodable(path)
    return [f for f in findings if f.path == shown]


def _repairs(findings: Iterable[Finding]) -> set[object]:
    return {(f.rule, f.line, f.column, f.edits) for f in findings if f.edits}


def _check_syntax(path: str, before: bytes, after: bytes) -> None:
    """A Python file that could be parsed must stay so."""
    if path.endswith(".py") and _is_python(before) and not _is_python(after):
        message = "the repair would break its syntax"
        raise ValueError(message)


def _is_python(data: bytes) -> bool:
    try:
        ast.parse(utf8(data))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
