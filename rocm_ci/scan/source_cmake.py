"""What CMake files list as sources, through which variables, under which conditions."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rocm_ci.scan import vendor
from rocm_ci.scan.languages.cmake import LANGUAGE
from rocm_ci.scan.source import Guard, RegionKind, Source
from rocm_ci.scan.source_flow import Place, SourceFlow
from rocm_ci.scan.source_patterns import ABOVE, UNKNOWN, Pattern, around, is_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from rocm_ci.scan.cmake_lexer import Command

# Commands that build nothing of what they are given.
_NO_USE = frozenset({
    "message", "if", "elseif", "else", "endif", "while", "endwhile", "endforeach", "function", "endfunction",
    "macro", "endmacro", "return", "option", "unset", "math", "install", "source_group", "set_property",
    "set_source_files_properties", "set_directory_properties", "set_target_properties", "get_property",
    "find_package", "find_library", "find_path", "find_program", "cmake_minimum_required", "project",
    "include_directories", "target_include_directories", "target_link_libraries", "mark_as_advanced",
    "add_compile_definitions", "target_compile_definitions", "target_compile_options", "add_compile_options",
    "set_tests_properties", "cmake_policy", "get_target_property", "link_directories", "export",
})  # fmt: skip
_LISTED = frozenset({"APPEND", "PREPEND", "INSERT", "SUBLIST", "TRANSFORM", "JOIN", "GET"})
_HERE = re.compile(r"\$\{(?:CMAKE_CURRENT_SOURCE_DIR|CMAKE_CURRENT_LIST_DIR)\}/?")
_PROJECT = re.compile(r"\$\{(?:CMAKE_SOURCE_DIR|PROJECT_SOURCE_DIR|CMAKE_HOME_DIRECTORY)\}/?")
_NAMES_AMD = re.compile(r"(?i)hip|roc|amd|gfx")
_VARIABLE = re.compile(r"\$(?:ENV|CACHE)?\{[^{}]*\}")
_REFERENCE = re.compile(r"\$\{(\w+)\}")
_TOKEN = re.compile(r"[^\s;<>:,\"]+")
_COMMENT = re.compile(r"#[^\n]*")
# Means the same to CMake and to us, and is quick whatever it is tried on.
_PLAIN_REGEX = re.compile(r"(?:\.\*)?(?:[\w/-]|\\{1,2}\.)+(?:\.\*(?:[\w/-]|\\{1,2}\.)*)?\$?")
_WORD = re.compile(r"[A-Za-z]\w+")
# What a file must hold to list sources, or to read another one that does.
_LISTS = re.compile(
    r"[\w*}>]\.(?:c|cc|cpp|cxx|cu|hip|h|hh|hpp|hxx|cuh|inl|inc|in|jinja|py)\b|\*|\badd_subdirectory\b|\binclude\s*\(",
    re.IGNORECASE,
)
_DEEPEST = 12  # files that are included by included files


@dataclass(frozen=True)
class Listing:
    """One CMake file: what it lists, and which other files it includes under which guard."""

    flow: SourceFlow
    includes: tuple[tuple[str, Guard, int], ...] = ()


@dataclass
class _Reader:
    path: str
    found: Iterable[Command]
    guards: Mapping[tuple[int, int], Guard]
    flow: SourceFlow = field(default_factory=SourceFlow)
    includes: list[tuple[str, Guard, int]] = field(default_factory=list)

    folders: dict[str, str] = field(default_factory=dict)  # of variables that are set once, to a path

    def read(self) -> Listing:
        self._learn()
        for command in self.found:
            self._one(command)
            if not self.flow.knows_amd and command.name != "message":
                self.flow.knows_amd = any(map(_names_amd, (command.name, *command.words)))
        return Listing(self.flow, tuple(self.includes))

    def _learn(self) -> None:
        twice: set[str] = set()
        for command in self.found:
            words = command.words
            if command.name == "set" and len(words) == 2 and "/" in words[1]:
                twice |= {words[0]} & self.folders.keys()
                self.folders[words[0]] = words[1]
        for name in twice:
            del self.folders[name]

    def _plain(self, word: str, depth: int = 0) -> str:
        """A path with the folders of the project put in, and `UNKNOWN` for what is not known."""
        word = _PROJECT.sub(f"{ABOVE}/", _HERE.sub("", word))
        known = _REFERENCE.findall(word) if depth < _DEEPEST else ()
        for name in known:
            if name in self.folders:
                word = word.replace(f"${{{name}}}", self._plain(self.folders[name], depth + 1))
        return _VARIABLE.sub(UNKNOWN, word)

    def _written(self, token: str) -> str:
        """A path; of a `.cmake` file it is read in the folder of whoever includes the file."""
        written = self._plain(token)
        is_here = self.path.endswith(".cmake") and not written.startswith((ABOVE, UNKNOWN, "/"))
        return f"{ABOVE}/{written}" if is_here else written

    @property
    def _folder(self) -> str:
        return posixpath.dirname(self.path)

    def _one(self, command: Command) -> None:
        words = command.words
        guard = self.guards.get((command.line, command.column), Guard.NONE)
        if command.name in ("include", "add_subdirectory") and words:
            self._include(command.name, words[0], guard, command.line)
        elif command.name == "set" and len(words) > 1:
            self._into(words[0], command, words[1:], guard)
        elif command.name == "list" and len(words) > 1:
            self._list(command, guard)
        elif command.name == "file":
            self._file(command, guard)
        elif command.name == "foreach" and len(words) > 1:
            listed = [f"${{{w}}}" for w in words[1:] if re.fullmatch(r"\w+", w)]
            self._into(words[0], command, [*words[1:], *listed], guard)
        elif command.name == "string" and len(words) > 2:
            target = {"REPLACE": 3, "REGEX": 4, "APPEND": 1, "CONCAT": 1, "JOIN": 2, "PREPEND": 1}.get(
                words[0]
            )
            name = words[target] if target is not None and target < len(words) else None
            self._into(name, command, words, guard)
        elif command.name == "get_filename_component" and len(words) > 1:
            self._into(words[0], command, words[1:], guard)
        elif command.name not in _NO_USE:
            self._into(None, command, words, guard)

    def _list(self, command: Command, guard: Guard) -> None:
        words = command.words
        if words[0] in ("REMOVE_ITEM", "FILTER") and guard is Guard.AMD and len(words) > 2:
            self._take_out(command)
        if words[0] not in _LISTED:
            return
        self._into(words[1], command, words[2:], guard)
        if words[0] in ("GET", "SUBLIST", "JOIN", "TRANSFORM") and len(words) > 2:
            self.flow.pass_on(words[1], words[-1], guard, Place(self.path, command.line))

    def _take_out(self, command: Command) -> None:
        """`list(REMOVE_ITEM SOURCES a.cu ${B})`, `list(FILTER SOURCES EXCLUDE REGEX "cutlass/.*")`."""
        _, variable, *words = command.words
        place = Place(self.path, command.line)
        if command.words[0] == "FILTER":
            if words[:2] == ["EXCLUDE", "REGEX"] and len(words) == 3 and _PLAIN_REGEX.fullmatch(words[2]):
                self.flow.take_out(variable, re.compile(words[2].replace("\\\\", "\\")), place)
            return
        for word in words:
            if reference := _REFERENCE.fullmatch(word):
                self.flow.take_out(variable, reference[1], place)
            elif is_source(written := self._written(word)) and not written.startswith("/"):
                self.flow.take_out(variable, Pattern(self._folder, written), place)

    def _file(self, command: Command, guard: Guard) -> None:
        words = command.words
        if len(words) < 3 or words[0] not in ("GLOB", "GLOB_RECURSE"):
            return
        self._into(words[1], command, words[2:], guard, deep=words[0] == "GLOB_RECURSE")

    def _include(self, name: str, target: str, guard: Guard, line: int) -> None:
        written = self._plain(target)
        if UNKNOWN in written:
            return
        bases = around(self._folder) if written.startswith(ABOVE) else (self._folder,)
        for base in bases:
            place = posixpath.normpath(posixpath.join(base, written.lstrip(ABOVE).lstrip("/")))
            file = posixpath.normpath(f"{place}/CMakeLists.txt") if name == "add_subdirectory" else place
            self.includes.append((file, guard, line))

    def _into(
        self,
        variable: str | None,
        command: Command,
        words: Iterable[str],
        guard: Guard,
        *,
        deep: bool = False,
    ) -> None:
        """All that is named or referred to by these words goes into a variable, or (None) is used."""
        if variable is not None and "$" in variable:
            variable = None
        place = Place(self.path, command.line)
        lines = {a.text: a.line for a in command.arguments}
        for word in words:
            where = Place(self.path, lines.get(word, command.line))
            for token in _TOKEN.findall(word) if ";" in word or "$<" in word else (word,):
                self._token(variable, token, guard, where, deep=deep)
            for name in _REFERENCE.findall(word):
                self.flow.pass_on(name, variable, guard, place)

    def _token(self, variable: str | None, token: str, guard: Guard, place: Place, *, deep: bool) -> None:
        written = self._written(token)
        if is_source(written) and not written.startswith("/"):
            self.flow.name(Pattern(self._folder, written, deep=deep), variable, guard, place)


def listing(path: str, text: str, read: Callable[[str], bytes | None], memo: dict[str, object]) -> Listing:
    """What one CMake file lists. `memo` is shared by all files of a scan."""
    plain = _COMMENT.sub("", text)
    if not _LISTS.search(plain):
        flow = SourceFlow()
        flow.knows_amd = any(map(_names_amd, _WORD.findall(plain)))
        return Listing(flow)
    folder = posixpath.dirname(path)
    source = Source(
        path,
        text,
        tuple(text.split("\n")),
        beside=lambda name: read(posixpath.join(folder, name)) is not None,
        read=read,
        memo=memo,
    )
    parsed = LANGUAGE.parse(source)
    guards = {(r.line, r.column): r.guard for r in parsed.regions if r.kind is RegionKind.CODE}
    tree = parsed.tree
    return _Reader(path, tree if isinstance(tree, tuple) else (), guards).read()


def together(listings: Mapping[str, Listing]) -> Iterator[tuple[SourceFlow, Guard]]:
    """(what a file lists, under which guard it is read) of every CMake file of a tree, by its path."""
    sites: dict[str, list[tuple[str, Guard]]] = {}
    for path, one in listings.items():
        for target, guard, _ in one.includes:
            for name in (target, f"{target}.cmake"):
                if name in listings and name != path:
                    sites.setdefault(name, []).append((path, guard))
    known: dict[str, Guard] = {}

    def guard_of(path: str, depth: int) -> Guard:
        if path in known or depth > _DEEPEST:
            return known.get(path, Guard.NONE)
        known[path] = Guard.NONE  # a file that includes itself through others
        guards = {
            vendor.both(guard_of(includer, depth + 1), guard) for includer, guard in sites.get(path, ())
        }
        known[path] = Guard.NVIDIA if guards == {Guard.NVIDIA} else Guard.NONE
        return known[path]

    for path, one in listings.items():
        yield one.flow, guard_of(path, 0)


def _names_amd(word: str) -> bool:
    return len(word) < 200 and _NAMES_AMD.search(word) is not None and vendor.of(word) is Guard.AMD
