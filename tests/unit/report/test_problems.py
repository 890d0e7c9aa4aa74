from __future__ import annotations

from rocm_ci.model.case import CaseStatus
from rocm_ci.model.diagnostic import Diagnostic
from rocm_ci.model.finding import Severity
from rocm_ci.model.kernel import KernelChange
from rocm_ci.model.result import Artifact
from rocm_ci.model.verdict import Verdict
from rocm_ci.report.problems import advice, problems, speed
from tests import reports


def error(line: int = 1, arch: str = "gfx90a") -> Diagnostic:
    return Diagnostic(
        tool="clang", severity=Severity.ERROR, message="expected ';'", path="a.hip", line=line, arch=arch
    )


def test_a_build_error_comes_before_findings_and_tests() -> None:
    made = reports.report(
        reports.scan(reports.finding()), reports.build(error(), verdict=Verdict.FAIL, reason="exit code 1")
    )

    assert [p.kind for p in problems(made)] == ["build", "scan"]


def test_the_same_error_on_two_archs_is_one_thing_to_fix() -> None:
    other = error(arch="gfx942")

    made = reports.report(reports.build(error(), other, verdict=Verdict.FAIL))

    assert len(problems(made)) == 1


def test_a_build_that_named_no_place_is_still_a_thing_to_fix() -> None:
    made = reports.report(reports.build(verdict=Verdict.FAIL, reason="cmake is not there"))

    assert [(p.subject, p.message) for p in problems(made)] == [("kernels", "cmake is not there")]


def test_an_artifact_without_code_for_an_arch_is_a_thing_to_fix() -> None:
    artifact = Artifact(path="build/a.so", archs=("gfx90a",), missing=("gfx942",))

    made = reports.report(reports.build(verdict=Verdict.FAIL, artifacts=(artifact,)))

    assert problems(made)[0].message == "holds no code for gfx942"


def test_errors_of_the_scan_block_and_warnings_are_advice() -> None:
    findings = (reports.finding(severity=Severity.WARNING, line=2), reports.finding(line=3))
    made = reports.report(reports.scan(*findings))

    assert [p.line for p in problems(made)] == [3]
    assert [p.line for p in advice(made)] == [2]


def test_where_warnings_fail_the_scan_they_are_things_to_fix() -> None:
    made = reports.report(reports.scan(reports.finding(severity=Severity.WARNING), verdict=Verdict.FAIL))

    assert len(problems(made)) == 1
    assert advice(made) == ()


def test_tests_that_fail_alike_are_one_thing_to_fix() -> None:
    cases = [reports.case(f"test[{n}]", CaseStatus.FAILED, message=f"wrong at index {n}") for n in range(12)]
    other = reports.case("test_other", CaseStatus.ERRORED, message="fixture is missing")

    made = reports.report(reports.suites(reports.suite(*cases, other, verdict=Verdict.FAIL)))
    found = problems(made)

    assert [len(p.also) for p in found] == [11, 0]
    assert found[0].message == "wrong at index 0"


def test_tests_without_a_message_are_not_thrown_together() -> None:
    cases = [reports.case(name, CaseStatus.FAILED) for name in ("test_a", "test_b")]

    made = reports.report(reports.suites(reports.suite(*cases, verdict=Verdict.FAIL)))

    assert len(problems(made)) == 2


def test_a_suite_that_timed_out_says_so_beside_its_failures() -> None:
    red = reports.case("test_a", CaseStatus.FAILED, message="wrong")
    suite = reports.suite(red, verdict=Verdict.FAIL, reason="stopped after 10 m", timed_out=True)

    assert (
        problems(reports.report(reports.suites(suite)))[0].advice
        == "The suite did not finish: stopped after 10 m"
    )


def test_the_most_likely_cause_stands_with_the_first_problem() -> None:
    cause = problems(reports.broken_build())[0].cause

    assert cause is not None
    assert cause.id == "shfl-sync-missing"


def test_a_suite_that_the_machine_broke_is_not_the_changes_fault() -> None:
    assert {p.kind for p in problems(reports.infra())} == {"machine"}


def test_costlier_kernels_are_advice_unless_they_fail() -> None:
    change = KernelChange(
        name="void k(int)", arch="gfx90a", metric="vgpr", base=64, head=96, is_regression=True
    )

    as_advice = reports.report(reports.kernels(change, verdict=Verdict.NEUTRAL))
    as_fault = reports.report(reports.kernels(change, verdict=Verdict.FAIL))

    assert [p.message for p in advice(as_advice)] == ["VGPRs on gfx90a: 64 → 96"]
    assert [p.kind for p in problems(as_fault)] == ["kernels"]


def test_a_green_report_has_nothing_to_fix() -> None:
    assert problems(reports.green()) == ()
    assert advice(reports.green()) == ()


def test_a_comparison_says_what_is_known_of_it() -> None:
    whole = reports.comparison("x", effect_pct=8.4, interval_pct=(7.6, 9.1), head_median=1.42)
    bare = reports.comparison(
        "x", effect_pct=None, base_median=None, interval_pct=None, reason="too few rounds"
    )

    assert speed(whole) == "1.31 → 1.42 ms (+8.4 %, interval +7.6 % … +9.1 %)"
    assert speed(bare) == "too few rounds"


def test_a_name_that_is_also_its_class_is_said_once() -> None:
    red = reports.case("RowSum.Tail", CaseStatus.FAILED, id="RowSum.Tail::RowSum.Tail")

    found = problems(reports.report(reports.suites(reports.suite(red, verdict=Verdict.FAIL))))

    assert found[0].subject == "RowSum.Tail"


def test_a_benchmark_that_could_not_be_measured_is_a_thing_to_fix() -> None:
    fails = reports.perf(verdict=Verdict.FAIL, reason="head: exit code 1")

    (only,) = problems(reports.report(fails))

    assert (only.kind, only.subject, only.message) == ("perf", "benchmark reduce", "head: exit code 1")
    assert only.command == "./build/bench --benchmark_out={out}"


def test_a_benchmark_without_its_gpu_is_the_machines_fault() -> None:
    lacks = reports.perf(verdict=Verdict.ERROR, reason="machine: no GPU")

    assert [(p.kind, p.message) for p in problems(reports.report(lacks))] == [("machine", "machine: no GPU")]


def test_a_crash_beside_a_failed_test_is_told_too() -> None:
    red = reports.case("a", CaseStatus.FAILED, message="no")
    crashed = reports.suite(red, verdict=Verdict.FAIL, reason="crashed with SIGSEGV; 1 failed, 3 passed")
    plain = reports.suite(red, verdict=Verdict.FAIL, reason="1 failed, 3 passed")

    assert problems(reports.report(reports.suites(crashed)))[0].advice is not None
    assert problems(reports.report(reports.suites(plain)))[0].advice is None
