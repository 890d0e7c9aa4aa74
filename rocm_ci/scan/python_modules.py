"""What a name imported from another module of the project says about the vendor.

A scan reads few files of a project whole, so a module that is asked for one flag or helper is not
parsed: its import lines and the definition of that name are cut out and understood alone.
"""

from __future__ import annotations

import ast
import posixpath
import re
from typing import TYPE_CHECKING

from rocm_ci.scan.outcome import UNKNOWN, Outcome
from rocm_ci.scan.python_learning import learn
from rocm_ci.scan.python_names import Names
from rocm_ci.scan.python_statements import statements

if TYPE_CHECKING:
    from collections.abc import Callable

_IMPORTS = re.compile(
    r"^(?:import[ \t][^\n(]*|from[ \t]+[.\w]+[ \t]+import[ \t]*(?:\([^)]*\)|[^\n(\\]*(?:\\\n[^\n\\]*)*))$",
    re.MULTILINE,
)
_NEXT_STATEMENT = re.compile(r"^[^\s#)\]}]", re.MULTILINE)
_SOURCE_FOLDERS = ("", "src/", "python/", "lib/")
_DEEPEST = 5  # modules that pass a name on from one to the next
_LONGEST = 500_000  # characters of a module worth searching


class Modules:
    """Answers for the modules of one tree; remembers what was asked."""

    def __init__(self, read: Callable[[str], bytes | None]) -> None:
        self._read = read
        self._texts: dict[str, str | None] = {}
        self._imports: dict[str, str] = {}
        self._asked: dict[tuple[str, str], Outcome] = {}
        self._found: dict[tuple[str, int, str], str | None] = {}
        self._answers: dict[tuple[str, str], Outcome] = {}

    def outcome(self, path: str, full: str, depth: int = 0) -> Outcome:
        """What `full` (`pkg.utils.flag`, `..utils.helper()`) means where the module at `path` says it."""
        folder = posixpath.dirname(path)
        key = (folder, full)
        if key not in self._asked:
            dotted = full.lstrip(".")
            module, _, name = dotted.rpartition(".")
            file = self._file(folder, len(full) - len(dotted), module)
            self._asked[key] = UNKNOWN  # while it is looked for, it may ask for itself
            self._asked[key] = UNKNOWN if file is None else self._defined(file, name, depth)
        return self._asked[key]

    def _file(self, folder: str, level: int, module: str) -> str | None:
        key = (folder, level, module)
        if key not in self._found:
            self._found[key] = next(
                (c for c in _candidates(folder, level, module) if self._text(c) is not None), None
            )
        return self._found[key]

    def _text(self, path: str) -> str | None:
        if path not in self._texts:
            data = self._read(path)
            short = data is not None and len(data) <= _LONGEST
            self._texts[path] = data.decode("utf-8", "replace") if data is not None and short else None
        return self._texts[path]

    def _defined(self, path: str, name: str, depth: int) -> Outcome:
        """What a name at the top level of a module means; `name()` for the answer of a function."""
        key = (path, name)
        if key not in self._answers:
            self._answers[key] = UNKNOWN  # while it is looked for, it may ask for itself
            self._answers[key] = self._look(path, name, depth)
        return self._answers[key]

    def _look(self, path: str, name: str, depth: int) -> Outcome:
        text = self._text(path) or ""
        bare = name.removesuffix("()")
        if depth > _DEEPEST or bare not in text:
            return UNKNOWN
        if path not in self._imports:
            self._imports[path] = "\n".join(_IMPORTS.findall(text))
        definition = _definition(text, bare)
        if not definition and not re.search(rf"\b{re.escape(bare)}\b", self._imports[path]):
            return UNKNOWN
        source = f"{self._imports[path]}\n{definition}"
        try:
            found = statements(ast.parse(source))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return UNKNOWN
        names = Names(found)

        def resolve(full: str) -> Outcome:
            return self.outcome(path, full, depth + 1)

        passed_on = names.dotted(ast.Name(id=bare))
        if passed_on != bare:
            return resolve(passed_on + name[len(bare) :])
        conditions = learn(found, names, source, lambda full: self._local(path, full, names, resolve, depth))
        return conditions.known(name) or UNKNOWN

    def _local(
        self, path: str, full: str, names: Names, resolve: Callable[[str], Outcome], depth: int
    ) -> Outcome:
        """A definition may rest on another name of the same module."""
        return resolve(full) if names.is_imported(full) else self._defined(path, full, depth + 1)


def _candidates(folder: str, level: int, module: str) -> list[str]:
    """Where a module may lie, seen from a file in `folder`."""
    inner = module.replace(".", "/")
    if level:
        for _ in range(level - 1):
            folder = posixpath.dirname(folder)
        starts = [f"{folder}/" if folder else ""]
    else:
        first = module.partition(".")[0]
        parts = folder.split("/") if folder else []
        starts = ["/".join(parts[:n]) + "/" if n else "" for n, part in enumerate(parts) if part == first]
        starts += [s for s in _SOURCE_FOLDERS if s not in starts]
    places = [start + inner for start in starts]
    return [c for p in places for c in ((f"{p}.py", f"{p}/__init__.py") if inner else (f"{p}__init__.py",))]


def _definition(text: str, name: str) -> str:
    """The last statement at the left margin that defines a name; empty when there is none."""
    text = f"\n{text}"
    starts = (
        f"\n{head}" for head in (f"def {name}(", f"async def {name}(", f"{name} =", f"{name}=", f"{name}:")
    )
    at = max(text.rfind(start) for start in starts) + 1
    if not at:
        return ""
    end = _NEXT_STATEMENT.search(text, text.find("\n", at))
    return text[at : end.start() if end else len(text)]
