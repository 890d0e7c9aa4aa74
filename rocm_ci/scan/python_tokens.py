"""Reads lines of Python that cannot be parsed: names, strings and imports told apart, without guards.

What stands below a `try` or below a condition that speaks of a vendor may be guarded, so it counts
as guarded: a file that nobody can parse should not raise alarms.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan import vendor
from rocm_ci.scan.python_regions import MESSAGE_CALLEE
from rocm_ci.scan.source import Guard, Region, RegionKind

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from rocm_ci.scan.source import Source

_TOKEN = re.compile(
    r"(?P<comment>\#[^\n]*)"
    r"|(?P<string>(?:[rRbBuUfF]{0,2})(?:\"{3}(?:[^\"\\]|\\.|\"(?!\"\"))*(?:\"{3}|\Z)|'{3}(?:[^'\\]|\\.|'(?!''))*(?:'{3}|\Z)"
    r"|\"(?:[^\"\\\n]|\\.)*(?:\"|$)|'(?:[^'\\\n]|\\.)*(?:'|$)))"
    r"|(?P<name>[A-Za-z_]\w*(?:[ \t]*\.[ \t]*[A-Za-z_]\w*)*)"
    r"|(?P<line>\n)|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<assign>(?<![=!<>])=(?!=))|(?P<end>;)|(?P<other>[^\s])",
    re.DOTALL | re.MULTILINE,
)
_QUOTES = re.compile(r"[A-Za-z]{0,2}(\"{3}|'{3}|\"|')")
_IMPORT = re.compile(
    r"[ \t]*(?:c?import[ \t]+(?P<names>[\w.]+(?:[ \t]*,[ \t]*[\w.]+)*)"
    r"|from[ \t]+(?P<module>[\w.]+)[ \t]+c?import\b)"
)
_HEADER = re.compile(r"(if|elif|else|try|except|with|while)\b", re.IGNORECASE)
# Where a bracket was left open, a new statement closes it.
_STATEMENT = re.compile(
    r"[ \t]*(?:def|class|import|from|if|elif|else|try|except|for|while|return|raise|with|print|@"
    r"|[\w.]+[ \t]*=[ \t])"
)
_HEAD = re.compile(r"[ \t]*(?:def|class|if|elif|else|try|except|for|while|with)\b[^\n]*:[ \t]*(?:#[^\n]*)?$")
_INSIDE = re.compile(r"(async[ \t]+)?(def|cpdef|cdef(?!\s+(extern|class|struct|enum|union)\b))\b")
_USED = ("torch.version.cuda", "torch.utils.cpp_extension.CUDA_HOME", "CUDA_HOME")


def regions(source: Source, outer: Guard, aside: Collection[int] | None = None) -> Iterator[Region]:
    """The regions of the lines in `aside` (1-based), or of the whole file."""
    found = guards(source.lines, outer)
    wanted = None if aside is None else frozenset(aside)
    inside = _inside(source.lines)
    for number, line in enumerate(source.lines, 1):
        if wanted is None or number in wanted:
            yield from _imports(line, number, found[number - 1], inside[number - 1])
    for region in _Walk(source.text).regions():
        if wanted is None or region.line in wanted:
            at = region.line - 1
            context = (*region.context, "inside") if inside[at] else region.context
            yield Region(region.kind, region.text, region.line, region.column, found[at], context)


def guards(lines: tuple[str, ...], outer: Guard) -> list[Guard]:
    """Per line: EITHER where a line that it is indented below may guard it."""
    stack: list[tuple[int, Guard]] = []
    found: list[Guard] = []
    for line in lines:
        text = line.lstrip()
        if not text or text[0] in "#)]}":
            found.append(stack[-1][1] if stack else outer)
            continue
        indent = len(line) - len(text)
        while stack and stack[-1][0] >= indent:
            stack.pop()
        guard = stack[-1][1] if stack else outer
        found.append(guard)
        if text.rstrip().endswith(":"):
            may_guard = _HEADER.match(text) and (
                text.lower().startswith(("try", "except", "else")) or _speaks(text)
            )
            stack.append((indent, vendor.both(guard, Guard.EITHER) if may_guard else guard))
    return found


def _speaks(header: str) -> bool:
    return any(vendor.of(word) is not Guard.NONE for word in re.findall(r"\w+", header))


def _inside(lines: tuple[str, ...]) -> list[bool]:
    """Per line: whether it is indented below the head of a function."""
    found: list[bool] = []
    head: int | None = None
    for line in lines:
        text = line.lstrip()
        indent = len(line) - len(text)
        if text and text[0] != "#" and head is not None and indent <= head:
            head = None
        found.append(head is not None)
        if head is None and _INSIDE.match(text):
            head = indent
    return found


def _imports(line: str, number: int, guard: Guard, inside: bool) -> Iterator[Region]:  # noqa: FBT001
    found = _IMPORT.match(line)
    if found is None:
        return
    context = ("inside",) if inside else ()
    if found["module"]:
        yield Region(RegionKind.INCLUDE, found["module"], number, found.start("module") + 1, guard, context)
        return
    for one in re.finditer(r"[\w.]+", found["names"]):
        column = found.start("names") + one.start() + 1
        yield Region(RegionKind.INCLUDE, one.group(), number, column, guard, context)


class _Walk:
    """One pass over the tokens that keeps what encloses them."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._line, self._start = 1, 0
        self._stack: list[str] = []  # what stands before each open bracket
        self._assigned: tuple[str, ...] = ()
        self._keyword = ""
        self._before = ""  # the name just read
        self._fresh = True  # at the beginning of a statement
        self._message = False

    def regions(self) -> Iterator[Region]:
        for found in _TOKEN.finditer(self._text):
            kind = found.lastgroup or "other"
            text = found.group()
            if kind == "line" and self._stack and self._begins_anew(found.start()):
                self._stack.clear()
            if kind == "string":
                yield from self._string(found)
            elif kind == "name":
                yield from self._name(found)
            else:
                self._sign(kind, text)
            breaks = text.count("\n")
            if breaks:
                self._line += breaks
                self._start = found.start() + text.rfind("\n") + 1

    def _begins_anew(self, end: int) -> bool:
        """Whether the line that ends here, or the next one, cannot stand within brackets."""
        head = _HEAD.match(self._text, self._start, end)
        return head is not None or bool(_STATEMENT.match(self._text, end + 1) and self._is_margin(end + 1))

    def _is_margin(self, at: int) -> bool:
        """Whether a line is indented no deeper than the one before it."""
        new = len(self._text[at : at + 200]) - len(self._text[at : at + 200].lstrip(" \t"))
        old = len(self._text[self._start : self._start + 200]) - len(
            self._text[self._start : self._start + 200].lstrip(" \t")
        )
        return new <= old

    def _sign(self, kind: str, text: str) -> None:
        if kind in ("line", "end") and not self._stack:
            self._fresh, self._assigned, self._message, self._before = True, (), False, ""
        elif kind == "open":
            self._stack.append(
                self._before if text == "(" else ("item" if text == "[" and not self._before else "")
            )
            self._before, self._keyword, self._fresh = "", "", False
        elif kind == "close":
            if self._stack:
                self._stack.pop()
            self._before, self._keyword = "", ""
        elif kind == "assign":
            if self._stack:
                self._keyword = self._before
            elif self._before:
                self._assigned = (*self._assigned, f"assign:{self._before}")
            self._before = ""
        elif kind not in ("comment", "line"):
            self._before, self._fresh = "", False
            if text == ",":
                self._keyword = ""

    def _context(self) -> tuple[str, ...]:
        calls = [f"call:{one}" for one in self._stack if one and one != "item"]
        context = [*self._assigned, *calls]
        if self._stack and self._stack[-1] == "item":
            context.append("item:0")
        if self._keyword:
            context.append(f"kw:{self._keyword}")
        if self._message or any(MESSAGE_CALLEE.search(one) for one in self._stack if one):
            context.append("message")
        return tuple(context)

    def _string(self, found: re.Match[str]) -> Iterator[Region]:
        alone, self._fresh, self._before = self._fresh, False, ""
        opened = _QUOTES.match(found.group())
        if alone or opened is None:
            return  # a docstring
        text = found.group()[opened.end() :].removesuffix(opened[1])
        context = self._context()
        if text.strip() and "message" not in context:
            column = found.start() + opened.end() - self._start + 1
            kind = RegionKind.KERNEL if "__global__" in text else RegionKind.STRING
            yield Region(kind, text, self._line, column, Guard.NONE, context)

    def _name(self, found: re.Match[str]) -> Iterator[Region]:
        name = re.sub(r"\s+", "", found.group())
        if self._fresh and name in ("print", "raise", "assert"):
            self._message = name != "assert"
        self._fresh = False
        column = found.start() - self._start + 1
        for used in _USED:
            after = self._text[found.end() : found.end() + 1]
            if name == used or name.startswith(used + "."):
                use = "attribute" if name != used else ("subscript" if after == "[" else "argument")
                full = "torch.utils.cpp_extension.CUDA_HOME" if used == "CUDA_HOME" else used
                yield Region(
                    RegionKind.CODE, full, self._line, column, Guard.NONE, (*self._context(), f"use:{use}")
                )
                break
        else:
            if "." in name:
                yield Region(
                    RegionKind.CODE, name, self._line, column, Guard.NONE, (*self._context(), "use:value")
                )
        self._before = name
