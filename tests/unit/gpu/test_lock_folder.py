"""Where the locks lie: the first place that all runs of a host can trust."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from rocm_ci.gpu import lock_folder

ROOT = Path("/")


def test_the_runners_own_word_comes_first(tmp_path: Path) -> None:
    environment = {"ROCM_CI_LOCKS": str(tmp_path / "a" / "locks"), "ROCM_CI_STATE": str(tmp_path)}

    found = lock_folder.find(environment, tmp_path, host=ROOT)

    assert found == lock_folder.Folder(path=tmp_path / "a" / "locks")
    assert found.path.is_dir()


def test_a_state_folder_of_its_own_holds_the_locks_too(tmp_path: Path) -> None:
    found = lock_folder.find({"ROCM_CI_STATE": str(tmp_path)}, tmp_path, host=ROOT)

    assert found.path == tmp_path / "locks"


def test_a_machine_that_stands_in_for_one_blocks_no_real_gpu(tmp_path: Path) -> None:
    assert lock_folder.find({}, tmp_path / "state", host=tmp_path).path == tmp_path / "state" / "locks"


def test_the_shared_place_is_for_all_users_and_sticky(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lock_folder, "SHARED", (tmp_path / "missing" / "x", tmp_path / "shared"))

    found = lock_folder.find({}, tmp_path / "state", host=ROOT)

    assert found.path == tmp_path / "shared"
    assert found.path.stat().st_mode & 0o7777 == 0o1777


def test_users_of_different_rights_end_up_in_the_same_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lock_folder, "SHARED", (tmp_path / "run" / "x", tmp_path / "shared"))
    first = lock_folder.find({}, tmp_path / "state", host=ROOT)
    (tmp_path / "run").mkdir()  # as for somebody who may write there

    assert lock_folder.find({}, tmp_path / "state", host=ROOT) == first


@pytest.mark.parametrize("trap", ["link", "file", "open"])
def test_a_trap_in_the_shared_place_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trap: str
) -> None:
    place = tmp_path / "shared"
    if trap == "link":
        (tmp_path / "elsewhere").mkdir()
        place.symlink_to(tmp_path / "elsewhere")
    elif trap == "file":
        place.touch()
    else:
        place.mkdir()
        place.chmod(0o777)
    monkeypatch.setattr(lock_folder, "SHARED", (place,))

    found = lock_folder.find({}, tmp_path / "state", host=ROOT)

    assert found.path != place
    assert str(place) in found.problem
    shutil.rmtree(found.path)


def test_a_network_file_system_has_no_locks_of_this_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = f"36 25 0:32 / / rw - ext4 /dev/sda rw\n40 36 0:45 / {tmp_path} rw - nfs4 server:/home rw\n"
    real = Path.read_text

    def read(path: Path, *args: str, **kwargs: str) -> str:
        return table if str(path) == "/proc/self/mountinfo" else real(path, *args, **kwargs)

    monkeypatch.setattr(Path, "read_text", read)

    found = lock_folder.find({"ROCM_CI_STATE": str(tmp_path)}, tmp_path, host=ROOT)

    assert "network file system (nfs4)" in found.problem
    shutil.rmtree(found.path)
