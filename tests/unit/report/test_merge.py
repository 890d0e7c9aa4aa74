from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocm_ci.errors import ReportError
from rocm_ci.model.facts import Facts
from rocm_ci.model.finding import Severity
from rocm_ci.model.plan import Plan, StageName, Step
from rocm_ci.model.report import Report, Setting
from rocm_ci.model.result import Crashed, ScanResult, Skipped, StageResult, TestResult, stage_of
from rocm_ci.model.verdict import Verdict
from rocm_ci.report import codec
from rocm_ci.report.legs import MAX_LEGS
from rocm_ci.report.merge import graded, merged, missing
from tests import matrices, reports

replace = msgspec.structs.replace


def legs_of(report: Report, stage: StageName) -> list[str]:
    return [r.leg for r in report.results if stage_of(r) is stage]


@pytest.mark.parametrize("name", matrices.MATRICES)
def test_a_merged_report_agrees_with_itself_and_can_be_read_back(name: str) -> None:
    report = matrices.matrix(name)

    assert codec.decode(codec.encode(report)) == report


def test_results_come_in_the_order_of_the_stages_and_each_names_its_leg() -> None:
    report = matrices.matrix("matrix-one-bad")
    stages = [list(StageName).index(stage_of(r)) for r in report.results]

    assert stages == sorted(stages)
    assert legs_of(report, StageName.TEST) == ["mi210", "mi250x", "mi300x"]
    assert legs_of(report, StageName.SCAN) == ["scan"]


def test_what_one_leg_left_to_another_leg_vanishes() -> None:
    assert not any(isinstance(r, Skipped) for r in matrices.matrix("matrix-green").results)


def test_a_stage_that_another_leg_had_planned_and_could_not_do_is_told_by_that_leg_only() -> None:
    gpu = reports.report(
        reports.build(verdict=Verdict.FAIL),
        Skipped(stage=StageName.TEST, reason="the build failed"),
    )
    plan = Plan(
        steps=tuple(Step(stage=s, run=s in (StageName.BUILD, StageName.TEST), reason="x") for s in StageName)
    )
    report = merged([("scan", matrices.scan_leg(reports.green())), ("gpu", replace(gpu, plan=plan))])

    assert [(r.leg, r.reason) for r in report.results if stage_of(r) is StageName.TEST] == [
        ("gpu", "the build failed")
    ]


def test_a_stage_that_nobody_was_to_do_is_told_once_with_its_best_reason() -> None:
    gpu = reports.report(reports.build())
    perf = StageName.PERF
    known = tuple(
        replace(r, reason="no benchmark is configured") if isinstance(r, Skipped) and r.stage is perf else r
        for r in gpu.results
    )
    report = merged([("scan", matrices.scan_leg(reports.green())), ("gpu", replace(gpu, results=known))])

    idle = [r for r in report.results if stage_of(r) is perf]
    assert [(r.leg, r.reason) for r in idle] == [("", "no benchmark is configured")]


def test_scans_that_found_the_same_are_one_and_of_no_leg() -> None:
    slower = tuple(
        replace(r, duration_s=9.0) if isinstance(r, ScanResult) else r for r in reports.red().results
    )
    report = merged([("a", reports.red()), ("b", replace(reports.red(), results=slower))])

    assert legs_of(report, StageName.SCAN) == [""]
    assert report.verdict is Verdict.FAIL


def test_scans_that_differ_stay_apart() -> None:
    other = reports.report(reports.preflight(), reports.scan(reports.finding(line=7)))

    assert legs_of(merged([("a", reports.red()), ("b", other)]), StageName.SCAN) == ["a", "b"]


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("matrix-green", Verdict.PASS),
        ("matrix-one-bad", Verdict.FAIL),
        ("matrix-lost", Verdict.ERROR),
        ("matrix-infra", Verdict.ERROR),
    ],
)
def test_the_worst_leg_is_the_verdict(name: str, verdict: Verdict) -> None:
    assert matrices.matrix(name).verdict is verdict


