"""Who holds a GPU: readable, and never believed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from rocm_ci.gpu import holder_note
from rocm_ci.gpu.holder_note import Note

if TYPE_CHECKING:
    from pathlib import Path

MINE = Note(owner="org/repo run 12", step="unit", since="2026-11-30T12:00:00Z", pid=4711, boot="b")


def test_a_note_comes_back_and_goes_away(tmp_path: Path) -> None:
    holder_note.write(tmp_path, "gpu", MINE)
    assert holder_note.read(tmp_path, "gpu") == MINE
    assert MINE.shown == "org/repo run 12, step unit, since 2026-11-30T12:00:00Z"

    holder_note.remove(tmp_path, "gpu")

    assert holder_note.read(tmp_path, "gpu") is None


def test_the_newest_of_several_users_notes_counts(tmp_path: Path) -> None:
    holder_note.write(tmp_path, "gpu", MINE)
    other = tmp_path / "owners" / "gpu.4242"
    other.write_text('{"owner": "other", "step": "", "since": "", "pid": 1, "boot": ""}')
    os.utime(other, (2e9, 2e9))

    found = holder_note.read(tmp_path, "gpu")

    assert found is not None
    assert found.owner == "other"


@pytest.mark.parametrize(
    "content",
    [b"", b"\x00\xff", b"[" * 4000, b'{"owner": 1}', b"null", b'{"pid": "x", "owner": "", "step": ""}'],
)
def test_garbage_is_no_note(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "owners").mkdir()
    (tmp_path / "owners" / "gpu.0").write_bytes(content)

    assert holder_note.read(tmp_path, "gpu") is None


def test_what_a_stranger_wrote_moves_no_cursor_and_is_short(tmp_path: Path) -> None:
    holder_note.write(tmp_path, "gpu", Note(owner="\x1b[2J" + "x" * 3000, step="", since="", pid=1))

    found = holder_note.read(tmp_path, "gpu")

    assert found is not None
    assert "\x1b" not in found.shown
    assert len(found.owner) == 120


def test_links_and_pipes_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "owners").mkdir()
    secret = tmp_path / "secret"
    secret.write_text('{"owner": "secret", "step": "", "since": "", "pid": 1, "boot": ""}')
    (tmp_path / "owners" / "gpu.1").symlink_to(secret)
    os.mkfifo(tmp_path / "owners" / "gpu.2")

    assert holder_note.read(tmp_path, "gpu") is None


def test_a_folder_that_cannot_be_written_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "owners").touch()

    holder_note.write(tmp_path, "gpu", MINE)
    holder_note.remove(tmp_path, "gpu")

    assert holder_note.read(tmp_path, "gpu") is None


def test_notes_are_not_written_through_a_link_that_somebody_put_in_their_place(tmp_path: Path) -> None:
    locks, elsewhere = tmp_path / "locks", tmp_path / "elsewhere"
    locks.mkdir()
    elsewhere.mkdir()
    (locks / "owners").symlink_to(elsewhere)

    holder_note.write(locks, "gpu", MINE)

    assert list(elsewhere.iterdir()) == []
    assert holder_note.read(locks, "gpu") is None
