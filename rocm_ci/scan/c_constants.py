"""Integer expressions of a C file folded to a value and a width, through its own macros and constants."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from rocm_ci.scan import literal_search
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rocm_ci.scan.c_source import CFile


@dataclass(frozen=True, slots=True)
class Folded:
    """What is known of an expression: its value, the bits of its type, and whether that is signed."""

    value: int | None = None
    bits: int | None = None
    signed: bool = False


UNKNOWN = Folded()
_SIZES = {
    "char": 1, "signed char": 1, "unsigned char": 1, "bool": 1, "int8_t": 1, "uint8_t": 1, "short": 2,
    "unsigned short": 2, "int16_t": 2, "uint16_t": 2, "half": 2, "__half": 2, "bfloat16": 2,
    "hip_bfloat16": 2,
    "__hip_bfloat16": 2, "__nv_bfloat16": 2, "nv_bfloat16": 2, "_Float16": 2, "int": 4, "unsigned": 4,
    "unsigned int": 4, "signed": 4, "signed int": 4, "int32_t": 4, "uint32_t": 4, "uint": 4, "float": 4,
    "half2": 4, "__half2": 4, "uint32": 4, "u32": 4, "long": 8, "unsigned long": 8, "long long": 8,
    "unsigned long long": 8, "unsigned long long int": 8, "long long int": 8, "unsigned long int": 8,
    "int64_t": 8, "uint64_t": 8, "size_t": 8, "ssize_t": 8, "ptrdiff_t": 8, "double": 8, "float2": 8,
    "int2": 8,
    "uint2": 8, "char4": 4, "uchar4": 4, "short2": 4, "float3": 12, "int3": 12, "float4": 16, "int4": 16,
    "uint4": 16, "double2": 16, "double4": 32, "long2": 16, "longlong2": 16, "ulonglong2": 16, "uintptr_t": 8,
    "hipFloatComplex": 8, "hipDoubleComplex": 16, "cuFloatComplex": 8, "cuDoubleComplex": 16, "cuComplex": 8,
    "c10::Half": 2, "at::Half": 2, "c10::BFloat16": 2, "at::BFloat16": 2,
}  # fmt: skip
_LIMITS = {
    "UINT32_MAX": Folded(0xFFFFFFFF, 32), "UINT_MAX": Folded(0xFFFFFFFF, 32),
    "UINT64_MAX": Folded(2**64 - 1, 64),
    "ULLONG_MAX": Folded(2**64 - 1, 64), "ULONG_MAX": Folded(2**64 - 1, 64),
    "INT_MAX": Folded(2**31 - 1, 32, signed=True), "INT32_MAX": Folded(2**31 - 1, 32, signed=True),
}  # fmt: skip
_SPACES = re.compile(r"\s+")
_TYPE = r"(?:const\s+)?(?:std::)?(?P<{}>[A-Za-z_][\w:]*(?:\s+(?:int|long|char|short))*)"
_LEXEME = re.compile(
    r"\s*(?:(?P<hex>0[xX][0-9a-fA-F']+)(?P<hs>[uUlLzZ]*)|(?P<bin>0[bB][01']+)(?P<bs>[uUlLzZ]*)"
    r"|(?P<dec>\d[\d']*)(?P<ds>[uUlLzZ]*)(?![\w.])"
    r"|sizeof\s*\(\s*" + _TYPE.format("sized") + r"\s*\)"
    r"|static_cast\s*<\s*" + _TYPE.format("cast") + r"\s*>(?=\s*\()"
    r"|\(\s*" + _TYPE.format("paren") + r"\s*\)(?=\s*[\w(~-])"
    r"|std::numeric_limits\s*<\s*" + _TYPE.format("limit") + r"\s*>::max\s*\(\s*\)"
    r"|(?P<name>(?:std::)?[A-Za-z_]\w*(?:::\w+)*)|(?P<op><<|>>|[-+*/%&|^~()]))"
)
_LEVELS: tuple[dict[str, Callable[[int, int], int]], ...] = (
    {"|": lambda a, b: a | b},
    {"^": lambda a, b: a ^ b},
    {"&": lambda a, b: a & b},
    {"<<": lambda a, b: a << b if 0 <= b < 64 else 0, ">>": lambda a, b: a >> b if 0 <= b < 64 else 0},
    {"+": lambda a, b: a + b, "-": lambda a, b: a - b},
    {"*": lambda a, b: a * b, "/": lambda a, b: a // b if b else 0, "%": lambda a, b: a % b if b else 0},
)
_MACRO = re.compile(r"#[ \t]*define[ \t]+(\w+)[ \t]+([^\n]+)")
_CONST = re.compile(r"const(?<!\wconst)(?:expr)?\b(?P<type>[^;={}()]*?)\b(?P<name>\w+)\s*(?P<how>[={])")
_VALUE = re.compile(r"\s*([^;]+);")
_BRACED = re.compile(r"([^{};]*)\}\s*;")
_ENUM = re.compile(r"enum(?<!\wenum)\b[^;{}]*\{")
_ENUMERATOR = re.compile(r"\b(\w+)\s*=\s*([^,{}]+)")
_BRACE = re.compile(r"[{}]")
_DEEPEST = 12
_LONGEST = 600


def size_of(type_name: str) -> int | None:
    """The bytes of a type that is the same everywhere; None when it is the file's own."""
    words = _SPACES.sub(" ", type_name).strip().removeprefix("const ").removeprefix("std::")
    return _SIZES.get(words)


