from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from rocm_ci.model.case import CaseStatus, Ending
from rocm_ci.model.finding import Severity, Topic
from rocm_ci.model.perf import PerfVerdict
from rocm_ci.model.plan import Plan, StageName, Step
from rocm_ci.model.report import Setting
from rocm_ci.model.result import Artifact, Crashed, Skipped
from rocm_ci.model.verdict import Verdict
from rocm_ci.report.headline import headline
from tests import reports

if TYPE_CHECKING:
    from rocm_ci.model.report import Report


@pytest.mark.parametrize(
    ("mood", "icon", "begin"),
    [
        ("green", "✅", "ready for AMD GPUs — 248 tests on MI300X, no CUDA left behind, speed unchanged (detects ≥ 1.9 %)"),
        ("red", "❌", "this change has 2 places that do not work on AMD GPUs, fails 1 test and slows 1 benchmark by 8.4 %"),
        ("broken-build", "❌", "this change does not build for gfx90a and gfx942"),
        ("infra", "🔧", "the machine failed, not this change — GPU 0 was reset 2 times"),
        ("undecided", "⚖️", "not decidable — the speed of 2 benchmarks could not be told apart from noise (needs ≥ 4.2 %, saw 3.1 %)"),
        ("interrupted", "⏹️", "interrupted before the end — finished: scan, build and kernels"),
        ("both", "❌", "this change has 2 places that do not work on AMD GPUs and fails 1 test — and the machine failed too, in perf"),
        ("documentation", "ℹ️", "nothing to test — only documentation changed"),
        ("nothing-ran", "🔧", "nothing ran, so nothing is known"),
        ("defect", "🔧", "rocm-ci itself failed, not this change — KeyError: 'amdhsa.kernels'"),
        ("without-gpu", "✅", "builds for gfx90a and gfx942, not run on a GPU — 9 tests, no CUDA left behind"),
    ],
)  # fmt: skip
def test_each_mood_says_its_verdict_in_words(mood: str, icon: str, begin: str) -> None:
    head = headline(reports.MOODS[mood](), 4)

    assert head.icon == icon
    assert head.title.startswith(begin)


def test_the_number_of_things_to_fix_is_said_when_there_are_several() -> None:
    assert headline(reports.red(), 4).title.endswith("— 4 things to fix")
    assert "thing" not in headline(reports.red(), 1).title


def test_an_interrupted_run_that_already_failed_says_both() -> None:
    made = reports.report(reports.scan(reports.finding()), interrupted=True, plan=reports.PLAN)

    assert headline(made).title.endswith("— and the run was interrupted before it finished")


def test_cuda_is_called_by_its_name() -> None:
    findings = [reports.finding(topic=Topic.CUDA_INCLUDE, line=n) for n in (1, 2)]

    assert (
        headline(reports.report(reports.scan(*findings))).title == "this change brings CUDA back in 2 places"
    )


def test_one_place_is_not_two() -> None:
    made = reports.report(reports.scan(reports.finding(topic=Topic.CUDA_INCLUDE)))

    assert headline(made).title == "this change brings CUDA back in 1 place"


def test_warnings_that_fail_by_configuration_are_counted() -> None:
    warning = reports.finding(severity=Severity.WARNING)

    made = reports.report(reports.scan(warning, verdict=Verdict.FAIL))

    assert headline(made).title == "this change has 1 place that does not work on AMD GPUs"


def test_a_build_that_leaves_out_an_arch_says_which() -> None:
    artifacts = (Artifact(path="a.so", archs=("gfx90a",), missing=("gfx942",)),)

    made = reports.report(reports.build(verdict=Verdict.FAIL, exit_code=0, artifacts=artifacts))

    assert headline(made).title == "this change builds no code for gfx942"


def test_a_suite_that_fails_without_a_failed_test_is_named() -> None:
    crashed = reports.suite(
        *reports.passing(3), verdict=Verdict.FAIL, reason="exit code 139 after green results"
    )

    assert headline(reports.report(reports.suites(crashed))).title == "this change fails suite unit"


