"""The strings of a C-family file: text, inline assembly, or device source for a run-time compiler."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

from rocm_ci.scan.prose import is_told
from rocm_ci.scan.source import Region, RegionKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocm_ci.scan.c_lexer import Lexed, Literal
    from rocm_ci.scan.c_source import CFile

_NAME = re.compile(r"[A-Za-z_]\w*")
_DEFINED = re.compile(r"[ \t]*#[ \t]*define[ \t]+(\w+)(?:\([^()\n]*\))?\s*\Z")
_ASM = re.compile(
    r"asm(?:(?<=\b__asm)|(?<=\basm))(?:__)?\b(?:\s*(?:volatile|__volatile__|goto|inline))*\s*\("
)
_CALLER = re.compile(r"([A-Za-z_][\w:]*)\s*(?:<[^<>;]*>\s*)?$")
_DEVICE_SOURCE = re.compile(r"__global__|__device__")
# Device source that is put together statement by statement: `code += "v = __shfl_down(v, s);"`
_DEVICE_PIECE = re.compile(
    r"__(?:shfl|ballot|activemask|syncthreads|syncwarp|popc|any|all)\w*\s*\([^\n]*\)[^\n]*[;{]"
)
# No such source is without one of these.
_DEVICE_SIGN = re.compile(r"__(?:global__|device__|shfl|ballot|activemask|sync|popc|any|all)")
_APPENDED = re.compile(r"(?:\+=|<<|\bappend\s*\(|\bpush_back\s*\()\s*\Z")
_ESCAPE = re.compile(r"\\([ntrfv\"'\\])")
_BETWEEN_LITERALS = re.compile(r"[\s\\]*(?:u8|[uUL])?R?")
_FARTHEST_STREAM = 300  # characters in which `std::cerr <<` is looked for
_FARTHEST_CALL = 1500  # characters that are looked back for the call around a string


def literal_regions(
    file: CFile, include_lines: set[int], hits: Sequence[int] | None = None
) -> Iterator[Region]:
    """A region for every string that is text, inline assembly or device source; includes are left out.

    Text is only there for the lines `hits`, unless that is None.
    """
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
    literals = lexed.literals if not taken else tuple(one for one in lexed.literals if one.start not in taken)
    asked = None if hits is None else _on_lines(lexed, literals, hits)
    wanted = None if asked is None or named else asked | _of_device_source(lexed, literals)
    for group in _neighbours(lexed, literals, wanted):
        first = literals[group[0]]
        line, _ = lexed.place(first.start)
        if line in include_lines:
            continue
        of_group = literals[group[0] : group[-1] + 1]
        if named and _is_of_macro(lexed, first.start, named):
            yield _region(RegionKind.ASM, file, of_group, ("asm",))
            continue
        text = "".join(lexed.text[one.content_start : one.content_end] for one in of_group)
        if _DEVICE_SOURCE.search(text) or (
            _DEVICE_PIECE.search(text) and _APPENDED.search(lexed.code, max(0, first.start - 40), first.start)
        ):
            yield _region(RegionKind.KERNEL, file, of_group, _call_around(lexed, first))
            continue
        for index in group:
            one = literals[index]
            if one.content_end > one.content_start and (asked is None or index in asked):
                yield _region(RegionKind.STRING, file, (one,), _surroundings(lexed, one))


def _surroundings(lexed: Lexed, one: Literal) -> tuple[str, ...]:
    """The call around a literal, and `told` when its text is a message."""
    around = _call_around(lexed, one)
    text = lexed.text[one.content_start : one.content_end]
    if " " in text and ("/" in text or "\\" in text):
        before = lexed.code[max(0, one.start - _FARTHEST_STREAM) : one.start]
        if is_told(text, around, before):
            return (*around, "told")
    return around


def _on_lines(lexed: Lexed, literals: Sequence[Literal], lines: Sequence[int]) -> set[int]:
    """Indices of the literals of which some part is on one of these lines."""
    starts = lexed.line_starts
    found: set[int] = set()
    for line in lines:
        end = starts[line] if line < len(starts) else len(lexed.text)
        index = bisect_left(literals, end, key=_start) - 1
        while index >= 0 and literals[index].end > starts[line - 1]:
            found.add(index)
            index -= 1
    return found


def _of_device_source(lexed: Lexed, literals: Sequence[Literal]) -> set[int]:
    """Indices of the literals with words of device source."""
    found: set[int] = set()
    for sign in _DEVICE_SIGN.finditer(lexed.text) if literals else ():
        index = bisect_left(literals, sign.end(), key=_start) - 1
        if index >= 0 and literals[index].end > sign.start():
            found.add(index)
    return found


def _start(literal: Literal) -> int:
    return literal.start


def _is_of_macro(lexed: Lexed, start: int, names: set[str]) -> bool:
    """Whether a literal is what one of these macros stands for."""
    before = lexed.code[lexed.code.rfind("\n", 0, start) + 1 : start]
    found = _DEFINED.match(before)
    return found is not None and found[1] in names


def _region(kind: RegionKind, file: CFile, literals: Sequence[Literal], context: tuple[str, ...]) -> Region:
    line, column = file.lexed.place(literals[0].content_start)
    text = file.lexed.contents(literals)
    if kind is not RegionKind.STRING and "\\" in text and file.lexed.text[literals[0].start - 1] != "R":
        text = _ESCAPE.sub(_unescaped, text)
    return Region(kind, text, line, column, file.guard_at(line), context)


def _unescaped(found: re.Match[str]) -> str:
    """What an escape in source text stands for, as wide as it is written."""
    return f" {found[1]}" if found[1] in "\"'\\" else "  "


def _neighbours(lexed: Lexed, literals: Sequence[Literal], wanted: set[int] | None) -> Iterator[range]:
    """Indices of literals with nothing but white space between them: one string to the compiler.

    Only groups with a wanted one are given.
    """

    def belongs(index: int) -> bool:
        """Whether a literal goes on with the next one."""
        return 0 <= index < len(literals) - 1 and bool(
            _BETWEEN_LITERALS.fullmatch(lexed.code, literals[index].end, literals[index + 1].start)
        )

    behind = 0  # the group before ends here
    for index in range(len(literals)) if wanted is None else sorted(wanted):
        if index < behind:
            continue
        first = index
        while first > behind and belongs(first - 1):
            first -= 1
        behind = index + 1
        while belongs(behind - 1):
            behind += 1
        yield range(first, behind)


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
