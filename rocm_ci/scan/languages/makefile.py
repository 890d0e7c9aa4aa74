"""Makefiles: variables, conditionals, and the shell of recipes.

An assignment is a KEY and a VALUE region, context `assign:NAME` (and `default` for `?=`); a recipe
line is shell, context `target:NAME`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.scan import shell, vendor
from rocm_ci.scan.language import Language, Parsed
from rocm_ci.scan.outcome import HAS_AMD, HAS_NVIDIA, IS_AMD, IS_NVIDIA, UNKNOWN, Outcome, presence
from rocm_ci.scan.source import Guard, Region, RegionKind

if TYPE_CHECKING:
    from pathlib import PurePosixPath

    from rocm_ci.scan.source import Source

_ASSIGN = re.compile(
    r"\s*(?:(?:export|override|private)\s+)*(?P<name>[\w.-]+)\s*"
    r"(?P<operator>\?=|:=|::=|\+=|!=|=)[ \t]*(?P<value>.*)$"
)
_TARGET_ASSIGN = re.compile(
    r"\s*(?P<of>[^\s:=]+)\s*:\s*(?P<name>[\w.-]+)\s*(?P<operator>\?=|:=|\+=|=)[ \t]*(?P<value>.*)$"
)
_RULE = re.compile(r"([^\s:=#][^:=#]*):(?!=)")
_CONDITION = re.compile(r"\s*(else\s+)?(ifeq|ifneq|ifdef|ifndef)\b\s*(.*)$")
_ELSE = re.compile(r"\s*else\s*(#.*)?$")
_ENDIF = re.compile(r"\s*endif\b")
_PAIR = re.compile(r"\(?\s*[\"']?(.*?)[\"']?\s*(?:,|[\"']\s+[\"'])\s*[\"']?(.*?)[\"']?\s*\)?$")
_TRUE = frozenset({"1", "yes", "true", "on", "y"})
_FALSE = frozenset({"0", "no", "false", "off", "n"})
_RECIPE_PREFIX = re.compile(r"[ \t]+[@+-]*[ \t]*")
_AUTOMAKE = re.compile(r"if\s+(!?)(\w+)\s*$")
_DEFINE = re.compile(r"\s*define\s+(\w+)\s*=?\s*$")


@dataclass(slots=True)
class _Block:
    outer: Guard
    so_far: Guard


_OTHER = frozenset(
    {".py", ".sh", ".bat", ".ps1", ".cmd", ".go", ".rs", ".js", ".jl", ".pl", ".md", ".txt", ".yml"}
)


class Makefile:
    """`Makefile`, `GNUmakefile`, `*.mk`, `*.mak`, `Makefile.*`, `make.inc`, `Make.defs`.

    A `justfile` looks the same, but for its blanks.
    """

    name = "makefile"

    def claims(self, path: PurePosixPath, head: str) -> bool:  # noqa: ARG002 - the name says it
        """By name."""
        lower = path.name.lower()
        named = lower in ("makefile", "gnumakefile", "justfile", ".justfile")
        included = lower.startswith(("makefile.", "make."))
        return named or path.suffix in (".mk", ".mak", ".just") or (included and path.suffix not in _OTHER)

    def parse(self, source: Source) -> Parsed:
        """Lines with the guard of the conditionals around them."""
        just = source.path.lower().endswith(("justfile", ".just"))
        walk = _Walk(vendor.of_path(source.path, beside=source.beside), " \t" if just else "\t")
        for number, line in enumerate(source.lines, 1):
            walk.line(number, line)
        walk.flush()
        return Parsed(source, tuple(walk.found))


class _Walk:
    def __init__(self, outer: Guard, indent: str) -> None:
        self._indent = tuple(indent)
        self.found: list[Region] = []
        self._guard = outer
        self._blocks: list[_Block] = []
        self._target = ""
        self._variable: tuple[str, ...] | None = None  # context of an assignment that goes on
        self._recipe: list[str] = []
        self._recipe_at = (0, 0)

    def line(self, number: int, line: str) -> None:
        if self._recipe or (line.startswith(self._indent) and self._target):
            self._recipe_line(number, line)
            return
        text = line.split("#", 1)[0] if not line.lstrip().startswith("#") else ""
        if self._variable is not None:
            self._value(text, number, 1, self._variable)
            if not text.rstrip().endswith("\\"):
                self._variable = None
        elif condition := _CONDITION.match(text):
            self._condition(condition[2], condition[3].strip(), is_else=bool(condition[1]))
        elif automake := _AUTOMAKE.match(text):
            self._condition("ifndef" if automake[1] else "ifdef", automake[2], is_else=False)
        elif define := _DEFINE.match(text):
            self._target = define[1]
        elif _ELSE.match(text) and self._blocks:
            self._guard = self._blocks[-1].so_far
        elif _ENDIF.match(text) and self._blocks:
            self._guard = self._blocks.pop().outer
        elif assigned := _ASSIGN.match(text) or _TARGET_ASSIGN.match(text):
            self._assignment(assigned, number)
        elif rule := _RULE.match(text):
            self._target = rule[1].strip()

    def flush(self) -> None:
        """Hand out a recipe line that was continued to the end of the file."""
        if self._recipe:
            text, (line, column) = "\n".join(self._recipe), self._recipe_at
            self._recipe = []
            # Make's `$(X)` and `$$` become the shell's variables: same length, so columns hold.
            text = re.sub(r"\$\(([\w.-]+)\)", r"${\1}", text).replace("$$", " $")
            guard = vendor.both(self._guard, vendor.of(self._target))
            context = (f"target:{self._target}",)
            self.found += shell.regions(text, line, column, guard=guard, context=context)

    def _recipe_line(self, number: int, line: str) -> None:
        if not self._recipe:
            prefix = _RECIPE_PREFIX.match(line)
            start = prefix.end() if prefix else 0
            self._recipe_at = (number, start + 1)
            line = line[start:]
        self._recipe.append(line)
        if not line.rstrip().endswith("\\"):
            self.flush()

    def _condition(self, kind: str, text: str, *, is_else: bool) -> None:
        outcome = _outcome(kind, text)
        if is_else and self._blocks:
            block = self._blocks[-1]
            self._guard = vendor.both(block.so_far, outcome.true)
            block.so_far = vendor.both(block.so_far, outcome.false)
            return
        self._blocks.append(_Block(self._guard, vendor.both(self._guard, outcome.false)))
        self._guard = vendor.both(self._guard, outcome.true)

    def _assignment(self, assigned: re.Match[str], number: int) -> None:
        # `cuda: LIBS += -lcudart` holds for the target alone.
        outer, named = self._guard, assigned.groupdict()
        self._guard = vendor.both(outer, vendor.of(named.get("of") or ""))
        name, operator, value = named["name"], named["operator"], named["value"]
        context = (f"assign:{name}", "default") if operator == "?=" else (f"assign:{name}",)
        column = assigned.start("name") + 1
        self.found.append(Region(RegionKind.KEY, name, number, column, self._guard, context))
        self._value(value, number, assigned.start("value") + 1, context)
        self._guard = outer
        self._variable = context if value.rstrip().endswith("\\") else None
        self._target = ""

    def _value(self, text: str, line: int, column: int, context: tuple[str, ...]) -> None:
        stripped = text.strip(" \t\\")
        if not stripped:
            return
        column += text.index(stripped[0])
        guard = self._guard
        if re.search(r"\$\(shell\s+(which|command -v)|\$\(wildcard", stripped):
            guard = vendor.both(guard, Guard.EITHER)
        self.found.append(Region(RegionKind.VALUE, stripped, line, column, guard, context))
        for call in re.finditer(r"\$\(shell\s+([^()]*(?:\([^()]*\)[^()]*)*)", text):
            start = column - text.index(stripped[0]) + call.start(1)
            self.found += shell.regions(call[1], line, start, guard=guard, context=context)


def _outcome(kind: str, text: str) -> Outcome:
    if kind in ("ifdef", "ifndef"):
        outcome = _named(text)
        return outcome if kind == "ifdef" else ~outcome
    pair = _PAIR.match(text)
    if pair is None:
        return UNKNOWN
    outcome = _compare(pair[1], pair[2])
    return outcome if kind == "ifeq" else ~outcome


def _named(text: str) -> Outcome:
    verdict = vendor.of(text)
    found = bool(re.search(r"(?i)path|home|_dir|root|which|wildcard|hipcc|nvcc", text))
    if verdict is Guard.AMD:
        return HAS_AMD if found else IS_AMD
    if verdict is Guard.NVIDIA:
        return HAS_NVIDIA if found else IS_NVIDIA
    return UNKNOWN


def _compare(left: str, right: str) -> Outcome:
    if not right or not left:
        asked = left or right
        if "shell" in asked or "wildcard" in asked:
            return ~presence([asked])
        return ~_named(asked)
    if "$" in right and "$" not in left:
        left, right = right, left
    if right.lower() in _TRUE:
        return _named(left)
    if right.lower() in _FALSE:
        return ~_named(left)
    verdict = vendor.of(right)
    return {Guard.AMD: IS_AMD, Guard.NVIDIA: IS_NVIDIA}.get(verdict, UNKNOWN)


LANGUAGE: Language = Makefile()
