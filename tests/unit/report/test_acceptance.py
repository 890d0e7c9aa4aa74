"""Regressions that a maintainer lets pass: which they are, how far it goes, what becomes of the verdicts."""

from __future__ import annotations

import msgspec
import pytest
from msgspec.structs import replace

from rocm_ci.errors import UsageError
from rocm_ci.model.past import Acceptance
from rocm_ci.model.perf import GONE, Better, Comparison, PerfVerdict
from rocm_ci.model.report import Report
from rocm_ci.model.result import PerfResult
from rocm_ci.model.verdict import Verdict
from rocm_ci.report import codec, consistency
from rocm_ci.report.acceptance import accept, accepted_name, applied, bounded
from rocm_ci.report.merge import merged
from tests import reports

REGRESSION = PerfVerdict.REGRESSION


def slower(name: str = "row_sum", **changes: object) -> Comparison:
    return reports.comparison(name, REGRESSION, effect_pct=8.4, interval_pct=(7.6, 9.1), **changes)


def slow(*comparisons: Comparison, **changes: object) -> Report:
    given: dict[str, object] = {"verdict": Verdict.FAIL}
    perf = reports.perf(*(comparisons or (slower(),)), **(given | changes))  # type: ignore[arg-type]
    return reports.report(reports.preflight(), perf)


def acceptance(effect_pct: float = 8.4, name: str = "row_sum") -> Acceptance:
    return Acceptance(name=name, effect_pct=effect_pct, by="alice", reason="worth it", head="a" * 40)


def perf_of(report: Report) -> PerfResult:
    return next(r for r in report.results if isinstance(r, PerfResult))


def verdicts(report: Report) -> tuple[Verdict, ...]:
    perf = perf_of(report)
    return (perf.benches[0].verdict, perf.verdict, report.verdict)


def test_an_accepted_regression_stays_one_and_counts_as_advice() -> None:
    report = applied(slow(), [acceptance()])

    (comparison,) = perf_of(report).benches[0].comparisons
    assert comparison.verdict is REGRESSION
    assert comparison.accepted == "by alice: worth it"
    assert verdicts(report) == (Verdict.NEUTRAL,) * 3
    assert perf_of(report).reason.endswith("1 regression accepted")


def test_a_report_that_is_not_about_it_is_returned_as_it_is() -> None:
    for report in (reports.green(), slow(slower("other")), reports.broken_build()):
        assert applied(report, [acceptance()]) is report
        assert applied(report, []) is report


def test_a_regression_that_is_surely_worse_than_what_was_accepted_is_one_again() -> None:
    assert applied(slow(), [acceptance(7.6)]).verdict is Verdict.NEUTRAL
    assert applied(slow(), [acceptance(7.5)]).verdict is Verdict.FAIL


def test_without_an_interval_the_effect_itself_counts() -> None:
    bare = slow(replace(slower(), interval_pct=None))

    assert applied(bare, [acceptance(8.4)]).verdict is Verdict.NEUTRAL
    assert applied(bare, [acceptance(8.3)]).verdict is Verdict.FAIL


def test_where_higher_is_better_a_drop_is_what_was_accepted() -> None:
    drop = reports.comparison(
        "row_sum", REGRESSION, better=Better.HIGHER, effect_pct=-8.0, interval_pct=(-9.0, -7.0)
    )

    assert applied(slow(drop), [acceptance(7.0)]).verdict is Verdict.NEUTRAL
    assert applied(slow(drop), [acceptance(6.9)]).verdict is Verdict.FAIL


def test_an_effect_that_is_no_number_is_not_accepted() -> None:
    for odd in (None, float("nan"), float("inf")):
        report = slow(replace(slower(), effect_pct=odd, interval_pct=None))
        assert applied(report, [acceptance(99.0)]) is report


def test_a_second_regression_keeps_the_report_red() -> None:
    report = applied(slow(slower(), slower("other")), [acceptance()])

    assert verdicts(report) == (Verdict.FAIL,) * 3
    assert [bool(c.accepted) for c in perf_of(report).benches[0].comparisons] == [True, False]


def test_what_was_undecided_beside_it_stays_undecided() -> None:
    open_one = reports.comparison("noisy", PerfVerdict.INCONCLUSIVE)

    assert verdicts(applied(slow(slower(), open_one), [acceptance()])) == (Verdict.INCONCLUSIVE,) * 3


def test_a_series_that_is_no_longer_measured_keeps_the_benchmark_from_green() -> None:
    report = slow(slower(), reason=f"{GONE}: row_max")

    assert verdicts(applied(report, [acceptance()])) == (Verdict.INCONCLUSIVE,) * 3


def test_a_failed_test_is_not_accepted_along_with_it() -> None:
    report = applied(reports.red(), [acceptance(9.0, "row_sum/4096")])

    assert report.verdict is Verdict.FAIL
    assert perf_of(report).verdict is Verdict.NEUTRAL