def test_several_slow_benchmarks_are_counted() -> None:
    slow = [reports.comparison(f"b{n}", PerfVerdict.REGRESSION, effect_pct=9.0) for n in range(2)]

    made = reports.report(reports.perf(*slow, verdict=Verdict.FAIL))

    assert headline(made).title == "this change slows 2 benchmarks"


def test_flaky_tests_alone_are_undecided_and_say_so() -> None:
    flaky = reports.case("test_x", CaseStatus.FLAKY, attempts=2)
    made = reports.report(reports.suites(reports.suite(flaky, verdict=Verdict.INCONCLUSIVE, reason="flaky")))

    assert headline(made).title == "not decidable — 1 test passed only when repeated"


def test_a_healthy_machine_is_said_to_be_healthy_only_when_it_was_looked_at() -> None:
    looked = reports.report(reports.preflight(), reports.scan(reports.finding()))
    not_looked = reports.report(reports.scan(reports.finding()))

    assert headline(looked).advice == "The machine is healthy."
    assert headline(not_looked).advice == ""


def test_a_machine_without_a_gpu_is_said_to_have_none() -> None:
    looked = reports.report(reports.preflight(), reports.scan(reports.finding()), facts=reports.NO_GPU)

    assert headline(looked).advice == "There is no AMD GPU here: what needs one did not run."


def test_a_machine_that_failed_is_not_called_healthy() -> None:
    assert "healthy" not in headline(reports.both()).advice


def test_advice_alone_is_neutral_and_asks_for_nothing() -> None:
    note = reports.finding(severity=Severity.NOTE)

    head = headline(reports.report(reports.preflight(), reports.scan(note)))

    assert head.icon == "ℹ️"
    assert "1 piece of advice from the scan" in head.title
    assert head.advice == "Nothing must be done; advice is below."


def test_only_a_run_on_a_gpu_says_ready() -> None:
    on_cpu = reports.report(
        reports.build(), reports.suites(reports.suite(*reports.passing(3), gpus=0)), facts=reports.FACTS
    )

    assert "not run on a GPU" in headline(on_cpu).title


def test_a_hidden_gpu_is_no_gpu() -> None:
    hidden = msgspec.structs.replace(
        reports.FACTS, gpus=(msgspec.structs.replace(reports.MI300X, visible=False),)
    )

    assert "ready" not in headline(msgspec.structs.replace(reports.green(), facts=hidden)).title


def test_faster_benchmarks_are_good_news() -> None:
    faster = reports.comparison("x", PerfVerdict.IMPROVED, effect_pct=-9.0)

    made = reports.report(reports.build(), reports.perf(faster))

    assert "1 benchmark faster (detects ≥ 1.9 %)" in headline(made).title


def test_a_suspicious_benchmark_is_not_called_unchanged() -> None:
    odd = reports.comparison("x", PerfVerdict.SUSPICIOUS, effect_pct=3.0)

    made = reports.report(reports.build(), reports.perf(odd, reports.comparison("y")))

    assert "speed of 1 benchmark undecided" in headline(made).title


def test_the_next_step_of_a_check_is_the_advice() -> None:
    said = "For whoever runs this machine: take this runner out of service and look at `dmesg`."
    assert headline(reports.infra()).advice == f"Nothing to fix in the change. {said}"


def test_what_is_undecided_says_why_it_blocks() -> None:
    strict = Setting(name="inconclusive", value="fail", source=".github/rocm-ci.yml")

    blocked = headline(msgspec.structs.replace(reports.undecided(), settings=(strict,))).advice

    assert blocked.endswith("Until then it blocks: the configuration says `inconclusive: fail`.")
    assert "blocks" not in headline(reports.undecided()).advice


def test_an_infra_fault_without_advice_says_to_repeat() -> None:
    made = reports.report(Crashed(stage=StageName.TEST, reason="no space left on device"))

    head = headline(made)

    assert head.title == "the machine failed, not this change — no space left on device"
    assert "Repeat the run" in head.advice


