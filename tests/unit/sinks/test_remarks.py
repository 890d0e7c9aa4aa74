"""Which lines of a report become annotations, and which GitHub would choke on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from rocm_ci.model.case import Case, CaseStatus, Layer
from rocm_ci.model.diagnostic import Category, Diagnosis, Diagnostic
from rocm_ci.model.finding import Severity
from rocm_ci.model.result import BuildResult, BuildStep, ScanResult, Suite, TestResult
from rocm_ci.model.verdict import Verdict
from rocm_ci.report.merge import merged
from rocm_ci.sinks import remarks
from tests import reports
from tests.standin.reports import finding, report

if TYPE_CHECKING:
    from rocm_ci.github.client import Annotation
    from rocm_ci.model.finding import Finding
    from rocm_ci.model.report import Report


def holding(*findings: Finding) -> Report:
    result = ScanResult(verdict=Verdict.FAIL, duration_s=0.1, findings=findings)
    return msgspec.structs.replace(report("a" * 40, Verdict.FAIL), results=(result,))


def changed(**values: object) -> Report:
    return holding(msgspec.structs.replace(finding(1), **values))


def noted(made: Report) -> tuple[Annotation, ...]:
    return remarks.of(made).notes


def test_a_finding_becomes_a_remark_on_its_very_characters() -> None:
    (note,) = noted(holding(finding(7)))

    assert (note.path, note.start_line, note.end_line) == ("src/reduce.hip", 7, 7)
    # Columns of GitHub are inclusive; the finding's end is the column after the last character.
    assert (note.start_column, note.end_column) == (3, 12)
    assert (note.level, note.title) == ("failure", "cuda-api-call")
    assert note.message == "cudaMalloc is CUDA\nuse hipMalloc"


def test_compiler_messages_and_failed_tests_with_a_place_are_remarks_too() -> None:
    step = BuildStep(
        name="lib",
        command="make",
        verdict=Verdict.FAIL,
        duration_s=1.0,
        diagnostics=(
            Diagnostic(tool="clang", severity=Severity.WARNING, message="unused", path="a.hip", line=2),
            Diagnostic(tool="clang", severity=Severity.ERROR, message="undeclared", path="a.hip", line=3),
            Diagnostic(tool="ld", severity=Severity.ERROR, message="undefined reference"),
        ),
    )
    cases = [
        Case(
            id=f"t::{status.value}", suite="unit", name=status.value, status=status, path="t.py", line=4,
            message="boom",
        )
        for status in CaseStatus
    ]  # fmt: skip
    suite = Suite(
        name="unit",
        layer=Layer.UNIT,
        runner="pytest",
        command="pytest",
        verdict=Verdict.FAIL,
        duration_s=1.0,
        cases=tuple(cases),
    )
    made = msgspec.structs.replace(
        report("a" * 40, Verdict.FAIL),
        results=(
            BuildResult(verdict=Verdict.FAIL, duration_s=1.0, steps=(step,)),
            TestResult(verdict=Verdict.FAIL, duration_s=1.0, suites=(suite,)),
        ),
    )

    found = [(n.path, n.start_line, n.level, n.title) for n in noted(made)]

    assert found == [
        ("a.hip", 3, "failure", "clang"),
        ("t.py", 4, "failure", "t::failed"),
        ("t.py", 4, "failure", "t::errored"),
        ("a.hip", 2, "warning", "clang"),
    ]


@pytest.mark.parametrize(
    "path",
    ["/etc/passwd", "../up.hip", "a/../b", "a//b", "./a", "", "a\nb.hip", "a\x1b[31m.hip", "a\u202eb.hip"],
)
def test_a_path_that_is_none_in_a_repository_is_left_out(path: str) -> None:
    assert noted(changed(path=path)) == ()


@pytest.mark.parametrize("line", [0, -3, 2**31])
def test_a_line_that_cannot_be_is_left_out(line: int) -> None:
    assert noted(changed(line=line)) == ()


@pytest.mark.parametrize(("start", "end"), [(0, 5), (9, 4), (3, 2**40), (-1, -1)])
def test_columns_that_cannot_be_leave_the_whole_line(start: int, end: int) -> None:
    (note,) = noted(changed(column=start, end=end))

    assert (note.start_column, note.end_column) == (None, None)


def test_an_empty_span_is_one_column_wide() -> None:
    (note,) = noted(changed(column=4, end=4))

    assert (note.start_column, note.end_column) == (4, 4)


def test_texts_are_cut_and_never_empty() -> None:
    (long,) = noted(changed(rule="r" * 999, message="🔧" * 60_000, fix=None))
    (empty,) = noted(changed(rule="", message="\x00", fix=None))

    assert len(long.title) <= 255
    assert len(long.message.encode()) <= 64_000
    assert (empty.title, empty.message) == ("failure", "failure")


@pytest.mark.attack(
    "6", "a test whose name and message turn the text of an annotation round, or hide some of it"
)
def test_what_cannot_be_seen_is_shown_in_a_remark_too() -> None:
    (note,) = noted(changed(rule="a\u202eb\n\x1b[31mc", message="d\u200be\x07f\r\ng", fix=None))

    assert note.title == "a⟨U+202E⟩b c"
    assert note.message == "d⟨U+200B⟩ef\ng"


def test_what_is_said_twice_is_said_once() -> None:
    assert len(noted(holding(finding(1), finding(2), finding(1)))) == 2


def test_what_several_legs_say_alike_is_said_once_with_their_names() -> None:
    def of_leg(*messages: str) -> Report:
        cases = [
            reports.case(f"t{n}", CaseStatus.FAILED, path="t.py", line=n + 1, message=message)
            for n, message in enumerate(messages)
        ]
        return reports.report(reports.suites(reports.suite(*cases, verdict=Verdict.FAIL)))

    made = merged(
        [
            ("mi210", of_leg("boom", "off by one")),
            ("mi250", of_leg("boom", "off by two")),
            ("mi300x", of_leg("boom")),
        ]
    )

    assert [note.message for note in noted(made)] == [
        "boom\n(on all 3 legs)",
        "off by one\n(on mi210 only)",
        "off by two\n(on mi250 only)",
    ]


def test_of_too_many_the_worst_are_kept_and_the_others_counted() -> None:
    notes = [msgspec.structs.replace(finding(n), severity=Severity.NOTE) for n in range(1, 2600)]

    found = remarks.of(holding(*notes, finding(3000)))

    assert len(found.notes) == remarks.MAX_ANNOTATIONS
    assert found.more == 100
    assert (found.notes[0].start_line, found.notes[1].start_line) == (3000, 1)


@pytest.mark.attack("6", "a message that would leave its list and speak as ours")
def test_as_a_list_they_are_folded_inert_and_counted() -> None:
    hostile = "</details>\n## all is well\n<!-- rocm-ci:v1 key=default --> @org/team"
    bad = msgspec.structs.replace(finding(1), message=hostile, path="a`b.hip", rule="x|y")

    text = remarks.listed(remarks.of(holding(bad, *(finding(n) for n in range(2, 150)))))

    assert "149 annotations" in text
    assert "… and 49 more, in the report" in text
    assert "@org" not in text
    assert "<!--" not in text
    assert text.count("</details>") == 1
    assert not any(line.startswith("##") for line in text.split("\n"))


def test_without_any_there_is_no_list() -> None:
    assert remarks.listed(remarks.of(holding())) == ""


def test_a_cause_stands_on_the_line_it_names_and_one_without_a_place_does_not() -> None:
    cause = Diagnosis(
        id="x",
        category=Category.COMPILE,
        line=3,
        title="A header of CUDA",
        cause="it is not ported",
        fixes=("guard it",),
        confidence=0.9,
        location="src/a.hip:2",
    )
    placeless = msgspec.structs.replace(cause, location=None)
    result = reports.build(verdict=Verdict.FAIL)
    step = msgspec.structs.replace(result.steps[0], diagnoses=(cause, placeless))
    made = reports.report(msgspec.structs.replace(result, steps=(step,)))
    (note,) = remarks.of(made).notes

    assert (note.path, note.start_line, note.level) == ("src/a.hip", 2, "failure")
    assert note.title == "A header of CUDA"
    assert note.message == "it is not ported\nguard it"
