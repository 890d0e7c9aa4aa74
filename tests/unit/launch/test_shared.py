"""What a container gets of what the runs of a host share, and what it cannot do with it."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rocm_ci.cli import wiring
from rocm_ci.gpu import holder_note, ledger, lock, lock_folder, locker
from rocm_ci.gpu.collect import collect
from rocm_ci.gpu.device import devices
from rocm_ci.gpu.live import LiveReader
from rocm_ci.launch import shared
from rocm_ci.schedule import times
from tests.fakes import FakeRunner
from tests.hosts import FakeMachine
from tests.unit.gpu.hosts import partitions
from tools import pretend

if TYPE_CHECKING:
    from collections.abc import Mapping


class Runner:
    """A host with pretended GPUs, a state folder, and the environment of its job."""

    def __init__(self, folder: Path, gpus: int = 2) -> None:
        self.folder = folder
        pretend.machine(folder / "root", gpus)
        self.machine = FakeMachine(folder / "root")
        (folder / "temp").mkdir()
        self.state = folder / "state"
        self.env = {
            "GITHUB_REPOSITORY": "org/repo",
            "GITHUB_RUN_ID": "12",
            "RUNNER_TEMP": str(folder / "temp"),
            "ROCM_CI_STATE": str(self.state),
        }

    @property
    def scratch(self) -> Path:
        """The folder that the container sees in place of that of the times."""
        (found,) = (self.folder / "temp").iterdir()
        return found


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    return Runner(tmp_path)


@pytest.mark.attack("16", "a folder of the machine made open to all by a link in place of the notes on locks")
def test_a_link_in_place_of_the_notes_leads_nowhere(runner: Runner) -> None:
    theirs = runner.folder / "etc"
    theirs.mkdir(mode=0o755)
    (theirs / "run.parts").touch()
    os.utime(theirs / "run.parts", (0, 0))
    locks = runner.state / "locks"
    locks.mkdir(parents=True)
    locks.chmod(0o1777)
    (locks / "owners").symlink_to(theirs)

    with shared.opened(runner.machine, runner.env, "c"):
        holder_note.write(locks, "gpu-a.lock", holder_note.Note(owner="a", step="b", since="", pid=1))
        there = [path.name for path in theirs.iterdir()]
    holder_note.remove(locks, "gpu-a.lock")

    assert there == ["run.parts"]
    assert theirs.stat().st_mode & 0o7777 == 0o755
    assert (theirs / "run.parts").exists()
    assert holder_note.read(locks, "gpu-a.lock") is None


@pytest.mark.attack("16", "locks and ledger of the host, from inside the container")
def test_locks_and_ledger_can_be_read_and_not_written(runner: Runner) -> None:
    with shared.opened(runner.machine, runner.env, "c") as common:
        locks, state_ledger, kept = runner.state / "locks", runner.state / "ledger", runner.state / "times"
        assert common.mounts == (
            f"type=bind,source={locks},target={locks},readonly",
            f"type=bind,source={state_ledger},target={state_ledger},readonly",
            f"type=bind,source={runner.scratch},target={kept}",
        )
        assert f"ROCM_CI_LOCKS={locks}" in common.told
        assert f"ROCM_CI_STATE={runner.state}" in common.told
    assert list((runner.folder / "temp").iterdir()) == []


def test_every_lock_that_a_run_takes_is_there_before_it(runner: Runner) -> None:
    facts = collect(LiveReader(FakeRunner(), {}, root=runner.folder / "root"))
    known = devices(facts.gpus, runner.folder / "root")
    assert len(known) == 2

    with shared.opened(runner.machine, runner.env, "c"):
        there = {path.name for path in (runner.state / "locks").glob("*.lock")}

    assert {locker.name_of(device) for device in known} <= there
    assert {locker._card(device) for device in known} <= there
    assert locker._GATE in there


def test_locks_of_partitions_are_there_too(tmp_path: Path) -> None:
    nodes = tmp_path / "sys/class/kfd/kfd/topology/nodes"
    for number in range(8):
        (nodes / str(number)).mkdir(parents=True)
        location = pretend._location(number // 4) + number % 4
        (nodes / str(number) / "properties").write_text(
            f"simd_count 1216\nlocation_id {location}\ndomain 0\n"
        )
    known = devices(partitions(2, 4).gpus, tmp_path)

    names = set(shared.lock_names(tmp_path))

    assert {locker.name_of(device) for device in known} | {locker._card(device) for device in known} <= names


def test_a_lock_taken_in_a_folder_for_reading_only_keeps_the_others_off(runner: Runner) -> None:
    with shared.opened(runner.machine, runner.env, "c"):
        folder = runner.state / "locks"
        folder.chmod(0o555)
        name = next(path for path in folder.glob("gpu-*.lock"))
        held = lock.take(name, lock.Mode.ALONE)
        assert held is not None
        assert lock.take(name, lock.Mode.ALONE) is None
        folder.chmod(0o755)


@pytest.mark.parametrize(
    "environment",
    [{}, {"ROCM_CI_STATE": "{}/a"}, {"ROCM_CI_LOCKS": "{}/b", "ROCM_CI_STATE": "{}/a"}],
)
def test_host_and_container_find_the_same_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, environment: Mapping[str, str]
) -> None:
    env = {name: value.format(tmp_path) for name, value in environment.items()} | {"HOME": str(tmp_path)}
    places = (tmp_path / "missing" / "x", tmp_path / "common")
    monkeypatch.setattr(lock_folder, "SHARED", places)
    monkeypatch.setattr(shared, "SHARED", tuple(map(str, places)))

    with shared.opened(FakeMachine(tmp_path), env, "c") as common:
        (tmp_path / "missing").mkdir()

    state = wiring.state_folder(env)
    assert shared.state_folder(env) == state
    found = lock_folder.find(env, state, host=Path("/"))
    assert f"ROCM_CI_LOCKS={found.path}" in common.told
    assert found.path.stat().st_mode & 0o7777 == (0o1777 if not environment else 0o755)


def test_places_hosts_and_times_are_called_the_same_on_both_sides(tmp_path: Path) -> None:
    assert tuple(map(str, lock_folder.SHARED)) == shared.SHARED
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/machine-id").write_text("0123456789abcdef\n")
    assert shared.host_id(tmp_path) == ledger.host_id(tmp_path) != ""
    for repository in ("org/repo", "Org/Repo.x_y", "a b/ü", "-", ""):
        env = {"GITHUB_REPOSITORY": repository}
        assert times._path(tmp_path, repository).name == shared.times_name(env)


def test_who_is_in_a_container_is_told_to_those_that_wait(runner: Runner) -> None:
    locks = runner.state / "locks"
    with shared.opened(runner.machine, runner.env, "c"):
        note = holder_note.read(locks, "gpu-x.lock")
        assert note is not None
        assert note.shown.startswith("org/repo run 12, step container c, since 2")

        with shared.opened(runner.machine, runner.env | {"GITHUB_RUN_ID": "13"}, "d"):
            several = holder_note.read(locks, "gpu-x.lock")
        assert several is not None
        assert "one of 2 containers" in several.owner
    assert holder_note.read(locks, "gpu-x.lock") is None


def test_the_note_of_a_launcher_that_was_killed_goes_away_some_day(runner: Runner) -> None:
    left = runner.state / "locks" / "owners" / "run.old"
    left.parent.mkdir(parents=True)
    left.write_text("{}")
    os.utime(left, (time.time() - 8 * 24 * 3600,) * 2)

    with shared.opened(runner.machine, runner.env, "c"):
        assert not left.exists()


def test_times_go_in_and_come_back_for_this_repository_alone(runner: Runner) -> None:
    name = shared.times_name(runner.env)
    kept = runner.state / "times"
    kept.mkdir(parents=True)
    (kept / name).write_text('{"version": 1}')
    (kept / "other.json").write_text("theirs")

    with shared.opened(runner.machine, runner.env, "c"):
        assert [path.name for path in runner.scratch.iterdir()] == [name]
        (runner.scratch / name).write_text('{"version": 1, "suites": {}}')
        (runner.scratch / "other.json").write_text("forged")
        (runner.scratch / "more").mkdir()

    assert (kept / name).read_text() == '{"version": 1, "suites": {}}'
    assert (kept / "other.json").read_text() == "theirs"
    assert len(list(kept.iterdir())) == 2


@pytest.mark.attack("16", "a trap in place of the recorded times")
@pytest.mark.parametrize("trap", ["link", "pipe", "huge", "folder"])
def test_a_trap_in_place_of_the_times_stays_in_the_container(
    runner: Runner, monkeypatch: pytest.MonkeyPatch, trap: str
) -> None:
    monkeypatch.setattr(shared, "_MAX_TIMES", 1000)
    secret = runner.folder / "secret"
    secret.write_text("secret")

    with shared.opened(runner.machine, runner.env, "c"):
        path = runner.scratch / shared.times_name(runner.env)
        if trap == "link":
            path.symlink_to(secret)
        elif trap == "pipe":
            os.mkfifo(path)
        elif trap == "huge":
            path.write_bytes(b"x" * 1001)
        else:
            path.mkdir()

    assert not (runner.state / "times").exists()


def test_locks_that_cannot_be_shared_are_told_and_the_run_goes_on(
    runner: Runner, capsys: pytest.CaptureFixture[str]
) -> None:
    (runner.folder / "file").touch()
    env = runner.env | {"ROCM_CI_LOCKS": str(runner.folder / "file" / "x")}

    with shared.opened(runner.machine, env, "c") as common:
        assert not any(env["ROCM_CI_LOCKS"] in word for word in (*common.mounts, *common.told))

    said = capsys.readouterr().out
    assert "::warning title=rocm-ci::locks cannot be shared" in said
    assert "name a folder in ROCM_CI_LOCKS" in said


def test_a_folder_that_no_flag_can_name_is_told(runner: Runner, capsys: pytest.CaptureFixture[str]) -> None:
    env = runner.env | {"ROCM_CI_LOCKS": str(runner.folder / "a,readonly=false")}

    with shared.opened(runner.machine, env, "c"):
        pass

    assert "cannot be mounted" in capsys.readouterr().out


def test_the_note_is_plain(runner: Runner) -> None:
    with shared.opened(runner.machine, runner.env, "c"):
        said = json.loads((runner.state / "locks" / "owners" / "run.c").read_text())
    assert set(said) == {"owner", "step", "since", "pid", "boot"}
