"""Whether a step gave its GPUs back; nothing that is found is ever ended."""

from __future__ import annotations

import dataclasses
import os
from typing import TYPE_CHECKING

import pytest

from rocm_ci.gpu import drain, holders, vram
from rocm_ci.model.incident import Incident, IncidentKind
from tests.unit.gpu.ill_host import GIB, OURS, Host, WaitingClock

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rocm_ci.gpu.drain import Left
    from rocm_ci.gpu.vram import State


class Step:
    """A step on GPU 1, begun when this is made."""

    def __init__(self, root: Path, *, is_part: bool = False) -> None:
        self.host = Host(root)
        self.device = self.host.watched(1)
        if is_part:
            self.device = dataclasses.replace(self.device, id=f"{self.device.id}/1")
        self.clock = WaitingClock()
        self._before: Mapping[str, State] = {self.device.id: vram.state(self.device, root)}
        self._known = frozenset(c.pid for c in holders.contexts(root))

    def ended(self) -> tuple[list[Incident], list[Left]]:
        return drain.drained(
            [self.device], self._before, self._known, self.host.root, clock=self.clock, within_s=30.0
        )


@pytest.fixture(autouse=True)
def _nothing_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        message = "somebody's process was sent a signal"
        raise AssertionError(message)

    for name in ("kill", "killpg"):
        monkeypatch.setattr(os, name, refuse)


def test_a_step_that_gave_everything_back_costs_no_waiting(tmp_path: Path) -> None:
    step = Step(tmp_path)

    assert step.ended() == ([], [])
    assert step.clock.sleeps == 0


def test_what_a_driver_keeps_for_itself_is_nothing_left(tmp_path: Path) -> None:
    step = Step(tmp_path)
    step.host.takes(1, 400 * 2**20)

    assert step.ended() == ([], [])


def test_memory_that_comes_back_late_is_a_note(tmp_path: Path) -> None:
    step = Step(tmp_path)
    step.host.takes(1, 9 * GIB)
    step.clock.meanwhile = lambda: step.host.takes(1, -9 * GIB) if step.clock.sleeps == 3 else None

    found, rest = step.ended()

    assert [(i.kind, i.is_note, i.is_gpu) for i in found] == [(IncidentKind.VRAM_LEFT, True, False)]
    assert found[0].text.startswith("GPU 1: 9.0 GiB of memory came back only")
    assert rest == []


def test_memory_that_stays_is_the_devices_fault_and_waited_for_no_longer_than_allowed(tmp_path: Path) -> None:
    step = Step(tmp_path)
    step.host.takes(1, 9 * GIB)

    found, rest = step.ended()

    (incident,) = found
    assert (incident.kind, incident.gpu, incident.is_gpu) == (IncidentKind.VRAM_LEFT, "GPU 1", True)
    assert "9.0 GiB more memory than before the step" in incident.text
    assert "no living process that we can see holds it" in incident.text
    assert [one.device for one in rest] == [step.device]
    assert step.clock.sleeps <= 30


def test_the_context_of_an_ended_process_is_a_zombie_of_the_driver(tmp_path: Path) -> None:
    step = Step(tmp_path)
    step.host.context(4711, 1, 184 * GIB, queue=True)

    found, _ = step.ended()

    assert [(i.kind, i.is_gpu) for i in found] == [(IncidentKind.CONTEXT_LEFT, True)]
    assert "the driver still keeps the context of ended process 4711 with 184.0 GiB" in found[0].text


def test_in_a_container_a_left_context_is_told_without_calling_its_process_ended(tmp_path: Path) -> None:
    step = Step(tmp_path)
    step.host.context(4711, 1, GIB)
    (tmp_path / "proc/self/ns/pid").unlink()
    (tmp_path / "proc/self/ns/pid").symlink_to("pid:[4026532999]")

    (incident,), _ = step.ended()

    assert "the context of process 4711" in incident.text


def test_a_context_that_was_there_before_or_belongs_to_another_gpu_is_none_of_ours(tmp_path: Path) -> None:
    host = Host(tmp_path)
    host.context(1, 1, GIB)
    device = host.watched(1)
    before = {device.id: vram.state(device, tmp_path)}
    host.context(2, 2, GIB)
    host.context(3, 1, 0)

    assert drain.left([device], before, frozenset({1}), tmp_path) == []


def test_a_foreign_program_is_named_left_alone_and_no_fault_of_the_device(tmp_path: Path) -> None:
    step = Step(tmp_path)
    step.host.takes(1, 9 * GIB)
    step.host.context(7, 1, 9 * GIB, queue=True)
    step.host.process(7, "blender", "/dev/kfd", "/dev/dri/renderD136")

    (incident,), rest = step.ended()

    assert (incident.kind, incident.is_gpu) == (IncidentKind.VRAM_LEFT, False)
    assert "held by blender (process 7)" in incident.text
    assert rest


def test_a_daemon_that_a_test_left_behind_is_named_and_no_fault_of_the_device(tmp_path: Path) -> None:
    step = Step(tmp_path)
    step.host.takes(1, 9 * GIB)
    step.host.context(7, 1, 9 * GIB)
    step.host.process(7, "server", "/dev/kfd", environ=OURS)

    (incident,), _ = step.ended()

    assert "held by server (process 7)" in incident.text
    assert not incident.is_gpu


def test_a_program_on_another_gpu_is_not_blamed_for_this_one(tmp_path: Path) -> None:
    step = Step(tmp_path)
    step.host.takes(1, 9 * GIB)
    step.host.context(7, 2, 9 * GIB)
    step.host.process(7, "neighbour", "/dev/kfd", "/dev/dri/renderD144")

    (incident,), _ = step.ended()

    assert "neighbour" not in incident.text


def test_many_holders_are_counted(tmp_path: Path) -> None:
    step = Step(tmp_path)
    step.host.takes(1, 9 * GIB)
    for pid in range(20, 30):
        step.host.process(pid, "p", "/dev/dri/renderD136")

    (incident,), _ = step.ended()

    assert incident.text.endswith("p (process 20), p (process 21), p (process 22), p (process 23) and 6 more")


def test_the_memory_of_a_card_says_nothing_of_one_of_its_partitions(tmp_path: Path) -> None:
    step = Step(tmp_path, is_part=True)
    step.host.takes(1, 90 * GIB)

    assert step.ended() == ([], [])


def test_a_device_whose_memory_cannot_be_read_is_no_fault(tmp_path: Path) -> None:
    step = Step(tmp_path)
    step.host.takes(1, 9 * GIB)
    (step.host.device(1) / "mem_info_vram_used").write_text("\n")

    assert step.ended() == ([], [])


@pytest.mark.parametrize(
    ("number", "text"), [(2**30, "1.0 GiB"), (46 * GIB, "46.0 GiB"), (512 * 2**20, "512 MiB"), (0, "0 MiB")]
)
def test_sizes_are_for_people(number: int, text: str) -> None:
    assert drain.size(number) == text
