"""A preprocessor condition → is it true when compiling for AMD, and for NVIDIA? Three-valued."""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from rocm_ci.scan.c_macros import Vendor, is_certain, vendor_of, vendor_of_header


class _Some(enum.Enum):
    """A macro that is defined to an unknown value other than 0."""

    NONZERO = "nonzero"


# An integer, some non-zero value, or unknown (None).
Value: TypeAlias = "int | _Some | None"


@dataclass(frozen=True, slots=True)
class Reach:
    """Whether a branch is compiled for AMD and for NVIDIA; None is unknown."""

    amd: bool | None
    nvidia: bool | None

    def __and__(self, other: Reach) -> Reach:
        return Reach(_and(self.amd, other.amd), _and(self.nvidia, other.nvidia))

    def __invert__(self) -> Reach:
        return Reach(_not(self.amd), _not(self.nvidia))


ALWAYS = Reach(amd=True, nvidia=True)
UNKNOWN = Reach(amd=None, nvidia=None)


def _not(value: bool | None) -> bool | None:  # noqa: FBT001 - a truth value is the very subject here
    return None if value is None else not value


def _and(one: bool | None, other: bool | None) -> bool | None:  # noqa: FBT001
    if one is False or other is False:
        return False
    return None if one is None or other is None else True


def evaluate(
    condition: str, learnt: Mapping[str, Vendor | None], switched: Mapping[str, Vendor | None] | None = None
) -> Reach:
    """The truth of an `#if` condition on both platforms. What cannot be parsed is unknown.

    `learnt` are macros that one vendor's build defines, `switched` those that it alone may define to
    something else than 0.
    """
    return Reach(*(_Expression(condition, platform, learnt, switched or {}).truth() for platform in Vendor))


