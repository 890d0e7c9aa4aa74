"""The trusted plane's own scan of the diff: what it sees, and how much it takes."""

from __future__ import annotations

import pytest

from rocm_ci.github.review import ChangedFile
from rocm_ci.sinks import second_look
from rocm_ci.sinks.second_look import Diff, found

CALL = "@@ -0,0 +1 @@\n+cudaFree(p);"


def at(line: int, text: str = "cudaFree(p);") -> str:
    return f"@@ -{line} +{line} @@\n-x\n+{text}"


def diff(**patches: str | None) -> Diff:
    files = [ChangedFile(path=f"{name}.hip", status="modified", patch=p) for name, p in patches.items()]
    return Diff([*files, ChangedFile(path="gone.hip", status="removed", patch="@@ -1 +0,0 @@\n-x")])


def test_only_added_lines_count_and_they_keep_their_numbers() -> None:
    shown = diff(a="@@ -40,2 +70,3 @@\n cudaFree(a);\n+cudaFree(b);\n cudaFree(c);\n" + at(90))

    assert [(f.path, f.line) for f in found(shown, ["a.hip"], {})] == [("a.hip", 71), ("a.hip", 90)]


def test_only_the_files_that_are_asked_for_are_read() -> None:
    shown = diff(a=CALL, b=CALL, c=None)

    assert {f.path for f in found(shown, ["b.hip", "c.hip", "gone.hip", "never.hip"], {})} == {"b.hip"}


def test_a_comment_that_allows_it_is_heard() -> None:
    allowed = at(3, "cudaFree(p); // rocm-ci: allow cuda-runtime-api NVIDIA only")

    assert found(diff(a=allowed), ["a.hip"], {}) == ()


def test_a_rule_that_is_off_by_default_is_tried_when_the_report_names_it() -> None:
    text = "@@ -0,0 +1 @@\n+cudaFree(p);"

    assert found(diff(a=text), ["a.hip"], {"cuda-runtime-api": "off"}) == ()
    (one,) = found(diff(a=text), ["a.hip"], {"cuda-runtime-api": "note"})
    assert one.severity.value == "note"


def test_what_github_does_not_show_is_not_known() -> None:
    shown = diff(a=CALL, b=None, c="")

    assert [shown.is_shown(f"{name}.hip") for name in "abc"] == [True, False, False]
    assert shown.is_shown("never.hip")
    assert (shown.has("a.hip"), shown.has("gone.hip"), shown.has("never.hip")) == (True, False, False)


@pytest.mark.attack("input", "a diff whose line numbers or size would fill the memory")
def test_lines_far_down_and_too_much_text_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    far = second_look.MOST_LINES + 1
    assert [f.line for f in found(diff(a=f"{at(5)}\n{at(far)}"), ["a.hip"], {})] == [5]

    monkeypatch.setattr(second_look, "MOST_BYTES", 40)
    assert [f.path for f in found(diff(a=at(5), b=at(5), c=at(5)), ["a.hip", "b.hip", "c.hip"], {})] == [
        "a.hip",
        "b.hip",
    ]

    monkeypatch.setattr(second_look, "MOST_FILES", 1)
    assert len(found(diff(a=at(5), b=at(5)), ["a.hip", "b.hip"], {})) == 1


def test_text_that_no_file_can_hold_does_no_harm() -> None:
    assert found(diff(a=at(1, "cudaFree(p); // \ud800")), ["a.hip"], {})[0].line == 1
