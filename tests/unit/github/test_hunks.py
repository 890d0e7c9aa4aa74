"""The patch of a changed file as GitHub gives it → hunks on the side of the head."""

from __future__ import annotations

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from unidiff.patch import PatchSet

from rocm_ci.github.hunks import MAX_LINE_NUMBER, MAX_PATCH, Hunk, hunks
from tests.hostile import HOSTILE

PATCH = """@@ -1,4 +1,5 @@ int main()
 one
-two
+TWO
+two and a half
 three
 four
@@ -20,2 +21,2 @@
-x
+X
 y"""


def test_a_hunk_has_the_lines_of_the_head_and_knows_the_new_ones() -> None:
    first, second = hunks(PATCH)

    assert first == Hunk(1, ("one", "TWO", "two and a half", "three", "four"), frozenset({2, 3}))
    assert (second.first, second.last, second.lines) == (21, 22, ("X", "y"))
    assert first.text(2, 3) == ("TWO", "two and a half")
    assert first.text(5, 6) is None
    assert first.text(3, 2) is None
    assert first.adds(2, 3)
    assert not first.adds(1, 2)
    assert not first.adds(0, 2)


@pytest.mark.parametrize("patch", [None, "", "\n", "Binary files differ", "@@ nonsense @@\n+x"])
def test_what_is_no_patch_has_no_hunks(patch: str | None) -> None:
    assert hunks(patch) == ()


def test_the_mark_of_a_missing_newline_is_no_line() -> None:
    patch = "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+B\n\\ No newline at end of file"

    assert hunks(patch) == (Hunk(1, ("a", "B"), frozenset({2})),)


def test_carriage_returns_tabs_and_blanks_at_line_ends_stay() -> None:
    patch = "@@ -0,0 +1,4 @@\n+\tint a; \r\n+\n+x\x0by\u2028z\n+  "

    (one,) = hunks(patch)

    assert one.lines == ("\tint a; \r", "", "x\x0by\u2028z", "  ")
    assert one.added == {1, 2, 3, 4}


def test_lines_that_look_like_heads_of_diffs_are_lines() -> None:
    patch = "@@ -1,3 +1,3 @@\n--- a/x\n-@@ -1 +1 @@\n+++ b/x\n+@@ -7,9 +7,9 @@ f()\n \\ No newline\n@@ -9 +9 @@\n-a\n+b"

    first, second = hunks(patch)

    assert first.lines == ("++ b/x", "@@ -7,9 +7,9 @@ f()", "\\ No newline")
    assert second == Hunk(9, ("b",), frozenset({9}))


def test_a_hunk_that_only_removes_has_no_line_to_speak_of() -> None:
    (one,) = hunks("@@ -3,2 +2,0 @@\n-a\n-b")

    assert (one.lines, one.added, one.last) == ((), frozenset(), 2)


def test_an_empty_line_that_lost_its_blank_on_the_way_is_context() -> None:
    assert hunks("@@ -1,3 +1,3 @@\n a\n\n-b\n+c") == (Hunk(1, ("a", "", "c"), frozenset({3})),)


@pytest.mark.parametrize(
    "damaged",
    [
        "@@ -1,2 +1,2 @@\n+a",  # cut off
        "@@ -1 +1 @@\n?a",  # a mark that no diff has
        "@@ -1,1 +1,3 @@\n-a\n-b\n+c\n+d\n+e",  # more lines than its head promises
        "@@ -1,2 +1,1 @@\n a\n b\n",
        f"@@ -1 +{MAX_LINE_NUMBER + 1} @@\n-a\n+b",
        "@@ -1 +99999999999999999999 @@\n-a\n+b",
        "@@ -1 +0 @@\n-a\n+b",
        "@@ -\u0661 +\u0661 @@\n-a\n+b",
    ],
)
def test_only_the_hunks_before_the_first_damaged_one_count(damaged: str) -> None:
    later = damaged.replace("+1", "+7", 1)

    assert hunks(damaged) == ()
    assert len(hunks(f"@@ -1 +1 @@\n-a\n+b\n{later}\n@@ -90 +90 @@\n-a\n+b")) == 1


def test_hunks_that_overlap_or_run_on_end_the_patch() -> None:
    assert len(hunks("@@ -1 +1 @@\n-a\n+b\n@@ -1 +1 @@\n-a\n+b")) == 1
    assert len(hunks("@@ -1 +1 @@\n-a\n+b\n+c\n@@ -9 +9 @@\n-a\n+b")) == 1


def test_a_huge_patch_is_not_read() -> None:
    patch = "@@ -0,0 +1 @@\n+" + "x" * MAX_PATCH

    assert hunks(patch) == ()


@pytest.mark.attack("input", "a diff with any text in it")
@given(st.one_of(HOSTILE, st.text(alphabet="@-+ \\,0123456789ab\n\r", max_size=200)))
def test_no_text_breaks_it(text: str) -> None:
    for one in hunks(text) + hunks(f"@@ -1,2 +1,2 @@\n {text}\n+x\n-y"):
        assert one.first >= 1
        assert all(one.first <= number <= one.last for number in one.added)


LINES = st.lists(
    st.sampled_from(["a", "b", "", "  ", "-- x", "++ y", "@@ -1 +1 @@", "\tz", "é", "\\ w"]), max_size=30
)


@given(LINES, LINES, st.integers(0, 4))
def test_it_reads_what_unidiff_reads(before: list[str], after: list[str], context: int) -> None:
    rows = list(difflib.unified_diff(before, after, "a/f", "b/f", lineterm="", n=context))
    patch = "\n".join(rows[2:])
    known = PatchSet("\n".join([*rows, ""]))

    expected = [
        [(line.target_line_no, line.value.removesuffix("\n"), line.is_added) for line in hunk.target_lines()]
        for file in known
        for hunk in file
    ]
    found = [
        [(n, text, n in one.added) for n, text in enumerate(one.lines, one.first)] for one in hunks(patch)
    ]

    assert found == expected
