from __future__ import annotations

from rocm_ci.model.case import CaseStatus
from rocm_ci.model.verdict import Verdict
from rocm_ci.report.markdown import render_comment
from tests import reports

TAIL = "== short summary ==\n1 failed in 3 s"


def shown(*excerpts: str | None) -> str:
    """The comment on a suite with one failed test for each excerpt."""
    red = [
        reports.case(f"test_{n}", CaseStatus.FAILED, message=f"wrong {n}", excerpt=text)
        for n, text in enumerate(excerpts)
    ]
    suite = reports.suite(*red, verdict=Verdict.FAIL, excerpt=TAIL)
    return render_comment(reports.report(reports.suites(suite)))


def test_a_log_whose_failures_are_shown_is_named_but_not_quoted_again() -> None:
    text = shown("E  assert 1 == 2")

    assert "E  assert 1 == 2" in text
    assert "whole log in `logs/test-unit.log`" in text
    assert TAIL.splitlines()[0] not in text


def test_a_failure_without_words_is_looked_for_in_the_log() -> None:
    assert TAIL.splitlines()[0] in shown("E  assert 1 == 2", None)
    assert TAIL.splitlines()[0] in shown()
