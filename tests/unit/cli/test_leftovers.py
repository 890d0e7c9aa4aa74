"""What could not be posted goes to the step's summary, whole if it fits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.cli import leftovers
from rocm_ci.cli.leftovers import Leftovers
from rocm_ci.log import Log
from rocm_ci.report.links import Links
from rocm_ci.sinks.base import Unposted
from tests.standin.reports import report

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

LOST = Unposted(sink="comment", reason="GitHub answered 403", hint="add a permission", text="## the comment")


def page(tmp_path: Path) -> tuple[Leftovers, Path]:
    path = tmp_path / "summary.md"
    return Leftovers.of({"GITHUB_STEP_SUMMARY": str(path)}, Log()), path


def test_the_reason_and_the_text_are_kept_behind_what_is_there(tmp_path: Path) -> None:
    kept, path = page(tmp_path)
    path.write_text("earlier")

    kept.add(report("a" * 40), Links(), [LOST])

    text = path.read_text()
    assert text.startswith("earlier\n")
    assert "GitHub answered 403" in text
    assert "## the comment" in text
    assert "<details>" not in text, "the comment stands there once"


def test_where_no_comment_was_lost_the_report_is_folded_below(tmp_path: Path) -> None:
    kept, path = page(tmp_path)

    kept.add(report("a" * 40), Links(), [Unposted(sink="status", reason="403")])

    assert "<details><summary>The report</summary>" in path.read_text()


def test_nothing_lost_writes_nothing(tmp_path: Path) -> None:
    kept, path = page(tmp_path)

    kept.add(report("a" * 40), Links(), [])

    assert not path.exists()
    Leftovers.of({}, Log()).add(None, Links(), [LOST])


def test_a_full_page_is_cut_between_two_lines_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leftovers, "LIMIT", 600)
    kept, path = page(tmp_path)
    long = Unposted(sink="comment", reason="403", text="line of the comment\n" * 100)

    kept.add(None, Links(), [long])
    kept.add(None, Links(), [long])

    text = path.read_text()
    assert len(text) <= 600
    assert text.endswith("*The rest does not fit on this page.*\n")
    assert text.count("does not fit") == 1


def test_a_page_that_cannot_be_written_is_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Leftovers.of({"GITHUB_STEP_SUMMARY": str(tmp_path / "no" / "page")}, Log()).add(None, Links(), [LOST])

    assert "could not be written" in capsys.readouterr().err
