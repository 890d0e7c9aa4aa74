"""Real processes that contend for pretended GPUs: one holder each, however the holders end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rocm_ci.gpu.ledger import Entry, Ledger
from rocm_ci.launch import shared
from rocm_ci.launch.machine import Machine
from tests import require
from tests.e2e.command import scrubbed
from tools import pretend

if TYPE_CHECKING:
    from collections.abc import Iterator

# Only a guard against hanging for ever; no test waits for it.
GUARD_S = 120.0
# Marks each GPU that it sees as busy, and fails when one is already.
WORKER = """\
import os, sys, time
places = [os.path.join(sys.argv[1], gpu.replace("/", "-")) for gpu in os.environ["ROCM_CI_GPU_IDS"].split(",")]
for place in places:
    os.close(os.open(place, os.O_CREAT | os.O_EXCL))
time.sleep(0.1)
for place in places:
    os.unlink(place)
"""
# Says that it has begun, and waits to be told to end.
HOLDER = "echo began; read -r _"


@dataclass(frozen=True)
class Host:
    """A pretended machine with a state folder, and the command line on it."""

    folder: Path
    gpus: int

    @property
    def environment(self) -> dict[str, str]:
        return scrubbed(
            PATH=f"{self.folder / 'bin'}:{os.environ['PATH']}",
            ROCM_CI_SYSROOT=str(self.folder / "root"),
            ROCM_CI_STATE=str(self.folder / "state"),
        )

    def start(self, *args: str, **more: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "rocm_ci", *args],
            env=self.environment | more,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def call(self, *args: str, **more: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", "rocm_ci", *args],
            env=self.environment | more,
            capture_output=True,
            text=True,
            timeout=GUARD_S,
            check=False,
        )
        assert "Traceback" not in done.stderr, done.stderr
        return done

    def listed(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(self.call("lease", "--list", "--format", "json").stdout)[
            "gpus"
        ]
        return found


def host(folder: Path, gpus: int) -> Host:
    pretend.machine(folder / "root", gpus)
    (folder / "bin").mkdir()
    pretend.rocminfo(folder / "bin", gpus)
    return Host(folder=folder, gpus=gpus)


@pytest.fixture
def two(tmp_path: Path) -> Host:
    return host(tmp_path, 2)


@pytest.fixture
def held(two: Host) -> Iterator[subprocess.Popen[str]]:
    """Both GPUs, by a command that has begun."""
    holder = two.start("lease", "--gpus", "2", "--name", "jane", "--", "sh", "-c", HOLDER)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "began\n"
    yield holder
    if holder.poll() is None:
        holder.kill()
    holder.communicate(timeout=GUARD_S)


def test_many_that_contend_never_share_a_gpu_and_all_get_theirs(two: Host, tmp_path: Path) -> None:
    busy = tmp_path / "busy"
    busy.mkdir()
    contenders = [
        two.start("lease", "--gpus", wanted, "--", sys.executable, "-c", WORKER, str(busy))
        for wanted in ("1", "2", "1", "1", "2", "1")
    ]

    for one in contenders:
        _, said = one.communicate(timeout=GUARD_S)
        assert one.returncode == 0, said
    assert list(busy.iterdir()) == []


def test_who_has_to_wait_is_told_for_whom_and_then_gets_it(two: Host, held: subprocess.Popen[str]) -> None:
    waiting = two.start("lease", "--", "sh", "-c", "echo $ROCR_VISIBLE_DEVICES")
    assert waiting.stderr is not None
    while "waiting for 1 GPU(s)" not in (line := waiting.stderr.readline()):
        assert line, "it ended without waiting"
    assert "by jane, since " in line

    held.communicate("\n", timeout=GUARD_S)

    out, _ = waiting.communicate(timeout=GUARD_S)
    assert (waiting.returncode, out) == (0, "0\n")


def test_a_holder_that_is_killed_frees_its_gpus(two: Host, held: subprocess.Popen[str]) -> None:
    assert [one["state"] for one in two.listed()] == ["leased", "leased"]

    held.send_signal(signal.SIGKILL)
    held.wait(GUARD_S)

    assert [one["state"] for one in two.listed()] == ["free", "free"]
    assert two.call("lease", "--gpus", "2", "--wait", "0", "--", "true").returncode == 0


def test_gpus_stay_leased_as_long_as_anything_that_was_started_with_them_runs(two: Host) -> None:
    done = two.call("lease", "--", "sh", "-c", "sleep 1000 >/dev/null 2>&1 & echo $!")
    left = int(done.stdout)
    try:
        assert [one["state"] for one in two.listed()] == ["leased", "free"]
    finally:
        os.kill(left, signal.SIGKILL)
    end = time.monotonic() + GUARD_S
    while [one["state"] for one in two.listed()] != ["free", "free"]:
        assert time.monotonic() < end


def test_none_is_free_in_time_is_a_fault_of_the_machine(two: Host, held: subprocess.Popen[str]) -> None:
    done = two.call("lease", "--wait", "0", "--", "true")

    assert done.returncode == 3
    assert "1 GPU(s) are not free after 0 s" in done.stderr
    assert "by jane, since" in done.stderr
    assert "→ give --wait more time" in done.stderr
    assert held.poll() is None


def test_the_command_is_as_if_it_had_been_started_directly(two: Host) -> None:
    assert two.call("lease", "--", "sh", "-c", "exit 42").returncode == 42
    assert two.call("lease", "--", "sh", "-c", "kill -TERM $$").returncode == -signal.SIGTERM
    assert two.call("lease", "--", "sh", "-c", "yes | head -1").stdout == "y\n"
    ignored = two.call("lease", "--", "sh", "-c", "grep SigIgn /proc/self/status").stdout.split()[1]
    assert int(ignored, 16) & (1 << (signal.SIGPIPE - 1)) == 0


def test_the_command_sees_what_was_leased_and_not_one_gpu_by_mistake(two: Host) -> None:
    said = two.call("lease", "--gpus", "0", "--", "rocminfo").stdout
    assert "gfx942" not in said

    said = two.call("lease", "--gpus", "1", "--", "rocminfo").stdout
    assert said.count("Name:                    gfx942") == 1


def test_a_runtime_that_sees_something_else_stops_the_command(two: Host) -> None:
    pretend.rocminfo(two.folder / "bin", 2).write_text(
        "#!/bin/sh\ncat " + str(two.folder / "bin/.rocminfo/head")
    )

    done = two.call("lease", "--", "sh", "-c", "echo ran")

    assert done.returncode == 3
    assert "ran" not in done.stdout
    assert "1 GPU(s) were allocated" in done.stderr


def test_a_folder_for_locks_that_is_full_is_no_lease(two: Host, tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k,nr_inodes=2", "none", small],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        require.missing("mount", "run as root in a mount namespace of its own")
    try:
        done = two.call("lease", "--", "sh", "-c", "echo ran", ROCM_CI_LOCKS=str(small))
    finally:
        subprocess.run(["umount", small], check=True)

    assert (done.returncode, done.stdout) == (3, "")
    assert "No space left on device" in done.stderr
    assert "nobody would honour this lease" in done.stderr


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("lease",), "no command is given"),
        (("lease", "--", "no-such-program"), "no-such-program is no program on PATH"),
        (("lease", "--wait", "soon", "--", "true"), "--wait soon is no duration"),
        (("lease", "--list", "--", "true"), "--list runs no command"),
        (("ledger", "--release", "0000:99:00.0"), "the ledger knows no GPU 0000:99:00.0"),
    ],
)
def test_a_mistake_of_the_user_is_one(two: Host, args: tuple[str, ...], words: str) -> None:
    done = two.call(*args)

    assert done.returncode == 2
    assert words in done.stderr
    assert "→" in done.stderr


def test_a_lease_within_a_lease_would_wait_for_itself(two: Host) -> None:
    done = two.call("lease", "--", sys.executable, "-m", "rocm_ci", "lease", "--", "true")

    assert done.returncode == 2
    assert "this runs within a lease already" in done.stderr


def test_a_machine_without_gpus_has_none_to_lease(tmp_path: Path) -> None:
    bare = host(tmp_path, 0)

    assert bare.call("lease", "--list").stdout == "no AMD GPU is here\n"
    assert bare.call("lease", "--", "true").returncode == 3


def test_the_ledger_shows_what_is_in_quarantine_and_lets_it_go(two: Host) -> None:
    assert "no GPU of this host has a fault on record" in two.call("ledger").stdout
    bad = pretend.address(0)
    for step in ("a", "b", "c"):
        Ledger(two.folder / "state", {}, host=two.folder / "root").add(
            Entry(
                time=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
                gpu=bad,
                label="GPU 0 (MI300X)",
                kind="gpu-hang",
                run="org/repo run 7",
                step=step,
                text="ring timeout\nforged line",
            )
        )

    shown = two.call("ledger").stdout
    assert shown.startswith("GPU 0 (MI300X)  in quarantine\n")
    assert "\nforged" not in shown
    assert f"rocm-ci ledger --release {bad}" in shown
    assert [one["state"] for one in two.listed()] == ["quarantine", "free"]
    assert two.call("lease", "--gpus", "2", "--", "true").returncode == 3

    released = two.call("ledger", "--release", bad, "--format", "json", USER="jane")

    (record,) = json.loads(released.stdout)
    assert (record["quarantine"], record["newest"][-1]["released"]) == (False, "jane")
    assert two.call("lease", "--gpus", "2", "--", "true").returncode == 0


def test_the_ledger_shows_what_we_did_to_a_gpu_and_holds_it_against_nobody(two: Host) -> None:
    for step in ("a", "b", "c"):
        Ledger(two.folder / "state", {}, host=two.folder / "root").add(
            Entry(
                time="2026-11-30T12:00:00Z",
                gpu=pretend.address(0),
                label="GPU 0 (MI300X)",
                kind="gpu-reset",
                step=step,
                text="GPU 0 was reset with amd-smi",
                note=True,
            )
        )

    shown = two.call("ledger").stdout

    assert shown.startswith("GPU 0 (MI300X)  0 of 3 faulty steps\n")
    assert "2026-11-30T12:00:00Z  gpu-reset (note)  a  GPU 0 was reset with amd-smi\n" in shown
    assert [one["state"] for one in two.listed()] == ["free", "free"]


def test_writers_at_the_same_time_lose_no_fault(two: Host) -> None:
    write = (
        "import sys; from pathlib import Path; from rocm_ci.gpu.ledger import Entry, Ledger\n"
        "for n in range(10):\n"
        "    Ledger(Path(sys.argv[1]), {}).add(Entry(time='', gpu=sys.argv[2], step=str(n)))"
    )
    writers = [
        subprocess.Popen([sys.executable, "-c", write, two.folder / "state", f"gpu-{n}"]) for n in range(4)
    ]
    for one in writers:
        assert one.wait(GUARD_S) == 0

    entries = Ledger(two.folder / "state", {}).entries()
    for n in range(4):
        assert [e.step for e in entries if e.gpu == f"gpu-{n}"] == [str(step) for step in range(10)]


def test_a_lease_in_a_container_is_one_for_the_whole_host(two: Host, tmp_path: Path) -> None:
    locks = two.folder / "state" / "locks"
    env = two.environment | {
        "GITHUB_REPOSITORY": "org/repo",
        "GITHUB_RUN_ID": "12",
        "RUNNER_TEMP": str(tmp_path),
    }
    # What docker does with the mount, without docker: a mount of its own, for reading only.
    inside = [
        "unshare", "--mount", "sh", "-ec",
        'mount --bind "$0" "$0"; mount -o remount,ro,bind "$0"; ! touch "$0/probe" 2>/dev/null; exec "$@"',
    ]  # fmt: skip
    if subprocess.run([*inside, tmp_path, "true"], capture_output=True, check=False).returncode:
        require.missing("unshare", "run as root in a mount namespace of its own")
    with shared.opened(Machine(two.folder / "root"), env, "c") as common:
        told = dict(word.split("=", 1) for word in common.told)
        holder = subprocess.Popen(
            [*inside, locks, sys.executable, "-m", "rocm_ci", "lease", "--", "sh", "-c", HOLDER],
            env=env | told | {"ROCM_CI_IN_CONTAINER": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert holder.stdout is not None
        assert holder.stdout.readline() == "began\n"

        first, second = two.listed()
        refused = two.call("lease", "--gpus", "2", "--wait", "0", "--", "true")
        beside = two.call("lease", "--", "sh", "-c", "echo $ROCR_VISIBLE_DEVICES")

        holder.communicate("\n", timeout=GUARD_S)

    assert (first["state"], second["state"]) == ("leased", "free")
    assert first["why"].startswith("by org/repo run 12, step container c, since")
    assert refused.returncode == 3
    assert beside.stdout == "1\n"
    assert [one["state"] for one in two.listed()] == ["free", "free"]
