"""GPU faults during a container's run: from the host's kernel log, and from nowhere else."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from rocm_ci.gpu import kernel_signs
from rocm_ci.gpu.ledger import Ledger, quarantined
from rocm_ci.launch import faults
from tests.hosts import FakeMachine
from tools import pretend

if TYPE_CHECKING:
    from pathlib import Path

    from rocm_ci.gpu.ledger import Entry

ECC = "amdgpu 0000:0c:00.0: amdgpu: 1 uncorrectable hardware errors detected in gfx block"
HUNG = "amdgpu 0000:0c:00.0: amdgpu: ring comp_1.0.0 timeout, signaled seq=1, emitted seq=3"


def machine(where: Path, log: str, *, tool: str = "dmesg") -> FakeMachine:
    """A host that has been up for 100 s and whose kernel has said this."""
    pretend.machine(where / "root", 2)
    (where / "root" / "proc" / "uptime").write_text("100.00 350.00\n")
    return FakeMachine(where / "root", answers={tool: (0, log)})


def ran(one: FakeMachine, where: Path, *, run: str = "12", name: str = "c") -> tuple[Entry, ...]:
    """The ledger after a container."""
    env = {
        "ROCM_CI_STATE": str(where / "state"),
        "GITHUB_REPOSITORY": "org/repo",
        "GITHUB_RUN_ID": run,
    }
    with faults.kept(one, env, name):
        pass
    return Ledger(where / "state", {}, host=where / "root").entries()


def test_an_uncorrectable_error_is_held_against_its_gpu(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (entry,) = ran(machine(tmp_path, f"[  101.500000] {ECC}\n"), tmp_path)

    assert (entry.gpu, entry.kind, entry.run, entry.step) == (
        "0000:0c:00.0",
        "ecc",
        "org/repo run 12",
        "container c",
    )
    assert entry.text == f"[101.500000] {ECC}"
    assert "::warning title=rocm-ci::GPU 0000:0c:00.0 had a fault of its own" in capsys.readouterr().out


def test_the_journal_is_asked_where_dmesg_is_not_for_us(tmp_path: Path) -> None:
    one = machine(tmp_path, f"[  101.500000] host kernel: {ECC}\n", tool="journalctl")

    assert [entry.kind for entry in ran(one, tmp_path)] == ["ecc"]


def test_a_log_that_cannot_be_read_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ran(machine(tmp_path, "", tool="none"), tmp_path) == ()
    assert "kernel log cannot be read" in capsys.readouterr().out


@pytest.mark.parametrize(
    "line",
    [
        f"[   99.000000] {ECC}",
        f"[  101.000000] {HUNG}",
        "[  101.000000] amdgpu 0000:0c:00.0: amdgpu: GPU reset begin!",
        f"[  101.000000] {ECC.replace('0000:0c', '0000:ff')}",
        f"[  101.000000] Out of memory: Killed process 7 ({ECC})",
        "[  101.000000] amdgpu 0000:0c:00.0: amdgpu: 0 uncorrectable hardware errors detected in gfx block",
        f"{ECC}",
    ],
    ids=["before", "hang", "reset", "no GPU of ours", "another's words", "none", "no time"],
)
@pytest.mark.attack("16", "a sound GPU that a change wants in quarantine")
def test_what_a_program_can_bring_about_or_say_is_held_against_no_gpu(tmp_path: Path, line: str) -> None:
    assert ran(machine(tmp_path, line), tmp_path) == ()


@pytest.mark.parametrize("end", ["\n", "\n[  101.000000] ", "\v", "\f", "\x1c", "\x85", "\u2028"])
@pytest.mark.parametrize("stamp", ["", "[  102.000000] "])
@pytest.mark.parametrize("tool", ["dmesg", "journalctl"])
@pytest.mark.attack("16", "a sound GPU in quarantine, by a crash in a file with line ends in its name")
def test_a_name_with_line_ends_in_it_is_held_against_no_gpu(
    tmp_path: Path, end: str, stamp: str, tool: str
) -> None:
    if end == "\n":  # only so do the tools show one: below the beginning of the message
        end = "\n               "
    line = f"[  101.000000] x[7]: segfault at 0 ip 0 sp 0 error 6 in x{end}{stamp}{ECC}[1132,55dd+1000]\n"

    assert ran(machine(tmp_path, line, tool=tool), tmp_path) == ()


def test_runs_that_see_the_same_fault_write_it_once(tmp_path: Path) -> None:
    log = f"[  101.500000] {ECC}\n[  102.000000] {ECC}\n"

    ran(machine(tmp_path, log), tmp_path)

    assert len(ran(machine(tmp_path, log), tmp_path, run="13", name="d")) == 1


def test_three_runs_with_faults_of_their_own_put_the_gpu_into_quarantine(tmp_path: Path) -> None:
    for number in range(3):
        ran(machine(tmp_path, f"[  10{number}.500000] {ECC}\n"), tmp_path, run=str(number), name=str(number))

    (entry, *_) = Ledger(tmp_path / "state", {}, host=tmp_path / "root").entries()
    assert "0000:0c:00.0" in quarantined(tmp_path / "state", {}, entry.time, host=tmp_path / "root")


def test_what_stood_in_the_ledger_stays_and_it_is_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(faults, "_MAX_ENTRIES", 3)
    found: tuple[Entry, ...] = ()
    for number in range(5):
        found = ran(machine(tmp_path, f"[  10{number}.500000] {ECC}\n"), tmp_path, name=str(number))

    assert [entry.step for entry in found] == ["container 2", "container 3", "container 4"]


def test_a_ledger_that_cannot_be_written_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "state").touch()

    ran(machine(tmp_path, f"[  101.500000] {ECC}\n"), tmp_path)

    assert "::warning title=rocm-ci::GPU faults are not kept for other runs" in capsys.readouterr().out


def test_its_signs_are_those_of_the_table() -> None:
    known = [
        (kind, sample)
        for sign in kernel_signs.table()
        if sign.id in ("device-lost", "athub", "uncorrectable", "poison")
        for kind, sample in ((sign.kind, sample) for sample in sign.sample)
        if sample.startswith("amdgpu ")
    ]
    assert len(known) >= 7

    for kind, sample in known:
        assert [k for k, sign in faults._SIGNS if re.search(sign, sample)] == [kind]
    for sign in kernel_signs.table():
        if sign.ambiguous or sign.blame != "machine":
            assert not [k for k, s in faults._SIGNS for sample in sign.sample if re.search(s, sample)], (
                sign.id
            )
