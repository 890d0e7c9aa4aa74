"""The strings of a C-family file: text, inline assembly, or device source for a run-time compiler."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan.source import Region, RegionKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.scan.c_lexer import Lexed, Literal
    from rocm_ci.scan.c_source import CFile

_NAME = re.compile(r"[A-Za-z_]\w*")
_DEFINED = re.compile(r"[ \t]*#[ \t]*define[ \t]+(\w+)(?:\([^()\n]*\))?\s*\Z")
_ASM = re.compile(r"\b(?:asm|__asm__|__asm)\b(?:\s*(?:volatile|__volatile__|goto|inline))*\s*\(")
_CALLER = re.compile(r"([A-Za-z_][\w:]*)\s*(?:<[^<>;]*>\s*)?$")
_DEVICE_SOURCE = re.compile(r"__global__|__device__")
# Device source that is put together statement by statement: `code += "v = __shfl_down(v, s);"`
_DEVICE_PIECE = re.compile(
    r"__(?:shfl|ballot|activemask|syncthreads|syncwarp|popc|any|all)\w*\s*\([^\n]*\)[^\n]*[;{]"
)
_APPENDED = re.compile(r"(?:\+=|<<|\bappend\s*\(|\bpush_back\s*\()\s*\Z")
_ESCAPE = re.compile(r"\\([ntrfv\"'\\])")
_BETWEEN_LITERALS = re.compile(r"[\s\\]*(?:u8|[uUL])?R?")
_FARTHEST_CALL = 1500  # characters that are looked back for the call around a string


def literal_regions(file: CFile, include_lines: set[int]) -> Iterator[Region]:
    """A region for every string that is text, inline assembly or device source; includes are left out."""
    lexed = file.lexed
    taken: set[int] = set()
    named: set[str] = set()  # macros that stand in templates
    at = 0
    while found := _ASM.search(lexed.code, at):
        end = _end_of_template(lexed.code, found.end())
        at = max(found.end(), end)
        named.update(_NAME.findall(lexed.code, found.end(), end))
        template = lexed.literals_in(found.end(), end)
        if template:
            taken |= {one.start for one in template}
            yield _region(RegionKind.ASM, file, template, ("asm",))
        rest = lexed.literals_in(found.end(), _matching_parenthesis(lexed.code, found.end()))
        taken |= {one.start for one in rest}
    named &= file.defines
    for group in _neighbours(lexed, taken):
        line, _ = lexed.place(group[0].start)
        if line in include_lines:
            continue
        if named and _is_of_macro(lexed, group[0].start, named):
            yield _region(RegionKind.ASM, file, group, ("asm",))
            continue
        text = "".join(lexed.text[one.content_start : one.content_end] for one in group)
        if _DEVICE_SOURCE.search(text) or (
            _DEVICE_PIECE.search(text)
            and _APPENDED.search(lexed.code, max(0, group[0].start - 40), group[0].start)
        ):
            yield _region(RegionKind.KERNEL, file, group, _call_around(lexed, group[0]))
            continue
        for one in group:
            if one.content_end > one.content_start:
                yield _region(RegionKind.STRING, file, (one,), _call_around(lexed, one))


def _is_of_macro(lexed: Lexed, start: int, names: set[str]) -> bool:
    """Whether a literal is what one of these macros stands for."""
    before = lexed.code[lexed.code.rfind("\n", 0, start) + 1 : start]
    found = _DEFINED.match(before)
    return found is not None and found[1] in names


def _region(kind: RegionKind, file: CFile, literals: tuple[Literal, ...], context: tuple[str, ...]) -> Region:
    line, column = file.lexed.place(literals[0].content_start)
    text = file.lexed.contents(literals)
    if kind is not RegionKind.STRING and "\\" in text and file.lexed.text[literals[0].start - 1] != "R":
        text = _ESCAPE.sub(_unescaped, text)
    return Region(kind, text, line, column, file.guard_at(line), context)


def _unescaped(found: re.Match[str]) -> str:
    """What an escape in source text stands for, as wide as it is written."""
    return f" {found[1]}" if found[1] in "\"'\\" else "  "


def _neighbours(lexed: Lexed, taken: set[int]) -> Iterator[tuple[Literal, ...]]:
    """Groups of literals with nothing but white space between them: one string to the compiler."""
    group: list[Literal] = []
    for one in lexed.literals:
        if one.start in taken:
            continue
        if group and not _BETWEEN_LITERALS.fullmatch(lexed.code, group[-1].end, one.start):
            yield tuple(group)
            group = []
        group.append(one)
    if group:
        yield tuple(group)


def _end_of_template(code: str, start: int) -> int:
    """Where the template of an asm statement ends: at its first colon, or with the statement."""
    end = _matching_parenthesis(code, start)
    colon = re.compile(r"(?<!:):(?!:)").search(code, start, end)
    return colon.start() if colon else end


def _matching_parenthesis(code: str, start: int, most: int = 20_000) -> int:
    """The closing parenthesis, or the end of the statement: literals, which may hold any sign, are blank."""
    depth = 1
    for found in re.compile(r"[();]").finditer(code, start, start + most):
        if found[0] == ";":
            return found.start()
        depth += 1 if found[0] == "(" else -1
        if not depth:
            return found.start()
    return min(len(code), start + most)


def _call_around(lexed: Lexed, literal: Literal) -> tuple[str, ...]:
    """`("call:dlopen",)` for a literal that is (part of) an argument of a call."""
    code, depth = lexed.code, 0
    at = literal.start
    least = max(0, at - _FARTHEST_CALL)
    while at > least:
        at -= 1
        char = code[at]
        if char in ")]":
            depth += 1
        elif char in "([":
            if depth:
                depth -= 1
            elif char == "(":
                found = _CALLER.search(code, max(0, at - 80), at)
                return (f"call:{found[1]}",) if found else ()
        elif char in ";{}" and not depth:
            return ()
    return ()
