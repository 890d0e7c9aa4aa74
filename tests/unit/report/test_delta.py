"""A report against the base's last one: which tests changed, and what is left unsaid."""

from __future__ import annotations

from msgspec.structs import replace

from rocm_ci.model.case import Case, CaseStatus
from rocm_ci.model.facts import Facts
from rocm_ci.model.plan import StageName
from rocm_ci.model.report import Leg, Report
from rocm_ci.model.result import Crashed, Skipped, Suite, TestResult
from rocm_ci.model.verdict import Verdict
from rocm_ci.report.delta import Delta, against, against_all, build_against, delta
from tests import reports

PASSED, FAILED, ERRORED, SKIPPED, FLAKY = CaseStatus


def of(*suites: Suite, **changes: object) -> Report:
    return reports.report(reports.suites(*suites), **changes)


def unit(*cases: Case, **changes: object) -> Suite:
    red = any(case.status in (FAILED, ERRORED) for case in cases)
    given: dict[str, object] = {
        "verdict": Verdict.FAIL if red else Verdict.PASS,
        "reason": "red" if red else "",
    }
    return reports.suite(*cases, **(given | changes))  # type: ignore[arg-type]


def case(name: str, status: CaseStatus = PASSED) -> Case:
    return reports.case(name, status)


def names(found: Delta, kind: str) -> list[str]:
    return [named.case.name for named in getattr(found, kind)]


def matrix(**parts: TestResult) -> Report:
    """A merged report of the test results of each leg."""
    legs = tuple(
        Leg(name=leg, facts=Facts(), verdict=part.verdict, started="", duration_s=1.0)
        for leg, part in parts.items()
    )
    made = tuple(replace(part, leg=leg) for leg, part in parts.items())
    return replace(reports.report(), results=made, legs=legs)


def test_each_way_a_test_can_change_has_its_own_list() -> None:
    before = unit(
        case("stays"),
        case("breaks"),
        case("mends", FAILED),
        case("red", FAILED),
        case("gets_skipped"),
        case("gets_flaky"),
        case("goes"),
    )
    after = unit(
        case("stays"),
        case("breaks", FAILED),
        case("mends"),
        case("red", ERRORED),
        case("gets_skipped", SKIPPED),
        case("gets_flaky", FLAKY),
        case("comes"),
    )

    found = delta(of(before), of(after))

    assert names(found, "new_failures") == ["breaks"]
    assert names(found, "fixed") == ["mends"]
    assert names(found, "also_red") == ["red"]
    assert names(found, "newly_skipped") == ["gets_skipped"]
    assert names(found, "flaky") == ["gets_flaky"]
    assert names(found, "removed") == ["goes"]
    assert names(found, "added") == ["comes"]


def test_a_report_against_itself_changes_nothing() -> None:
    found = delta(reports.red(), reports.red())

    assert names(found, "also_red") == ["test_row_sum[4096]"]
    for kind in ("new_failures", "fixed", "newly_skipped", "removed", "added", "flaky", "unknown"):
        assert names(found, kind) == []


def test_a_red_test_that_is_skipped_now_is_not_fixed() -> None:
    found = delta(of(unit(case("a", FAILED))), of(unit(case("a", SKIPPED))))

    assert names(found, "fixed") == []
    assert names(found, "newly_skipped") == ["a"]
    assert found.newly_skipped[0].before is FAILED


def test_a_new_test_that_fails_is_a_new_failure() -> None:
    found = delta(of(unit(case("a"))), of(unit(case("a"), case("b", FAILED))))

    assert names(found, "new_failures") == names(found, "added") == ["b"]
    assert found.new_failures[0].before is None


def test_a_flaky_test_that_fails_now_is_a_new_failure_that_was_flaky() -> None:
    found = delta(of(unit(case("a", FLAKY))), of(unit(case("a", FAILED))))

    assert [(n.case.name, n.before) for n in found.new_failures] == [("a", FLAKY)]


def test_tests_that_share_an_id_are_judged_by_how_many_fail() -> None:
    one_red, two_red = unit(case("a"), case("a", FAILED)), unit(case("a", FAILED), case("a", FAILED))

    assert names(delta(of(one_red), of(one_red)), "also_red") == ["a"]
    assert names(delta(of(one_red), of(two_red)), "new_failures") == ["a"]
    assert names(delta(of(two_red), of(one_red)), "also_red") == ["a"]
    assert names(delta(of(one_red), of(unit(case("a"), case("a")))), "fixed") == ["a"]


