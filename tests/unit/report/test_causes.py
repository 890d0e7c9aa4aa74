"""What the comment and the annotations say of the causes of failures."""

from __future__ import annotations

import dataclasses

import msgspec

from rocm_ci.model.diagnostic import Category, Diagnosis, Diagnostic
from rocm_ci.model.finding import Severity
from rocm_ci.model.verdict import Verdict
from rocm_ci.report import causes
from rocm_ci.report.markdown import render_comment
from rocm_ci.report.problem import Problem
from rocm_ci.report.problems import advice, problems
from rocm_ci.report.room import Room
from rocm_ci.sinks.annotations import lines
from tests import reports

CAUSE = Diagnosis(
    id="warp-mask-not-64bit",
    category=Category.COMPILE,
    line=3,
    title="The mask has 32 bits",
    cause="a wave has 64 lanes",
    fixes=("widen it", "use the helper", "ask for the size", "fourth"),
    confidence=0.9,
    is_not=("a fault of the compiler",),
)
NOTE = msgspec.structs.replace(
    CAUSE, id="slow-blas", title="A slow BLAS", category=Category.PERFORMANCE, severity=Severity.WARNING
)


def comment(*diagnoses: Diagnosis, verdict: Verdict = Verdict.FAIL) -> str:
    suite = msgspec.structs.replace(
        reports.suite(verdict=verdict, reason="exit status 1"), diagnoses=diagnoses
    )
    return render_comment(reports.report(reports.suites(suite)))


def test_the_first_cause_stands_open_with_what_why_and_what_to_do() -> None:
    text = comment(CAUSE)

    assert "Likely cause: **The mask has 32 bits**" in text
    assert "docs/errors/warp-mask-not-64bit.md" in text
    for said in ("Why: a wave has 64 lanes", "Do this: widen it", "Or: use the helper", "It is not: a fault"):
        assert said in text
    assert "fourth" not in text


def test_the_others_are_folded_with_what_they_follow_from() -> None:
    follower = msgspec.structs.replace(
        CAUSE, id="later", title="It ended", follows=("warp-mask-not-64bit",), location="src/a.hip:7"
    )
    text = comment(CAUSE, follower)

    assert "<details><summary>Also recognised (1)</summary>" in text
    assert (
        "It ended (<code>later</code>, `src/a.hip:7`): follows from <code>warp-mask-not-64bit</code>" in text
    )
    assert "Likely cause: **It ended" not in text


def test_what_made_a_green_suite_slow_is_told_openly() -> None:
    text = comment(NOTE, verdict=Verdict.PASS)

    assert "**Passed, but worth knowing**" in text
    assert "— **A slow BLAS**" in text
    assert "Do this: widen it" in text
    assert "Likely cause" not in text


def test_advice_on_a_green_suite_becomes_a_warning_on_its_line() -> None:
    placed = msgspec.structs.replace(NOTE, location="src/a.py:9")
    suite = msgspec.structs.replace(reports.suite(verdict=Verdict.PASS), diagnoses=(placed,))
    (told,) = lines([p for p in advice(reports.report(reports.suites(suite))) if p.cause])

    assert told.startswith("::warning file=src/a.py,line=9,")
    assert "Do this: widen it" in told


def test_text_of_a_log_does_not_act_in_a_cause() -> None:
    evil = msgspec.structs.replace(
        CAUSE,
        id="../x",
        title="@everyone <img src=x> [a](http://b)",
        cause="</details>\n# big",
        fixes=("a\n::error::b",),
        location="a](http://evil):3",
    )
    text = comment(evil, evil)

    for acting in ("@everyone", "<img", "](http://b)", "</details>\n# big", "\n::error"):
        assert acting not in text


def test_only_errors_of_ours_have_a_page() -> None:
    assert causes.page("warp-mask-not-64bit")
    assert causes.page("somebody-elses") is None
    assert causes.page("../compile/warp-mask-not-64bit") is None
    assert causes.page("*") is None


def test_a_cause_stands_at_the_error_on_its_line_and_that_comes_first() -> None:
    def error(line: int) -> Diagnostic:
        return Diagnostic(
            tool="clang", severity=Severity.ERROR, message=f"error {line}", path="a.hip", line=line
        )

    report = reports.broken_build()
    step = msgspec.structs.replace(
        report.results[2].steps[0],  # type: ignore[union-attr]
        diagnostics=(error(1), error(5)),
        diagnoses=(msgspec.structs.replace(CAUSE, location="a.hip:5"),),
    )
    result = msgspec.structs.replace(report.results[2], steps=(step,))
    found = problems(msgspec.structs.replace(report, results=(*report.results[:2], result)))

    assert [(p.line, p.cause is not None) for p in found] == [(5, True), (1, False)]


def test_a_problem_without_a_place_gets_that_of_its_cause() -> None:
    bare = Problem(kind="build", severity=Severity.ERROR, message="exit status 1", subject="build")
    (found,) = causes.explained([bare], (msgspec.structs.replace(CAUSE, location="src/a.hip:5"),))

    assert found.place == "src/a.hip:5"
    assert causes.explained([bare], ()) == [bare]


def test_the_same_cause_is_told_once_and_then_named() -> None:
    one = msgspec.structs.replace(
        reports.suite(verdict=Verdict.FAIL, reason="a"), name="a", diagnoses=(CAUSE,)
    )
    two = msgspec.structs.replace(
        reports.suite(verdict=Verdict.FAIL, reason="b"), name="b", diagnoses=(CAUSE,)
    )
    text = render_comment(reports.report(reports.suites(one, two)))

    assert text.count("Why: a wave has 64 lanes") == 1
    assert "The mask has 32 bits**, as in 1." in text


def test_a_doubtful_cause_is_called_possible() -> None:
    unsure = msgspec.structs.replace(CAUSE, confidence=0.5)

    assert causes.lines(unsure, Room())[0].startswith("Possible cause: ")


def test_a_tight_comment_keeps_what_it_is_and_the_first_thing_to_do() -> None:
    tight = dataclasses.replace(Room(), details=False, text=60)

    assert [one.partition(":")[0] for one in causes.lines(CAUSE, tight)] == ["Likely cause", "Why", "Do this"]


def test_a_place_that_is_none_gives_no_place() -> None:
    for said in (None, "", "a.hip", "a.hip:x", ":3", "a.hip:99999999"):
        assert causes.placed(msgspec.structs.replace(CAUSE, location=said)) == (None, None)
