"""Whether a Python module is loaded on ROCm: who imports it, where, and who imports those."""

from __future__ import annotations

import posixpath
from functools import cache
from typing import TYPE_CHECKING

from rocm_ci.scan import vendor
from rocm_ci.scan.import_index import Importer, ImportIndex, is_aside
from rocm_ci.scan.import_places import ImportPlaces
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocm_ci.scan.files import FileSource
    from rocm_ci.scan.inventory import Inventory

# A failing import at the top of a module: it matters when the module is loaded, and not before.
_AT_LOADING = frozenset({"cuda-only-import"})
_MOST_MODULES = 1_000  # that one question leads to
_LEAST_MODULES = 3  # of a package that stands for itself


class Importers:
    """Answers for the modules of one tree. What is not known counts as always loaded."""

    def __init__(self, source: FileSource, inventory: Inventory) -> None:
        self._index = ImportIndex(source, inventory)
        self._places = ImportPlaces(source.read, self._index)
        self._always: set[str] = set()
        self._exists = inventory.exists
        self._read = source.read
        self._is_nvidias = cache(self._of_nvidia)
        self._first = cache(self._first_importer)
        self._stands_alone = cache(self._package_alone)
        self._is_loaded = cache(self._loaded)
        self._is_never = cache(self._never)

    def excuse(self, path: str, rule: str) -> str:
        """Why a finding in a module is no more than a note; empty when it counts."""
        folder = posixpath.dirname(path)
        if is_aside(path) or not self._index.is_package(folder) or path.endswith("/__init__.py"):
            return ""
        first = self._first(path)
        if first is None or not self._index.is_complete:
            return ""
        place = f"{first.path}:{first.line}"
        if rule not in _AT_LOADING:
            return f"not loaded on ROCm: {place}" if self._is_never(path) else ""
        if self._stands_alone(folder):
            return f"nothing outside of {folder} imports it"
        return "" if self._is_loaded(path) else f"not loaded before it is used: {place}"

    def _loaded(self, path: str) -> bool:
        """Whether a module is loaded with the rest of the project, or for AMD by somebody."""
        return (
            self._leads_to_all(path, conditional=False)
            or self._leads_to_all(path, conditional=True)
            or any(map(self._is_for_amd, self._index.importers(path)))
        )

    def _is_for_amd(self, one: Importer) -> bool:
        """Whether a module is surely needed there: where it is used only on AMD, if lazily."""
        if vendor.of_path(one.path, code=True) is Guard.AMD:
            return True
        return one.indented and self._places.guard(one) is Guard.AMD

    def _never(self, path: str) -> bool:
        """Whether every import of a module, that of an importer included, is made for NVIDIA only."""
        if self._leads_to_all(path, conditional=False):
            return False
        seen, queue = {path}, [path]
        while queue:
            here = queue.pop()
            any_importer = False
            for one in self._index.importers(here):
                any_importer = True
                if one.path in seen or self._is_for_nvidia(one):
                    continue
                if one.path in self._always or (one.indented and self._places.is_inside(one)):
                    return False
                seen.add(one.path)
                queue.append(one.path)
            if not any_importer or len(seen) > _MOST_MODULES:
                return False
        return not self._is_named(seen)

    def _of_nvidia(self, path: str) -> bool:
        """Whether a module is NVIDIA's by its place; what torch calls `cuda` may be AMD's as well."""
        if vendor.of_path(path, code=True) is not Guard.NVIDIA:
            return False
        if b"torch" not in (self._read(path) or b""):
            return True
        return vendor.of_path(path, code=True, exists=self._exists) is Guard.NVIDIA

    def _is_for_nvidia(self, one: Importer) -> bool:
        return self._is_nvidias(one.path) or (one.indented and self._places.guard(one) is Guard.NVIDIA)

    def _leads_to_all(self, path: str, *, conditional: bool) -> bool:
        """Whether imports that are made at once lead from a module nobody imports to this one.

        With `conditional`, also those under a condition that is no vendor's.
        """
        seen = {path}
        ways: list[tuple[str, Iterator[Importer]]] = [(path, self._index.importers(path))]
        had_any = {path}
        while ways:
            here, left = ways[-1]
            one = next(left, None)
            if one is None:
                ways.pop()
                if here not in had_any:
                    break
                continue
            had_any.add(here)
            if one.path in seen or not self._is_made(one, conditional=conditional):
                continue
            seen.add(one.path)
            ways.append((one.path, self._index.importers(one.path)))
            if one.path in self._always or _is_project(one.path) or len(seen) > _MOST_MODULES:
                break
        else:
            return False
        self._always.update(here for here, _ in ways)
        self._always.add(path)
        return True

    def _is_made(self, one: Importer, *, conditional: bool) -> bool:
        if self._is_nvidias(one.path):
            return False
        if not one.indented:
            return True
        if not conditional or self._places.is_inside(one):
            return False
        return self._places.guard(one) in (Guard.NONE, Guard.AMD)

    def _is_named(self, paths: Iterable[str]) -> bool:
        """Whether some text names one of these modules: a registry that loads it by its name."""
        stems = {posixpath.basename(p).removesuffix(".py").encode("utf-8", "surrogateescape") for p in paths}
        forms = (b'"%b"', b"'%b'", b'.%b"', b".%b'", b".%b:", b'"%b:', b"'%b:")
        return self._index.says([form % stem for stem in stems for form in forms])

    def _package_alone(self, folder: str) -> bool:
        """A package within another one that nobody outside of it imports: users load it, or nobody."""
        above = posixpath.dirname(folder)
        if not above or not self._index.is_package(above) or self._index.modules(folder) < _LEAST_MODULES:
            return False
        package = f"{folder}/__init__.py"
        return next(self._index.importers(package), None) is None and self._index.is_complete

    def _first_importer(self, path: str) -> Importer | None:
        return next(self._index.importers(path), None)


def _is_project(path: str) -> bool:
    return path.count("/") <= 1 and path.endswith("/__init__.py")