def test_a_suite_that_did_not_run_here_removes_no_test() -> None:
    skipped = unit(verdict=Verdict.SKIPPED, reason="no GPU")

    found = delta(of(unit(case("a"), case("b"))), of(skipped))

    assert names(found, "removed") == []
    assert found.unrun == (("", "unit"),)
    assert found.gone_suites == ()


def test_a_suite_that_was_broken_off_removes_no_test_and_still_tells_its_failures() -> None:
    before = of(unit(case("a"), case("b"), case("c")))
    for broken in (
        unit(case("a", FAILED), timed_out=True),
        unit(case("a", FAILED), exit_code=-11),
        unit(case("a", FAILED), exit_code=139),
        unit(case("a", FAILED), verdict=Verdict.ERROR),
    ):
        found = delta(before, of(broken))

        assert names(found, "removed") == []
        assert names(found, "new_failures") == ["a"]
        assert found.unrun == (("", "unit"),)


def test_an_interrupted_run_removes_nothing() -> None:
    found = delta(of(unit(case("a"), case("b"))), of(unit(case("a")), interrupted=True))

    assert names(found, "removed") == []
    assert found.unrun == (("", "unit"),)


def test_a_test_stage_that_never_ran_removes_nothing() -> None:
    before = of(unit(case("a")))
    for instead in (
        Skipped(stage=StageName.TEST, reason="the build failed"),
        Crashed(stage=StageName.TEST, reason="interrupted"),
    ):
        found = delta(before, reports.report(instead))

        assert names(found, "removed") == []
        assert found.gone_suites == ()
        assert found.unrun == (("", "unit"),)


def test_what_the_base_could_not_run_makes_no_failure_new_or_old() -> None:
    after = of(unit(case("a", FAILED), case("b")))
    for before in (
        of(unit(verdict=Verdict.SKIPPED, reason="no GPU")),
        of(unit(verdict=Verdict.ERROR, reason="the GPU hung")),
        reports.report(Skipped(stage=StageName.TEST, reason="the build failed")),
    ):
        found = delta(before, after)

        assert names(found, "unknown") == ["a"]
        assert names(found, "new_failures") == names(found, "also_red") == names(found, "added") == []
        assert against(found, "unit") == ""


def test_tests_missing_from_a_base_that_was_broken_off_are_not_added() -> None:
    found = delta(of(unit(case("a"), timed_out=True)), of(unit(case("a"), case("b"), case("c", FAILED))))

    assert names(found, "added") == []
    assert names(found, "unknown") == ["c"]


def test_a_suite_that_only_the_head_has_is_new_with_all_its_tests() -> None:
    found = delta(of(unit(case("a"))), of(unit(case("a")), unit(case("x", FAILED), name="io")))

    assert found.new_suites == (("", "io"),)
    assert names(found, "added") == names(found, "new_failures") == ["x"]


def test_a_suite_that_was_taken_out_takes_its_tests_along() -> None:
    found = delta(of(unit(case("a")), unit(case("x"), name="io")), of(unit(case("a"))))

    assert found.gone_suites == (("", "io"),)
    assert names(found, "removed") == ["x"]


def test_a_renamed_suite_is_the_same_suite() -> None:
    many = reports.passing(9)

    found = delta(of(unit(*many, case("a", FAILED))), of(unit(*many, case("a"), name="fast")))

    assert found.renamed == {("", "fast"): "unit"}
    assert names(found, "fixed") == ["a"]
    assert names(found, "added") == names(found, "removed") == []


def test_two_suites_with_different_tests_are_not_taken_for_a_renamed_one() -> None:
    found = delta(of(unit(*reports.passing(3, "a"))), of(unit(*reports.passing(3, "b"), name="io")))

    assert not found.renamed
    assert found.gone_suites == (("", "unit"),)
    assert found.new_suites == (("", "io"),)


def test_legs_are_compared_each_with_its_own_past() -> None:
    green, red = reports.suites(unit(case("a"))), reports.suites(unit(case("a", FAILED)))

    found = delta(matrix(mi210=green, mi300x=red), matrix(mi210=red, mi300x=red))

    assert [(n.leg, n.case.name) for n in found.new_failures] == [("mi210", "a")]
    assert [(n.leg, n.case.name) for n in found.also_red] == [("mi300x", "a")]
    assert found.is_new("mi210", "unit", "tests.test_reduce::a")
    assert found.was_red("mi300x", "unit", "tests.test_reduce::a")
    assert not found.is_new("mi300x", "unit", "tests.test_reduce::a")


