"""Which files a build made."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from rocm_ci.build import artifacts
from rocm_ci.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path


def names(files: list[Path], root: Path) -> list[str]:
    return [f.relative_to(root).as_posix() for f in files]


def test_globs_match_files_once_in_order(tmp_path: Path) -> None:
    (tmp_path / "build/sub").mkdir(parents=True)
    for name in ("b.so", "a.so", "sub/c.so"):
        (tmp_path / "build" / name).touch()

    files, empty = artifacts.matching(tmp_path, ("build/*.so", "build/**/*.so", "*.hsaco"), option="x")

    assert names(files, tmp_path) == ["build/a.so", "build/b.so", "build/sub/c.so"]
    assert empty == ["*.hsaco"]


def test_links_out_of_the_checkout_and_loops_do_not_count(tmp_path: Path) -> None:
    root = tmp_path / "checkout"
    root.mkdir()
    (tmp_path / "secret.so").touch()
    (root / "out.so").symlink_to(tmp_path / "secret.so")
    (root / "loop.so").symlink_to(root / "loop.so")
    (root / "up").symlink_to(tmp_path)
    (root / "folder.so").mkdir()

    assert artifacts.matching(root, ("*.so", "up/*.so"), option="x") == ([], ["*.so", "up/*.so"])


@pytest.mark.parametrize("pattern", ["/etc/*", "../*.so", "a/../../b", "", "a/**b"])
def test_a_glob_that_leaves_the_checkout_or_is_none_is_a_configuration_error(
    tmp_path: Path, pattern: str
) -> None:
    with pytest.raises(ConfigError, match="artifacts"):
        artifacts.matching(tmp_path, (pattern,), option="build step 'x'")


def test_fresh_files_are_those_written_since(tmp_path: Path) -> None:
    for name, at in (("old.so", 10), ("new.so", 30), ("skip/new.so", 30), (".git/new.so", 30)):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
        os.utime(path, (at, at))

    fresh = artifacts.fresh(tmp_path, 20 * 10**9, skip=(tmp_path / "skip",))

    assert names(fresh, tmp_path) == ["new.so"]
