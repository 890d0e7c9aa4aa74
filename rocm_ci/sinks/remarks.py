"""What a report says about single lines of the tree, as annotations of a check run. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.github.client import Annotation
from rocm_ci.model.case import CaseStatus
from rocm_ci.model.finding import Severity
from rocm_ci.model.plan import StageName
from rocm_ci.model.result import BuildResult, ScanResult, TestResult
from rocm_ci.report import inert, legs, words
from rocm_ci.report.causes import placed
from rocm_ci.report.details import fold
from rocm_ci.report.tally import of_status

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocm_ci.github.client import AnnotationLevel
    from rocm_ci.model.case import Case
    from rocm_ci.model.diagnostic import Diagnosis, Diagnostic
    from rocm_ci.model.finding import Finding
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

    stage: StageName
    path: str | None
    line: int | None
    level: AnnotationLevel
    title: str
    message: str
    columns: tuple[int, int] = (0, 0)


def of(report: Report, *, limit: int = MAX_ANNOTATIONS) -> Remarks:
    """Findings, compiler messages and failed tests that have a place in the tree, the worst first.

    What several legs of a matrix say alike is said once, and which they are.
    """
    on: dict[_Said, list[str]] = {}
    for said, leg in _all(report):
        if _has_place(said):
            on.setdefault(said, []).append(leg)
    found = sorted(on, key=lambda said: _WORST_FIRST.index(said.level))
    # Only what is sent is worth the cleaning.
    notes = tuple(_note(said, _where(on[said], said, report)) for said in found[:limit])
    return Remarks(notes=notes, more=max(len(found) - limit, 0))


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


def _all(report: Report) -> Iterator[tuple[_Said, str]]:
    """Everything, with the leg that says it."""
    for result in report.results:
        said: list[_Said]
        match result:
            case ScanResult():
                said = [_of_finding(finding) for finding in result.findings]
            case BuildResult():
                said = [_of_diagnostic(d) for step in result.steps for d in step.diagnostics]
                said += [_of_cause(d, StageName.BUILD) for step in result.steps for d in step.diagnoses]
            case TestResult():
                red = of_status(result.suites, CaseStatus.FAILED, CaseStatus.ERRORED)
                said = [_of_case(case) for case in red]
                said += [_of_cause(d, StageName.TEST) for suite in result.suites for d in suite.diagnoses]
            case _:
                continue
        for one in said:
            yield one, result.leg


def _of_finding(finding: Finding) -> _Said:
    return _Said(
        stage=StageName.SCAN,
        path=finding.path,
        line=finding.line,
        level=_LEVELS[finding.severity],
        title=finding.rule,
        message="\n".join(part for part in (finding.message, finding.fix, finding.docs) if part),
        columns=(finding.column, finding.end),
    )


def _of_diagnostic(said: Diagnostic) -> _Said:
    return _Said(
        stage=StageName.BUILD,
        path=said.path,
        line=said.line,
        level=_LEVELS[said.severity],
        title=said.tool,
        message=said.message,
    )


def _of_cause(cause: Diagnosis, stage: StageName) -> _Said:
    """What the error library says of a line; what has no place in the tree stands in the comment."""
    path, line = placed(cause)
    return _Said(
        stage=stage,
        path=path,
        line=line,
        level=_LEVELS[cause.severity],
        title=cause.title,
        message="\n".join((cause.cause, *cause.fixes)),
    )


def _of_case(case: Case) -> _Said:
    return _Said(
        stage=StageName.TEST,
        path=case.path,
        line=case.line,
        level="failure",
        title=case.id,
        message=case.message or case.excerpt or case.status.value,
    )


def _where(found_on: Sequence[str], said: _Said, report: Report) -> str:
    """The legs: a reader must know on which machine to look."""
    names = [leg for leg in found_on if leg]
    return legs.on(names, legs.that_did(report, said.stage)) if names and report.legs else ""


def _has_place(said: _Said) -> bool:
    """Whether there can be such a place in a repository: else GitHub would refuse the whole request."""
    path, line = said.path, said.line
    if path is None or line is None or not 0 < line < 2**31 or inert.line(path, limit=4096) != path:
        return False
    return not path.startswith("/") and all(part not in ("", ".", "..") for part in path.split("/"))


def _note(said: _Said, where: str) -> Annotation:
    start, end = said.columns
    message = inert.block(said.message, limit=MAX_MESSAGE).strip() or said.level
    has_columns = 0 < start <= end < 2**31
    return Annotation(
        path=said.path or "",
        start_line=said.line or 1,
        end_line=said.line or 1,
        level=said.level,
        title=inert.line(said.title, limit=MAX_TITLE) or said.level,
        message=f"{message}\n({inert.line(where, limit=200)})" if where else message,
        # Ours is the column after the last character, GitHub's is the last one.
        start_column=start if has_columns else None,
        end_column=max(end - 1, start) if has_columns else None,
    )
