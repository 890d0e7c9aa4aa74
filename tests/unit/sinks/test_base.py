from __future__ import annotations

import io
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

import rocm_ci.sinks
from rocm_ci.errors import GitHubError, RocmCiError
from rocm_ci.github.client import DeclinedError, PermissionRefusedError
from rocm_ci.log import Log
from rocm_ci.registry import load
from rocm_ci.sinks.base import Destination, Sink, Unposted, emit_all
from tests import reports

if TYPE_CHECKING:
    from rocm_ci.model.report import Report


@dataclass
class FakeSink:
    name: str
    needs_token: bool = False
    trouble: Exception | None = None
    seen: list[Report] = field(default_factory=list)

    def emit(self, report: Report, where: Destination) -> tuple[str, ...]:
        if self.trouble is not None:
            raise self.trouble
        self.seen.append(report)
        return ("shown",)


def destination() -> Destination:
    return Destination(log=Log(out=io.StringIO(), err=io.StringIO()))


def error_text(where: Destination) -> str:
    assert isinstance(where.log.err, io.StringIO)
    return where.log.err.getvalue()


def test_every_sink_shows_the_same_report() -> None:
    one, two = FakeSink("one"), FakeSink("two")
    report = reports.red()

    done = emit_all(report, destination(), [one, two])

    assert done.posted == ("one: shown", "two: shown")
    assert one.seen == two.seen == [report]


def test_the_comment_comes_first() -> None:
    done = emit_all(reports.green(), destination(), [FakeSink("check"), FakeSink("comment"), FakeSink("a")])

    assert done.posted == ("comment: shown", "check: shown", "a: shown")


def test_a_sink_that_fails_is_told_and_the_others_still_run() -> None:
    where = destination()
    bad = FakeSink("bad", trouble=GitHubError("GitHub said no", hint="ask for write permission"))
    good = FakeSink("good")

    done = emit_all(reports.green(), where, [bad, good])

    assert done.posted == ("good: shown",)
    assert done.refused == ("bad: GitHub said no",)
    assert [error.exit_code for error in done.errors] == [4]
    assert "bad: GitHub said no" in error_text(where)
    assert "ask for write permission" in error_text(where)


@dataclass
class KeepingSink(FakeSink):
    def kept(self, report: Report, where: Destination) -> str:
        return f"**all of it**: {report.verdict.value}"


@pytest.mark.attack("1", "a token without rights to write")
def test_a_token_without_rights_fails_nothing_and_loses_nothing() -> None:
    where = destination()
    refusal = PermissionRefusedError("cannot create the comment: 403", hint="needs `pull-requests: write`")

    done = emit_all(reports.red(), where, [KeepingSink("comment", trouble=refusal), FakeSink("status")])

    assert (done.posted, done.errors) == (("status: shown",), ())
    assert done.refused == ("comment: cannot create the comment: 403",)
    (kept,) = done.unposted
    assert kept.markdown.startswith(
        "> ⚠️ Not posted: **comment** — cannot create the comment: 403. "
        "To change that: needs `pull-requests: write`"
    )
    assert kept.markdown.endswith("\n\n**all of it**: fail\n")
    assert "warning: comment: cannot create the comment: 403; needs" in error_text(where)


def test_an_outage_fails_the_job_and_loses_nothing() -> None:
    trouble = GitHubError("GitHub answered 500", hint="run the job again")

    done = emit_all(reports.red(), destination(), [KeepingSink("comment", trouble=trouble)])

    assert [error.exit_code for error in done.errors] == [4]
    assert [one.text for one in done.unposted] == ["**all of it**: fail"]


def test_what_was_not_posted_on_purpose_is_neither_an_error_nor_kept() -> None:
    where = destination()
    declined = DeclinedError("pull request #5 is closed", hint="reopen it")

    done = emit_all(reports.red(), where, [KeepingSink("comment", trouble=declined)])

    assert (done.errors, done.unposted) == ((), ())
    assert done.refused == ("comment: pull request #5 is closed",)
    assert "warning: comment: pull request #5 is closed; reopen it" in error_text(where)


@pytest.mark.attack("6", "a refusal whose text holds Markdown, HTML or a mention")
def test_what_github_said_is_inert_in_the_summary() -> None:
    refused = Unposted(sink="comment", reason="<img src=x> @org/team\n# big", hint="`a` | b")

    assert "<img" not in refused.markdown
    assert "@org" not in refused.markdown
    assert "\n# " not in refused.markdown


def test_a_full_disk_is_told_and_not_a_traceback() -> None:
    done = emit_all(reports.green(), destination(), [FakeSink("disk", trouble=OSError(28, "No space left"))])

    assert "No space left" in done.refused[0]
    assert done.errors[0].exit_code == 3


def test_a_sink_that_needs_a_token_is_refused_without_one() -> None:
    done = emit_all(reports.green(), destination(), [FakeSink("comment", needs_token=True)])

    assert done.posted == ()
    assert "needs a token" in done.refused[0]
    assert isinstance(done.errors[0], RocmCiError)


def test_the_sinks_that_need_no_token_are_found_by_listing() -> None:
    found = load(rocm_ci.sinks, "SINK", Sink)  # type: ignore[type-abstract]

    assert {"annotations", "artifact", "console", "junit", "sarif", "summary"} <= {
        name for name, sink in found.items() if not sink.needs_token
    }
