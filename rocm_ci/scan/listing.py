"""Findings as text for a terminal, and as workflow commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.github import commands
from rocm_ci.log import printable
from rocm_ci.model.finding import Severity
from rocm_ci.scan.files import decode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.model.finding import Finding
    from rocm_ci.scan.engine import Scanned
    from rocm_ci.scan.files import FileSource

_COLOURS = {Severity.ERROR: "31", Severity.WARNING: "33", Severity.NOTE: "36"}
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}
_WIDEST = 160  # characters of a source line that are shown


def listing(scanned: Scanned, source: FileSource, *, failed: bool, took_s: float, colour: bool) -> str:
    """One block per finding: place, rule, message, the source line with a caret, the fix."""
    paint = _Painter(colour=colour)
    lines: list[str] = []
    path = ""
    content: tuple[str, ...] = ()
    for finding in scanned.findings:
        if finding.path != path:
            path = finding.path
            data = source.read(path)
            content = decode(data)[1] if data is not None else ()
        lines += _block(finding, content, paint)
    lines.append(_summary(scanned, failed=failed, took_s=took_s, paint=paint))
    return "\n".join(lines)


class _Painter:
    def __init__(self, *, colour: bool) -> None:
        self._colour = colour

    def __call__(self, code: str, text: str) -> str:
        # Bytes that are no UTF-8 arrive as surrogates, which no output can encode.
        text = printable(text).replace("\n", " ").encode("utf-8", "replace").decode()
        return f"\033[{code}m{text}\033[0m" if self._colour else text


def _block(finding: Finding, content: tuple[str, ...], paint: _Painter) -> Iterator[str]:
    place = f"{finding.path}:{finding.line}:{finding.column}"
    severity = paint(_COLOURS[finding.severity], finding.severity.value)
    yield f"{paint('1', place)}: {severity} {paint('35', finding.rule)} {paint('0', finding.message)}"
    if finding.line <= len(content):
        text = content[finding.line - 1].expandtabs(1)
        start = max(0, finding.column - _WIDEST // 2) if len(text) > _WIDEST else 0
        shown = text[start : start + _WIDEST]
        width = max(1, min(finding.end - finding.column, len(shown) - (finding.column - 1 - start)))
        yield f"  {paint('2', f'{finding.line:>5} |')} {paint('0', shown)}"
        caret = " " * (finding.column - 1 - start) + "^" * width
        yield f"  {paint('2', '      |')} {paint(_COLOURS[finding.severity], caret)}"
    if finding.fix:
        yield f"  {paint('2', '      = fix:')} {paint('0', finding.fix)}"


def _summary(scanned: Scanned, *, failed: bool, took_s: float, paint: _Painter) -> str:
    count = {s: sum(f.severity is s for f in scanned.findings) for s in Severity}
    parts = [
        paint(_COLOURS[s], f"{count[s]} {s.value}{'s' if count[s] != 1 else ''}")
        for s in (Severity.ERROR, Severity.WARNING, Severity.NOTE)
        if count[s]
    ]
    if scanned.suppressed:
        parts.append(f"{scanned.suppressed} suppressed")
    told = ", ".join(parts) or paint("32", "nothing found")
    files = f"{scanned.files} file{'s' if scanned.files != 1 else ''}"
    mark = paint("31", "✗") if failed else paint("32", "✓")
    return f"{mark} {told} in {files}, {took_s:.2f} s"


def workflow_commands(scanned: Scanned) -> str:
    """One workflow command per finding."""
    return "\n".join(
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
    )
