"""Where a test failed: file and line, read from what the frameworks print."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import TYPE_CHECKING

from msgspec.structs import replace

from rocm_ci.model.case import Case

if TYPE_CHECKING:
    from collections.abc import Callable

_FILE = r"(?P<path>[^\s:()\"'<>|]{1,300}\.[A-Za-z][\w+]{0,5})"
# Most telling first. For Python the innermost frame is the last one.
_FORMS = (
    (re.compile(rf"^{_FILE}:(?P<line>\d{{1,7}}): Failure\b", re.MULTILINE), False),
    (
        re.compile(
            rf"^{_FILE}:(?P<line>\d{{1,7}}): \w*(?:Error|Exception|Failed|Exit|Skipped)\b", re.MULTILINE
        ),
        True,
    ),
    (re.compile(rf"^\s*at {_FILE}:(?P<line>\d{{1,7}})\s*$", re.MULTILINE), False),
    (re.compile(r'^\s*File "(?P<path>[^"\n]{1,300})", line (?P<line>\d{1,7})', re.MULTILINE), True),
    (re.compile(rf"(?:^|[\s(]){_FILE}[:(](?P<line>\d{{1,7}})\b", re.MULTILINE), False),
)


def find(*texts: str) -> tuple[str, int] | None:
    """Path as printed and 1-based line of the failing assertion; None when no text tells it."""
    for form, last in _FORMS:
        for text in texts:
            matches = list(form.finditer(text))
            if matches:
                match = matches[-1 if last else 0]
                return match.group("path"), int(match.group("line"))
    return None


def relative(path: str, root: PurePath) -> str | None:
    """`path` as seen from `root`; None when it points out of it (a system header, a hostile `../`)."""
    pure = PurePath(path)
    if pure.is_absolute():
        if not pure.is_relative_to(root):
            return None
        pure = pure.relative_to(root)
    parts: list[str] = []
    for part in pure.parts:
        if part == "..":
            if not parts:
                return None
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts) or None


def placed(case: Case, *roots: PurePath, is_file: Callable[[str], bool]) -> Case:
    """The case with its place relative to the checkout (by any of its names), or without a place.

    A compiler that ran in a build folder writes `../tests/a.cpp`; `is_file` tells whether the checkout
    has the file of that name, seen from its top.
    """
    if case.path is None:
        return case
    path = next((p for root in roots if (p := relative(case.path, root))), None)
    if path is None and (below := re.sub(r"^(?:\.\./)+", "", case.path)) != case.path:
        path = relative(below, roots[0]) if is_file(below) else None
    return replace(case, path=path, line=case.line if path else None)
