"""The test stage with a fake runner: what is started, with which environment, and what is not."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from rocm_ci.config.options import Config
from rocm_ci.context import Job
from rocm_ci.errors import ConfigError, InterruptedRunError
from rocm_ci.model.changes import Changes
from rocm_ci.model.event import Event, EventKind
from rocm_ci.model.facts import Facts, Gpu
from rocm_ci.model.plan import Plan
from rocm_ci.model.result import TestResult
from rocm_ci.model.verdict import Verdict
from rocm_ci.schedule import times
from rocm_ci.stages import test as stage
from tests.fakes import FakeGpus, FakeRunner, context

if TYPE_CHECKING:
    from pathlib import Path


def job(*suites: dict[str, Any], gpus: int = 0, **config: Any) -> Job:
    return Job(
        event=Event(kind=EventKind.LOCAL, head="0" * 40),
        config=msgspec.convert({"test": list(suites), **config}, Config),
        changes=Changes(whole_tree=True),
        facts=Facts(gpus=tuple(Gpu(index=n) for n in range(gpus))),
        plan=Plan(steps=()),
        done={},
    )


@pytest.mark.parametrize(
    ("run", "runner", "chosen"),
    [
        ("pytest tests", "auto", "pytest"),
        ("ctest --test-dir b", "auto", "ctest"),
        ("./t --gtest_color=no", "auto", "gtest"),
        ("./t", "auto", "command"),
        ("./t", "gtest", "gtest"),
    ],
)
def test_the_runner_is_chosen_by_the_command_or_named(
    tmp_path: Path, run: str, runner: str, chosen: str
) -> None:
    result = stage.run(context(tmp_path), job({"name": "u", "run": run, "runner": runner}))

    assert result.suites[0].runner == chosen


def test_the_command_runs_in_bash_with_what_it_needs_to_know(tmp_path: Path) -> None:
    runner = FakeRunner({"bash": (0, "")})
    suite = {
        "name": "u",
        "run": "t {jobs} {arch,} {gpus}",
        "gpus": 1,
        "layer": "system",
        "env": {"A": "b", "ROCM_CI": "2"},
    }

    stage.run(context(tmp_path, runner), job(suite, gpus=2, jobs=5, arch=["gfx90a", "gfx942"]))

    assert runner.calls == [("bash", "-c", "t 5 gfx90a,gfx942 1")]
    (environment,) = runner.environments
    assert environment["ROCR_VISIBLE_DEVICES"] == environment["HIP_VISIBLE_DEVICES"] == "0"
    assert (environment["ROCM_CI_SUITE"], environment["ROCM_CI_LAYER"], environment["A"]) == (
        "u",
        "system",
        "b",
    )
    assert environment["ROCM_CI"] == "2", "what the configuration sets wins"
    assert environment["ROCM_CI_JUNIT"] == str(tmp_path / "out/junit/u.xml")


def test_how_long_a_suite_took_is_kept_for_the_next_run(tmp_path: Path) -> None:
    ctx = context(tmp_path, FakeRunner({"bash": (0, "")}))
    stage.run(ctx, job({"name": "u", "run": "t"}))

    assert set(times.known(ctx.state, ctx.root.name).suites) == {"u"}


def test_a_suite_that_chooses_its_gpus_itself_is_left_alone(tmp_path: Path) -> None:
    runner = FakeRunner({"bash": (0, "")})

    stage.run(
        context(tmp_path, runner),
        job({"name": "u", "run": "t", "gpus": 1, "env": {"HIP_VISIBLE_DEVICES": "3"}}, gpus=4),
    )

    assert "ROCR_VISIBLE_DEVICES" not in runner.environments[0]


@pytest.mark.parametrize(("require", "verdict"), [(True, Verdict.ERROR), (False, Verdict.SKIPPED)])
def test_without_enough_gpus_nothing_is_started(tmp_path: Path, require: bool, verdict: Verdict) -> None:
    runner = FakeRunner()

    result = stage.run(
        context(tmp_path, runner), job({"name": "u", "run": "t", "gpus": 1}, **{"require-gpu": require})
    )

    assert result.verdict is verdict
    assert "needs 1 GPU(s), 0 seen" in result.reason
    assert ("machine unusable" in result.reason) is require
    assert runner.calls == []


def test_a_misspelt_placeholder_stops_before_the_first_suite(tmp_path: Path) -> None:
    runner = FakeRunner()

    with pytest.raises(ConfigError) as caught:
        stage.run(context(tmp_path, runner), job({"name": "a", "run": "t"}, {"name": "b", "run": "t {jbos}"}))

    assert "did you mean {jobs}?" in caught.value.hint
    assert runner.calls == []


def test_two_suites_of_one_name_do_not_share_files(tmp_path: Path) -> None:
    runner = FakeRunner({"bash": (0, "")})

    result = stage.run(context(tmp_path, runner), job({"name": "u", "run": "a"}, {"name": "u", "run": "b"}))

    assert [suite.log for suite in result.suites] == ["logs/test-u.log", "logs/test-u-2.log"]


def test_the_stage_is_as_bad_as_its_worst_suite(tmp_path: Path) -> None:
    answers = {"bash -c good": (0, "[ RUN      ] A.b\n[       OK ] A.b (1 ms)\n"), "bash -c bad": (3, "")}

    result = stage.run(
        context(tmp_path, FakeRunner(answers)), job({"name": "x", "run": "bad"}, {"name": "y", "run": "good"})
    )

    assert (result.verdict, result.reason) == (Verdict.FAIL, "1 passed; x: exit status 3")


class _Breaking(FakeRunner):
    """Fails for a command that holds `word`, in the way of `error`."""

    def __init__(self, word: str, error: BaseException) -> None:
        super().__init__({"bash": (0, "")})
        self._word, self._error = word, error

    def stream(self, argv: Any, **options: Any) -> Any:
        if self._word in argv[-1]:
            raise self._error
        return super().stream(argv, **options)


def test_a_defect_of_ours_in_one_suite_leaves_the_others_standing(tmp_path: Path) -> None:
    ctx = context(tmp_path, _Breaking("second", KeyError("oops")))
    names = ("first", "second", "third")
    result = stage.run(ctx, job(*({"name": name, "run": name} for name in names)))

    assert [s.verdict is Verdict.ERROR for s in result.suites] == [False, True, False]
    assert "rocm-ci itself failed: KeyError" in result.suites[1].reason
    assert "Traceback" in (result.suites[1].excerpt or "")
    assert result.verdict is Verdict.ERROR


def test_an_interruption_keeps_what_had_finished(tmp_path: Path) -> None:
    ctx = context(tmp_path, _Breaking("second", InterruptedRunError("SIGTERM")))
    names = ("first", "second", "third")
    with pytest.raises(InterruptedRunError) as caught:
        stage.run(ctx, job(*({"name": name, "run": name} for name in names)))

    partial = caught.value.partial
    assert isinstance(partial, TestResult)
    assert [(s.name, s.verdict is Verdict.ERROR) for s in partial.suites] == [
        ("first", False),
        ("second", True),
        ("third", True),
    ]
    assert partial.suites[2].reason == "interrupted by SIGTERM"


@pytest.mark.parametrize(("asked", "ran"), [("a", ["a"]), ("system", ["b"]), ("*", ["a", "b"])])
def test_suites_that_nobody_asked_for_are_skipped_and_say_so(
    tmp_path: Path, asked: str, ran: list[str]
) -> None:
    suites = ({"name": "a", "run": "true"}, {"name": "b", "run": "true", "layer": "system"})
    only = msgspec.structs.replace(job().event, suite=asked)

    result = stage.run(context(tmp_path), replace(job(*suites), event=only))

    skipped = [one for one in result.suites if one.verdict is Verdict.SKIPPED]
    assert [one.name for one in result.suites if one not in skipped] == ran
    assert {one.reason for one in skipped} <= {f"not asked for: only {asked!r} was"}


def test_shards_of_what_turns_out_to_be_a_plain_command_are_refused_before_anything_runs(
    tmp_path: Path,
) -> None:
    runner = FakeRunner()

    with pytest.raises(ConfigError) as caught:
        stage.run(context(tmp_path, runner), job({"name": "u", "run": "./t", "shards": 2}))

    assert "which tests it has" in str(caught.value)
    assert runner.calls == []


def test_why_a_suite_never_started_is_told(tmp_path: Path) -> None:
    ctx = context(tmp_path, FakeRunner({"bash": (0, "")}), FakeGpus(total=2))
    ctx.gpus.free.clear()  # type: ignore[attr-defined]

    result = stage.run(ctx, job({"name": "u", "run": "t", "gpus": 1}, gpus=2, **{"lease-wait": "5s"}))

    assert result.suites[0].verdict is Verdict.ERROR
    assert "machine: waited" in result.suites[0].reason
