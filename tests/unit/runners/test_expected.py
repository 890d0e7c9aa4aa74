"""The list of tests that have to run."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from rocm_ci.errors import ConfigError
from rocm_ci.model.case import Case, CaseStatus, Ending
from rocm_ci.runners import expected

if TYPE_CHECKING:
    from pathlib import Path

PYTEST = "tests.unit.test_a.TestB::test_c[x::y]"


def case(id_: str, status: CaseStatus = CaseStatus.PASSED) -> Case:
    return Case(id=id_, suite="s", name=id_.rpartition("::")[2], status=status)


def compared(text: str, *ids: str) -> expected.Compared:
    return expected.compare(expected.parse(text.encode(), "list"), [case(id_) for id_ in ids])


def vanished(text: str, *ids: str) -> list[str]:
    return [line for _, line in compared(text, *ids).vanished]


@pytest.mark.parametrize(
    ("line", "id_"),
    [
        (PYTEST, PYTEST),
        ("tests/unit/test_a.py::TestB::test_c[x::y]", PYTEST),
        ("tests/unit/test_a.py::TestB::test_c[*]", PYTEST),
        ("tests/unit/test_a.py::*", PYTEST),
        ("tests/unit/test_a.py::*", "tests.unit.test_a::plain"),
        ("tests/*", PYTEST),
        ("Copy.Wave64", "Copy::Wave64"),
        ("N/Copy.Of/0", "N/Copy::Of/0"),
        ("Copy.*", "Copy::Wave64"),
        ("tiles.StreamTest#order", "tiles.StreamTest::order"),
        ("smoke", "smoke::smoke"),
        ("smoke_*", "smoke_io::smoke_io"),
        ("a*b*c", "a::xbyc"),
        ("*::last", "k::last"),
    ],
)
def test_a_line_in_the_tools_own_spelling_means_our_id(line: str, id_: str) -> None:
    assert vanished(line, id_) == []
    assert vanished(line, "other::test") == [line]


@pytest.mark.parametrize(
    ("glob", "id_"), [("a*b", "a"), ("ab*ab", "ab"), ("a*a", "a"), ("*x*x*", "k::x"), ("k*::y", "k::x")]
)
def test_a_glob_needs_all_its_parts(glob: str, id_: str) -> None:
    assert vanished(glob, id_) == [glob]


def test_what_ran_without_standing_there_is_told_in_its_order() -> None:
    found = compared("a::*\nb::x\n", "new::2", "a::1", "b::x", "new::1", "a::2")

    assert found.unlisted == ("new::2", "new::1")
    assert found.vanished == ()


def test_an_id_that_is_expected_twice_has_to_run_twice() -> None:
    assert vanished("a::x\na::x\n", "a::x", "a::x") == []
    assert vanished("a::x\na::x\n", "a::x") == ["a::x"]
    assert compared("a::x\n", "a::x", "a::x").unlisted == ("a::x",)


def test_a_skipped_test_is_there() -> None:
    listed = expected.parse(b"a::x\n", "list")

    assert expected.missing(listed, [case("a::x", CaseStatus.SKIPPED)], suite="s") == ()


def test_a_vanished_test_is_an_error_that_names_its_line() -> None:
    (gone,) = expected.missing(
        expected.parse(b"# head\n\na::x\nb::y\n", "ci/list"), [case("a::x")], suite="unit"
    )

    assert (gone.id, gone.suite, gone.status, gone.ending) == (
        "b::y",
        "unit",
        CaseStatus.ERRORED,
        Ending.VANISHED,
    )
    assert gone.message == "line 4 of ci/list expects it, and it did not run"


def test_a_whole_suite_that_vanished_is_counted_and_not_listed_without_end() -> None:
    text = "".join(f"a::{n}\n" for n in range(1_000)).encode()

    gone = expected.missing(expected.parse(text, "list"), [], suite="s")

    assert len(gone) == expected.MAX_NAMED + 1
    assert "800 more tests" in (gone[-1].message or "")


def test_what_is_written_is_what_is_read_and_nothing_is_missing() -> None:
    cases = [
        case("b::2"),
        case("a::1"),
        case("a::1"),
        case("#odd"),
        case("two\nlines"),
        case(" "),
        case("λ::×"),
    ]

    text = expected.written(cases)

    lines = [line for _, line in expected.parse(text.encode(), "list").lines]
    assert lines == ["a::1", "a::1", "b::2", "λ::×"]
    assert expected.compare(expected.parse(text.encode(), "list"), cases).vanished == ()


def test_a_test_that_failed_twice_over_is_written_once() -> None:
    bad = [case("a::x", CaseStatus.FAILED), case("a::x", CaseStatus.ERRORED)]

    assert expected.written(bad).splitlines()[1:] == ["a::x"]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "it lists no test"),
        (b"# only a comment\n\n", "it lists no test"),
        (b"a\xff\n", "it is no text in UTF-8 (byte 1)"),
        (b"a\0b\n", "it holds NUL bytes"),
        (b"**\n", "line 1 is `**`, which every test fits"),
        (b"a\n" + b"x" * 4_001, "line 2 has over 4000 characters"),
        (b"*a\n" * 201, "over 200 of its lines begin with `*`"),
        (b"a\n" * 500_001, "it lists over 500000 tests"),
        (b"#" * 20_000_001, "it is over 20 MB"),
    ],
    ids=["empty", "comments", "latin-1", "NUL", "everything", "long line", "open globs", "many", "big"],
)  # fmt: skip
def test_a_list_that_cannot_be_used_says_why_and_what_to_do(data: bytes, why: str) -> None:
    with pytest.raises(ConfigError) as caught:
        expected.parse(data, "ci/list")

    assert "ci/list" in str(caught.value)
    assert why in str(caught.value)
    assert "--write-expected" in (caught.value.hint or "")


def test_lines_end_as_on_any_system_and_a_mark_at_the_beginning_is_none() -> None:
    listed = expected.parse("\ufeffa::x\r\n  b::y  \r\n".encode(), "list")

    assert listed.lines == ((1, "a::x"), (2, "b::y"))


@pytest.mark.attack("5", "a list of expected tests that lies outside of the checkout, or is none")
def test_a_list_is_a_regular_file_of_the_checkout(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (tmp_path / "outside").write_text("a::x\n")
    (root / "link").symlink_to(tmp_path / "outside")
    (root / "sub/loop").symlink_to(root / "sub/loop")
    os.mkfifo(root / "pipe")

    for name in (
        "link",
        "../outside",
        "sub/../../outside",
        str(tmp_path / "outside"),
        "pipe",
        "sub",
        "gone",
        "sub/loop",
        "a\0b",
    ):
        with pytest.raises(ConfigError):
            expected.read(name, root)


@pytest.mark.attack("5", "globs that take time without end")
def test_hostile_globs_are_quick() -> None:
    ids = ["a" * 900 + str(n) for n in range(300)]

    assert len(vanished("a*" * 1_500 + "b\n" + "*a" * 1_000 + "c\n", *ids)) == 2
