"""Processes that no signal ends: what is proven of them, and whose fault a suite that has one is."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest

from rocm_ci.context import Lease
from rocm_ci.model.case import Ending
from rocm_ci.model.incident import IncidentKind
from rocm_ci.model.verdict import Verdict
from rocm_ci.runners import stuck
from tests.fakes import FakeGpus
from tests.unit.runners.play import OVERDUE, PASS, Does, Play

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rocm_ci.tools.process import Streamed

LEASE = Lease(id="unit-1", devices=("0",), labels=("GPU 0",))


class StuckPlay(Play):
    """What is ended leaves a process behind that no signal ends."""

    def _streamed(self, did: Sequence[tuple[str, Does]], end: Does, log: Path) -> Streamed:
        done = super()._streamed(did, end, log)
        return dataclasses.replace(done, stuck=(4711,)) if end.ends else done


@pytest.fixture(autouse=True)
def proc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(stuck, "PROC", tmp_path / "proc")
    process(tmp_path / "proc", 4711)
    return tmp_path / "proc"


def process(proc: Path, pid: int, state: str = "D", name: str = "python3", where: str = "0") -> None:
    folder = proc / str(pid)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "stat").write_text(f"{pid} ({name}) {state} 1 1 1 0\n")
    (folder / "wchan").write_text(where)


def test_one_that_waits_in_the_kernel_is_told_with_the_place(proc: Path) -> None:
    process(proc, 7, where="amdgpu_fence_wait_polling")

    first, second = stuck.incidents((4711, 7), LEASE)

    assert (first.kind, first.gpu, first.is_gpu, first.is_note) == (
        IncidentKind.STUCK_PROCESS,
        "GPU 0",
        False,
        False,
    )
    assert first.text == "process 4711 (python3) waits in the kernel, and no signal ends it"
    assert "waits in the kernel in amdgpu_fence_wait_polling," in second.text


@pytest.mark.parametrize("state", ["R", "S", "Z", "T"])
def test_one_that_is_only_slow_to_die_proves_nothing(proc: Path, state: str) -> None:
    process(proc, 4711, state)

    assert stuck.incidents((4711, 99), LEASE) == ()


def test_a_name_can_neither_pretend_a_state_nor_break_the_line(proc: Path) -> None:
    process(proc, 4711, "S", "a) D 1 1\n\x1b[31mx")
    process(proc, 7, "D", "b) S 1\n\x1b[31mx")

    (only,) = stuck.incidents((4711, 7), LEASE)

    assert only.text.isprintable()


def test_a_hang_that_no_signal_ends_is_repeated_on_another_gpu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    got = StuckPlay({"a": [OVERDUE, PASS], "b": PASS}).run(tmp_path, monkeypatch)

    assert got.verdict is Verdict.PASS
    assert "GPU 0 kept a process that no signal ends (a): repeated on GPU 1, passed there" in got.reason
    assert [one.kind for one in got.incidents] == [IncidentKind.STUCK_PROCESS]


def test_without_another_gpu_it_is_the_machine_s_and_in_no_ledger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gpus = FakeGpus(total=1)
    got = StuckPlay({"a": OVERDUE, "b": PASS}, gpus=gpus).run(tmp_path, monkeypatch)

    assert (got.verdict, got.cases[0].ending) == (Verdict.ERROR, Ending.MACHINE)
    assert gpus.blamed == []
    assert "process(es) that no signal ends are left" in got.reason


def test_a_suite_without_a_gpu_does_not_speak_of_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    got = StuckPlay({"a": OVERDUE}, options={"gpus": 0}).run(tmp_path, monkeypatch)

    assert got.verdict is Verdict.ERROR
    assert "machine: the machine kept a process that no signal ends" in got.reason
