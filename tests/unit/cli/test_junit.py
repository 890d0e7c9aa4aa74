"""`rocm-ci junit`: its JSON contract, its text, its exit status."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rocm_ci.cli.junit import command
from rocm_ci.errors import ConfigError, UsageError

DATA = Path(__file__).resolve().parents[2] / "data" / "junit"


def call(*args: str) -> Any:
    return command.main(list(args), standalone_mode=False)


def test_the_json_document_keeps_its_contract(capsys: pytest.CaptureFixture[str]) -> None:
    code = call(str(DATA / "gradle-retry-unmerged.xml"), "--format", "json")

    document = json.loads(capsys.readouterr().out)
    assert code == 0
    assert {k: v for k, v in document.items() if k != "cases"} == {
        "version": 1, "tests": 6, "unique_tests": 3, "passed": 2, "failures": 1, "errors": 0, "skipped": 0, "flaky": 1,
        "retried": 2, "repaired": False, "truncated": False, "readable": True, "problems": [],
    }  # fmt: skip
    assert [(case["id"], case["status"]) for case in document["cases"]] == [
        ("tiles.StreamTest::order()", "flaky"),
        ("tiles.StreamTest::wait()", "passed"),
        ("tiles.StreamTest::wait()", "failed"),
        ("tiles.StreamTest::done()", "passed"),
    ]


def test_an_unreadable_file_among_others_is_told_and_counts_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code = call(str(DATA / "entities-bomb.xml"), str(DATA / "nextest.xml"), "no-such.xml", "--format", "json")

    document = json.loads(capsys.readouterr().out)
    assert (code, document["readable"], document["tests"]) == (2, False, 2)
    assert len(document["problems"]) == 2


def test_the_text_names_failures_with_their_place(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(str(DATA / "raw-markup.xml")) == 0

    out = capsys.readouterr()
    assert "failed   k::amp & lt  src/k.cpp:7" in out.out
    assert "5 tests, 3 passed, 1 failed, 1 errored (report repaired)" in out.out
    assert "repaired" in out.err


def test_a_test_that_vanished_is_told_with_its_line_and_makes_the_status_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "list").write_text("k::*\ngone::t\n")

    code = call(str(DATA / "raw-markup.xml"), "--expected", str(tmp_path / "list"))

    assert code == 1
    assert "vanished gone::t  (line 2 of the list)" in capsys.readouterr().out


def test_vanished_and_unlisted_tests_stand_in_the_document(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "list").write_text("k::template\ngone::t\n")

    call(str(DATA / "raw-markup.xml"), "--expected", str(tmp_path / "list"), "--format", "json")

    document = json.loads(capsys.readouterr().out)
    assert document["vanished"] == [{"line": 2, "test": "gone::t"}]
    assert document["unlisted"] == ["k::amp & lt", "k::nested cdata", "k::forgotten", "k::last"]


def test_a_list_that_was_written_holds_for_the_report_it_came_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report, made = str(DATA / "raw-markup.xml"), str(tmp_path / "new" / "list")

    assert call(report, "--write-expected", made) == 0
    assert call(report, "--expected", made) == 0
    assert "5 test(s) written to" in capsys.readouterr().err


def test_of_an_unreadable_report_no_list_is_written(tmp_path: Path) -> None:
    made = tmp_path / "list"

    assert call(str(DATA / "entities-bomb.xml"), "--write-expected", str(made)) == 2
    assert not made.exists()


def test_a_list_that_cannot_be_used_is_told_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="it is not there"):
        call("no-such.xml", "--expected", str(tmp_path / "no-such"))


def test_a_list_that_cannot_be_written_is_a_mistake_of_the_caller(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(UsageError, match="cannot be written"):
        call(str(DATA / "raw-markup.xml"), "--write-expected", str(tmp_path / "file" / "list"))


def test_the_document_of_very_many_cases_is_written_in_pieces_and_whole(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("rocm_ci.cli.junit._BATCH", 2)
    call(str(DATA / "raw-markup.xml"), "--format", "json")

    assert len(json.loads(capsys.readouterr().out)["cases"]) == 5


def test_a_report_without_a_test_is_a_document_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "none.xml").write_text("<testsuites/>")

    assert call(str(tmp_path / "none.xml"), "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)["cases"] == []
