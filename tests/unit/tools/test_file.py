"""Files where a stranger's code can reach: what stands in the way is replaced, never followed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rocm_ci.errors import UsageError
from rocm_ci.tools import file


def link(path: Path) -> None:
    path.symlink_to(path.parent.parent / "outside")


def folder(path: Path) -> None:
    (path / "inside").mkdir(parents=True)


def text(path: Path) -> None:
    path.write_text("old")


@pytest.mark.parametrize("at", ["report.json", ".report.json.part"])
@pytest.mark.parametrize("obstacle", [link, folder, text, os.mkfifo])
def test_a_file_is_written_whole_whatever_stood_there(tmp_path: Path, at: str, obstacle: object) -> None:
    out = tmp_path / "out"
    out.mkdir()
    obstacle(out / at)  # type: ignore[operator]

    file.write(out / "report.json", b"new")

    assert (out / "report.json").read_bytes() == b"new"
    assert [p.name for p in out.iterdir()] == ["report.json"]
    assert not (tmp_path / "outside").exists()


@pytest.mark.parametrize("obstacle", [link, folder, os.mkfifo])
def test_only_a_regular_file_is_read(tmp_path: Path, obstacle: object) -> None:
    (tmp_path / "outside").write_text("secret")
    (tmp_path / "out").mkdir()
    obstacle(tmp_path / "out" / "log")  # type: ignore[operator]

    assert file.read(tmp_path / "out" / "log") is None
    assert file.read(tmp_path / "out" / "nothing") is None


def prepared(path: Path, root: Path) -> None:
    file.output_folder(path, root, files=("report.json",), folders=("logs",))


def test_a_report_that_the_checkout_brings_along_is_gone(tmp_path: Path) -> None:
    out = tmp_path / "out"
    (tmp_path / "elsewhere").mkdir()
    out.mkdir()
    (out / "report.json").write_text("{}")
    (out / ".report.json.part").write_text("{}")
    (out / "logs").symlink_to(tmp_path / "elsewhere")
    (out / "mine").write_text("kept")
    prepared(out, tmp_path)

    assert [p.name for p in out.iterdir()] == ["mine"]
    assert (tmp_path / "elsewhere").is_dir()


def test_a_new_folder_in_the_checkout_is_ignored_by_git(tmp_path: Path) -> None:
    prepared(tmp_path / "out", tmp_path)
    prepared(tmp_path / "out", tmp_path)

    assert (tmp_path / "out" / ".gitignore").read_text() == "*\n"


def test_the_folder_is_not_looked_for_behind_a_link_of_the_checkout(tmp_path: Path) -> None:
    root = tmp_path / "checkout"
    root.mkdir()
    (tmp_path / "elsewhere").mkdir()
    (root / "out").symlink_to(tmp_path / "elsewhere")

    for path in (root / "out", root / "out" / "deeper"):
        with pytest.raises(UsageError, match="symbolic link"):
            prepared(path, root)
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("name", [".", ".."])
def test_the_checkout_itself_is_no_output_folder(tmp_path: Path, name: str) -> None:
    root = tmp_path / "a"
    root.mkdir()
    with pytest.raises(UsageError, match="holds the checkout itself"):
        prepared(Path(os.path.normpath(root / name)), root)


def test_a_folder_that_cannot_be_made_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be used"):
        prepared(tmp_path / "file" / "out", tmp_path)
