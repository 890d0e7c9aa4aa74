"""Which files are reports of this run: asked for, chosen by the command, or left somewhere."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from rocm_ci.runners import reports
from rocm_ci.runners.base import Prepared, Slot
from tests.fakes import FakeRunner

if TYPE_CHECKING:
    from pathlib import Path

ONE = "<testsuite name='s'><testcase classname='a' name='b'/></testsuite>"
PLAIN = Prepared(command="x")


@pytest.fixture
def slot(tmp_path: Path) -> Slot:
    root = tmp_path / "src"
    root.mkdir()
    out = root / "out/junit"
    out.mkdir(parents=True)
    return Slot(
        root=root, xml=out / "u.xml", folder=out / "u.d", is_named=False, environment={}, run=FakeRunner()
    )


def names(found: reports.Found) -> list[str]:
    return [case.id for case in found.reading.cases] if found.reading else []


def test_a_report_that_lies_elsewhere_is_taken_and_its_place_told(slot: Slot) -> None:
    since = reports.clear(slot, PLAIN)
    (slot.root / "build").mkdir()
    (slot.root / "build/result.xml").write_text(ONE)

    found = reports.found(slot, PLAIN, "u", since)

    assert (names(found), found.strays) == (["a::b"], ("build/result.xml",))
    assert (slot.folder / "found-1.xml").read_text() == ONE


def test_a_report_of_an_earlier_run_is_never_taken(slot: Slot) -> None:
    stale = slot.root / "result.xml"
    stale.write_text(ONE)
    os.utime(stale, (2**33, 2**33))  # its own time says what a test likes

    since = reports.clear(slot, PLAIN)

    assert reports.found(slot, PLAIN, "u", since) == reports.Found(reading=None)


def test_the_same_report_written_twice_counts_once(slot: Slot) -> None:
    since = reports.clear(slot, PLAIN)
    (slot.root / "a.xml").write_text(ONE)
    (slot.root / "b.xml").write_text(ONE)

    assert names(reports.found(slot, PLAIN, "u", since)) == ["a::b"]


def test_where_the_report_was_asked_for_no_other_is_looked_for(slot: Slot) -> None:
    since = reports.clear(slot, PLAIN)
    slot.xml.write_text(ONE)
    (slot.root / "a.xml").write_text(ONE.replace("'b'", "'c'"))

    found = reports.found(slot, PLAIN, "u", since)

    assert (names(found), found.strays) == (["a::b"], ())


def test_links_pipes_and_other_xml_are_no_reports(slot: Slot, tmp_path: Path) -> None:
    since = reports.clear(slot, PLAIN)
    (tmp_path / "elsewhere.xml").write_text(ONE)
    (slot.root / "link.xml").symlink_to(tmp_path / "elsewhere.xml")
    (slot.root / "folder").symlink_to(tmp_path)
    os.mkfifo(slot.root / "pipe.xml")
    (slot.root / "pom.xml").write_text("<project/>")
    (slot.root / "empty.xml").touch()

    assert reports.found(slot, PLAIN, "u", since).reading is None


def test_a_huge_file_is_not_copied(slot: Slot) -> None:
    since = reports.clear(slot, PLAIN)
    with (slot.root / "huge.xml").open("wb") as sink:
        sink.write(b"<testsuite>")
        sink.truncate(2_000_000_000)

    assert reports.found(slot, PLAIN, "u", since).reading is None


def test_the_search_ends_in_a_tree_without_end(slot: Slot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reports, "_MAX_LOOKED_AT", 10)
    since = reports.clear(slot, PLAIN)
    for number in range(20):
        (slot.root / f"file-{number:02}").touch()
    (slot.root / "z.xml").write_text(ONE)

    assert reports.found(slot, PLAIN, "u", since).reading is None


@pytest.mark.parametrize(
    ("heard", "ids"), [(None, ["a::b", "c::d"]), ({"a::b", "x"}, ["a::b"]), ({"x"}, None), (set(), None)]
)
def test_beside_other_suites_only_what_a_suite_spoke_of_is_its_own(
    slot: Slot, heard: set[str] | None, ids: list[str] | None
) -> None:
    since = reports.clear(slot, PLAIN)
    (slot.root / "own.xml").write_text(ONE)
    (slot.root / "theirs.xml").write_text("<testsuite><testcase classname='c' name='d'/></testsuite>")

    found = reports.found(slot, PLAIN, "u", since, heard=heard)

    assert (found.reading and [case.id for case in found.reading.cases]) == ids
    assert (found.foreign if ids is None else found.strays) == ("own.xml", "theirs.xml")


@pytest.mark.attack("input", "reports of a gigabyte each that cost nobody anything but their reader")
def test_all_reports_together_are_bounded(slot: Slot, monkeypatch: pytest.MonkeyPatch) -> None:
    since = reports.clear(slot, PLAIN)
    monkeypatch.setattr(reports, "MAX_BYTES", 2_500_000)
    for number in range(10):
        for path in (slot.folder / f"{number}.xml", slot.root / f"{number}.xml"):
            path.write_text(ONE)
            os.truncate(path, 1_000_000 + number)
    asked = reports.found(slot, PLAIN, "u", since).reading
    shutil.rmtree(slot.folder)
    slot.folder.mkdir()

    strays = reports.found(slot, PLAIN, "u", since)

    assert asked is not None
    assert not asked.readable
    assert asked.problems == ("2.xml: all reports together have over 2500000 bytes",)
    assert strays.strays == ("0.xml", "1.xml")


@pytest.mark.attack("input", "more tests in a report than anybody can look at")
def test_a_report_of_too_many_tests_counts_for_nothing(slot: Slot, monkeypatch: pytest.MonkeyPatch) -> None:
    since = reports.clear(slot, PLAIN)
    monkeypatch.setattr(reports, "MAX_CASES", 2)
    cases = "".join(f"<testcase name='{number}'/>" for number in range(3))
    slot.xml.write_text(f"<testsuite>{cases}</testsuite>")

    reading = reports.found(slot, PLAIN, "u", since).reading

    assert reading is not None
    assert (reading.readable, reading.problems, reading.cases) == (False, ("3 test cases, over 2",), ())


def test_what_the_folder_of_reports_holds_is_cleared_before_a_run(slot: Slot) -> None:
    own = slot.root / "mine.xml"
    prepared = Prepared(command="x", reports=(own,))
    for stale in (own, slot.xml):
        stale.write_text(ONE)
    slot.folder.mkdir()
    (slot.folder / "old.xml").write_text(ONE)

    since = reports.clear(slot, prepared)

    assert reports.found(slot, prepared, "u", since).reading is None


def test_of_unasked_tests_only_those_that_failed_are_kept(slot: Slot) -> None:
    since = reports.clear(slot, PLAIN)
    slot.xml.write_text(
        "<testsuite><testcase name='wanted'/><testcase name='set up'/>"
        "<testcase name='broken'><failure/></testcase></testsuite>"
    )
    reading = reports.found(slot, PLAIN, "u", since).reading

    assert reading is not None
    assert [case.name for case in reports.only(reading, {"wanted"}).cases] == ["wanted", "broken"]
