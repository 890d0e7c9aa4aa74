"""A log on a disk that is full for a while: every lost byte is counted, where it is missing."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import pytest

from rocm_ci.tools.log_file import LogFile

if TYPE_CHECKING:
    from pathlib import Path


class Disk:
    """Room for so many bytes more; `why` is the error when there is none."""

    def __init__(self, room: int, why: int = errno.ENOSPC) -> None:
        self.room, self.why = room, why
        self._write, self._truncate = os.write, os.ftruncate

    def write(self, descriptor: int, data: bytes) -> int:
        if not self.room and data:
            raise OSError(self.why, os.strerror(self.why))
        done = self._write(descriptor, bytes(data[: self.room]))
        self.room -= done
        return done

    def truncate(self, descriptor: int, size: int) -> None:
        self.room += os.fstat(descriptor).st_size - size
        self._truncate(descriptor, size)


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    made = Disk(1_000_000)
    monkeypatch.setattr(os, "write", made.write)
    monkeypatch.setattr(os, "ftruncate", made.truncate)
    return made


def test_what_fits_is_written_as_it_is(tmp_path: Path) -> None:
    log = LogFile(tmp_path / "deep" / "a.log")
    assert log.write(b"one\n") == 4
    assert log.write(b"two\xff\n") == 5
    log.close()
    log.close()

    assert (tmp_path / "deep" / "a.log").read_bytes() == b"one\ntwo\xff\n"
    assert log.problem == ""


def test_a_gap_is_shown_where_it_is(tmp_path: Path, disk: Disk) -> None:
    log = LogFile(tmp_path / "a.log")
    disk.room = 4
    assert log.write(b"abcdef") == 6
    assert log.write(b"ghi") == 3
    disk.room = 1000
    log.write(b"back")
    log.close()

    note = b"\n[5 bytes are missing here: the disk was full]\n"
    assert (tmp_path / "a.log").read_bytes() == b"abcd" + note + b"back"
    assert log.problem == "the log a.log is not whole: no space was left for all of it"
    assert log.met_full_disk


def test_the_end_gives_up_its_last_lines_for_the_note(tmp_path: Path, disk: Disk) -> None:
    log = LogFile(tmp_path / "a.log")
    disk.room = 10_000
    log.write(b"x" * 12_345)
    log.close()

    text = (tmp_path / "a.log").read_bytes()
    assert text == b"x" * (10_000 - 4096) + b"\n[6441 bytes are missing here: the disk was full]\n"


def test_a_note_that_does_not_fit_leaves_no_half_of_itself(tmp_path: Path, disk: Disk) -> None:
    log = LogFile(tmp_path / "a.log")
    disk.room = 4
    log.write(b"abcdef")
    disk.room = 10
    log.write(b"ghi")
    disk.room = 1000
    log.write(b"!")
    log.close()

    assert (tmp_path / "a.log").read_bytes() == (b"abcd\n[5 bytes are missing here: the disk was full]\n!")


def test_a_disk_that_fails_is_told_by_its_own_words(tmp_path: Path, disk: Disk) -> None:
    log = LogFile(tmp_path / "a.log")
    disk.room, disk.why = 0, errno.EIO
    log.write(b"abc")
    disk.room = 1000
    log.close()

    assert (tmp_path / "a.log").read_bytes() == b"\n[3 bytes are missing here: Input/output error]\n"
    assert log.problem == "the log a.log is not whole: Input/output error"


def test_a_log_that_cannot_be_made_takes_everything_and_keeps_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    log = LogFile(tmp_path / "file" / "a.log")
    assert log.write(b"abc") == 3
    log.close()

    assert log.problem.startswith("the log a.log is not whole: ")