def test_one_part_alone_stays_as_it_is() -> None:
    assert merged([("mi210", reports.red())]) == reports.red()


def test_nothing_is_no_matrix() -> None:
    with pytest.raises(ReportError, match="no report to merge"):
        merged([])


@pytest.mark.attack("2", "a leg whose report is about another commit, repository or pull request")
@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"head": "f" * 40}, "commit ffffffffffff"),
        ({"repository": "evil/wavekit"}, "repository evil/wavekit"),
        ({"number": 1}, "pull request 1"),
        ({"number": None}, r"pull request \?"),
    ],
)
def test_parts_about_different_things_are_refused(changes: dict[str, object], said: str) -> None:
    stranger = replace(reports.green(), event=replace(reports.EVENT, **changes))

    with pytest.raises(ReportError, match=f"leg b is about {said}, leg a about"):
        merged([("a", reports.green()), ("b", stranger)])


def test_capitals_make_no_other_repository() -> None:
    other = replace(reports.green(), event=replace(reports.EVENT, repository="ACME/WaveKit"))

    assert merged([("a", reports.green()), ("b", other)]).verdict is Verdict.PASS


@pytest.mark.attack("6", "a leg of a matrix whose name is Markdown, a path or a command")
@pytest.mark.parametrize("name", ["", "-x", "../up", "a b", "a|b", "x" * 41, "<b>", "a\n", "@team", "ä"])
def test_a_name_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(ReportError, match="is no name of a leg"):
        merged([(name, reports.green()), ("b", reports.green())])


def test_two_parts_of_one_name_are_refused() -> None:
    with pytest.raises(ReportError, match="two reports are called 'a'"):
        merged([("a", reports.green()), ("b", reports.green()), ("a", reports.red())])


def test_more_legs_than_a_matrix_has_are_refused() -> None:
    with pytest.raises(ReportError, match="more than a matrix can have"):
        merged([(f"leg{n}", reports.nothing_ran()) for n in range(MAX_LEGS + 1)])


def test_a_part_that_is_itself_merged_is_refused() -> None:
    with pytest.raises(ReportError, match="leg b is itself merged"):
        merged([("a", reports.green()), ("b", matrices.matrix("matrix-green"))])


def test_a_leg_without_a_report_is_an_error_that_says_so() -> None:
    lost = missing("mi355x", "its job was cancelled", reports.EVENT)

    assert lost.verdict is Verdict.ERROR
    assert codec.decode(codec.encode(lost)) == lost
    report = merged([("a", reports.green()), ("mi355x", lost)])
    assert report.verdict is Verdict.ERROR
    assert [r.reason for r in report.results if isinstance(r, Crashed)] == [
        "leg mi355x left no report: its job was cancelled"
    ]


def test_the_lost_leg_lends_neither_its_event_nor_its_machine() -> None:
    event = replace(reports.EVENT, base=None, merge_base=None, base_ref=None, run_id=None)
    report = merged([("a", missing("a", "", event)), ("b", reports.green())])

    assert report.event == reports.EVENT
    assert report.facts == reports.FACTS
    assert report.tool == reports.green().tool
    assert report.notices == ()


def test_a_matrix_of_lost_legs_only_is_still_a_report() -> None:
    report = merged([(name, missing(name, "gone", reports.EVENT)) for name in ("a", "b")])

    assert report.verdict is Verdict.ERROR
    assert codec.decode(codec.encode(report)) == report


@pytest.mark.attack("17", "a leg in which every stage was switched off beside green legs")
def test_a_leg_in_which_nothing_ran_is_an_error_beside_green_ones() -> None:
    report = merged([("a", reports.green()), ("b", reports.nothing_ran())])

    assert report.verdict is Verdict.ERROR
    assert {leg.name: leg.verdict for leg in report.legs} == {"a": Verdict.PASS, "b": Verdict.ERROR}