@pytest.mark.parametrize("mood", reports.MOODS)
def test_a_title_is_one_line(mood: str) -> None:
    head = headline(reports.MOODS[mood](), 2)

    assert "\n" not in head.in_words
    assert head.title


def partial(**asked: str) -> Report:
    event = msgspec.structs.replace(reports.EVENT, **asked)
    return msgspec.structs.replace(reports.green(), event=event)


@pytest.mark.parametrize(
    ("asked", "part"),
    [
        ({"suite": "unit"}, "suite unit"),
        ({"bench": "saxpy"}, "benchmark saxpy"),
        ({"suite": "*"}, "all suites"),
        ({"suite": "unit", "bench": "*"}, "suite unit and all benchmarks"),
    ],
)
def test_a_part_of_the_check_promises_nothing_of_the_rest(asked: dict[str, str], part: str) -> None:
    head = headline(partial(**asked))

    assert head.title.startswith(f"nothing against it in {part}")
    assert head.past == f"Only {part} was asked for: of the other tests and benchmarks nothing is said."
    assert head.advice.startswith("The status stays as it was")


def test_what_was_asked_for_and_is_not_there_is_the_headline() -> None:
    why = "no test suite is called 'unti'; there are: unit"
    plan = Plan(steps=tuple(Step(stage=stage, run=False, reason=why) for stage in StageName))
    skipped = (Skipped(stage=stage, reason=why) for stage in StageName)
    made = reports.report(*skipped, plan=plan, event=msgspec.structs.replace(reports.EVENT, suite="unti"))

    assert headline(made).title == f"nothing ran: {why}"
    assert made.verdict is Verdict.ERROR


def test_an_accepted_slowdown_is_counted_apart() -> None:
    slow = reports.comparison("x", PerfVerdict.REGRESSION, effect_pct=9.0, accepted="by alice: exact sums")
    made = reports.report(reports.build(), reports.perf(slow, verdict=Verdict.NEUTRAL))

    assert headline(made).title.endswith(
        "speed otherwise unchanged (detects ≥ 1.9 %), 1 benchmark slower, accepted"
    )


def test_an_accepted_slowdown_is_none_of_those_that_fail_a_change() -> None:
    slow = [
        reports.comparison("x", PerfVerdict.REGRESSION, effect_pct=9.0, accepted="by alice: exact sums"),
        reports.comparison("y", PerfVerdict.REGRESSION, effect_pct=5.0),
    ]

    head = headline(reports.report(reports.perf(*slow, verdict=Verdict.FAIL)))

    assert head.title == "this change slows 1 benchmark by 5 %"
    assert head.summary == "1 benchmark 5 % slower, 1 benchmark slower, accepted"


def test_what_no_healthy_machine_saw_fail_is_not_counted_against_the_change() -> None:
    """One test that failed by itself, one that met a full disk beside it, one in a suite of the machine's."""
    wrong = reports.case("test_a", CaseStatus.FAILED, message="wrong", ending=Ending.ASSERTION)
    broken = reports.case("test_b", CaseStatus.FAILED, message="No space left", ending=Ending.MACHINE)
    made = reports.report(
        reports.suites(
            reports.suite(wrong, broken, verdict=Verdict.FAIL),
            reports.suite(broken, name="io", verdict=Verdict.ERROR, reason="machine: the disk was full"),
        )
    )

    head = headline(made, 1)

    assert head.title == "this change fails 1 test — and the machine failed too, in suite io"
    assert head.summary == "1 failed test, 2 undecided tests"


def test_a_test_that_an_interruption_cut_short_did_not_fail() -> None:
    cut = reports.case("test_a", CaseStatus.ERRORED, message="running when the run was stopped")
    suite = reports.suite(cut, verdict=Verdict.ERROR, reason="interrupted by SIGINT")

    head = headline(reports.report(reports.suites(suite), interrupted=True))

    assert head.summary == "1 undecided test"
