"""Diff text in, added lines out. The text is what git writes for `-z --raw --patch --unified=0`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocm_ci.changes import EVERY_LINE, parse_diff, parse_git, whole_tree
from rocm_ci.errors import GitError, UsageError
from rocm_ci.model.changes import ChangeKind


def raw(status: str, *names: str, mode: str = "100644") -> bytes:
    head = f":100644 {mode} aaaaaaa bbbbbbb {status}".encode()
    return b"\0".join([head, *(n.encode("utf-8", "surrogateescape") for n in names), b""])


def patch(name: str, *hunks: str) -> bytes:
    return (
        f"diff --git a/{name} b/{name}\nindex a..b 100644\n--- a/{name}\n+++ b/{name}\n" + "".join(hunks)
    ).encode()


def test_hunks_become_line_ranges() -> None:
    output = (
        raw("M", "a.hip") + b"\0" + patch("a.hip", "@@ -3,0 +4,2 @@\n+x\n+y\n", "@@ -9 +11 @@ f()\n-a\n+b\n")
    )

    (file,) = parse_git(output).files

    assert (file.path, file.kind, file.added) == ("a.hip", ChangeKind.MODIFIED, ((4, 5), (11, 11)))


def test_a_pure_deletion_adds_nothing() -> None:
    (file,) = parse_git(raw("M", "a") + b"\0" + patch("a", "@@ -3,2 +2,0 @@\n-x\n-y\n")).files

    assert file.added == ()


def test_of_a_file_whose_patch_was_cut_off_every_line_counts() -> None:
    text = raw("A", "a") + raw("A", "b") + raw("M", "c") + b"\0" + patch("a", "@@ -0,0 +1 @@\n+x\n")
    cut = text + patch("b", "@@ -0,0 +1,2 @@\n+x\n")

    assert [f.added for f in parse_git(cut, is_cut=True).files] == [((1, 1),), (EVERY_LINE,), (EVERY_LINE,)]


def test_content_that_looks_like_a_diff_is_content() -> None:
    hunk = "@@ -0,0 +1,3 @@\n+@@ -1 +900,50 @@\n+diff --git a/z b/z\n+++ b/other\n"
    (file,) = parse_git(raw("A", "a") + b"\0" + patch("a", hunk)).files

    assert file.added == ((1, 3),)


def test_a_missing_newline_at_the_end_is_not_counted_as_a_line() -> None:
    hunks = ("@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+y\n\\ No newline at end of file\n",)
    output = raw("M", "a") + raw("M", "b") + b"\0" + patch("a", *hunks) + patch("b", "@@ -5,0 +6 @@\n+z\n")

    assert [f.added for f in parse_git(output).files] == [((1, 1),), ((6, 6),)]


def test_renames_deletions_binaries_links_and_submodules_are_told_apart() -> None:
    output = (
        raw("R090", "old.py", "new.py")
        + raw("D", "gone.c")
        + raw("M", "logo.png")
        + raw("A", "link", mode="120000")
        + raw("A", "sub", mode="160000")
        + b"\0"
        + patch("new.py", "@@ -1 +1 @@\n-a\n+b\n")
        + patch("gone.c", "@@ -1 +0,0 @@\n-a\n")
        + b"diff --git a/logo.png b/logo.png\nindex a..b 100644\nBinary files a/logo.png and b/logo.png differ\n"
        + patch("link", "@@ -0,0 +1 @@\n+/etc/passwd\n")
        + patch("sub", "@@ -0,0 +1 @@\n+Subproject commit abc\n")
    )

    renamed, gone, binary, link, sub = parse_git(output).files

    assert (renamed.kind, renamed.old_path, renamed.added) == (ChangeKind.RENAMED, "old.py", ((1, 1),))
    assert gone.kind is ChangeKind.DELETED
    assert binary.is_binary
    assert link.is_symlink
    assert sub.is_submodule
    assert "gone.c" not in parse_git(output).paths


def test_a_file_that_became_a_link_takes_two_patches() -> None:
    output = (
        raw("T", "a", mode="120000")
        + raw("M", "b")
        + b"\0"
        + patch("a", "@@ -1 +0,0 @@\n-x\n")
        + patch("a", "@@ -0,0 +1 @@\n+target\n")
        + patch("b", "@@ -7,0 +8 @@\n+z\n")
    )

    assert [f.added for f in parse_git(output).files] == [((1, 1),), ((8, 8),)]


@given(
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1),
        min_size=1,
        max_size=5,
        unique=True,
    )
)
def test_any_name_comes_back_exactly(names: list[str]) -> None:
    output = (
        b"".join(raw("A", n) for n in names)
        + b"\0"
        + b"".join(patch("x", "@@ -0,0 +1 @@\n+a\n") for _ in names)
    )

    assert [f.path for f in parse_git(output).files] == names


def test_a_name_that_is_not_utf8_keeps_its_bytes() -> None:
    output = (
        raw("A", b"\xff.cu".decode("utf-8", "surrogateescape")) + b"\0" + patch("x", "@@ -0,0 +1 @@\n+a\n")
    )

    assert parse_git(output).files[0].path.encode("utf-8", "surrogateescape") == b"\xff.cu"


def test_no_difference_is_no_file() -> None:
    assert parse_git(b"").files == ()


def test_a_combined_diff_is_refused_in_words() -> None:
    with pytest.raises(GitError, match="do not understand"):
        parse_git(b"::100644 100644 100644 aaa bbb ccc MM\0a\0")


def test_a_diff_from_a_file_may_have_context() -> None:
    text = "--- a/x.py\n+++ b/x.py\n@@ -1,3 +1,4 @@\n a\n+b\n c\n d\n"

    (file,) = parse_diff(text).files

    assert (file.path, file.added) == ("x.py", ((2, 2),))


def test_a_broken_diff_file_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        parse_diff("--- a/x\n+++ b/x\n@@ -1,3 +1,4 @@\n a\n+b\n")


@pytest.mark.parametrize(
    "text", ["just words\n", '{"version": 1', "\x1b[1mdiff --git a/x b/x\x1b[m\n", "\x00\x01"]
)
def test_a_file_without_a_diff_is_no_clean_change(text: str) -> None:
    with pytest.raises(UsageError, match="holds no unified diff") as caught:
        parse_diff(text)

    assert "--no-color" in caught.value.hint


@pytest.mark.parametrize("text", ["", "\n", "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n"])
def test_a_diff_without_lines_adds_nothing(text: str) -> None:
    assert [f.added for f in parse_diff(text).files if f.added] == []


def test_the_whole_tree_counts_every_line() -> None:
    changes = whole_tree(("a", "b"))

    assert changes.whole_tree
    assert changes.paths == ("a", "b")
