"""Python text without the bodies of functions that can hold no finding: the costly part of parsing.

Half of a module's functions have nothing to do with any rule. Their bodies become `pass`, and every line
keeps its number. What they could teach about the module (a flag that is set, a helper's answer) is
kept: a body that names a vendor stays.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ahocorasick_rs import BytesAhoCorasick

_LEAST = 4_000  # characters, below which parsing is over sooner than looking
_SHORTEST = 4  # lines of a body worth leaving out
_DEFINITION = re.compile(r"^([ \t]*)(?:async[ \t]+)?def[ \t]+\w+[ \t]*\(", re.MULTILINE)
_HEADER_END = re.compile(r":[ \t]*(?:#[^\n]*)?\n")
_LONGEST_HEADER = 4_000
_INDENT = re.compile(r"[ \t]*")
# What the name of a vendor or a device holds (see `vendor`), for the lower-cased text …
_WORDS = (
    *(b"hip", b"rocm", b"roc_", b"miopen", b"rccl", b"amd", b"instinct", b"radeon", b"gfx", b"cdna", b"rdna"),
    *(b"mi2", b"mi3", b"fnuz", b"aiter", b"hsa", b"cuda", b"nvidia", b"nvcc", b"nvml", b"nvrtc", b"nvtx"),
    *(b"nvshmem", b"nv_", b"_nv", b"cudnn", b"cublas", b"cutlass", b"cubin", b"tensorrt", b"trt", b"ptxas"),
    *(b"flashinfer", b"sm_", b"_sm", b"sm7", b"sm8", b"sm9", b"sm1", b"cu11", b"cu12", b"cu13", b"hopper"),
    *(b"ampere", b"blackwell", b"turing", b"volta", b"h100", b"a100", b"b200", b"gb200", b"jetson", b"hpu"),
    *(b"gaudi", b"npu", b"ascend", b"xpu", b"tpu", b"mps", b"musa", b"mlu", b"gcu", b"maca", b"xla"),
    *(b"neuron", b"trainium", b"darwin", b"macos"),
)
# … and in a line, where it counts: no part of another word, no device that every build of torch has.
_NAMES = re.compile(
    r"(?:(?<![A-Za-z])|(?<=[a-z])(?=[A-Z]))(?i:hip|roc(?![a-ln-z])|miopen|rccl|amd|instinct|radeon|gfx|[cr]dna|mi\d|fnuz"
    r"|aiter|hsa|py(?:3?nvml|cuda)|cu(?:da|\d|dnn|blas|bin|tlass)|nv(?:idia|cc|ml|rtc|tx|shmem|_|\b)|tensorrt|trt|flashinfer|sm_?\d|ptxas"
    r"|hopper|ampere|blackwell|turing|volta|[ahb]\d00|g[bh]200|jetson|hpu|gaudi|npu|ascend|xpu|tpu|mps|musa|mlu|gcu|maca|xla"
    r"|neuron|trainium|darwin|macos)"
)
_SAYS_NOTHING = re.compile(r"[\"']cuda(?::\d+)?[\"']|\.cuda\(|torch\.(?:cuda|backends)\b")
# What such a name teaches something in: a value that is kept, an attempt, the answer of a short helper.
_KEEPS = re.compile(r"[ \t]*(?:[\w.]+[ \t]*(?::[^=\n]+)?=(?!=)|try\b)")
_ANSWERS = re.compile(r"[ \t]*(?:return|if)\b")
_LONGEST_HELPER = 30  # lines
_OPEN_END = re.compile(r"(?:[(\[{,=\\]|\b(?:and|or|not))[ \t]*\Z")
_MOST_LINES = 12  # of one statement that are looked back for its beginning


def of(text: str, hits: Sequence[int]) -> tuple[str, tuple[int, ...]] | None:
    """(text with bodies left out, 1-based lines of their `pass`), or None where that saves nothing.

    `hits` are the sorted lines that a rule needs. Brackets and strings are not understood here, so what
    was made must be checked against its tree: `holds`.
    """
    if len(text) < _LEAST:
        return None
    pieces: list[str] = []
    passes: list[int] = []
    teaching = _Teaching(text)
    at = 0  # up to here the text is in `pieces`
    counted, line = 0, 1
    for indent, start, end in _bodies(text):
        if start < at:
            continue
        line += text.count("\n", counted, start)
        counted = start
        height = text.count("\n", start, end)
        if height < _SHORTEST or _any_within(hits, line, line + height - 1):
            continue
        if not _is_closed(text, start, end) or teaching.within(start, end, short=height <= _LONGEST_HELPER):
            continue
        pieces += [text[at:start], "\n" * (height - 1), indent, " pass\n"]
        passes.append(line + height - 1)
        at = end
    if not passes:
        return None
    pieces.append(text[at:])
    return "".join(pieces), tuple(passes)


def holds(module: ast.Module, passes: Sequence[int]) -> bool:
    """Whether every body that was left out is that of a function of the tree, not text in a string."""
    wanted = set(passes)
    stack: list[ast.AST] = [module]
    while stack:
        node = stack.pop()
        for block in ("body", "orelse", "finalbody", "handlers", "cases"):
            stack += getattr(node, block, ())
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and isinstance(node.body[0], ast.Pass):
            wanted.discard(node.body[0].lineno)
    return not wanted


def _bodies(text: str) -> Iterator[tuple[str, int, int]]:
    """(indentation of a definition, start and end offset of its body), outer functions first."""
    for found in _DEFINITION.finditer(text):
        header = _HEADER_END.search(text, found.end(), found.end() + _LONGEST_HEADER)
        if header is None or not _is_balanced(text[found.end() - 1 : header.start()]):
            continue
        start = header.end()
        after = _outside(len(found[1])).search(text, start - 1)
        end = len(text) if after is None else after.start() + 1
        if end > start and text[end - 1] == "\n":
            yield found[1], start, end


@cache
def _outside(indent: int) -> re.Pattern[str]:
    """A line that is indented no deeper than a definition, comments left out."""
    return re.compile(rf"\n[ \t]{{0,{indent}}}(?![ \t\n#])")


def _is_balanced(header: str) -> bool:
    return header.count("(") == header.count(")")


def _is_closed(text: str, start: int, end: int) -> bool:
    """Whether no long string runs out of a body, as far as counting tells."""
    return not text.count('"""', start, end) % 2 and not text.count("'''", start, end) % 2