class Constants:
    """The constants of one file that hold on AMD, folded when asked for."""

    def __init__(self, file: CFile) -> None:
        self._file = file
        self._known: dict[str, Folded] = {}
        self._open: set[str] = set()

    def fold(self, expression: str) -> Folded:
        """What is known of an expression."""
        if len(expression) > _LONGEST:
            return UNKNOWN
        return _Parser(expression, self).result()

    def named(self, name: str) -> Folded:
        """The constant of that name: a macro, a `constexpr`, a `const` or an enumerator with one value."""
        if name in _LIMITS:
            return _LIMITS[name]
        if name not in self._known:
            if name in self._open or len(self._open) > _DEEPEST:
                return UNKNOWN
            self._open.add(name)
            self._known[name] = self._look_up(name)
            self._open.discard(name)
        return self._known[name]

    def _look_up(self, name: str) -> Folded:
        meanings = set()
        for type_name, text in self._definitions.get(name.rsplit("::", 1)[-1], ()):
            folded = self.fold(text.rstrip("\\ \t"))
            meanings.add(_converted(folded, _declared_type(type_name)) if type_name else folded)
        return meanings.pop() if len(meanings) == 1 else UNKNOWN

    @cached_property
    def _definitions(self) -> dict[str, list[tuple[str, str]]]:
        """Name → (type, value) of all that the file defines it to be."""
        found: dict[str, list[tuple[str, str]]] = {}
        for start, *definition in _definitions(self._file.code):
            name, type_name, value = definition
            if self._file.guard_at(self._file.line_of(start)) in (Guard.NONE, Guard.AMD):
                found.setdefault(name, []).append((type_name, value))
        return found


def _definitions(code: str) -> Iterator[tuple[int, str, str, str]]:
    """(offset, name, type, value) of macros, `const` and `constexpr` values and enumerators."""
    for found in _MACRO.finditer(code):
        yield found.start(), found[1], "", found[2]
    for found in literal_search.finditer(_CONST, code):
        value = (_VALUE if found["how"] == "=" else _BRACED).match(code, found.end())
        if value:
            yield found.start(), found["name"], found["type"], value[1]
    for found in literal_search.finditer(_ENUM, code):
        for one in _ENUMERATOR.finditer(code, found.end(), _end_of_block(code, found.end())):
            yield found.start(), one[1], "", one[2]


def _end_of_block(code: str, start: int) -> int:
    found = _BRACE.search(code, start)
    return found.start() if found else len(code)


def _declared_type(words: str) -> str:
    return " ".join(w for w in words.split() if w not in ("static", "inline", "const", "constexpr", "extern"))


def _converted(folded: Folded, type_name: str) -> Folded:
    if type_name.rsplit("::", maxsplit=1)[-1] in ("auto", ""):
        return folded
    size = size_of(type_name)
    if size is None:
        return Folded(folded.value)
    bits = max(size * 8, 32) if size <= 8 else None
    value = folded.value
    if value is not None and bits is not None and (value < 0 or value.bit_length() > bits):
        value &= 2**bits - 1
    return Folded(value, bits, "u" not in type_name[:6])


class _Unparsable(Exception):  # noqa: N818 - never leaves this module
    pass