def test_an_interrupted_leg_makes_an_interrupted_report() -> None:
    report = merged([("a", reports.green()), ("b", reports.interrupted())])

    assert report.interrupted
    assert report.verdict is Verdict.ERROR


def test_a_leg_that_was_interrupted_before_it_could_say_so_is_no_green_leg() -> None:
    cut = replace(reports.green(), interrupted=True, verdict=Verdict.ERROR)
    report = merged([("a", reports.green()), ("b", cut)])

    assert {leg.name: leg.verdict for leg in report.legs}["b"] is Verdict.ERROR
    assert codec.decode(codec.encode(report)) == report


def test_documentation_alone_is_neutral_on_every_leg() -> None:
    report = merged([("a", reports.documentation()), ("b", reports.documentation())])

    assert report.verdict is Verdict.NEUTRAL
    assert report.plan.neutral_reason == "only documentation changed"
    assert len(report.results) == len(StageName)
    assert codec.decode(codec.encode(report)) == report


def test_one_leg_with_nothing_to_do_does_not_excuse_the_others() -> None:
    report = merged([("a", reports.documentation()), ("b", reports.green())])

    assert report.plan.neutral_reason is None
    assert report.verdict is Verdict.PASS


def test_the_order_of_the_parts_does_not_matter() -> None:
    parts = matrices.one_bad_leg()

    assert merged(parts) == merged(parts[::-1])


def test_legs_without_a_gpu_come_first_then_by_name_as_people_count() -> None:
    green = matrices.on(reports.green())
    names = [
        leg.name
        for leg in merged(
            [("gpu10", green), ("gpu2", green), ("scan", matrices.scan_leg(reports.green()))]
        ).legs
    ]

    assert names == ["scan", "gpu2", "gpu10"]


def test_settings_are_told_once_and_with_their_legs_where_they_differ() -> None:
    def part(*settings: Setting) -> Report:
        return replace(reports.green(), settings=settings)

    common = Setting(name="retries", value="1", source="rocm-ci.yml")
    own = Setting(name="stages", value="test", source="input")

    assert merged([("a", part(common, own)), ("b", part(common))]).settings == (
        common,
        replace(own, source="input, on a"),
    )


def test_a_notice_of_few_legs_names_them() -> None:
    def part(*notices: str) -> Report:
        return replace(reports.green(), notices=notices)

    report = merged([("a", part("common", "own")), ("b", part("common")), ("c", part("common"))])

    assert report.notices == ("common", "a: own")


def test_legs_that_compare_with_different_bases_or_tools_say_so() -> None:
    other = replace(reports.green(), event=replace(reports.EVENT, merge_base="c" * 40), tool="rocm-ci 9")

    said = " ".join(merged([("a", reports.green()), ("b", other)]).notices)

    assert "different merge bases" in said
    assert "different versions of rocm-ci" in said


def test_the_time_is_from_the_first_start_to_the_last_end() -> None:
    first = replace(reports.green(), started="2026-11-30T10:00:00Z", duration_s=60.0)
    last = replace(reports.green(), started="2026-11-30T10:05:00Z", duration_s=30.0)

    report = merged([("a", last), ("b", first)])

    assert (report.started, report.duration_s) == ("2026-11-30T10:00:00Z", 330.0)


@pytest.mark.parametrize("moment", ["", "yesterday", "9999-99-99T99:99:99Z", "2026-11-30"])
def test_a_time_that_is_none_makes_no_trouble(moment: str) -> None:
    odd = replace(reports.green(), started=moment, duration_s=5.0)

    report = merged([("a", odd), ("b", odd)])

    assert (report.started, report.duration_s) == ("", 5.0)


def test_the_newest_attempt_is_the_reports_attempt() -> None:
    again = replace(reports.green(), event=replace(reports.EVENT, run_attempt=3))

    assert merged([("a", reports.green()), ("b", again)]).event.run_attempt == 3


