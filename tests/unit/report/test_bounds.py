from __future__ import annotations

import math

import msgspec
import pytest

from rocm_ci.errors import ReportError
from rocm_ci.model.case import CaseStatus
from rocm_ci.model.perf import PerfVerdict
from rocm_ci.model.result import PerfResult, TestResult
from rocm_ci.report import bounds, codec
from tests import reports


def test_an_ordinary_report_is_left_alone() -> None:
    report = reports.red()

    fitted, was_cut = bounds.fitted(report)

    assert fitted == report
    assert not was_cut


def test_a_long_text_is_cut_and_the_reader_is_told() -> None:
    report = msgspec.structs.replace(reports.green(), tool="x" * 1_000_000)

    back = codec.decode(codec.encode(report))

    assert back.tool.endswith("…")
    assert len(back.tool) == bounds.MAX_STRING
    assert any("cut" in notice for notice in back.notices)


def test_a_name_that_is_not_utf8_is_spelled_out() -> None:
    report = reports.report(reports.scan(reports.finding(path="a\udcff.hip")))

    back = codec.decode(codec.encode(report))

    assert "a\\udcff.hip" in back.results[1].findings[0].path  # type: ignore[union-attr]


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf])
def test_a_number_that_json_does_not_know_becomes_unknown(wrong: float) -> None:
    odd = reports.comparison("x", PerfVerdict.INCONCLUSIVE, effect_pct=wrong, interval_pct=(-1.0, wrong))

    back = codec.decode(codec.encode(reports.report(reports.perf(odd))))

    result = back.results[5]
    assert isinstance(result, PerfResult)
    assert result.benches[0].comparisons[0].effect_pct is None
    assert result.benches[0].comparisons[0].interval_pct is None


def test_of_very_many_tests_the_failures_keep_their_words() -> None:
    report = reports.many(20_000)

    back = codec.decode(codec.encode(report))

    result = back.results[4]
    assert isinstance(result, TestResult)
    cases = result.suites[0].cases
    red = [case for case in cases if case.status is CaseStatus.FAILED]
    assert len(cases) == 20_000
    assert red[0].excerpt
    assert red[0].message
    assert red[1_000].excerpt is None
    assert red[1_000].message


def test_a_report_that_no_cutting_helps_is_an_error_here_not_there() -> None:
    heavy = tuple(reports.case(f"{n}" + "x" * 60_000, message=None) for n in range(900))
    report = reports.report(reports.suites(reports.suite(*heavy)))

    with pytest.raises(ReportError, match="over the limit"):
        codec.encode(report)