def test_a_leg_without_a_counterpart_is_named_and_not_judged() -> None:
    green, red = reports.suites(unit(case("a"))), reports.suites(unit(case("a", FAILED)))

    found = delta(matrix(mi210=green, mi250=green), matrix(mi210=green, mi300x=red))

    assert found.missing_legs == ("mi250",)
    assert found.new_legs == ("mi300x",)
    assert names(found, "removed") == names(found, "new_failures") == names(found, "added") == []
    assert [(n.leg, n.case.name) for n in found.unknown] == [("mi300x", "a")]


def test_a_project_that_gets_its_first_matrix_of_one_leg_is_still_compared() -> None:
    found = delta(of(unit(case("a", FAILED))), matrix(mi210=reports.suites(unit(case("a")))))

    assert [(n.leg, n.case.name) for n in found.fixed] == [("mi210", "a")]
    assert found.missing_legs == found.new_legs == ()


def test_the_base_is_what_the_caller_says_it_is() -> None:
    base, head = of(unit(case("a"))), of(unit(case("a")))

    known = delta(base, head, base_commit="c" * 40, merge_base="c" * 40)
    other = delta(base, head, base_commit="c" * 40, merge_base="d" * 40)

    assert (known.base, known.is_merge_base) == ("c" * 40, True)
    assert not other.is_merge_base
    assert known.base_ref == "main"


def test_new_build_warnings_are_counted_wherever_they_moved_to() -> None:
    warning = reports.red().results[2].steps[0].diagnostics[0]  # type: ignore[union-attr]
    moved, fresh = replace(warning, line=99), replace(warning, message="unused parameter 'n'")

    found = delta(reports.report(reports.build(warning)), reports.report(reports.build(moved, fresh)))

    assert build_against(found) == "1 new warning"
    assert (
        build_against(delta(reports.report(reports.build(warning)), reports.report(reports.build()))) == "="
    )
    assert build_against(delta(reports.report(), reports.report(reports.build()))) == ""


def test_the_cell_of_a_suite_says_what_matters_first() -> None:
    before = of(unit(case("a"), case("b", FAILED), case("c", FAILED), case("d")))
    cells = {
        "+1 failure, 1 fixed": unit(case("a", FAILED), case("b"), case("c", FAILED), case("d")),
        "2 failed before": unit(case("a"), case("b", FAILED), case("c", FAILED), case("d")),
        "2 fixed, +1 flaky": unit(case("a", FLAKY), case("b"), case("c"), case("d")),
        "2 failed before, −1 test": unit(case("a"), case("b", FAILED), case("c", FAILED)),
        "2 failed before, +1 skipped": unit(
            case("a"), case("b", FAILED), case("c", FAILED), case("d", SKIPPED)
        ),
    }

    assert {cell: against(delta(before, of(after)), "unit") for cell, after in cells.items()} == {
        cell: cell for cell in cells
    }


def test_a_suite_without_changes_has_an_equals_sign_and_an_unknown_one_nothing() -> None:
    found = delta(of(unit(case("a"))), of(unit(case("a"))))

    assert against(found, "unit") == "="
    assert against(found, "io") == ""
    assert against(None, "unit") == ""


def test_a_suite_that_was_broken_off_has_no_equals_sign() -> None:
    found = delta(of(unit(case("a"), case("b"))), of(unit(case("a"), timed_out=True, verdict=Verdict.FAIL)))

    assert against(found, "unit") == ""


def test_suites_that_share_a_row_are_added_up() -> None:
    before = of(unit(case("a")), unit(case("x"), name="io"))
    after = of(unit(case("a", FAILED)), unit(case("x", FAILED), name="io"))

    assert against_all(delta(before, after), [("", "unit"), ("", "io")]) == "+2 failures"


def test_tests_that_took_the_place_of_others_are_told() -> None:
    found = delta(of(unit(case("a"), case("b"))), of(unit(case("a"), case("c"))))

    assert against(found, "unit") == "±1 test"


def test_a_hundred_thousand_tests_are_compared_by_name() -> None:
    big = reports.many(100_000)

    found = delta(big, big)

    assert len(found.also_red) == 10_000
    assert against(found, "unit") == "10,000 failed before"


def test_two_suites_of_one_name_are_taken_together() -> None:
    before = of(unit(case("a")), unit(case("b", FAILED)))

    found = delta(before, of(unit(case("a", FAILED)), unit(case("b"))))

    assert names(found, "new_failures") == ["a"]
    assert names(found, "fixed") == ["b"]


def test_a_test_result_without_suites_says_nothing() -> None:
    empty = reports.report(TestResult(verdict=Verdict.SKIPPED, duration_s=0.0))

    assert delta(empty, empty).says_nothing
