"""What a report says about single lines of the tree, as annotations of a check run. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.github.client import Annotation
from rocm_ci.model.case import CaseStatus
from rocm_ci.model.finding import Severity
from rocm_ci.report import inert, words
from rocm_ci.report.details import fold
from rocm_ci.report.tally import of_status, tally

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.github.client import AnnotationLevel
    from rocm_ci.model.report import Report

MAX_TITLE = 255
MAX_MESSAGE = 16_000  # characters; GitHub takes 64 KB, and a character may have four bytes
MAX_ANNOTATIONS = 2_500  # 50 requests; who has more reads the report
_LEVELS: dict[Severity, AnnotationLevel] = {
    Severity.ERROR: "failure",
    Severity.WARNING: "warning",
    Severity.NOTE: "notice",
}
_WORST_FIRST: tuple[AnnotationLevel, ...] = ("failure", "warning", "notice")


@dataclass(frozen=True, kw_only=True)
class Remarks:
    """The annotations to send, and how many more there would be."""

    notes: tuple[Annotation, ...]
    more: int = 0


@dataclass(frozen=True, kw_only=True)
class _Said:
    """Something that a report says about a place, as it stands there. `columns` as in a `Finding`."""

    path: str | None
    line: int | None
    level: AnnotationLevel
    title: str
    message: str
    columns: tuple[int, int] = (0, 0)


def of(report: Report, *, limit: int = MAX_ANNOTATIONS) -> Remarks:
    """Findings, compiler messages and failed tests that have a place in the tree, the worst first."""
    # Several legs of a matrix may say the very same.
    different = dict.fromkeys(filter(_has_place, _all(report)))
    found = sorted(different, key=lambda said: _WORST_FIRST.index(said.level))
    # Only what is sent is worth the cleaning.
    return Remarks(notes=tuple(map(_note, found[:limit])), more=max(len(found) - limit, 0))


def listed(remarks: Remarks, *, limit: int = 100) -> str:
    """The same as a folded list in Markdown, for where there is no check run; empty without any."""
    count = len(remarks.notes) + remarks.more
    if not count:
        return ""
    items = [
        f"- {inert.code(f'{note.path}:{note.start_line}')} {inert.text(note.title, limit=100)} — "
        f"{inert.text(note.message, limit=300)}"
        for note in remarks.notes[:limit]
    ]
    if count > len(items):
        items.append(f"- … and {count - len(items):,} more, in the report")
    return fold(words.count(count, "annotation"), "\n".join(items))


def _all(report: Report) -> Iterator[_Said]:
    seen = tally(report)
    for finding in seen.findings:
        yield _Said(
            path=finding.path,
            line=finding.line,
            level=_LEVELS[finding.severity],
            title=finding.rule,
            message="\n".join(part for part in (finding.message, finding.fix, finding.docs) if part),
            columns=(finding.column, finding.end),
        )
    for said in seen.diagnostics:
        level = _LEVELS[said.severity]
        yield _Said(path=said.path, line=said.line, level=level, title=said.tool, message=said.message)
    for case in of_status(seen.suites, CaseStatus.FAILED, CaseStatus.ERRORED):
        text = case.message or case.excerpt or case.status.value
        yield _Said(path=case.path, line=case.line, level="failure", title=case.id, message=text)


def _has_place(said: _Said) -> bool:
    """Whether there can be such a place in a repository: else GitHub would refuse the whole request."""
    path, line = said.path, said.line
    if path is None or line is None or not 0 < line < 2**31 or inert.line(path, limit=4096) != path:
        return False
    return not path.startswith("/") and all(part not in ("", ".", "..") for part in path.split("/"))


def _note(said: _Said) -> Annotation:
    start, end = said.columns
    has_columns = 0 < start <= end < 2**31
    return Annotation(
        path=said.path or "",
        start_line=said.line or 1,
        end_line=said.line or 1,
        level=said.level,
        title=inert.line(said.title, limit=MAX_TITLE) or said.level,
        message=inert.block(said.message, limit=MAX_MESSAGE).strip() or said.level,
        # Ours is the column after the last character, GitHub's is the last one.
        start_column=start if has_columns else None,
        end_column=max(end - 1, start) if has_columns else None,
    )
