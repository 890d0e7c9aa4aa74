"""Replacing a file: whole, with its mode, never through a link, never what somebody else just saved."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from rocm_ci.tools.rewrite import RefusedError, rewrite

if TYPE_CHECKING:
    from pathlib import Path


def left_over(root: Path) -> list[str]:
    return [p.name for p in root.rglob("*") if p.name.endswith("part")]


@pytest.mark.parametrize("mode", [0o644, 0o755, 0o600, 0o664])
def test_the_content_changes_and_the_mode_stays(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "src" / "a b.sh"
    path.parent.mkdir()
    path.write_bytes(b"old")
    path.chmod(mode)

    rewrite(tmp_path, "src/a b.sh", b"old", b"new")

    assert (path.read_bytes(), path.stat().st_mode & 0o7777) == (b"new", mode)
    assert left_over(tmp_path) == []


def test_a_name_that_is_no_utf8_is_a_name(tmp_path: Path) -> None:
    name = b"a\xff\n.c".decode("utf-8", "surrogateescape")
    (tmp_path / name).write_bytes(b"old")

    rewrite(tmp_path, name, b"old", b"new")

    assert (tmp_path / name).read_bytes() == b"new"


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(b"old")
    (tmp_path / "root" / "real").mkdir(parents=True)
    (tmp_path / "root" / "link").symlink_to(outside)
    (tmp_path / "root" / "folder").symlink_to(tmp_path)

    for path in ("link", "folder/outside"):
        with pytest.raises(RefusedError):
            rewrite(tmp_path / "root", path, b"old", b"new")

    assert outside.read_bytes() == b"old"
    assert (tmp_path / "root" / "link").is_symlink()


@pytest.mark.parametrize("path", ["../a", "/etc/passwd", "a/../../b", "./a", "", "a//b", "a\0b"])
def test_a_path_that_leaves_the_tree_is_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(RefusedError, match="leaves the project"):
        rewrite(tmp_path, path, b"old", b"new")


def test_a_file_that_changed_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"older and longer")

    with pytest.raises(RefusedError, match="changed since it was read"):
        rewrite(tmp_path, "a", b"older", b"new")

    assert (tmp_path / "a").read_bytes() == b"older and longer"


def test_a_file_that_is_saved_while_we_write_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_bytes(b"old")
    sync = os.fsync

    def saved_meanwhile(handle: int) -> None:
        sync(handle)
        (tmp_path / "a").write_bytes(b"theirs")

    monkeypatch.setattr(os, "fsync", saved_meanwhile)
    with pytest.raises(RefusedError, match="changed since"):
        rewrite(tmp_path, "a", b"old", b"new")

    assert (tmp_path / "a").read_bytes() == b"theirs"
    assert left_over(tmp_path) == []


def test_what_is_read_only_no_file_or_gone_is_refused(tmp_path: Path) -> None:
    (tmp_path / "kept").write_bytes(b"old")
    (tmp_path / "kept").chmod(0o444)
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")

    for path, reason in [
        ("kept", "read-only"),
        ("folder", "plain file"),
        ("pipe", "plain file"),
        ("gone", "no such file"),
    ]:
        with pytest.raises(RefusedError, match=reason):
            rewrite(tmp_path, path, b"old", b"new")

    assert (tmp_path / "kept").read_bytes() == b"old"


def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_bytes(b"old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(RefusedError, match="no space left"):
        rewrite(tmp_path, "a", b"old", b"new")

    assert (tmp_path / "a").read_bytes() == b"old"
    assert left_over(tmp_path) == []
