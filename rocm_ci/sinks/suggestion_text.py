"""The words of a review: what each remark says, and what stands above all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.github import thread_marker
from rocm_ci.github.review import Remark
from rocm_ci.github.thread_marker import ThreadMark
from rocm_ci.report import inert, links

if TYPE_CHECKING:
    from rocm_ci.model.finding import Finding
    from rocm_ci.report.suggestions import Suggestion

MOST_TOLD = 5  # findings of one suggestion that are told in words
MAX_MESSAGE = 400
_RERUN = "`rocm-ci scan --fix`"


def prints(suggestion: Suggestion) -> frozenset[str]:
    """The fingerprints of what it repairs."""
    return frozenset(finding.fingerprint for finding in suggestion.findings)


def remark(suggestion: Suggestion, key: str) -> Remark:
    """A review comment with its suggested lines, signed."""
    mark = ThreadMark(key=key, prints=prints(suggestion))
    return Remark(
        path=suggestion.path,
        line=suggestion.last,
        start_line=suggestion.first if suggestion.first < suggestion.last else None,
        body=thread_marker.sign(f"{_told(suggestion)}\n\n{_block(suggestion)}", mark),
    )


def overview(offered: int, left: int) -> str:
    """The body of the review. `left` are repairs that were neither offered now nor before."""
    what = "1 mechanical repair" if offered == 1 else f"{offered} mechanical repairs"
    said = f"**ROCm CI** suggests {what}, each one click. What the code means stays the same."
    if left:
        said += f"\n\n{left} more can be repaired with {_RERUN}."
    return said


def closed(body: str, mark: ThreadMark, head: str) -> str:
    """The body of a remark whose findings are gone: all that it said, below one line that says so."""
    done = ThreadMark(key=mark.key, prints=mark.prints, state="fixed")
    return thread_marker.sign(f"✅ Fixed in {head[:7]}.\n\n{thread_marker.unsigned(body)}", done)


def _told(suggestion: Suggestion) -> str:
    told = list(dict.fromkeys(_said(finding) for finding in suggestion.findings))
    if len(told) == 1:
        return told[0]
    more = [f"and {len(told) - MOST_TOLD} more"] if len(told) > MOST_TOLD else []
    return "\n".join(f"- {line}" for line in (*told[:MOST_TOLD], *more))


def _said(finding: Finding) -> str:
    rule, page = inert.code(finding.rule), links.published(finding.docs)
    name = f"[{rule}]({page})" if page else rule
    return f"{name}: {inert.prose(finding.message, limit=MAX_MESSAGE)}"


def _block(suggestion: Suggestion) -> str:
    """The suggested lines as they are: here nothing may be escaped, so `proposals` let only plain text by."""
    longest = max((_ticks(line) for line in suggestion.lines), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join((f"{fence}suggestion", *suggestion.lines, fence))


def _ticks(line: str) -> int:
    """The length of the longest run of backticks."""
    longest = here = 0
    for char in line:
        here = here + 1 if char == "`" else 0
        longest = max(longest, here)
    return longest
