"""What the runs of a suite leave behind and pass on: kept files, GPUs that were in trouble, bystanders."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest

from rocm_ci.model.case import CaseStatus
from rocm_ci.model.incident import IncidentKind
from rocm_ci.model.verdict import Verdict
from rocm_ci.runners.live import Seen
from tests.fakes import FakeGpus
from tests.unit.runners.play import CRASH, FAIL, OVERDUE, PASS, Does, Play

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import Any

    from rocm_ci.runners.attempt import Attempt
    from rocm_ci.tools.process import Streamed


class Dumping(Play):
    """A crash leaves a core dump beside the log."""

    def _streamed(self, did: Sequence[tuple[str, Does]], end: Does, log: Path) -> Streamed:
        done = super()._streamed(did, end, log)
        return dataclasses.replace(done, cores=(log.with_suffix(".core-1"),)) if end.ends else done


class Crowded(Play):
    """Beside the test that overruns another one runs, which has done nothing wrong."""

    def _attempt(self, *args: Any, **named: Any) -> Attempt | None:
        done = super()._attempt(*args, **named)
        if done is None or done.overdue is None:
            return done
        beside = Seen("b", "b", "b")
        done.watch.seen["b"] = done.watch.open["b"] = beside
        rest = tuple(one for one in done.unrun or () if one.id != "b")
        return dataclasses.replace(done, running=(*done.running, beside), unrun=rest)


@pytest.mark.parametrize(
    ("does", "kept"),
    [
        (PASS, ()),
        ([FAIL, PASS], ("logs/1.kernel.log",)),
        (Does(troubles=(IncidentKind.GPU_HANG,)), ("logs/1.kernel.log",)),
    ],
)
def test_the_kernel_s_messages_are_kept_where_something_went_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, does: Any, kept: tuple[str, ...]
) -> None:
    gpus = FakeGpus(total=1, kernel_says="amdgpu: ring timeout\n")
    got = Play({"a": does}, gpus=gpus).run(tmp_path, monkeypatch)

    assert got.kept == kept
    for path in kept:
        assert (tmp_path / "out" / path).read_text() == "amdgpu: ring timeout\n"


def test_the_core_dump_of_a_crash_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Dumping({"a": [CRASH, PASS]}).run(tmp_path, monkeypatch).kept == ("logs/1.core-1",)


def test_who_runs_beside_a_test_that_overruns_is_run_again_and_not_to_blame(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play = Crowded({"a": OVERDUE, "b": PASS, "c": PASS}, options={"test-timeout": "5s", "retries": 0})
    got = play.run(tmp_path, monkeypatch)

    assert {case.id: case.status for case in got.cases} == {
        "a": CaseStatus.ERRORED,
        "b": CaseStatus.PASSED,
        "c": CaseStatus.PASSED,
    }
    assert [tests for tests, _ in play.runs] == [("a", "b", "c"), ("b", "c")]


def test_the_trouble_of_one_gpu_excuses_nothing_on_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second test only looks like a dead GPU's, on a GPU that did nothing."""
    hang = Does(ends="overdue", troubles=(IncidentKind.GPU_HANG,))
    words = Does(status=CaseStatus.FAILED, prints="HIP error: unspecified launch failure (719)")
    got = Play({"a": [hang, PASS], "b": words}).run(tmp_path, monkeypatch)

    assert got.verdict is Verdict.FAIL
    assert {case.id: case.status for case in got.cases} == {"a": CaseStatus.PASSED, "b": CaseStatus.FAILED}
