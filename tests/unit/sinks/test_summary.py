from __future__ import annotations

import io
from typing import TYPE_CHECKING

from rocm_ci.log import Log
from rocm_ci.report.markdown import render_comment
from rocm_ci.sinks.base import Destination
from rocm_ci.sinks.summary import LIMIT, SINK
from tests import reports

if TYPE_CHECKING:
    from pathlib import Path


def where(summary: Path | None) -> Destination:
    return Destination(log=Log(out=io.StringIO(), err=io.StringIO()), summary=summary)


def test_outside_of_a_workflow_nothing_is_written() -> None:
    assert SINK.emit(reports.green(), where(None)) == ()


def test_the_summary_is_the_comment(tmp_path: Path) -> None:
    page = tmp_path / "summary.md"

    SINK.emit(reports.red(), where(page))

    assert page.read_text(encoding="utf-8") == render_comment(reports.red())


def test_what_other_steps_wrote_stays(tmp_path: Path) -> None:
    page = tmp_path / "summary.md"
    page.write_text("# mine\n", encoding="utf-8")

    SINK.emit(reports.green(), where(page))

    assert page.read_text(encoding="utf-8").startswith("# mine\n\n## ✅")


def test_the_page_stays_below_what_github_takes(tmp_path: Path) -> None:
    page = tmp_path / "summary.md"
    page.write_text("x" * (LIMIT - 3_000), encoding="utf-8")

    SINK.emit(reports.many(5_000), where(page))

    assert page.stat().st_size <= LIMIT


def test_a_full_page_is_left_alone_and_that_is_told(tmp_path: Path) -> None:
    page = tmp_path / "summary.md"
    page.write_text("x" * LIMIT, encoding="utf-8")
    place = where(page)

    assert SINK.emit(reports.red(), place) == ()
    assert page.stat().st_size == LIMIT
    assert isinstance(place.log.err, io.StringIO)
    assert "step summary is full" in place.log.err.getvalue()
