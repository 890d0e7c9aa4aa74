from __future__ import annotations

import pytest

from rocm_ci.model.case import Layer
from rocm_ci.model.kernel import KernelChange
from rocm_ci.model.result import Check
from rocm_ci.model.verdict import Verdict
from rocm_ci.report.stage_rows import SUITE_ROWS, short_kernel
from rocm_ci.report.table_rows import rows
from tests import reports


def said(report: object) -> dict[str, str]:
    return {row.stage: f"{row.icon} {row.result}" for row in rows(report)}  # type: ignore[arg-type]


def test_a_stage_behind_a_failed_build_is_there_with_its_reason() -> None:
    assert (
        said(reports.broken_build())["Kernels, Tests, Performance"] == "⏭️ skipped, because the build failed"
    )


def test_stages_skipped_for_different_reasons_have_their_own_rows() -> None:
    assert said(reports.infra())["Performance"] == "⏭️ skipped, because the GPU is not healthy"


def test_a_gpu_suite_without_a_gpu_is_there_with_its_reason() -> None:
    assert said(reports.without_gpu())["System · gpu"].startswith(
        "⏭️ skipped, because this machine has no AMD GPU"
    )


def test_a_healthy_machine_needs_no_row() -> None:
    assert "Machine" not in said(reports.green())


def test_a_machine_that_cannot_do_it_says_what_is_there_and_what_is_needed() -> None:
    slow = Check(id="power-cap", status=Verdict.NEUTRAL, seen="550 W", needed="750 W", fix="")
    few = Check(id="gpus", status=Verdict.ERROR, seen="4 GPU(s)", needed="5 GPU(s)", fix="")
    row = {
        mood: said(reports.report(reports.preflight(worst, *checks)))["Machine"]
        for mood, worst, checks in (
            ("advice", Verdict.NEUTRAL, (slow,)),
            ("error", Verdict.ERROR, (slow, few)),
        )
    }

    assert row == {"advice": "⚠️ 550 W", "error": "🔧 4 GPU(s), needed: 5 GPU(s)"}


def test_counts_come_first_what_is_zero_is_left_out() -> None:
    assert said(reports.red())["Unit"] == "❌ 1 failed, 211 passed, 3 skipped"
    assert said(reports.red())["Integration"] == "⚠️ 36 passed, 1 flaky"


def test_a_suite_that_is_red_with_green_tests_says_why() -> None:
    crashed = reports.suite(
        *reports.passing(3), verdict=Verdict.FAIL, reason="exit code 139 after green results"
    )

    assert (
        said(reports.report(reports.suites(crashed)))["Unit"]
        == "❌ exit code 139 after green results (3 passed)"
    )


def test_a_green_suite_says_what_there_is_to_know_of_it() -> None:
    reason = "its JUnit XML was found in out/a.xml, where nobody had asked for it"

    green = reports.suite(*reports.passing(3), reason=reason)

    assert said(reports.report(reports.suites(green)))["Unit"] == f"✅ 3 passed ({reason})"


def test_a_suite_in_which_no_test_ran_says_so() -> None:
    empty = reports.suite(verdict=Verdict.FAIL)

    assert said(reports.report(reports.suites(empty)))["Unit"] == "❌ no test ran"


def test_a_suite_cut_into_shards_says_into_how_many() -> None:
    cut = reports.suite(*reports.passing(3), shards=8)

    assert said(reports.report(reports.suites(cut)))["Unit"] == "✅ 3 passed, in 8 shards"


def test_a_kernel_is_named_without_its_parameters() -> None:
    assert said(reports.red())["Kernels"] == "⚠️ row_sum<float> on gfx90a: 12 spilled VGPRs"


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("void row_sum<float>(float const*, int)", "row_sum<float>"),
        ("row_sum", "row_sum"),
        ("(anonymous)", "(anonymous)"),
    ],
)
def test_short_names_of_kernels(name: str, short: str) -> None:
    assert short_kernel(name) == short


def test_the_difference_to_the_base_has_its_own_column() -> None:
    against = {row.stage: row.against for row in rows(reports.red())}

    assert against["Scan"] == "+3"
    assert against["Kernels"] == "was 0"
    assert against["Performance"] == "detects ≥ 1.9 %"


def test_kernels_that_were_not_compared_claim_nothing() -> None:
    change = KernelChange(name="k", arch="gfx90a", metric="vgpr", base=1, head=0, is_regression=False)
    made = reports.report(reports.kernels(change))

    assert {row.stage: row.against for row in rows(made)}["Kernels"] == "1 change"


def test_very_many_suites_are_told_by_layer() -> None:
    many = [
        reports.suite(*reports.passing(2), name=f"s{n}", layer=Layer.UNIT if n % 2 else Layer.SYSTEM)
        for n in range(SUITE_ROWS + 2)
    ]

    found = said(reports.report(reports.suites(*many)))

    assert found["Unit"] == "✅ 5 suites: 10 passed"
    assert found["System"] == "✅ 5 suites: 10 passed"


def test_a_reason_that_begins_with_a_verb_gets_its_subject() -> None:
    suite = reports.suite(name="device", verdict=Verdict.SKIPPED, reason="needs 1 GPU(s), 0 seen", gpus=1)

    assert (
        "⏭️ skipped, because it needs 1 GPU(s), 0 seen" in said(reports.report(reports.suites(suite))).values()
    )
