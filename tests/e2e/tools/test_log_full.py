"""A disk without room: the command goes on, and its log and its result say what is missing."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from rocm_ci.tools.process import ProcessRunner
from tests import require

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rocm_ci.tools.process import Streamed

PATH = {"PATH": os.environ["PATH"]}
SIZE = 64 * 1024


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A folder with room for 64 KiB."""
    folder = tmp_path / "small"
    folder.mkdir()
    argv = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "none", str(folder)]
    if subprocess.run(argv, capture_output=True, check=False).returncode:
        require.missing("mount", "run as root in a mount namespace of its own")
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


def stream(command: str, log: Path, cwd: Path) -> Streamed:
    return ProcessRunner().stream(["bash", "-c", command], cwd=cwd, env=PATH, timeout_s=120, log=log)


def test_a_full_disk_costs_the_end_of_the_log_and_not_the_command(small: Path, tmp_path: Path) -> None:
    done = stream("seq 100000; touch after; echo last; exit 3", small / "log", tmp_path)

    assert (done.exit_code, done.stopped) == (3, None)
    assert (tmp_path / "after").exists()
    assert done.tail.endswith("99999\n100000\nlast")
    assert done.problem == "the log log is not whole: no space was left for all of it"
    text = (small / "log").read_text()
    assert text.startswith("1\n2\n3\n")
    written, _, note = text.rpartition("\n[")
    missing = int(note.partition(" ")[0])
    assert note.endswith("bytes are missing here: the disk was full]\n")
    assert len(written) + missing == len("".join(f"{n}\n" for n in range(1, 100_001)) + "last\n")


def test_when_there_is_room_again_the_log_goes_on_and_shows_the_gap(small: Path, tmp_path: Path) -> None:
    (small / "ballast").write_bytes(b"x" * (SIZE // 2))
    command = f"seq 10000; sleep 0.3; rm {small}/ballast; echo room; sleep 0.3; echo again"

    done = stream(command, small / "log", tmp_path)

    text = (small / "log").read_text()
    assert done.exit_code == 0
    assert "bytes are missing here: the disk was full]\nroom\nagain\n" in text
    assert "not whole" in done.problem


def test_a_log_that_cannot_be_made_at_all_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    done = stream("echo heard; exit 4", tmp_path / "file" / "log", tmp_path)

    assert (done.exit_code, done.tail) == (4, "heard")
    assert "the log log is not whole" in done.problem
