"""CMake: commands and their arguments, each with the backend it is reached for.

A command is a CODE region (its name), context `command:NAME` and `args:…` (all arguments joined by
blanks); an argument is a VALUE region, context `command:NAME`, `arg:N`, `args:…`, and for `set()`
and `list()` `variable:NAME`. `cache` marks a default that a user can override, `probe` a search
that may come back empty.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from rocm_ci.scan import cmake_calls, cmake_conditions, cmake_uses, vendor
from rocm_ci.scan.cmake_generators import Generators
from rocm_ci.scan.cmake_lexer import Argument, Command, commands
from rocm_ci.scan.language import Language, Parsed
from rocm_ci.scan.outcome import UNKNOWN, Outcome
from rocm_ci.scan.source import Guard, Region, RegionKind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import PurePosixPath

    from rocm_ci.scan.source import Source

_MESSAGES = frozenset({"message", "cmake_policy", "cmake_minimum_required", "add_feature_info"})
_NAMED = frozenset(
    {"set", "list", "option", "string", "set_property", "find_library", "find_path", "find_program", "unset"}
)
_DIRECTIVES = frozenset({"if", "elseif", "else", "endif", "while", "endwhile", "foreach", "endforeach"})
_MOST_ARGS = 400
_CUDA_SETTING = re.compile(r"(?:CMAKE_)?CUDA_(?:ARCHITECTURES|FLAGS\w*|STANDARD\w*|SEPARABLE_COMPILATION)$")
_HIP_PROJECT = re.compile(r"(?im)^project\s*\([^)]*\bHIP\b")
_CUDA_CHOICE = re.compile(
    r"(?i)\b(?:project|enable_language|check_language|option|if|elseif)\s*\((?:[^()]|\([^()]*\))*(?:cuda|nvidia)"
)
_HIP_TARGETS = re.compile(r"HIP_ARCHITECTURES|\b(?:AMD)?GPU_TARGETS")


@dataclass(slots=True)
class _Block:
    """An open `if()`: what held before it, what its branches so far rule out, and how they end."""

    outer: Guard
    seen: Outcome
    so_far: Guard  # holds in the next branch, since all earlier ones failed
    inside: Guard = Guard.NONE
    leaves: Guard = Guard.NONE  # holds after endif(), since the other branches left
    returned: bool = False
    unset: frozenset[str] = frozenset()  # variables that the open branch found unset


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
        found = _lexed(source.text)
        names = cmake_calls.defined(found)
        bodies = cmake_calls.guards(names, source, _sites) if names else {}
        regions = cmake_uses.narrowed(_Walk(found, outer, source.text, bodies).regions())
        return Parsed(source, tuple(regions), found)


@lru_cache(maxsize=8)  # of a text that is parsed, and of those around it that may call its functions
def _lexed(text: str) -> tuple[Command, ...]:
    return tuple(commands(text))


def _sites(path: str, text: str, bodies: Mapping[str, Guard]) -> cmake_calls.Sites:
    """Where commands are called in a text: name → guards of the places."""
    walk = _Walk(_lexed(text), vendor.of_path(path), text, bodies, only_commands=True)
    found: dict[str, set[Guard]] = {}
    for region in walk.regions():
        if region.kind is RegionKind.CODE:
            found.setdefault(region.text.lower(), set()).add(region.guard)
    return {name: frozenset(some) for name, some in found.items()}


class _Walk:
    """`only_commands` leaves out their arguments, and what surrounds them."""

    def __init__(
        self,
        found: Sequence[Command],
        outer: Guard,
        text: str,
        bodies: Mapping[str, Guard],
        *,
        only_commands: bool = False,
    ) -> None:
        self._commands = found
        self._text = text
        self._bodies = bodies
        self._guard = outer
        self._blocks: list[_Block] = []
        self._definitions: list[_Definition] = []
        self._found: list[Region] = []
        self._results: set[str] = set()
        self._only_commands = only_commands

    def regions(self) -> list[Region]:
        for command in self._commands:
            if command.name in ("if", "elseif", "else", "endif"):
                self._condition(command)
            elif command.name in cmake_calls.DEFINES:
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
            self._blocks[-1].unset = _unset(command.words)
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
            block.unset = _unset(command.words) if command.name == "elseif" else frozenset()
            outcome = self._outcome(command) if command.name == "elseif" else UNKNOWN
            block.inside = outcome.false
            self._guard = vendor.both(block.so_far, outcome.true)
            block.so_far = vendor.both(block.so_far, outcome.false)
        self._emit_condition(command)

    def _outcome(self, command: Command) -> Outcome:
        # What a helper for CUDA computed is empty elsewhere: `cuda_archs_intersection(ARCHS …)`, `if(ARCHS)`.
        return cmake_conditions.of(["CUDA_FOUND" if w in self._results else w for w in command.words])

    def _emit_condition(self, command: Command) -> None:
        for argument in () if self._only_commands else command.arguments:
            self._argument(RegionKind.DIRECTIVE, argument, (f"command:{command.name}",), self._guard)

    def _define(self, command: Command) -> None:
        name = command.words[0] if command.words else ""
        self._definitions.append(_Definition(name, self._guard, self._blocks))
        self._blocks = []
        self._guard = vendor.both(self._guard, self._bodies.get(name.lower(), Guard.NONE))

    def _undefine(self) -> None:
        if self._definitions:
            definition = self._definitions.pop()
            self._guard, self._blocks = definition.outer, definition.blocks

    def _emit(self, command: Command) -> None:
        if command.name in _MESSAGES:
            return
        is_probe = self._is_probe(command)
        guard = Guard.EITHER if is_probe and self._guard is Guard.NONE else self._guard
        if self._only_commands:
            self._found.append(Region(RegionKind.CODE, command.written, command.line, command.column, guard))
            return
        words = command.words
        context: tuple[str, ...] = (f"command:{command.name}", "args:" + " ".join(words)[:_MOST_ARGS])
        if command.name in _NAMED and len(words) > 1:
            variable = words[1] if command.name in ("list", "string") else words[0]
            context = (*context, f"variable:{variable}")
            if any(variable in block.unset for block in self._blocks):
                context = (*context, "default")
        if self._has_twin(words):
            context = (*context, "twin")
        if "CACHE" in words or command.name == "option":
            context = (*context, "cache")
        if is_probe:
            context = (*context, "probe")
        self._found.append(
            Region(RegionKind.CODE, command.written, command.line, command.column, guard, context)
        )
        generators = Generators()
        for index, argument in enumerate(command.arguments):
            mine = (*context, f"arg:{index}")
            if "$<" in argument.text or generators.is_open:
                self._generated(generators, argument, mine, guard)
            else:
                self._argument(RegionKind.VALUE, argument, mine, guard)

    def _has_twin(self, words: Sequence[str]) -> bool:
        """Whether a setting for CUDA has a counterpart for HIP somewhere in the file."""
        if _is_for_hip_alone(self._text):
            return False
        return any(_CUDA_SETTING.match(w) and w.replace("CUDA", "HIP") in self._text for w in words) or (
            any("CUDA_ARCHITECTURES" in w for w in words) and _HIP_TARGETS.search(self._text) is not None
        )

    def _generated(
        self, generators: Generators, argument: Argument, context: tuple[str, ...], guard: Guard
    ) -> None:
        """What the expressions in an argument produce; `SHELL:` only keeps CMake from joining options."""
        for start, text, inner in generators.pieces(argument.text):
            skipped = len("SHELL:") * text.startswith("SHELL:")
            before = argument.text[: start + skipped]
            line = argument.line + before.count("\n")
            column = start + skipped - (before.rfind("\n") + 1)
            column += argument.column if "\n" not in before else 1
            piece = Argument(text[skipped:], line, column, quoted=argument.quoted)
            self._argument(RegionKind.VALUE, piece, context, vendor.both(guard, inner))

    def _is_probe(self, command: Command) -> bool:
        """A search whose failure the file handles: not REQUIRED, or looked at afterwards."""
        if command.name in ("find_package", "pkg_check_modules", "find_library", "find_path", "find_program"):
            return "REQUIRED" not in command.words
        return command.name in ("check_language", "include") and (
            command.name == "check_language" or "OPTIONAL" in command.words
        )

    def _argument(self, kind: RegionKind, argument: Argument, context: tuple[str, ...], guard: Guard) -> None:
        for offset, text in enumerate(argument.text.split("\n")):
            stripped = text.strip(" \t\\")
            if stripped:
                column = argument.column if offset == 0 else 1
                column += text.index(stripped[0])
                self._found.append(Region(kind, stripped, argument.line + offset, column, guard, context))


@lru_cache(maxsize=4)
def _is_for_hip_alone(text: str) -> bool:
    """A project that enables HIP whatever is asked for, and never the CUDA language."""
    return _HIP_PROJECT.search(text) is not None and _CUDA_CHOICE.search(text) is None


def _unset(words: Sequence[str]) -> frozenset[str]:
    """The variables of `if(NOT X)`, `if(NOT DEFINED X AND NOT Y)` or `if("${X}" STREQUAL "")`."""
    match [w for w in words if w not in ("DEFINED", "(", ")")]:
        case [name, "STREQUAL", ""]:
            return frozenset({name.strip("${}")})
        case rest:
            return frozenset(after for word, after in pairwise(rest) if word == "NOT")


LANGUAGE: Language = CMake()
