"""`rocm-ci junit`: its JSON contract, its text, its exit status."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rocm_ci.cli.junit import command

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
