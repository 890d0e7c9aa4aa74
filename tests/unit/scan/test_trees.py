"""Trees of other projects: one word about each, and no way to declare one's own change foreign."""

from __future__ import annotations

import pytest

from rocm_ci.config.options import ScanOptions
from rocm_ci.model.changes import ChangeKind, Changes, FileChange
from rocm_ci.model.scan_note import NoteKind
from rocm_ci.scan.engine import scan
from tests.unit.scan.trees import BOOK, Tree, scan_all

CUDA = "void f() { cudaFree(0); }\n"


def told(files: dict[str, str]) -> list[tuple[str, str]]:
    return [(n.path, n.reason) for n in scan_all(files).notes if n.kind is NoteKind.VENDORED]


def test_a_tree_is_told_once_with_the_number_of_its_sources() -> None:
    files = {"third_party/a/x.cu": CUDA, "third_party/b/y.cu": CUDA, "third_party/LICENSE": "", "a.cpp": CUDA}

    ((path, reason),) = told(files)
    assert path == "third_party/"
    assert reason.startswith("2 files here not scanned")
    assert [f.path for f in scan_all(files).findings] == ["a.cpp"]


def test_a_tree_without_sources_is_not_worth_a_word() -> None:
    assert told({"vendor/README.md": "", "vendor/logo.png": ""}) == []


@pytest.mark.parametrize(
    ("attributes", "scanned"),
    [
        ("gen/** linguist-generated\n", False),
        ("gen/** linguist-generated=true\n", False),
        ("*.pb.cu linguist-vendored\n", False),
        ("/gen/deep/*.cu linguist-vendored\n", False),
        ("gen linguist-vendored\n", True),  # a folder's own name is about no file in it
        ("gen/* linguist-vendored\n", True),
        ("gen/** -linguist-generated\n", True),
        ("gen/** linguist-generated\ngen/deep/** -linguist-generated\n", True),
        ("# gen/** linguist-generated\n", True),
        ("gen/** linguist-language=C\n", True),
        ("[z-a]/** linguist-vendored\n", True),
    ],
)
def test_what_gitattributes_says_is_heard(attributes: str, scanned: bool) -> None:
    files = {".gitattributes": attributes, "gen/deep/a.pb.cu": CUDA}

    assert bool(scan_all(files).findings) is scanned
    assert len(told(files)) == (not scanned)


def test_a_nearer_file_of_attributes_wins() -> None:
    files = {
        ".gitattributes": "src/** linguist-vendored\n",
        "src/ours/.gitattributes": "*.cu -linguist-vendored\n",
        "src/theirs/a.cu": CUDA,
        "src/ours/b.cu": CUDA,
    }

    assert [f.path for f in scan_all(files).findings] == ["src/ours/b.cu"]
    assert [path for path, _ in told(files)] == ["src/"]


def test_a_folder_with_a_foreign_name_can_be_declared_our_own() -> None:
    files = {".gitattributes": "third_party/ours/** -linguist-vendored\n", "third_party/ours/a.cu": CUDA}

    assert len(scan_all(files).findings) == 1


def test_submodules_are_foreign() -> None:
    files = {".gitmodules": '[submodule "k"]\n\tpath = kernels/lib\n\turl = x\n', "kernels/lib/a.cu": CUDA}

    assert scan_all(files).findings == ()
    assert [path for path, _ in told(files)] == ["kernels/lib/"]


def test_another_commit_of_a_submodule_is_told() -> None:
    change = FileChange(path="lib", kind=ChangeKind.MODIFIED, is_submodule=True)
    done = scan(Tree({}), Changes(files=(change,)), ScanOptions(), ("gfx90a",), book=BOOK)

    assert [(n.kind, n.path) for n in done.notes] == [(NoteKind.VENDORED, "lib/")]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".gitattributes", "src/** linguist-vendored\n"),
        (".gitmodules", '[submodule "s"]\npath = src\n'),
    ],
)
def test_a_change_cannot_declare_its_own_files_foreign(name: str, text: str) -> None:
    tree = Tree({name: text, "src/a.cu": CUDA})
    last = text.count("\n")
    mine = FileChange(path="src/a.cu", kind=ChangeKind.MODIFIED, added=((1, 1),))
    for declares in (
        FileChange(path=name, kind=ChangeKind.MODIFIED, added=((1, last),)),
        FileChange(path=name, kind=ChangeKind.ADDED),
    ):
        done = scan(tree, Changes(files=(mine, declares)), ScanOptions(), ("gfx90a",), book=BOOK)

        assert [f.path for f in done.findings] == ["src/a.cu"]


def test_what_the_base_declared_is_heard_when_the_change_touches_other_lines() -> None:
    tree = Tree({".gitattributes": "src/** linguist-vendored\n*.x text\n", "src/a.cu": CUDA})
    files = (
        FileChange(path="src/a.cu", kind=ChangeKind.MODIFIED, added=((1, 1),)),
        FileChange(path=".gitattributes", kind=ChangeKind.MODIFIED, added=((2, 2),)),
    )

    assert scan(tree, Changes(files=files), ScanOptions(), ("gfx90a",), book=BOOK).findings == ()


def test_a_hostile_pattern_is_no_slow_one() -> None:
    files = {
        ".gitattributes": "*" * 5000 + "a" + "*a" * 5000 + " linguist-vendored\n",
        "b" * 200 + ".cu": CUDA,
    }

    assert len(scan_all(files).findings) == 1


def test_a_folder_called_like_a_library_is_ours_where_the_build_names_its_sources() -> None:
    files = {"csrc/cutlass/a.cu": CUDA, "csrc/cutlass/deep/b.cu": CUDA}
    listed = 'set(SRC\n  "csrc/cutlass/a.cu")\n'

    assert told(files)
    assert not told(files | {"CMakeLists.txt": listed})
    assert not told(files | {"csrc/CMakeLists.txt": "add_library(k cutlass/a.cu)\n"})
    assert {f.path for f in scan_all(files | {"CMakeLists.txt": listed}).findings} == set(files)


def test_a_library_stays_one_with_its_licence_or_among_other_peoples_trees() -> None:
    listed = {"CMakeLists.txt": "add_library(k csrc/cutlass/a.cu third_party/cutlass/b.cu)\n"}

    assert told({"csrc/cutlass/a.cu": CUDA, "csrc/cutlass/LICENSE.txt": "", **listed})
    assert told({"third_party/cutlass/b.cu": CUDA, **listed})
    assert told({"csrc/thrust/sort.h": CUDA, **listed})
