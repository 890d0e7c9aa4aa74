"""What a report says about single lines of the tree, as annotations of a check run. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.github.client import Annotation
from rocm_ci.model.case import CaseStatus
from rocm_ci.model.finding import Severity
from rocm_ci.report import inert
from rocm_ci.report.tally import of_status, tally

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.github.client import AnnotationLevel
    from rocm_ci.model.report import Report

MAX_TITLE = 255
MAX_MESSAGE = 16_000  # characters; GitHub takes 64 KB, and a character may have four bytes
MAX_ANNOTATIONS = 500
_LEVELS: dict[Severity, AnnotationLevel] = {
    Severity.ERROR: "failure",
    Severity.WARNING: "warning",
    Severity.NOTE: "notice",
}
_WORST_FIRST: tuple[AnnotationLevel, ...] = ("failure", "warning", "notice")


def of(report: Report) -> tuple[Annotation, ...]:
    """Findings, compiler messages and failed tests that have a place in the tree, the worst first."""
    found = sorted(_all(report), key=lambda note: _WORST_FIRST.index(note.level))
    return tuple(found[:MAX_ANNOTATIONS])


def _all(report: Report) -> Iterator[Annotation]:
    seen = tally(report)
    for finding in seen.findings:
        message = "\n".join(part for part in (finding.message, finding.fix, finding.docs) if part)
        note = _note(finding.path, finding.line, _LEVELS[finding.severity], finding.rule, message)
        if note is not None:
            yield _with_columns(note, finding.column, finding.end)
    for said in seen.diagnostics:
        note = _note(said.path, said.line, _LEVELS[said.severity], said.tool, said.message)
        if note is not None:
            yield note
    for case in of_status(seen.suites, CaseStatus.FAILED, CaseStatus.ERRORED):
        text = case.message or case.excerpt or case.status.value
        note = _note(case.path, case.line, "failure", case.id, text)
        if note is not None:
            yield note


def _note(
    path: str | None, line: int | None, level: AnnotationLevel, title: str, message: str
) -> Annotation | None:
    """None when there is no such place in a repository: then GitHub would refuse the whole request."""
    if path is None or line is None or not 0 < line < 2**31 or inert.line(path, limit=4096) != path:
        return None
    if path.startswith("/") or any(part in ("", ".", "..") for part in path.split("/")):
        return None
    return Annotation(
        path=path,
        start_line=line,
        end_line=line,
        level=level,
        title=inert.line(title, limit=MAX_TITLE) or level,
        message=inert.block(message, limit=MAX_MESSAGE).strip() or level,
    )


def _with_columns(note: Annotation, start: int, end: int) -> Annotation:
    if not 0 < start <= end < 2**31:
        return note
    # Ours is the column after the last character, GitHub's is the last one.
    return Annotation(
        path=note.path,
        start_line=note.start_line,
        end_line=note.end_line,
        level=note.level,
        title=note.title,
        message=note.message,
        start_column=start,
        end_column=max(end - 1, start),
    )
