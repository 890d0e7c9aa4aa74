"""Which GPUs are kept out now: by the ledger on disk, and by what could not be written there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocm_ci.gpu.device import devices
from rocm_ci.gpu.ledger import Entry, Ledger
from rocm_ci.gpu.ward import Ward
from tests.fakes import FakeClock
from tests.unit.gpu import hosts
from tools import pretend

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

ENVIRONMENT = {"ROCM_CI_HOST_ID": "here"}
GPU = pretend.address(1)


def fault(step: str, gpu: str = GPU) -> Entry:
    return Entry(time="2026-11-30T11:00:00Z", gpu=gpu, label="GPU 1", kind="ecc", run="r", step=step)


def watch(state: Path, environment: Mapping[str, str] = ENVIRONMENT) -> Ward:
    return Ward(state, environment, clock=FakeClock())


def kept_out(one: Ward, state: Path) -> list[str]:
    return [found.gpu for found in one.quarantined(devices(hosts.facts(4).gpus, state))]


def test_faults_in_three_steps_keep_a_gpu_out_and_only_that_one(tmp_path: Path) -> None:
    one = watch(tmp_path)
    assert kept_out(one, tmp_path) == []
    for step in "ab":
        assert one.write(fault(step)) == ""
    assert kept_out(one, tmp_path) == []

    one.write(fault("c"))

    assert kept_out(one, tmp_path) == [GPU]


def test_what_another_run_writes_meanwhile_counts_and_so_does_a_release(tmp_path: Path) -> None:
    one, other = watch(tmp_path), watch(tmp_path)
    assert kept_out(one, tmp_path) == []
    for step in "abc":
        other.write(fault(step))
    assert kept_out(one, tmp_path) == [GPU]

    Ledger(tmp_path, ENVIRONMENT).add(Entry(time="2026-11-30T11:30:00Z", gpu=GPU, released="ada"))

    assert kept_out(one, tmp_path) == []


def test_an_unchanged_ledger_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = watch(tmp_path)
    for step in "abc":
        one.write(fault(step))
    kept_out(one, tmp_path)

    def again(_: Ledger) -> tuple[Entry, ...]:
        message = "it was read again"
        raise AssertionError(message)

    monkeypatch.setattr(Ledger, "entries", again)

    assert kept_out(one, tmp_path) == [GPU]


class TestUnwritable:
    @pytest.fixture
    def full(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def add(*_: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(Ledger, "add", add)

    @pytest.mark.usefixtures("full")
    def test_a_fault_that_cannot_be_written_counts_for_this_run_and_is_told(self, tmp_path: Path) -> None:
        one = watch(tmp_path)

        told = [one.write(fault(step)) for step in "abc"]

        assert kept_out(one, tmp_path) == [GPU]
        assert kept_out(watch(tmp_path), tmp_path) == []
        assert all("is not kept for other runs" in text and "No space left" in text for text in told)

    @pytest.mark.usefixtures("full")
    def test_in_a_container_nothing_is_said_for_the_launcher_writes_it(self, tmp_path: Path) -> None:
        assert watch(tmp_path, {**ENVIRONMENT, "ROCM_CI_IN_CONTAINER": "1"}).write(fault("a")) == ""


def test_the_runner_may_switch_it_off(tmp_path: Path) -> None:
    one = watch(tmp_path, {**ENVIRONMENT, "ROCM_CI_QUARANTINE": "off"})
    for step in "abcdef":
        one.write(fault(step))

    assert kept_out(one, tmp_path) == []


def test_a_rule_that_cannot_be_read_is_told_and_the_default_stands(tmp_path: Path) -> None:
    one = watch(tmp_path, {**ENVIRONMENT, "ROCM_CI_QUARANTINE": "soon"})
    for step in "abc":
        one.write(fault(step))

    assert "write faults/days, like 3/7, or off" in one.problem
    assert kept_out(one, tmp_path) == [GPU]
