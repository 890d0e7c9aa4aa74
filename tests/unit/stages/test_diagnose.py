"""What a stage's logs are told to mean, with a library of two entries."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

import pytest
from msgspec.structs import replace

from rocm_ci.config.options import Config
from rocm_ci.context import Context, Job
from rocm_ci.knowledge import library
from rocm_ci.model.case import Case, CaseStatus, Layer
from rocm_ci.model.changes import Changes
from rocm_ci.model.diagnostic import Blame, Category, Diagnosis, Diagnostic
from rocm_ci.model.event import Event, EventKind
from rocm_ci.model.facts import Facts
from rocm_ci.model.finding import Severity
from rocm_ci.model.plan import Plan
from rocm_ci.model.result import (
    Bench,
    BuildResult,
    BuildStep,
    Check,
    PerfResult,
    PreflightResult,
    ScanResult,
    Suite,
    TestResult,
)
from rocm_ci.model.verdict import Verdict
from rocm_ci.stages import diagnose, machine_fault
from rocm_ci.stages.diagnose import Explainer
from tests.fakes import context

if TYPE_CHECKING:
    from pathlib import Path

    from rocm_ci.knowledge.diagnosing import Machine
    from rocm_ci.knowledge.library import Library


def found(**changes: object) -> Diagnosis:
    one = Diagnosis(
        id="licence-server-away",
        category=Category.INFRA,
        line=3,
        title="The licence server does not answer",
        cause="it is down",
        confidence=0.9,
        blame=Blame.MACHINE,
        said="licence: no answer",
    )
    return replace(one, **changes)


def job(event: Event | None = None) -> Job:
    return Job(
        event=event or Event(kind=EventKind.LOCAL, head="a" * 40),
        config=Config(),
        changes=Changes(),
        facts=Facts(),
        plan=Plan(steps=()),
        done={},
    )


@pytest.fixture(autouse=True)
def nothing_shipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "shipped", list)


def explainer(ctx: Context, *told: Diagnosis, seen: list[bytes] | None = None) -> Explainer:
    def explain(log: IO[bytes], _library: Library, _machine: Machine) -> tuple[Diagnosis, ...]:
        (seen if seen is not None else []).append(log.read())
        return told

    return Explainer(ctx, job(), explain)


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    made = context(tmp_path)
    (made.out / "logs").mkdir(parents=True)
    (made.out / "logs" / "x.log").write_text("one\ntwo\n")
    return made


def step(**changes: object) -> BuildStep:
    made = BuildStep(
        name="build",
        command="make",
        verdict=Verdict.FAIL,
        duration_s=1.0,
        exit_code=2,
        reason="exit status 2",
        log="logs/x.log",
    )
    return replace(made, **changes)


def suite(**changes: object) -> Suite:
    made = Suite(
        name="unit",
        layer=Layer.UNIT,
        runner="command",
        command="./run",
        verdict=Verdict.FAIL,
        duration_s=1.0,
        reason="exit status 1",
        log="logs/x.log",
        gpus=1,
    )
    return replace(made, **changes)


def built(*steps: BuildStep) -> BuildResult:
    return BuildResult(verdict=Verdict.FAIL, duration_s=1.0, reason="build: exit status 2", steps=steps)


def ran(*suites: Suite) -> TestResult:
    return TestResult(verdict=Verdict.FAIL, duration_s=1.0, reason="unit: exit status 1", suites=suites)


def test_a_failed_step_carries_what_its_log_means(ctx: Context) -> None:
    seen: list[bytes] = []
    told = explainer(ctx, found(blame=Blame.CHANGE), seen=seen).told(built(step()))

    assert isinstance(told, BuildResult)
    assert [d.id for d in told.steps[0].diagnoses] == ["licence-server-away"]
    assert told.verdict is Verdict.FAIL
    assert seen == [b"one\ntwo\n"]


def test_nothing_is_asked_of_a_build_that_succeeded(ctx: Context) -> None:
    seen: list[bytes] = []
    result = built(step(verdict=Verdict.PASS, exit_code=0))

    assert explainer(ctx, found(), seen=seen).told(result) == result
    assert seen == []


def test_a_machines_cause_makes_a_failed_build_an_error_that_says_perhaps(ctx: Context) -> None:
    told = explainer(ctx, found()).told(built(step()))

    assert isinstance(told, BuildResult)
    assert told.steps[0].verdict is Verdict.ERROR
    assert told.verdict is Verdict.ERROR
    said = "perhaps the machine: The licence server does not answer; exit status 2"
    assert told.reason == f"build: {said}"


@pytest.mark.parametrize(
    "changes",
    [{"confidence": 0.7}, {"blame": Blame.EITHER}, {"follows": ("other",)}, {"severity": Severity.WARNING}],
    ids=str,
)
def test_only_a_sure_root_cause_of_the_machine_counts(ctx: Context, changes: dict[str, object]) -> None:
    told = explainer(ctx, found(**changes)).told(built(step()))

    assert told.verdict is Verdict.FAIL


def test_an_error_on_a_line_of_the_change_stands_whatever_else_is_printed() -> None:
    own = Diagnostic(
        tool="clang", severity=Severity.ERROR, message="unknown type", path="a.hip", line=3, log_line=9
    )
    failed = step(diagnoses=(found(),), diagnostics=(own,))

    assert machine_fault.of_step(failed) is failed
    # The line that the diagnosis itself is about is no second fault.
    same = step(diagnoses=(found(line=9),), diagnostics=(own,))
    assert machine_fault.of_step(same).verdict is Verdict.ERROR


def test_what_a_build_lacks_although_it_ended_well_is_its_own_fault() -> None:
    bare = step(diagnoses=(found(),), exit_code=0)

    assert machine_fault.of_step(bare) is bare


def test_a_suite_that_fails_as_a_whole_by_the_machine_is_an_error(ctx: Context) -> None:
    told = explainer(ctx, found()).told(ran(suite()))

    assert told.verdict is Verdict.ERROR
    assert "perhaps the machine" in told.reason


def test_a_printed_cause_never_makes_a_failed_test_the_machines() -> None:
    failed = Case(id="t", suite="unit", name="t", status=CaseStatus.FAILED)
    red = suite(diagnoses=(found(),), cases=(failed,))

    assert machine_fault.of_suite(red) is red


@pytest.mark.parametrize("verdict", list(Verdict), ids=str)
def test_a_printed_cause_never_makes_anything_better(verdict: Verdict) -> None:
    for after in (
        machine_fault.of_suite(suite(verdict=verdict, diagnoses=(found(),))),
        machine_fault.of_step(step(verdict=verdict, diagnoses=(found(),))),
    ):
        assert after.verdict is (Verdict.ERROR if verdict is Verdict.FAIL else verdict)


def test_what_the_rules_of_blame_know_of_is_theirs_to_decide() -> None:
    known = suite(diagnoses=(found(said="Unable to open /dev/kfd read-write: Permission denied"),))

    assert machine_fault.of_suite(known) is known


def test_a_suite_without_gpus_that_misses_one_is_not_the_machines() -> None:
    wanting = suite(gpus=0, diagnoses=(found(title="No GPU of AMD is there"),))

    assert machine_fault.of_suite(wanting) is wanting
    assert machine_fault.of_suite(suite(gpus=0, diagnoses=(found(),))).verdict is Verdict.ERROR


def test_a_green_suite_tells_what_made_it_slow_and_nothing_else(ctx: Context) -> None:
    slow = found(id="slow", category=Category.PERFORMANCE, severity=Severity.WARNING)
    others = (
        found(id="crash", category=Category.RUNTIME),
        found(id="unsure", category=Category.PERFORMANCE, severity=Severity.NOTE, confidence=0.4),
        found(id="follower", category=Category.NUMERIC, severity=Severity.NOTE, follows=("slow",)),
        found(id="deviates", category=Category.NUMERIC, severity=Severity.ERROR),
    )
    green = suite(verdict=Verdict.PASS, reason="")
    told = explainer(ctx, slow, *others).told(
        TestResult(verdict=Verdict.PASS, duration_s=1.0, suites=(green,))
    )

    assert isinstance(told, TestResult)
    assert [d.id for d in told.suites[0].diagnoses] == ["slow"]
    assert told.verdict is Verdict.PASS


def test_of_a_green_log_only_the_beginning_is_read(ctx: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnose, "MOST_OF_GREEN", 5)
    seen: list[bytes] = []
    explainer(ctx, seen=seen).told(ran(suite(verdict=Verdict.PASS), suite()))

    assert seen == [b"one\nt", b"one\ntwo\n"]


def test_a_benchmark_that_broke_and_a_check_that_failed_are_explained(ctx: Context) -> None:
    bench = Bench(name="b", command="x", verdict=Verdict.FAIL, duration_s=1.0, log="logs/x.log")
    perf = explainer(ctx, found()).told(PerfResult(verdict=Verdict.FAIL, duration_s=1.0, benches=(bench,)))
    check = Check(id="kfd", status=Verdict.ERROR, seen="may not be opened", needed="access")
    pre = explainer(ctx, found()).told(
        PreflightResult(verdict=Verdict.ERROR, duration_s=1.0, checks=(check,))
    )

    assert isinstance(perf, PerfResult)
    assert perf.benches[0].diagnoses
    assert isinstance(pre, PreflightResult)
    assert pre.checks[0].diagnoses


def test_a_place_is_told_relative_to_the_checkout_or_not_at_all(ctx: Context) -> None:
    (ctx.root / "src").mkdir()
    (ctx.root / "src" / "a.hip").write_text("")
    there = found(location=f"{ctx.root}/src/a.hip:7", blame=Blame.CHANGE)
    away = found(id="b", location="/opt/other/b.hip:7")
    told = explainer(ctx, there, away).told(built(step()))

    assert isinstance(told, BuildResult)
    assert [d.location for d in told.steps[0].diagnoses] == ["src/a.hip:7", None]


def test_the_build_knows_in_which_folder_the_compiler_was(ctx: Context) -> None:
    own = Diagnostic(
        tool="clang", severity=Severity.ERROR, message="x", path="deep/er/a.hip", line=7, log_line=3
    )
    told = explainer(ctx, found(location="a.hip:7")).told(built(step(diagnostics=(own,))))

    assert isinstance(told, BuildResult)
    assert told.steps[0].diagnoses[0].location == "deep/er/a.hip:7"


def test_a_defect_of_the_library_is_told_once_and_costs_only_the_explanation(ctx: Context) -> None:
    def explain(*_: object) -> tuple[Diagnosis, ...]:
        raise RecursionError("deep")

    broken = Explainer(ctx, job(), explain)
    result = built(step())

    assert broken.told(result) == result
    assert broken.told(ran(suite())) == ran(suite())
    assert broken.notices == ["failures are not explained: RecursionError: deep"]


def test_a_log_that_a_command_replaced_by_a_link_is_not_followed(ctx: Context) -> None:
    log = ctx.out / "logs" / "x.log"
    log.unlink()
    log.symlink_to("/etc/hostname")
    seen: list[bytes] = []
    explainer(ctx, found(), seen=seen).told(built(step()))

    assert seen == []


def test_a_broken_entry_of_the_project_is_told_and_the_others_still_explain(ctx: Context) -> None:
    own = ctx.root / library.FOLDER / "infra"
    own.mkdir(parents=True)
    (own / "bad.yaml").write_text("id: [")
    told = explainer(ctx, found())
    result = told.told(built(step()))

    assert isinstance(result, BuildResult)
    assert result.steps[0].diagnoses
    assert "the project's own errors do not count" in told.notices[0]
    assert "bad.yaml" in told.notices[0]


def test_a_scan_has_nothing_to_explain(ctx: Context) -> None:
    result = ScanResult(verdict=Verdict.FAIL, duration_s=1.0)

    assert explainer(ctx, found()).told(result) is result


class _History:
    """A repository whose merge base has one entry of its own."""

    def names(self, commit: str, folder: str) -> tuple[str, ...]:
        return ("old.yaml",) if commit == "b" * 40 and folder.endswith("/infra") else ()

    def show(self, commit: str, path: str) -> bytes | None:
        return b"id: [" if commit == "b" * 40 and path.endswith("infra/old.yaml") else None


def test_of_a_fork_only_the_entries_of_the_merge_base_count(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diagnose, "Git", lambda *_: _History())
    own = ctx.root / library.FOLDER / "infra"
    own.mkdir(parents=True)
    (own / "forged.yaml").write_text("id: [")
    event = Event(kind=EventKind.PULL_REQUEST, head="a" * 40, merge_base="b" * 40, is_fork=True)
    told = Explainer(ctx, job(event), lambda *_: (found(),))
    told.told(built(step()))

    assert "old.yaml" in told.notices[0]
    assert "forged" not in told.notices[0]


def test_without_a_merge_base_a_fork_adds_nothing(ctx: Context) -> None:
    own = ctx.root / library.FOLDER / "infra"
    own.mkdir(parents=True)
    (own / "forged.yaml").write_text("id: [")
    told = Explainer(
        ctx, job(Event(kind=EventKind.PULL_REQUEST, head="a" * 40, is_fork=True)), lambda *_: (found(),)
    )
    told.told(built(step()))

    assert told.notices == []