def test_a_report_whose_results_changed_is_graded_anew() -> None:
    report = matrices.matrix("matrix-one-bad")
    kept = tuple(r for r in report.results if r.verdict is not Verdict.FAIL)

    again = graded(replace(report, results=kept))

    assert again.verdict is Verdict.NEUTRAL
    assert all(leg.verdict is not Verdict.FAIL for leg in again.legs)


def forgeries() -> dict[str, tuple[str, Report]]:
    """What is wrong, what the refusal says, and the report."""
    report = matrices.matrix("matrix-one-bad")
    legs, results = report.legs, report.results
    bad = next(leg for leg in legs if leg.verdict is Verdict.FAIL)

    def leg(**changes: object) -> Report:
        return replace(report, legs=tuple(replace(x, **changes) if x is bad else x for x in legs))

    def moved(to: str) -> Report:
        return replace(report, results=tuple(replace(r, leg=to) if r.leg == bad.name else r for r in results))

    return {
        "a red leg posing as green": ("is pass, but its results give fail", leg(verdict=Verdict.PASS)),
        "red results moved to a green leg": ("but its results give|gives two results", moved(legs[-1].name)),
        "results of a leg that is not there": ("from a leg that it does not have", moved("ghost")),
        "results of nobody": ("is from no leg", moved("")),
        "a leg twice": ("share a name", replace(report, legs=(*legs, bad))),
        "a leg with an odd name": ("is no name of a leg", leg(name="../../x")),
        "results of legs, and no legs": ("from a leg that it does not have", replace(report, legs=())),
    }


@pytest.mark.attack("input", "a forged report of a matrix whose legs do not agree with its results")
@pytest.mark.parametrize("name", forgeries())
def test_a_forged_matrix_is_refused(name: str) -> None:
    said, report = forgeries()[name]

    with pytest.raises(ReportError, match=said):
        codec.decode(msgspec.json.encode(report))


MOODS = st.sampled_from(sorted(reports.MOODS))


@given(st.lists(MOODS, min_size=2, max_size=5))
def test_no_matrix_is_greener_than_any_of_its_legs(moods: list[str]) -> None:
    parts = [(f"leg{n}", reports.MOODS[mood]()) for n, mood in enumerate(moods)]

    report = merged(parts)

    red = max(part.verdict for _, part in parts)
    assert report.verdict is red or red not in (Verdict.FAIL, Verdict.ERROR, Verdict.INCONCLUSIVE)
    assert codec.decode(codec.encode(report)) == report


@given(st.lists(MOODS, min_size=2, max_size=4))
def test_no_red_result_is_lost(moods: list[str]) -> None:
    parts = [(f"leg{n}", reports.MOODS[mood]()) for n, mood in enumerate(moods)]

    def bare(results: tuple[StageResult, ...]) -> set[StageResult]:
        return {
            replace(r, leg="", duration_s=0.0) for r in results if r.verdict in (Verdict.FAIL, Verdict.ERROR)
        }

    assert bare(merged(parts).results) >= {r for _, part in parts for r in bare(part.results)}


@pytest.mark.attack("input", "four legs of 100 000 tests each, every tenth of them failed")
def test_four_legs_of_a_hundred_thousand_tests_can_be_written_and_read() -> None:
    one = reports.many(100_000)
    report = merged([(f"mi{n}", one) for n in range(4)])

    again = codec.decode(codec.encode(report))

    tests = [r.suites[0] for r in again.results if isinstance(r, TestResult)]
    assert [(len(suite.cases), suite.unlisted) for suite in tests] == [(10_000, 90_000)] * 4
    assert any("counted, but not listed" in notice for notice in again.notices)


def test_facts_are_those_of_the_first_leg_with_a_gpu() -> None:
    assert matrices.matrix("matrix-green").facts.gpus
    without = merged([("a", matrices.scan_leg(reports.green())), ("b", matrices.scan_leg(reports.red()))])
    assert without.facts == matrices.HOSTED
    assert Facts() != matrices.HOSTED
    assert Severity.ERROR in {
        f.severity for r in without.results if isinstance(r, ScanResult) for f in r.findings
    }
