"""Findings as text for a terminal, and as workflow commands."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rocm_ci.github import commands
from rocm_ci.log import printable
from rocm_ci.model.finding import Severity
from rocm_ci.model.scan_note import NoteKind
from rocm_ci.scan.files import decode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rocm_ci.model.finding import Finding
    from rocm_ci.model.scan_note import ScanNote
    from rocm_ci.scan.files import FileSource
    from rocm_ci.scan.scanned import Scanned

_COLOURS = {Severity.ERROR: "31", Severity.WARNING: "33", Severity.NOTE: "36"}
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}
_WIDEST = 160  # characters of a source line that are shown
_OTHER_LINES = 12
_MOST_NOTES = 10
_TOLD = (NoteKind.UNFINISHED, NoteKind.SKIPPED, NoteKind.PARTIAL, NoteKind.FALLBACK)
_SHORT = {
    NoteKind.UNFINISHED: "given up",
    NoteKind.SKIPPED: "not read",
    NoteKind.PARTIAL: "read in part",
    NoteKind.FALLBACK: "not parsed",
    NoteKind.VENDORED: "vendored",
    NoteKind.COPY: "copies",
}


def listing(scanned: Scanned, source: FileSource, *, failed: bool, took_s: float, colour: bool) -> str:
    """One block per finding: place, rule, message, the source line with a caret, the fix.

    What is said of several places of a file is said once, with the lines of the others.
    """
    paint = _Painter(colour=colour)
    lines: list[str] = []
    path = ""
    content: tuple[str, ...] = ()
    for group in _groups(scanned.findings):
        if group[0].path != path:
            path = group[0].path
            data = source.read(path)
            content = decode(data)[1] if data is not None else ()
        lines += _block(group, content, paint)
    lines += _notes(scanned.notes, paint)
    lines += _repairable(scanned.findings, paint)
    lines.append(_summary(scanned, failed=failed, took_s=took_s, paint=paint))
    return "\n".join(lines)


def _groups(findings: Iterable[Finding]) -> Iterable[list[Finding]]:
    groups: dict[tuple[str, str, Severity, str], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.path, finding.rule, finding.severity, finding.message), []).append(finding)
    return groups.values()


class _Painter:
    def __init__(self, *, colour: bool) -> None:
        self._colour = colour

    def __call__(self, code: str, text: str) -> str:
        # Bytes that are no UTF-8 arrive as surrogates, which no output can encode.
        text = printable(text).replace("\n", " ").encode("utf-8", "replace").decode()
        return f"\033[{code}m{text}\033[0m" if self._colour else text


def _block(group: Sequence[Finding], content: tuple[str, ...], paint: _Painter) -> Iterator[str]:
    finding = group[0]
    place = f"{finding.path}:{finding.line}:{finding.column}"
    severity = paint(_COLOURS[finding.severity], finding.severity.value)
    mark = f" {paint('36', _mark(finding))}" if finding.edits else ""
    yield f"{paint('1', place)}: {severity} {paint('35', finding.rule)}{mark} {paint('0', finding.message)}"
    if finding.line <= len(content):
        yield from _source_line(finding, content[finding.line - 1], paint)
    others = list(dict.fromkeys(f.line for f in group[1:] if f.line != finding.line))
    if others:
        told = ", ".join(map(str, others[:_OTHER_LINES]))
        more = f" and {len(others) - _OTHER_LINES} more" if len(others) > _OTHER_LINES else ""
        lines = "line" if len(others) == 1 else "lines"
        yield f"  {paint('2', f'      = also in {lines} {told}{more}')}"
    if finding.fix:
        yield f"  {paint('2', '      = fix:')} {paint('0', finding.fix)}"


def _mark(finding: Finding) -> str:
    return "[~]" if finding.unsafe else "[*]"


def _source_line(finding: Finding, line: str, paint: _Painter) -> Iterator[str]:
    text = line.expandtabs(1)
    start = max(0, finding.column - _WIDEST // 2) if len(text) > _WIDEST else 0
    shown = text[start : start + _WIDEST]
    width = max(1, min(finding.end - finding.column, len(shown) - (finding.column - 1 - start)))
    yield f"  {paint('2', f'{finding.line:>5} |')} {paint('0', shown)}"
    caret = " " * (finding.column - 1 - start) + "^" * width
    yield f"  {paint('2', '      |')} {paint(_COLOURS[finding.severity], caret)}"


def _notes(notes: Sequence[ScanNote], paint: _Painter) -> Iterator[str]:
    """What was not looked at, the loudest first; vendored trees are counted only."""
    told = sorted((n for n in notes if n.kind in _TOLD), key=lambda n: _TOLD.index(n.kind))
    for note in told[:_MOST_NOTES]:
        place = note.path if note.line is None else f"{note.path}:{note.line}"
        rule = f" {paint('35', note.rule)}" if note.rule else ""
        yield f"{paint('1', place)}: {paint('33', note.kind.value)}{rule} {paint('0', note.reason)}"
    if len(told) > _MOST_NOTES:
        yield paint("2", f"… and {len(told) - _MOST_NOTES:,} more such notes, all of them with --format json")


def _summary(scanned: Scanned, *, failed: bool, took_s: float, paint: _Painter) -> str:
    count = {s: sum(f.severity is s for f in scanned.findings) for s in Severity}
    parts = [
        paint(_COLOURS[s], f"{count[s]} {s.value}{'s' if count[s] != 1 else ''}")
        for s in (Severity.ERROR, Severity.WARNING, Severity.NOTE)
        if count[s]
    ]
    if scanned.suppressed:
        parts.append(f"{scanned.suppressed} suppressed")
    if scanned.baselined:
        parts.append(f"{scanned.baselined} in the baseline")
    told = ", ".join(parts) or paint("32", "nothing found")
    files = f"{scanned.files} file{'s' if scanned.files != 1 else ''}"
    mark = paint("31", "✗") if failed else paint("33", "!") if scanned.unfinished else paint("32", "✓")
    kinds = Counter(_SHORT.get(note.kind, note.kind.value) for note in scanned.notes)
    unread = "".join(f" · {count:,} {kind}" for kind, count in kinds.items())
    return f"{mark} {told} in {files}, {took_s:.2f} s{paint('2', unread) if unread else ''}"


def _repairable(findings: Sequence[Finding], paint: _Painter) -> Iterator[str]:
    safe = sum(bool(f.edits) and not f.unsafe for f in findings)
    unsafe = sum(bool(f.edits) and f.unsafe for f in findings)
    if safe:
        yield paint("36", f"[*] {safe} can be repaired with --fix")
    if unsafe:
        yield paint(
            "36", f"[~] {unsafe} with --fix --unsafe-fixes: they may change what the code means on NVIDIA"
        )


def workflow_commands(scanned: Scanned) -> str:
    """One workflow command per finding, and one per file that was not looked at."""
    told = [
        commands.command(
            _LEVELS[finding.severity],
            f"{finding.message}\n{finding.fix or ''}".rstrip(),
            file=finding.path,
            line=finding.line,
            endLine=finding.line,
            col=finding.column,
            endColumn=finding.end,
            title=finding.rule,
        )
        for finding in scanned.findings
    ]
    told += [
        commands.command("notice", note.reason, file=note.path, title="not scanned")
        for note in scanned.notes
        if note.kind in (NoteKind.SKIPPED, NoteKind.UNFINISHED)
    ]
    return "\n".join(told)