def test_a_report_with_acceptances_agrees_with_itself_and_can_be_stored() -> None:
    for report in (applied(slow(), [acceptance()]), applied(matrix(), [acceptance()])):
        assert consistency.contradiction(report) == ""
        assert codec.decode(codec.encode(report)) == report


def matrix() -> Report:
    return merged([("mi210", slow()), ("mi300x", slow(slower(), slower("other")))])


def test_in_a_merged_report_every_leg_gets_its_verdict_anew() -> None:
    report = applied(matrix(), [acceptance()])

    assert {leg.name: leg.verdict for leg in report.legs} == {
        "mi210": Verdict.NEUTRAL,
        "mi300x": Verdict.FAIL,
    }
    assert report.verdict is Verdict.FAIL


def test_an_acceptance_can_be_for_one_leg_alone() -> None:
    report = applied(matrix(), [acceptance(name="mi300x: row_sum")])

    marked = {
        r.leg: bool(r.benches[0].comparisons[0].accepted) for r in report.results if isinstance(r, PerfResult)
    }
    assert marked == {"mi210": False, "mi300x": True}


def test_the_acceptance_of_one_leg_goes_before_that_of_all() -> None:
    report = applied(matrix(), [acceptance(50.0), acceptance(1.0, "mi210: row_sum")])

    marked = {
        r.leg: bool(r.benches[0].comparisons[0].accepted) for r in report.results if isinstance(r, PerfResult)
    }
    assert marked == {"mi210": False, "mi300x": True}


def test_an_acceptance_takes_the_worst_effect_that_was_seen() -> None:
    report = merged([("a", slow()), ("b", slow(replace(slower(), effect_pct=12.345)))])

    made = accept(report, "row_sum", by="alice", reason="worth it", head="b" * 40)

    assert made == Acceptance(name="row_sum", effect_pct=12.35, by="alice", reason="worth it", head="b" * 40)
    assert applied(report, [made]).verdict is Verdict.NEUTRAL
    assert accept(report, "a: row_sum", by="x", reason="y", head="z").effect_pct == 8.4


def test_names_are_found_however_they_are_capitalised() -> None:
    report = slow(slower("Row Sum/4096"))

    assert accepted_name(report, "  row   sum/4096 ") == "Row Sum/4096"


def test_names_that_differ_in_capitals_only_must_be_spelt_out() -> None:
    report = slow(slower("A"), slower("a"))

    assert accepted_name(report, "a") == "a"
    assert accepted_name(report, "A") == "A"


@pytest.mark.parametrize(
    ("name", "message", "hint"),
    [
        ("row_sun", "no benchmark of this run is called row_sun", "nearest: row_sum and row_max"),
        ("zzz", "no benchmark of this run is called zzz", "regressions of this run: row_sum and row_max"),
        ("", "no benchmark of this run is called ''", "regressions of this run: row_sum and row_max"),
        (
            "steady",
            "benchmark steady is no regression in this run: it is unchanged",
            "regressions of this run: row_sum and row_max",
        ),
    ],
)
def test_a_wrong_name_is_answered_with_the_right_ones(name: str, message: str, hint: str) -> None:
    report = slow(slower(), slower("row_max"), reports.comparison("steady"))

    with pytest.raises(UsageError) as caught:
        accepted_name(report, name)

    assert str(caught.value) == message
    assert caught.value.hint == hint


def test_a_run_without_a_regression_says_that_there_is_nothing_to_accept() -> None:
    with pytest.raises(UsageError) as caught:
        accept(reports.green(), "row_sum/256", by="a", reason="b", head="c")

    assert caught.value.hint == "this run has no regression that could be accepted"


@pytest.mark.attack("12", "the name of a benchmark that would steer a terminal or a comment")
def test_an_answer_about_a_hostile_name_is_one_harmless_line() -> None:
    with pytest.raises(UsageError) as caught:
        accepted_name(slow(slower("\x1b[31m" + "x" * 900)), "no\u202e\nsuch\x1b[2J" + "y" * 900)

    for said in (str(caught.value), caught.value.hint):
        assert said.isprintable()
        assert len(said) < 400


def test_a_comment_keeps_the_newest_acceptances_and_one_for_a_name() -> None:
    kept = bounded([acceptance(1.0), acceptance(2.0, "b"), acceptance(3.0)])

    assert [(a.name, a.effect_pct) for a in kept] == [("b", 2.0), ("row_sum", 3.0)]


def test_what_a_comment_keeps_is_small_whatever_was_written() -> None:
    many = [replace(acceptance(float(n), f"bench-{n}"), reason="because " * 999) for n in range(100)]

    kept = bounded([*many, acceptance(float("nan"))])

    assert 0 < len(msgspec.json.encode(kept)) <= 900
    assert kept[-1].name == "bench-99"
