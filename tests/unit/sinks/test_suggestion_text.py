"""The words of a review."""

from __future__ import annotations

from rocm_ci.github.thread_marker import ThreadMark
from rocm_ci.report.suggestions import Suggestion
from rocm_ci.sinks.suggestion_text import MOST_TOLD, closed, overview, remark
from tests import reports
from tests.rendered import acts, render
from tests.reviewed import suggested

PRINT = "0123456789abcdef-01234567"


def one(count: int = 1, *, lines: tuple[str, ...] = ("x",), message: str = "m") -> Suggestion:
    found = [
        reports.finding(message=f"{message}{n or ''}", fingerprint=PRINT, docs="https://evil.example/x")
        for n in range(count)
    ]
    return Suggestion("a.hip", 3, 3, ("y",), lines, tuple(found))


def test_many_findings_of_one_line_are_a_short_list() -> None:
    body = remark(one(MOST_TOLD + 3), "default").body

    assert len(render(body).findall("ul/li")) == MOST_TOLD + 1
    assert "and 3 more" in body


def test_a_page_that_is_not_ours_is_no_link() -> None:
    assert render(remark(one(), "default").body).findall(".//a") == []


def test_words_are_inert_and_code_is_kept_as_it_is() -> None:
    made = remark(one(message="@org/team #1 <b>", lines=("````", "\t~~~ ", "<!-- rocm-ci -->")), "default")

    assert acts(render(made.body)) == []
    assert suggested(made.body) == "````\n\t~~~ \n<!-- rocm-ci -->\n"


def test_an_empty_line_stays_a_line() -> None:
    assert suggested(remark(one(lines=("",)), "default").body) == "\n"


def test_the_review_says_how_many_more_there_are() -> None:
    assert "1 mechanical repair," in overview(1, 0)
    assert "more" not in overview(1, 0)
    assert "7 more can be repaired with `rocm-ci scan --fix`" in overview(30, 7)


def test_what_is_closed_keeps_all_that_it_said() -> None:
    body = remark(one(), "default").body
    mark = ThreadMark(key="default", prints=frozenset({PRINT}))

    text = closed(body, mark, "abc1234def")

    assert text.startswith("✅ Fixed in abc1234.\n\n")
    assert body.partition("\n\n<!--")[0] in text
    assert text.endswith(f"<!-- rocm-ci-suggestion:v1 key=default state=fixed prints={PRINT} -->")
