"""Control groups as both versions lay them out, in folders that stand for /sys/fs/cgroup."""

from __future__ import annotations

from pathlib import Path

import pytest

from rocm_ci.tools import step_group
from rocm_ci.tools.step_group import StepGroup


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """What stands for /proc/self/cgroup."""
    return tmp_path / "own"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """What stands for /sys/fs/cgroup."""
    folder = tmp_path / "cgroup"
    folder.mkdir()
    return folder


def laid(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    return folder


def test_a_group_of_version_2_is_made_below_our_own(root: Path, own: Path) -> None:
    own.write_text("0::/actions.slice/runner\n")
    parent = laid(root / "actions.slice" / "runner", cgroup__procs="1\n")
    (root / "cgroup.procs").touch()

    group = StepGroup.make("rocm-ci-1", root, own)

    assert group.folders == (str(parent / "rocm-ci-1"),)
    assert (parent / "rocm-ci-1").is_dir()


def test_of_version_1_it_is_the_group_that_counts_memory_and_that_of_version_2_beside_it(
    root: Path, own: Path
) -> None:
    own.write_text("4:memory:/box\n3:cpuset:/box\n2:cpu,cpuacct:/\n1:name=systemd:/\n0::/\n")
    memory = laid(root / "memory" / "box")
    laid(root / "cpuset" / "box")
    unified = laid(root / "unified", cgroup__procs="")

    group = StepGroup.make("rocm-ci-1", root, own)

    assert set(group.folders) == {str(memory / "rocm-ci-1"), str(unified / "rocm-ci-1")}


@pytest.mark.parametrize(
    "text", ["", "0::/../../outside\n", "4:memory:/a/../../outside\n", "rubbish\n", "0::/not/there\n"]
)
def test_without_a_group_of_ours_none_is_made(root: Path, own: Path, tmp_path: Path, text: str) -> None:
    own.write_text(text)
    laid(tmp_path / "outside", cgroup__procs="")
    before = sorted(tmp_path.rglob("*"))

    group = StepGroup.make("rocm-ci-1", root, own)

    assert (group.folders, group.counts_memory, group.oom_kills()) == ((), False, 0)
    assert group.members() == frozenset()
    group.kill()
    group.remove()
    assert sorted(tmp_path.rglob("*")) == before


def test_without_such_a_file_there_are_no_groups(root: Path, own: Path) -> None:
    assert step_group.parents(root, own) == []
    assert step_group.oom_kills(root, own) == 0


def test_a_folder_for_reading_only_makes_none(root: Path, own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own.write_text("0::/\n")
    laid(root, cgroup__procs="")

    def refuses(_self: Path) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Path, "mkdir", refuses)

    assert StepGroup.make("rocm-ci-1", root, own).folders == ()


def test_deaths_for_memory_are_read_as_both_versions_write_them(tmp_path: Path) -> None:
    two = laid(
        tmp_path / "two", memory__events="low 0\nhigh 0\nmax 12\noom 3\noom_kill 2\noom_group_kill 1\n"
    )
    one = laid(tmp_path / "one", memory__oom_control="oom_kill_disable 0\nunder_oom 0\noom_kill 5\n")
    old = laid(tmp_path / "old", memory__oom_control="oom_kill_disable 0\nunder_oom 0\n")

    assert (StepGroup((two,)).counts_memory, StepGroup((two,)).oom_kills()) == (True, 2)
    assert (StepGroup((one,)).counts_memory, StepGroup((one,)).oom_kills()) == (True, 5)
    assert (StepGroup((old,)).counts_memory, StepGroup((old,)).oom_kills()) == (False, 0)
    assert StepGroup((old, two)).oom_kills() == 2


def test_our_own_groups_counter_is_the_one_that_others_share(root: Path, own: Path) -> None:
    own.write_text("4:memory:/box\n0::/\n")
    laid(root / "memory" / "box", memory__oom_control="oom_kill 7\n")

    assert step_group.oom_kills(root, own) == 7


def test_members_are_those_of_all_folders_and_a_process_outside_our_sight_is_none(tmp_path: Path) -> None:
    one = laid(tmp_path / "one", cgroup__procs="12\n13\n0\n")
    two = laid(tmp_path / "two", cgroup__procs="13\n14\n")
    bad = laid(tmp_path / "bad", cgroup__procs="x\n")

    assert StepGroup((one, two, bad, tmp_path / "gone")).members() == {12, 13, 14}


def test_all_members_are_ended_where_the_kernel_can(tmp_path: Path) -> None:
    able = laid(tmp_path / "able", cgroup__kill="")
    StepGroup((able, tmp_path / "gone")).kill()

    assert (able / "cgroup.kill").read_text() == "1"


def test_removing_takes_the_folders_and_gives_up_on_one_that_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(step_group, "_REMOVE_S", 0.0)
    empty, busy = laid(tmp_path / "empty"), laid(tmp_path / "busy", member="")

    StepGroup((busy, empty)).remove()

    assert list(tmp_path.iterdir()) == [busy]
