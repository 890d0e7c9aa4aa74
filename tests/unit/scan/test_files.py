"""Reading a hostile tree safely."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from rocm_ci.scan.files import MAX_BYTES, Folder, decode, decoded, encoding_of, is_binary, utf8
from rocm_ci.scan.trees import is_vendored

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    (root / "sub").mkdir(parents=True)
    (root / "a.cpp").write_bytes(b"inside")
    (root / "sub" / "b.cpp").write_bytes(b"deeper")
    (tmp_path / "secret").write_bytes(b"outside")
    (root / "link.cpp").symlink_to(tmp_path / "secret")
    (root / "sub" / "out").symlink_to(tmp_path)
    (root / "loop").symlink_to(root)
    return root


@pytest.mark.parametrize(("path", "content"), [("a.cpp", b"inside"), ("sub/b.cpp", b"deeper")])
def test_plain_files_are_read(tree: Path, path: str, content: bytes) -> None:
    assert Folder(tree).read(path) == content


@pytest.mark.parametrize(
    "path",
    [
        "link.cpp",
        "../secret",
        "sub/out/secret",
        "/etc/hostname",
        "sub/../../secret",
        "sub",
        "gone",
        "a\0b",
        "",
        "x" * 300,
    ],
)
def test_whatever_is_no_plain_file_of_the_tree_counts_as_absent(tree: Path, path: str) -> None:
    assert Folder(tree).read(path) is None


def test_a_huge_file_counts_as_absent(tree: Path) -> None:
    with (tree / "big.cpp").open("wb") as file:
        file.truncate(MAX_BYTES + 1)

    assert Folder(tree).read("big.cpp") is None


def test_a_pipe_does_not_block(tree: Path) -> None:
    os.mkfifo(tree / "pipe.cpp")

    assert Folder(tree).read("pipe.cpp") is None


def test_walking_leaves_out_git_and_does_not_follow_links(tree: Path) -> None:
    (tree / ".git").mkdir()
    (tree / ".git" / "config").write_text("")
    (tree / ".github").mkdir()
    (tree / ".github" / "ci.yml").write_text("")

    assert set(Folder(tree).walk()) == {"a.cpp", "link.cpp", "sub/b.cpp", ".github/ci.yml"}


@pytest.mark.parametrize(
    ("path", "vendored"),
    [
        ("third_party/x/a.cu", True),
        ("src/3rdparty/a.cu", True),
        ("extern/tiny/t.h", True),
        ("a/composable_kernel/b.hpp", True),
        ("gpu/vendors/hip.h", False),
        ("external.cpp", False),
        ("src/vendor.py", False),
    ],
)
def test_vendored_trees_are_told_by_the_names_of_their_folders(path: str, vendored: bool) -> None:
    assert is_vendored(path) is vendored


@pytest.mark.parametrize(
    ("data", "binary"),
    [
        (b"text", False),
        (b"\xff\xfe", False),
        (b"// a \0 b", False),
        (b"a\0\0\0\0b", True),
        ("a wide text".encode("utf-16"), False),
        ("a wide text".encode("utf-16-le"), True),
        (b"x" * 7_000 + b"\0" * 50, False),
        (b"x" * 7_000 + b"\0" * 80, True),
        (b"", False),
    ],
)
def test_many_nul_bytes_make_a_file_binary_and_a_stray_one_does_not(data: bytes, binary: bool) -> None:
    assert is_binary(data) is binary


def test_decoding_keeps_every_line_at_its_number() -> None:
    text, lines = decode(b"\xef\xbb\xbfa\r\nb\x0cc\xff\n" + b"x" * 20_000 + b"\nlast")

    assert lines == ("a", "b\x0cc\udcff", "", "last")
    assert text == "\n".join(lines)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("gone", "not in the checkout"),
        ("sub", "a folder"),
        ("link.cpp", "leaves the project"),
        ("../secret", "outside the project"),
        ("a\0b", "outside the project"),
        ("x" * 300, "file name too long"),
    ],
)
def test_why_nothing_was_read_is_said(tree: Path, path: str, reason: str) -> None:
    assert reason in Folder(tree).refusal(path)


def test_why_large_and_odd_files_are_not_read_is_said(tree: Path) -> None:
    os.mkfifo(tree / "pipe.cpp")
    (tree / "round.cpp").symlink_to("round.cpp")
    (tree / "inner.cpp").symlink_to("a.cpp")
    with (tree / "big.cpp").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    refusal = Folder(tree).refusal

    assert refusal("big.cpp") == "larger than 5 MB"
    assert refusal("pipe.cpp") == "not a plain file"
    assert "leads nowhere" in refusal("round.cpp")
    assert refusal("inner.cpp") == ""  # what it leads to is scanned by its own name


def test_a_folder_is_listed_with_its_folders_marked_and_links_not_followed(tree: Path) -> None:
    folder = Folder(tree)

    assert folder.names("") == ("a.cpp", "link.cpp", "loop", "sub/")
    assert folder.names("sub") == ("b.cpp", "out")
    assert [folder.names(n) for n in ("sub/out", "..", "gone", "a.cpp", "a\0b")] == [()] * 5


@pytest.mark.parametrize("codec", ["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_every_unicode_with_its_mark_is_read_and_could_be_written_back(codec: str) -> None:
    data = "\ufeffint é = 1;\r\nint b;\n".encode(codec)

    assert encoding_of(data) == codec
    assert data.decode(encoding_of(data)).encode(codec) == data
    assert decode(data)[1] == ("int é = 1;", "int b;", "")
    assert utf8(data).decode("utf-8-sig").startswith("int é")


def test_utf16_that_is_cut_off_is_read_as_far_as_it_goes() -> None:
    assert decode("\ufeffint a;".encode("utf-16-le")[:-1])[1] == ("int a\ufffd",)


def test_overlong_lines_are_named() -> None:
    found = decoded(b"a\n" + b"x" * 20_000 + b"\nb\n" + b"y" * 10_001)

    assert (found.overlong, found.lines) == ((2, 4), ("a", "", "b", ""))
