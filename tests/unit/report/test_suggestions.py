"""Repairs as review suggestions: whole lines, all repairs of a line in one, only where the lines are new."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from rocm_ci.config.options import ScanOptions
from rocm_ci.model.edit import Edit
from rocm_ci.report.suggestions import suggestions
from rocm_ci.scan.engine import scan
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
