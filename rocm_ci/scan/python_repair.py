"""Makes a syntax tree of a file that is no valid Python 3, as far as that goes.

Python 2 spellings are rewritten; a line or a block that still cannot be parsed is put aside, so that
the rest keeps its guards. Every line keeps its number.
"""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.scan import python_skeleton as skeleton

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_REPAIRS = 12
_LONGEST = 300_000  # characters of a broken file worth parsing again and again
_TWO = (
    (re.compile(r"^([ \t]*)print(?:[ \t]+(?:>>[ \t]*[\w.]+[ \t]*,?)?(.*?))?[ \t]*,?$"), r"\1print(\2)"),
    (re.compile(r"^([ \t]*)except[ \t]+([^:#]+?),[ \t]*(\w+)[ \t]*:"), r"\1except \2 as \3:"),
    (re.compile(r"^([ \t]*)raise[ \t]+([\w.]+)[ \t]*,[ \t]*(.+)$"), r"\1raise \2(\3)"),
    (re.compile(r"^([ \t]*)exec[ \t]+(?!\()(.+)$"), r"\1exec(\2)"),
    (re.compile(r"\b(0[xX][0-9a-fA-F]+|\d+)[lL]\b"), r"\1"),
    (re.compile(r"(?<![\w.])0([0-7]+)\b(?![.\w])"), r"0o\1"),
    (re.compile(r"<>"), "!="),
    (re.compile(r"\b[uU][rR](?=[\"'])"), "r"),
)
_SIGN_OF_TWO = re.compile(
    r"^[ \t]*(?:print(?:[ \t]+[^(=\s.,\[)]|$|[ \t]*>>)|except[ \t]+[^:#]+,[ \t]*\w+[ \t]*:"
    r"|raise[ \t]+[\w.]+[ \t]*,|exec[ \t]+[^(=])|\b\d+[lL]\b|<>|(?<![\w.])0[0-7]+\b|\b[uU][rR][\"']",
    re.MULTILINE,
)
_MARGIN = re.compile(r"[^\s#)\]}]")


@dataclass(frozen=True, slots=True)
class Tree:
    """A module and what it could not hold. `aside` are 1-based lines that are in no statement of it."""

    module: ast.Module | None
    aside: frozenset[int] = frozenset()
    reason: str = ""


def tree_of(text: str, hits: Sequence[int] | None = None) -> Tree:
    """The syntax tree of a file; `module` is None when nothing of it can be parsed.

    Of a file whose sorted `hits` are known, functions without any may come without their body.
    """
    short = skeleton.of(text, hits) if hits is not None else None
    if short is not None:
        module = _parse(short[0])
        if isinstance(module, ast.Module) and skeleton.holds(module, short[1]):
            return Tree(module)
    found = _parse(text)
    if isinstance(found, ast.Module):
        return Tree(found)
    first = found
    if len(text) > _LONGEST:
        return Tree(None, reason=_reason(first))
    lines = text.split("\n")
    if _SIGN_OF_TWO.search(text):
        lines = [_as_three(line) for line in lines]
        found = _parse("\n".join(lines))
        if isinstance(found, ast.Module):
            return Tree(found)
    aside: set[int] = set()
    for _ in range(_MOST_REPAIRS):
        if not isinstance(found, SyntaxError) or not _put_aside(lines, aside, found):
            break
        found = _parse("\n".join(lines))
        if isinstance(found, ast.Module):
            return Tree(found, frozenset(aside), _reason(first))
    return Tree(None, reason=_reason(first))


def _parse(text: str) -> ast.Module | Exception:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes in other people's strings
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return error


def _as_three(line: str) -> str:
    for pattern, replacement in _TWO:
        line = pattern.sub(replacement, line)
    return line


def _put_aside(lines: list[str], aside: set[int], error: SyntaxError) -> bool:
    """Blank the line of an error, or its whole block when that was done already. False at a loss."""
    at = error.lineno or 0
    if not 1 <= at <= len(lines):
        return False
    text = lines[at - 1]
    if at not in aside and text.strip() and not isinstance(error, IndentationError):
        indent = text[: len(text) - len(text.lstrip())]
        lines[at - 1] = f"{indent}pass" if not text.rstrip().endswith((",", "(", "[", "{")) else ""
        aside.add(at)
        return True
    first = at
    while first > 1 and not _MARGIN.match(lines[first - 1]):
        first -= 1
    last = at
    while last < len(lines) and not _MARGIN.match(lines[last]):
        last += 1
    block = range(first, last + 1)
    if not any(lines[n - 1].strip() for n in block):
        return False
    for n in block:
        if lines[n - 1].strip():
            aside.add(n)
        lines[n - 1] = ""
    return True


def _reason(error: Exception) -> str:
    if isinstance(error, SyntaxError):
        return f"syntax error in line {error.lineno or 1}"
    if isinstance(error, (RecursionError, MemoryError)):
        return "expressions are nested too deeply to parse"
    return "not valid Python source"
