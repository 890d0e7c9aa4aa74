"""CMake: commands and their arguments, each with the backend it is reached for.

A command is a CODE region (its name), context `command:NAME` and `args:…` (all arguments joined by
blanks); an argument is a VALUE region, context `command:NAME`, `arg:N`, `args:…`, and for `set()`
and `list()` `variable:NAME`. `cache` marks a default that a user can override, `probe` a search
that may come back empty.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rocm_ci.scan import cmake_conditions, vendor
from rocm_ci.scan.cmake_lexer import Argument, Command, commands
from rocm_ci.scan.language import Language, Parsed
from rocm_ci.scan.outcome import UNKNOWN, Outcome
from rocm_ci.scan.source import Guard, Region, RegionKind

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import PurePosixPath

    from rocm_ci.scan.source import Source

_MESSAGES = frozenset({"message", "cmake_policy", "cmake_minimum_required", "add_feature_info"})
_DEFINES = frozenset({"function", "macro"})
_NAMED = frozenset(
    {"set", "list", "option", "string", "set_property", "find_library", "find_path", "find_program", "unset"}
)
_DIRECTIVES = frozenset({"if", "elseif", "else", "endif", "while", "endwhile", "foreach", "endforeach"})
_GENERATOR = re.compile(r"^\$<(\$<.*?>|\d):|^\$<(IF:)?\$<")
_MOST_ARGS = 400


@dataclass(slots=True)
class _Block:
    """An open `if()`: what held before it, what its branches so far rule out, and how they end."""

    outer: Guard
    seen: Outcome
    so_far: Guard  # holds in the next branch, since all earlier ones failed
    inside: Guard = Guard.NONE
    leaves: Guard = Guard.NONE  # holds after endif(), since the other branches left
    returned: bool = False


@dataclass(slots=True)
class _Definition:
    name: str
    outer: Guard
    blocks: list[_Block] = field(default_factory=list)


class CMake:
    """`CMakeLists.txt`, `*.cmake` and `*.cmake.in`."""

    name = "cmake"

    def claims(self, path: PurePosixPath, head: str) -> bool:  # noqa: ARG002 - the name says it
        """By name."""
        return path.name == "CMakeLists.txt" or path.name.endswith((".cmake", ".cmake.in"))

    def parse(self, source: Source) -> Parsed:
        """Commands with their guards; `return()` in a branch guards what follows."""
        outer = vendor.of_path(source.path, beside=source.beside)
        found = list(commands(source.text))
        return Parsed(source, tuple(_Walk(found, outer).regions()), tuple(found))


class _Walk:
    def __init__(self, found: Sequence[Command], outer: Guard) -> None:
        self._commands = found
        self._guard = outer
        self._blocks: list[_Block] = []
        self._definitions: list[_Definition] = []
        self._called = {c.name for c in found}
        self._found: list[Region] = []
        self._results: set[str] = set()

    def regions(self) -> list[Region]:
        for command in self._commands:
            if command.name in ("if", "elseif", "else", "endif"):
                self._condition(command)
            elif command.name in _DEFINES:
                self._define(command)
            elif command.name in ("endfunction", "endmacro"):
                self._undefine()
            else:
                if vendor.of(command.name) is Guard.NVIDIA and command.words:
                    self._results.add(command.words[0])
                if command.name == "return" and self._blocks:
                    self._blocks[-1].returned = True
                self._emit(command)
        return self._found

    def _condition(self, command: Command) -> None:
        if command.name == "if":
            outcome = self._outcome(command)
            self._blocks.append(_Block(self._guard, outcome, vendor.both(self._guard, outcome.false)))
            self._blocks[-1].inside = outcome.false
            self._guard = vendor.both(self._guard, outcome.true)
        elif not self._blocks:
            return
        else:
            block = self._blocks[-1]
            if block.returned:
                block.leaves = vendor.both(block.leaves, block.inside)
                block.returned = False
            if command.name == "endif":
                self._guard = vendor.both(block.outer, block.leaves)
                self._blocks.pop()
                return
            outcome = self._outcome(command) if command.name == "elseif" else UNKNOWN
            block.inside = outcome.false
            self._guard = vendor.both(block.so_far, outcome.true)
            block.so_far = vendor.both(block.so_far, outcome.false)
        self._emit_condition(command)

    def _outcome(self, command: Command) -> Outcome:
        # What a helper for CUDA computed is empty elsewhere: `cuda_archs_intersection(ARCHS …)`, `if(ARCHS)`.
        return cmake_conditions.of(["CUDA_FOUND" if w in self._results else w for w in command.words])

    def _emit_condition(self, command: Command) -> None:
        for argument in command.arguments:
            self._argument(RegionKind.DIRECTIVE, argument, (f"command:{command.name}",), self._guard)

    def _define(self, command: Command) -> None:
        name = command.words[0] if command.words else ""
        self._definitions.append(_Definition(name, self._guard, self._blocks))
        self._blocks = []
        # A helper for CUDA alone is harmless until somebody calls it.
        if vendor.of(name) is Guard.NVIDIA and name.lower() not in self._called:
            self._guard = vendor.both(self._guard, Guard.NVIDIA)

    def _undefine(self) -> None:
        if self._definitions:
            definition = self._definitions.pop()
            self._guard, self._blocks = definition.outer, definition.blocks

    def _emit(self, command: Command) -> None:
        if command.name in _MESSAGES:
            return
        words = command.words
        context: tuple[str, ...] = (f"command:{command.name}", "args:" + " ".join(words)[:_MOST_ARGS])
        if command.name in _NAMED and len(words) > 1:
            context = (*context, f"variable:{words[1] if command.name in ('list', 'string') else words[0]}")
        if "CACHE" in words or command.name == "option":
            context = (*context, "cache")
        guard = self._guard
        if self._is_probe(command):
            context = (*context, "probe")
            guard = Guard.EITHER if guard is Guard.NONE else guard
        self._found.append(
            Region(RegionKind.CODE, command.written, command.line, command.column, guard, context)
        )
        depth, inner = 0, Guard.NONE
        for index, argument in enumerate(command.arguments):
            # `$<$<COMPILE_LANGUAGE:CUDA>:-a -b>`: blanks part the text, the expression goes on.
            inner = inner if depth > 0 else self._generator(argument.text)
            depth += argument.text.count("$<") - argument.text.replace("->", "").count(">")
            mine = (*context, f"arg:{index}")
            self._argument(RegionKind.VALUE, argument, mine, vendor.both(guard, inner))

    def _is_probe(self, command: Command) -> bool:
        """A search whose failure the file handles: not REQUIRED, or looked at afterwards."""
        if command.name in ("find_package", "pkg_check_modules", "find_library", "find_path", "find_program"):
            return "REQUIRED" not in command.words
        return command.name in ("check_language", "include") and (
            command.name == "check_language" or "OPTIONAL" in command.words
        )

    @staticmethod
    def _generator(text: str) -> Guard:
        if "$<" not in text or not _GENERATOR.match(text):
            return Guard.NONE
        depth = 0
        for index, char in enumerate(text):
            depth += (char == "<") - (char == ">")
            if char == ":" and depth == 1:
                return cmake_conditions.of_expression(text[2:index]).true
        return cmake_conditions.of_expression(text).true

    def _argument(self, kind: RegionKind, argument: Argument, context: tuple[str, ...], guard: Guard) -> None:
        for offset, text in enumerate(argument.text.split("\n")):
            stripped = text.strip(" \t\\")
            if stripped:
                column = argument.column if offset == 0 else 1
                column += text.index(stripped[0])
                self._found.append(Region(kind, stripped, argument.line + offset, column, guard, context))


LANGUAGE: Language = CMake()
