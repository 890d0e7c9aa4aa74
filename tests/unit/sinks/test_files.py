"""The three sinks that write files into the output folder."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

import pytest
from lxml import etree

from rocm_ci.log import Log
from rocm_ci.report import codec
from rocm_ci.report.links import Links
from rocm_ci.report.markdown import render_comment
from rocm_ci.sinks import artifact, junit, sarif
from rocm_ci.sinks.base import Destination
from tests import reports

if TYPE_CHECKING:
    from pathlib import Path

    from rocm_ci.sinks.base import Sink

SINKS = {"artifact": artifact.SINK, "junit": junit.SINK, "sarif": sarif.SINK}


def where(out: Path | None) -> Destination:
    links = Links(repository="https://github.com/acme/wavekit")
    return Destination(log=Log(out=io.StringIO(), err=io.StringIO()), out=out, links=links)


@pytest.mark.parametrize("sink", SINKS.values(), ids=SINKS)
def test_without_a_folder_nothing_is_written(sink: Sink) -> None:
    assert sink.emit(reports.red(), where(None)) == ()


@pytest.mark.parametrize("sink", SINKS.values(), ids=SINKS)
def test_the_folder_is_made_and_what_was_written_is_told(sink: Sink, tmp_path: Path) -> None:
    out = tmp_path / "a" / "b"

    told = sink.emit(reports.red(), where(out))

    assert sorted(told) == sorted(str(path) for path in out.iterdir())


@pytest.mark.parametrize("sink", SINKS.values(), ids=SINKS)
def test_a_file_name_that_is_not_utf8_does_not_stop_the_files(sink: Sink, tmp_path: Path) -> None:
    odd = reports.report(
        reports.scan(reports.finding(path="a\udcff.hip", message="b\ud800", replacement="\udcff"))
    )

    assert sink.emit(odd, where(tmp_path))


def test_the_report_that_is_written_is_the_report(tmp_path: Path) -> None:
    artifact.SINK.emit(reports.red(), where(tmp_path))

    assert codec.decode((tmp_path / "report.json").read_bytes()) == reports.red()
    assert (tmp_path / "comment.md").read_text(encoding="utf-8") == render_comment(
        reports.red(), links=where(None).links
    )


def test_an_older_report_is_replaced(tmp_path: Path) -> None:
    artifact.SINK.emit(reports.red(), where(tmp_path))
    artifact.SINK.emit(reports.green(), where(tmp_path))

    assert codec.decode((tmp_path / "report.json").read_bytes()) == reports.green()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["comment.md", "report.json"]


def test_the_other_files_are_what_their_readers_expect(tmp_path: Path) -> None:
    junit.SINK.emit(reports.red(), where(tmp_path))
    sarif.SINK.emit(reports.red(), where(tmp_path))

    assert etree.parse(tmp_path / "junit.xml").getroot().tag == "testsuites"
    assert (
        len(json.loads((tmp_path / "findings.sarif").read_text(encoding="utf-8"))["runs"][0]["results"]) == 3
    )
