"""Repairs as review suggestions: whole lines, all repairs of a line in one, only where the lines are new."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from rocm_ci.config.options import ScanOptions
from rocm_ci.model.edit import Edit
from rocm_ci.report.suggestions import listed, suggestions
from rocm_ci.scan.engine import scan
from tests import reports
from tests.reports import finding
from tests.unit.scan.trees import BOOK, Tree, added

if TYPE_CHECKING:
    from rocm_ci.model.finding import Finding

VOTE = """__device__ int count(bool b) {
  const unsigned votes = __ballot(b);
  int other = 0;
  return __popc(votes);
}
"""


def found(text: str, *ranges: tuple[int, int]) -> tuple[Finding, ...]:
    tree = Tree({"a.hip": text})
    return scan(tree, added("a.hip", *ranges), ScanOptions(), ("gfx90a",), book=BOOK).findings


def test_all_repairs_of_a_line_are_one_suggestion() -> None:
    (one,) = suggestions(found("\tcudaFree(cudaFree(0)); // 日\n", (1, 1)))

    assert (one.path, one.first, one.last, one.lines) == ("a.hip", 1, 1, ("\thipFree(hipFree(0)); // 日",))
    assert len(one.findings) == 2


def test_a_repair_of_several_lines_takes_the_lines_between_along() -> None:
    (one,) = suggestions(found(VOTE, (1, 5)))

    assert (one.first, one.last) == (2, 4)
    assert one.lines == (
        "  const unsigned long long votes = __ballot(b);",
        "  int other = 0;",
        "  return __popcll(votes);",
    )


def test_a_repair_that_reaches_an_old_line_is_no_suggestion() -> None:
    findings = found(VOTE, (2, 2), (4, 4))

    assert [len(f.edits) for f in findings] == [2]
    assert suggestions(findings) == ()


def test_a_line_that_would_not_survive_a_browser_is_no_suggestion() -> None:
    assert suggestions(found("cudaFree(0); // \u202e\n", (1, 1))) == ()
    assert suggestions(found("cudaFree(0); // \x1b[31m\n", (1, 1))) == ()
    assert suggestions(found("cudaFree(0);" + " " * 600 + "\n", (1, 1))) == ()


def test_repairs_that_contradict_each_other_are_not_mixed() -> None:
    def repair(column: int, end: int, text: str, excerpt: str = "abcdef") -> Finding:
        edits = (Edit(line=7, column=column, end=end, text=text),)
        return replace(finding(), line=7, edits=edits, excerpt=(excerpt,))

    (overlap,) = suggestions([repair(1, 4, "x"), repair(3, 5, "y")])
    (other_text,) = suggestions([repair(1, 2, "x"), repair(4, 5, "y", excerpt="ABCDEF")])

    assert overlap.lines == ("xdef",)
    assert other_text.lines == ("xbcdef",)


def test_a_report_that_lies_about_its_lines_makes_no_suggestion() -> None:
    edits = (Edit(line=7, column=40, end=50, text="x"),)

    assert suggestions([replace(finding(), edits=edits, excerpt=("short",))]) == ()
    assert (
        suggestions([replace(finding(), edits=(Edit(line=-5, column=-1, end=0, text="x"),), excerpt=("s",))])
        == ()
    )


def test_a_list_for_the_summary_shows_each_repair_as_a_difference_and_counts_the_rest() -> None:
    report = reports.report(reports.scan(*found("".join(f"cudaFree(a{n});\n" for n in range(5)), (1, 5))))

    text = listed(report, limit=2)

    assert text.startswith("<details><summary>5 repairs for")
    assert "-cudaFree(a1);\n+hipFree(a1);" in text
    assert "cudaFree(a2)" not in text
    assert "and 3 more" in text


def test_nothing_to_repair_is_no_list() -> None:
    assert listed(reports.report(reports.scan(finding()))) == ""


def test_a_hundred_thousand_repairs_of_one_line_are_not_compared_with_each_other() -> None:
    edits = [(Edit(line=1, column=n, end=n + 1, text="x"),) for n in range(1, 2_001)]
    many = [replace(finding(), line=1, edits=one, excerpt=("y" * 400,)) for one in edits]

    assert [one.lines for one in suggestions(many[:400])] == [("x" * 400,)]
    assert listed(reports.report(reports.scan(*(many * 50)))).count("```diff") == 1