class _Parser:
    def __init__(self, text: str, constants: Constants) -> None:
        self._constants = constants
        self._lexemes: list[re.Match[str]] = []
        self._at = 0
        self._depth = 0
        at, end = 0, len(text.rstrip())
        self._broken = False
        while at < end:
            found = _LEXEME.match(text, at)
            if found is None:
                self._broken = True
                break
            self._lexemes.append(found)
            at = found.end()

    def result(self) -> Folded:
        if self._broken or not self._lexemes:
            return UNKNOWN
        try:
            folded = self._level(0)
        except _Unparsable:
            return UNKNOWN
        return folded if self._at == len(self._lexemes) else UNKNOWN

    def _peek(self, operator: str | None = None) -> str | None:
        if self._at >= len(self._lexemes):
            return None
        found = self._lexemes[self._at]["op"]
        return found if operator is None or found == operator else None

    def _level(self, level: int) -> Folded:
        if level == len(_LEVELS):
            return self._unary()
        left = self._level(level + 1)
        while (operator := self._peek()) is not None and operator in _LEVELS[level]:
            self._at += 1
            right = self._level(level + 1)
            left = _combined(operator, _LEVELS[level][operator], left, right)
        return left

    def _unary(self) -> Folded:
        self._depth += 1
        if self._depth > 60:
            raise _Unparsable
        if self._at >= len(self._lexemes):
            raise _Unparsable
        found = self._lexemes[self._at]
        self._at += 1
        result = self._operand(found)
        self._depth -= 1
        return result

    def _operand(self, found: re.Match[str]) -> Folded:
        if (type_name := found["cast"] or found["paren"]) is not None:
            if found["paren"] and size_of(type_name) is None:
                # A name in parentheses, not a cast: `(N) - 1` and `(N)`.
                return self._constants.named(type_name)
            return _converted(self._unary(), type_name)
        if found["op"]:
            return self._prefixed(found["op"])
        if found["sized"]:
            return Folded(size_of(found["sized"]), 64)
        if found["limit"]:
            size = size_of(found["limit"])
            return (
                Folded(2 ** (8 * size) - 1, max(32, size * 8))
                if size and "u" in found["limit"][:6]
                else UNKNOWN
            )
        if found["name"]:
            return self._name(found["name"])
        return _literal(found)

    def _prefixed(self, operator: str) -> Folded:
        if operator == "(":
            inner = self._level(0)
            if not self._peek(")"):
                raise _Unparsable
            self._at += 1
            return inner
        if operator not in "-~+":
            raise _Unparsable
        inner = self._unary()
        if inner.value is None or operator == "+":
            return inner
        value = -inner.value if operator == "-" else ~inner.value
        if inner.bits and not inner.signed:
            value &= 2**inner.bits - 1
        return Folded(value, inner.bits, inner.signed)

    def _name(self, name: str) -> Folded:
        if self._peek("(") is not None:
            size = size_of(name)
            if size is None:
                raise _Unparsable
            return _converted(self._unary(), name)
        return self._constants.named(name)


def _literal(found: re.Match[str]) -> Folded:
    digits = (found["hex"] or found["bin"] or found["dec"]).replace("'", "")
    suffix = (found["hs"] or found["bs"] or found["ds"] or "").lower()
    octal = found["dec"] and digits.startswith("0") and len(digits) > 1
    try:
        value = int(digits, 8 if octal else 0)
    except ValueError:
        raise _Unparsable from None
    wide = (
        "l" in suffix
        or "z" in suffix
        or value > 0xFFFFFFFF
        or bool(found["dec"] and value > 0x7FFFFFFF and "u" not in suffix)
    )
    signed = "u" not in suffix and value <= (2**63 - 1 if wide else 2**31 - 1)
    return Folded(value, 64 if wide else 32, signed)


def _combined(operator: str, function: Callable[[int, int], int], left: Folded, right: Folded) -> Folded:
    if operator in ("<<", ">>"):
        bits, signed = left.bits, left.signed
    else:
        bits = max(left.bits, right.bits) if left.bits and right.bits else None
        signed = left.signed and right.signed
    if left.value is None or right.value is None:
        return Folded(None, bits, signed)
    value = function(left.value, right.value)
    if bits and not signed:
        value &= 2**bits - 1
    return Folded(value, bits, signed)