_LEXEME = re.compile(
    r"\s*(?:(0[xX][0-9a-fA-F']+|0[bB][01']+|\d[\d']*)[uUlLzZ]*|([A-Za-z_]\w*)|(&&|\|\||[<>=!]=|<<|>>|\S))"
)
_BINARY: tuple[dict[str, Callable[[int, int], int]], ...] = (
    {"|": lambda a, b: a | b},
    {"^": lambda a, b: a ^ b},
    {"&": lambda a, b: a & b},
    {"==": lambda a, b: a == b, "!=": lambda a, b: a != b},
    {"<": lambda a, b: a < b, ">": lambda a, b: a > b, "<=": lambda a, b: a <= b, ">=": lambda a, b: a >= b},
    {"<<": lambda a, b: a << min(b, 64) if b >= 0 else 0, ">>": lambda a, b: a >> b if b >= 0 else 0},
    {"+": lambda a, b: a + b, "-": lambda a, b: a - b},
    {"*": lambda a, b: a * b, "/": lambda a, b: a // b if b else 0, "%": lambda a, b: a % b if b else 0},
)
_DEEPEST = 60


class _Unparsable(Exception):  # noqa: N818 - never leaves this module
    pass


class _Expression:
    """A recursive-descent evaluator for one platform."""

    def __init__(
        self,
        text: str,
        platform: Vendor,
        learnt: Mapping[str, Vendor | None],
        switched: Mapping[str, Vendor | None],
    ) -> None:
        self._lexemes = [m.group(1, 2, 3) for m in _LEXEME.finditer(text[:4000])]
        self._at = 0
        self._depth = 0
        self._platform = platform
        self._learnt = learnt
        self._switched = switched

    def truth(self) -> bool | None:
        try:
            value = self._ternary()
        except (_Unparsable, ValueError):
            return None
        return None if self._at < len(self._lexemes) else _truth(value)

    def _peek(self) -> str | None:
        return self._lexemes[self._at][2] if self._at < len(self._lexemes) else None

    def _take(self, operator: str) -> bool:
        if self._peek() == operator:
            self._at += 1
            return True
        return False

    def _ternary(self) -> Value:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _Unparsable
        value = self._or()
        if self._take("?"):
            yes = self._ternary()
            if not self._take(":"):
                raise _Unparsable
            no = self._ternary()
            chosen = _truth(value)
            value = None if chosen is None else (yes if chosen else no)
        self._depth -= 1
        return value

    def _or(self) -> Value:
        truth = self._and_value()
        while self._take("||"):
            other = self._and_value()
            truth = _as_value(_not(_and(_not(_truth(truth)), _not(_truth(other)))))
        return truth

    def _and_value(self) -> Value:
        truth = self._binary(0)
        while self._take("&&"):
            other = self._binary(0)
            truth = _as_value(_and(_truth(truth), _truth(other)))
        return truth

    def _binary(self, level: int) -> Value:
        if level == len(_BINARY):
            return self._unary()
        start = self._at
        value = self._binary(level + 1)
        while (operator := self._peek()) is not None and operator in _BINARY[level]:
            names = self._names_since(start)
            self._at += 1
            begin = self._at
            other = self._binary(level + 1)
            chosen = self._selection(operator, names, self._names_since(begin))
            value = chosen if chosen is not None else _apply(_BINARY[level][operator], operator, value, other)
        return value

    def _names_since(self, start: int) -> str | None:
        """The name, when the operand is nothing else."""
        return self._lexemes[start][1] if self._at == start + 1 else None

    def _selection(self, operator: str, left: str | None, right: str | None) -> Value:
        """`BACKEND == BACKEND_HIP`: a comparison of names, one of which names a vendor."""
        if operator == "==" and left and left in self._learnt and self._learnt[left] is None:
            # A port that defines NVIDIA's macro for AMD chose no particular one of its GPUs.
            return 0 if self._platform is Vendor.AMD else None
        if operator not in ("==", "!=") or not left or not right:
            return None
        vendors = [
            v for v in (vendor_of(left, self._learnt), vendor_of(right, self._learnt)) if v is not None
        ]
        if len(set(vendors)) != 1:
            return None
        return int((vendors[0] is self._platform) == (operator == "=="))

    def _unary(self) -> Value:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _Unparsable
        value = self._signed()
        self._depth -= 1
        return value

    def _signed(self) -> Value:
        if self._take("!"):
            return _as_value(_not(_truth(self._unary())))
        if self._take("-"):
            value = self._unary()
            return -value if isinstance(value, int) else value
        if self._take("+"):
            return self._unary()
        if self._take("~"):
            value = self._unary()
            return ~value if isinstance(value, int) else None
        if self._take("("):
            value = self._ternary()
            if not self._take(")"):
                raise _Unparsable
            return value
        return self._primary()

    def _primary(self) -> Value:
        if self._at >= len(self._lexemes):
            raise _Unparsable
        number, name, _ = self._lexemes[self._at]
        self._at += 1
        if number:
            digits = number.replace("'", "")
            octal = digits.isdigit() and digits.startswith("0") and len(digits) > 1
            return int(digits, 8) if octal else int(digits, 0)
        if not name:
            raise _Unparsable
        if name == "defined":
            return self._defined()
        if name in ("__has_include", "__has_include_next"):
            return self._has_include()
        if self._take("("):
            self._skip_arguments()
            return None
        if name in ("true", "false"):
            return int(name == "true")
        only = self._switched.get(name)
        return 0 if only is not None and only is not self._platform else self._value(name)

    def _defined(self) -> Value:
        parenthesis = self._take("(")
        name = self._lexemes[self._at][1] if self._at < len(self._lexemes) else None
        if not name:
            raise _Unparsable
        self._at += 1
        if parenthesis and not self._take(")"):
            raise _Unparsable
        return _as_value(_truth(self._value(name)))

    def _has_include(self) -> Value:
        start = self._at
        if not self._take("("):
            raise _Unparsable
        self._skip_arguments()
        target = "".join(a or b or c for a, b, c in self._lexemes[start + 1 : self._at - 1]).strip('<>"')
        vendor = vendor_of_header(target)
        if vendor is None:
            return None
        if vendor is self._platform:
            return 1
        # HIP may be installed beside CUDA, but nobody builds for AMD with the CUDA headers in reach.
        return 0 if vendor is Vendor.NVIDIA else None

    def _skip_arguments(self) -> None:
        depth = 1
        while depth and self._at < len(self._lexemes):
            operator = self._lexemes[self._at][2]
            depth += (operator == "(") - (operator == ")")
            self._at += 1

    def _value(self, name: str) -> Value:
        vendor = vendor_of(name, self._learnt)
        if vendor is None:
            return None
        if vendor is not self._platform:
            return 0
        return _Some.NONZERO if is_certain(name) else None


def _truth(value: Value) -> bool | None:
    if value is None:
        return None
    return True if value is _Some.NONZERO else bool(value)


def _as_value(truth: bool | None) -> Value:  # noqa: FBT001
    return None if truth is None else int(truth)


def _apply(function: Callable[[int, int], int], operator: str, left: Value, right: Value) -> Value:
    if isinstance(left, int) and isinstance(right, int):
        return int(function(left, right))
    if left is _Some.NONZERO and isinstance(right, int):
        # `#if USE_ROCM == 1`, `> 0`: a switch, whose only values are 0 and 1. Versions stay unknown.
        if (operator, right) in {("==", 1), ("!=", 0), (">", 0), (">=", 1)}:
            return 1
        if (operator, right) in {("==", 0), ("!=", 1), ("<", 1), ("<=", 0)}:
            return 0
    return None