def _any_within(numbers: Sequence[int], first: int, last: int) -> bool:
    at = bisect_left(numbers, first)
    return at < len(numbers) and numbers[at] <= last


class _Teaching:
    """Where a text holds a word about vendors in a statement that sets, answers or asks something."""

    def __init__(self, text: str) -> None:
        self._text = text
        # As many bytes as characters, so that offsets hold.
        data = text.encode("ascii", "replace").lower()
        self._places = [start for _, start, _ in _matcher().find_matches_as_indexes(data)]

    def within(self, start: int, end: int, *, short: bool) -> bool:
        at = bisect_left(self._places, start)
        while at < len(self._places) and self._places[at] < end:
            line_end = self._text.find("\n", self._places[at])
            if self._teaches(self._places[at], line_end, short=short):
                return True
            at = bisect_left(self._places, line_end)
        return False

    def _teaches(self, place: int, line_end: int, *, short: bool) -> bool:
        text = self._text
        first = text.rfind("\n", 0, place) + 1
        if not _NAMES.search(_SAYS_NOTHING.sub("", text[first:line_end])):
            return False
        for _ in range(_MOST_LINES):
            if _KEEPS.match(text, first) or (short and _ANSWERS.match(text, first)):
                return True
            before = text.rfind("\n", 0, max(0, first - 1)) + 1
            if first == 0 or not _OPEN_END.search(text, before, first - 1):
                return False
            first = before
        return True


@cache
def _matcher() -> BytesAhoCorasick:
    import ahocorasick_rs  # noqa: PLC0415 - only files of some length need it

    return ahocorasick_rs.BytesAhoCorasick(_WORDS, implementation=ahocorasick_rs.Implementation.DFA)
