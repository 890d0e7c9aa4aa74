"""Which names of a C file are 32-bit integers, as far as the file itself says."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from rocm_ci.scan.c_source import CFile

_QUALIFIERS = (
    r"(?:(?:const|volatile|static|constexpr|inline|register|extern|__restrict__|__shared__|__device__"
    r"|__constant__)\s+)*"
)
_NARROW = (
    r"(?:unsigned(?:\s+int)?(?!\s+(?:long|short|char|int|__int64))|signed(?:\s+int)?|int(?!\s+(?:long|short))"
    r"|(?:std::)?u?int32_t|uint|u32|s32)"
)
_ALIAS = re.compile(rf"\busing\s+(\w+)\s*=\s*{_NARROW}\s*;|\btypedef\s+{_NARROW}\s+(\w+)\s*;")
_ANY_ALIAS = re.compile(r"\busing\s+(\w+)\s*=|\btypedef\s+[^;{}]*?\b(\w+)\s*;")
_NOT_TYPES = frozenset({"return", "else", "case", "goto", "new", "delete", "throw"})


def narrow_type(file: CFile) -> str:
    """A pattern of the 32-bit integer types, with the aliases that the file gives them for every target."""
    aliases = {found[1] or found[2] for found, _, _ in file.search(_ALIAS)}
    if aliases:
        # An alias with a second meaning is chosen per target.
        meanings = [found[1] or found[2] for found in _ANY_ALIAS.finditer(file.code)]
        aliases = {name for name in aliases if meanings.count(name) == 1}
    if not aliases:
        return _NARROW
    return rf"(?:{_NARROW}|{'|'.join(sorted(aliases))})"


def declared(narrow: str, names: str) -> re.Pattern[str]:
    """A declaration of one of `names` (a pattern) with a type of `narrow`, alone or in a list."""
    return re.compile(
        rf"(?<![\w:<]){_QUALIFIERS}{narrow}(?:\s+const)?[\s*&]+(?:__restrict__\s+)?"
        rf"(?:\w+(?:\s*=\s*[\w.]+)?\s*,\s*)*(?P<name>{names})\s*(?=[=;,)\[{{(])"
    )


def is_narrow(file: CFile, narrow: str, name: str, offset: int) -> bool:
    """Whether the nearest declaration of a name before an offset gives it 32 bits.

    A member (`v.mask`), or what no function declares, is narrow when the last one of that name outside of
    functions is.
    """
    function = file.functions.at(offset)
    is_member = re.search(r"(?:\.|->)\s*\Z", file.code[max(0, offset - 8) : offset]) is not None
    if function is not None and not is_member:
        own = _ends(file, declared(narrow, name), function.header, offset)
        others = _ends(file, _of_any_type(name), function.header, offset)
        if own or others:
            return max(own, default=-1) >= max(others, default=-1)
    return _is_narrow_outside(file, narrow, name)


@lru_cache(maxsize=256)
def _is_narrow_outside(file: CFile, narrow: str, name: str) -> bool:
    """Whether the last declaration outside of functions gives a name 32 bits."""
    stretch = (0, len(file.code))
    own = [at for at in _ends(file, declared(narrow, name), *stretch) if file.functions.at(at) is None]
    others = [at for at in _ends(file, _of_any_type(name), *stretch) if file.functions.at(at) is None]
    return bool(own) and max(own) >= max(others, default=-1)


def _of_any_type(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.>])(?P<type>[A-Za-z_][\w:<>]*)(?:\s+const)?[\s*&]+{name}\s*(?=[=;,)\[{{])")


def _ends(file: CFile, pattern: re.Pattern[str], start: int, end: int) -> list[int]:
    """The ends of its matches in code that is compiled on AMD."""
    return [
        found.end()
        for found in pattern.finditer(file.code, start, end)
        if found.groupdict().get("type") not in _NOT_TYPES
        and file.guard_at(file.line_of(found.start())) in (Guard.NONE, Guard.EITHER)
    ]
