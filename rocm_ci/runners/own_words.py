"""What a test printed itself, for whoever reads of its failure: all there is if it took its process along."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

from msgspec.structs import replace

from rocm_ci.runners.endings import BAD
from rocm_ci.runners.excerpt import Clip
from rocm_ci.runners.junit_dialects import said

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from rocm_ci.model.case import Case
    from rocm_ci.runners.live import Seen

# What a reader of a comment looks at.
_LAST = 40
# Of these the first are what led to the end, and of a native stack so many tell where that was.
_FROM_FAULT = 12
_FRAMES = 8
_LINE = 2_000
# The stack of Python's faulthandler: forty frames of pytest below the two that matter.
_FRAME = re.compile(r'\s*File "(?P<path>[^"]{1,1000})", line (?P<line>[0-9]{1,7})\b')
_MACHINERY = re.compile(
    r'\s*File "(?:[^"]*/(?:site|dist)-packages/(?:_pytest|pytest|pluggy|xdist|pytest_timeout)\b[^"]*'
    r'|[^"]*/bin/(?:pytest|py\.test)|<frozen runpy>)", line '
)
_NATIVE = re.compile(r"\s*(?:frame )?#\d{1,4}:?\s")
# The words with which a process dies: its runtime's, the C library's, Python's, a sanitizer's.
_FAULT = re.compile(
    r"\bterminate called |\bFatal Python error: |\b(?:Memory access fault|HW Exception) by GPU"
    r"|\*\*\* (?:stack smashing|buffer overflow)|\b(?:free|malloc|realloc|munmap_chunk)\(\): "
    r"|\bcorrupted size|\bdouble free or|\bAssertion [`'].{1,500} failed|=\d+==ERROR: |\bpanicked at "
)
_FAILURE = re.compile(r"^(?P<path>[^\s:()]{1,1000}):(?P<line>[0-9]{1,7}): Failure$", re.MULTILINE)
_LIBRARY = re.compile(r"/(?:site|dist)-packages/|/lib/python3|^<")
_DUMP = "(most recent call first)"


def telling(lines: Iterable[str]) -> list[str]:
    """The lines without the frames of the test tool itself, and with the first ones of a native stack."""
    told: list[str] = []
    for is_native, run in itertools.groupby(lines, key=lambda line: bool(_NATIVE.match(line))):
        group = [line for line in run if not _MACHINERY.match(line)]
        more = len(group) - _FRAMES
        told += [*group[:_FRAMES], f"[… {more} frames left out …]"] if is_native and more > 1 else group
    return told


def ending(lines: Iterable[str]) -> list[str]:
    """The last telling lines; if the process died of what stands before them, that and the last ones."""
    told = telling(lines)
    at = next((n for n, line in enumerate(told) if _FAULT.search(line[:_LINE])), len(told))
    rest = told[at + _FROM_FAULT :]
    room = _LAST - _FROM_FAULT - 1
    if at >= len(told) - _LAST or len(rest) <= room:
        return told[-_LAST:]
    left_out = f"[… {len(rest) - room} lines left out …]"
    return [*told[at : at + _FROM_FAULT], left_out, *rest[-room:]]


def clipped(lines: Sequence[str]) -> str | None:
    """Lines fit to be shown; None when there is nothing to see."""
    clip = Clip()
    clip.add("\n".join(lines))
    return clip.text().strip() or None


def quoted(
    cases: Iterable[Case], seen: Mapping[str, Seen], culprits: Collection[str], tail: str, lines: int
) -> tuple[Case, ...]:
    """The cases, with an excerpt for those that are bad and brought none.

    `tail` holds the last of the log's `lines` lines. What others may have printed is only shown of a
    test that ended the process, and only where it is not known when that test began.
    """
    last = tail.split("\n")
    before = lines - len(last)
    return tuple(
        _quoted(case, _span(seen.get(case.id), last, before, is_culprit=case.id in culprits))
        if case.status in BAD and not case.excerpt
        else case
        for case in cases
    )


def _span(seen: Seen | None, last: Sequence[str], before: int, *, is_culprit: bool) -> list[str]:
    first = seen.first_line if seen else 0
    if is_culprit:
        return ending(last[max(first - 1 - before, 0) :] if first else last)
    # One line is only the tool's word that it failed.
    if seen is None or not first or first <= before or seen.last_line <= first:
        return []
    return telling(last[first - 1 - before : seen.last_line - before])


def _quoted(case: Case, lines: Sequence[str]) -> Case:
    excerpt = clipped(lines)
    if excerpt is None:
        return case
    path, line = (case.path, case.line) if case.path else _place(lines)
    return replace(case, message=case.message or said(excerpt), excerpt=excerpt, path=path, line=line)


def _place(lines: Sequence[str]) -> tuple[str | None, int | None]:
    """Where the first dumped stack is in the project's own code; else where GoogleTest's check is."""
    start = next((n for n, text in enumerate(lines) if _DUMP in text), len(lines))
    for text in lines[start:]:
        frame = _FRAME.match(text)
        if frame and not _LIBRARY.search(frame["path"]):
            return frame["path"], int(frame["line"])
    failure = _FAILURE.search("\n".join(lines))
    return (failure["path"], int(failure["line"])) if failure else (None, None)
