"""From the path a tool printed to the file in the checkout."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocm_ci.build.locate import Locator

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("src/a.hip", "csrc/deep/b.hip", "lib/c.cpp", "other/c.cpp"):
        path = tmp_path / "checkout" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (tmp_path / "secret.h").touch()
    return tmp_path / "checkout"


@pytest.mark.parametrize(
    ("raw", "inside"),
    [
        ("src/a.hip", "src/a.hip"),
        ("./src/../src/a.hip", "src/a.hip"),
        ("../src/a.hip", "src/a.hip"),
        ("../../src/a.hip", "src/a.hip"),
        ("{root}/src/a.hip", "src/a.hip"),
        ("/tmp/pip-req-build-x1y2/csrc/deep/b.hip", "csrc/deep/b.hip"),
        ("/tmp/tmpabc/demo-1.0/csrc/deep/b.hip", "csrc/deep/b.hip"),
        ("{root}/../secret.h", None),
        ("../secret.h", None),
        ("/usr/include/stdio.h", None),
        ("<built-in>", None),
        ("src", None),
        ("a\0b", None),
        ("x" * 5000, None),
    ],
)
def test_paths_are_relative_where_they_lie_inside(root: Path, raw: str, inside: str | None) -> None:
    assert Locator(root).inside(raw.format(root=root)) == inside


def test_make_says_in_which_folder_it_is(root: Path) -> None:
    locator = Locator(root)
    assert locator.inside("c.cpp") is None

    locator.note_folder(f"make[1]: Entering directory '{root}/lib'")
    assert locator.inside("c.cpp") == "lib/c.cpp"

    locator.note_folder(f"make[1]: Leaving directory '{root}/lib'")
    assert locator.inside("c.cpp") is None


def test_a_name_without_its_folder_is_found_only_when_it_is_there_once(root: Path) -> None:
    locator = Locator(root)

    assert locator.inside("b.hip") == "csrc/deep/b.hip"
    assert locator.inside("deep/b.hip") == "csrc/deep/b.hip"
    assert locator.inside("flat/b.hip") is None
    assert locator.inside("b.cpp") is None
    assert locator.inside("c.cpp") is None


def test_a_checkout_behind_a_link_is_known_by_both_names(tmp_path: Path, root: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(root)

    assert Locator(link).inside(f"{root}/src/a.hip") == "src/a.hip"
    assert Locator(link).inside(f"{link}/src/a.hip") == "src/a.hip"


def test_a_stem_is_found_only_when_it_is_unique(root: Path) -> None:
    assert Locator(root).by_stem("b") == "csrc/deep/b.hip"
    assert Locator(root).by_stem("c") is None
