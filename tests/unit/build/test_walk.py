"""The files of a checkout."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.build import walk

if TYPE_CHECKING:
    from pathlib import Path


def listed(root: Path, **options: object) -> list[str]:
    return [p.relative_to(root).as_posix() for p in walk.files(root, **options)]  # type: ignore[arg-type]


def test_shallow_files_come_first_and_hidden_and_vendored_folders_are_left_out(tmp_path: Path) -> None:
    for name in ("z.c", "a/b.c", ".git/x", "third_party/v.c", "a/CMakeFiles/probe.o", "node_modules/n.js"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()

    assert listed(tmp_path) == ["z.c", "a/b.c"]
    assert listed(tmp_path, vendored=True) == ["z.c", "a/b.c", "third_party/v.c"]
    assert listed(tmp_path, skip=(tmp_path / "a",)) == ["z.c"]


def test_links_are_not_followed_and_there_is_an_end(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "file").symlink_to("/etc/passwd")
    for i in range(20):
        (tmp_path / f"f{i:02}").touch()

    assert len(listed(tmp_path)) == 20
    assert len(listed(tmp_path, limit=5)) == 5


def test_a_folder_that_is_gone_has_no_files(tmp_path: Path) -> None:
    assert listed(tmp_path / "gone") == []
