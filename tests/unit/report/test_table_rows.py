from __future__ import annotations

import msgspec

from rocm_ci.model.case import CaseStatus, Layer
from rocm_ci.model.finding import Severity
from rocm_ci.model.plan import StageName
from rocm_ci.model.report import Report
from rocm_ci.model.result import Crashed, stage_of
from rocm_ci.model.verdict import Verdict
from rocm_ci.report.delta import delta
from rocm_ci.report.merge import merged
from rocm_ci.report.stage_rows import SUITE_ROWS
from rocm_ci.report.table_rows import rows
from tests import matrices, reports

replace = msgspec.structs.replace


def said(report: Report) -> list[tuple[str, str, str]]:
    return [(row.stage, row.on, f"{row.icon} {row.result}") for row in rows(report)]


def of_tests(**legs: Report) -> list[tuple[str, str, str]]:
    return [row for row in said(merged(list(legs.items()))) if row[0] == "Unit"]


def with_suite(*cases: object, **changes: object) -> Report:
    return reports.report(reports.suites(reports.suite(*cases, **changes)))  # type: ignore[arg-type]


def test_legs_that_agree_share_a_row() -> None:
    table = said(matrices.matrix("matrix-green"))

    assert [(stage, on) for stage, on, _ in table] == [
        ("Scan", "scan"),
        ("Build hipcc 6.4.43483 · gfx90a, gfx942", "all 4"),
        ("Kernels", "all 4"),
        ("Unit", "all 4"),
        ("Integration", "all 4"),
        ("Performance", "all 4"),
    ]


def test_the_leg_that_disagrees_is_named_and_comes_first() -> None:
    unit = [row for row in said(matrices.matrix("matrix-one-bad")) if row[0] == "Unit"]

    assert unit == [
        ("Unit", "mi210", "❌ 1 failed, 211 passed, 3 skipped"),
        ("Unit", "mi250x and mi300x", "✅ 212 passed"),
    ]


def test_green_legs_share_a_row_however_many_tests_they_have() -> None:
    skipped = reports.case("s", CaseStatus.SKIPPED)

    assert of_tests(
        a=with_suite(*reports.passing(212)), b=with_suite(*reports.passing(210), skipped, skipped)
    ) == [("Unit", "a and b", "✅ 210–212 passed, 0–2 skipped")]


def test_red_legs_with_other_numbers_have_rows_of_their_own() -> None:
    def red(count: int) -> Report:
        cases = (reports.case(f"t{n}", CaseStatus.FAILED) for n in range(count))
        return with_suite(*cases, verdict=Verdict.FAIL)

    assert of_tests(a=red(1), b=red(2), c=red(1)) == [
        ("Unit", "a and c", "❌ 1 failed"),
        ("Unit", "b", "❌ 2 failed"),
    ]


def test_builds_for_other_targets_share_a_row_with_all_targets() -> None:
    def built(arch: str) -> Report:
        return reports.report(replace(reports.build(), archs=(arch,)))

    table = said(merged([("a", built("gfx90a")), ("b", built("gfx942"))]))

    assert ("Build hipcc 6.4.43483 · gfx90a, gfx942", "a and b") in [row[:2] for row in table]


def test_the_coarsest_leg_says_what_speed_can_be_seen() -> None:
    def measured(floor: float) -> Report:
        return reports.report(reports.perf(reports.comparison("x", detects_pct=floor)))

    (row,) = (
        r for r in rows(merged([("a", measured(1.0)), ("b", measured(3.5))])) if r.stage == "Performance"
    )

    assert (row.on, row.against) == ("a and b", "detects ≥ 3.5 %")


def test_the_longest_leg_is_the_time() -> None:
    def took(seconds: float) -> Report:
        return with_suite(*reports.passing(1), duration_s=seconds)

    (row,) = (r for r in rows(merged([("a", took(5.0)), ("b", took(50.0))])) if r.stage == "Unit")

    assert row.duration_s == 50.0


def test_a_machine_that_failed_has_a_row_with_its_leg() -> None:
    assert said(matrices.matrix("matrix-lost"))[0] == (
        "Machine",
        "mi355x",
        "🔧 leg mi355x left no report: its job was cancelled",
    )


def test_a_crash_on_one_leg_leaves_the_row_of_the_others() -> None:
    crashed = reports.report(Crashed(stage=StageName.TEST, reason="no space left on device"))
    table = said(merged([("a", crashed), ("b", with_suite(*reports.passing(2)))]))

    assert ("Tests", "a", "🔧 no space left on device") in table
    assert ("Unit", "b", "✅ 2 passed") in table


def test_very_many_suites_are_told_by_layer_on_all_legs_together() -> None:
    many = reports.report(
        reports.suites(
            *(
                reports.suite(*reports.passing(2), name=f"s{n}", layer=Layer.UNIT if n % 2 else Layer.SYSTEM)
                for n in range(SUITE_ROWS + 2)
            )
        )
    )
    table = said(merged([("a", many), ("b", many)]))

    assert ("Unit", "a and b", "✅ 5 suites: 10 passed") in table


def test_a_suite_is_held_against_the_base() -> None:
    report, past = matrices.red_again()
    against = {row.stage: row.against for row in rows(report, past.delta)}

    assert against["Unit"] == "+1 failure, 1 fixed"
    assert against["Build hipcc 6.4.43483 · gfx90a, gfx942"] == "="
    assert against["Performance"] == "detects ≥ 1.9 %"


def test_legs_that_share_a_row_are_held_against_the_base_together() -> None:
    green = with_suite(reports.case("x"))
    red = with_suite(reports.case("x", CaseStatus.FAILED), verdict=Verdict.FAIL)
    base, head = merged([("a", green), ("b", green)]), merged([("a", red), ("b", red)])

    (row,) = (r for r in rows(head, delta(base, head)) if r.stage == "Unit")

    assert (row.on, row.against) == ("a and b", "+1 failure")


def test_without_a_base_nothing_is_claimed() -> None:
    assert {r.against for r in rows(matrices.matrix("matrix-green")) if r.stage == "Unit"} == {""}


def test_a_scan_that_several_legs_made_alike_is_of_no_leg() -> None:
    report = merged([("a", reports.red()), ("b", reports.red())])

    assert next((r.stage, r.on) for r in rows(report) if r.stage == "Scan") == ("Scan", "")
    assert any(stage_of(r) is StageName.SCAN for r in report.results)
    assert Severity.ERROR in {f.severity for r in report.results for f in getattr(r, "findings", ())}
