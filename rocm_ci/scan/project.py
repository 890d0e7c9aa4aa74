"""What the scanner must know of the project around a file: is it translated at build, what is aliased."""

from __future__ import annotations

import posixpath
import re
from functools import cache, cached_property
from typing import TYPE_CHECKING

from rocm_ci.scan.builds import Builds
from rocm_ci.scan.headers import Headers
from rocm_ci.scan.inventory import Inventory
from rocm_ci.scan.source import Guard
from rocm_ci.scan.trees import is_vendored

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocm_ci.scan.callers import Callers
    from rocm_ci.scan.files import FileSource
    from rocm_ci.scan.guarded import Guarded
    from rocm_ci.scan.importers import Importers
    from rocm_ci.scan.includes import Include
    from rocm_ci.scan.language import Parsed
    from rocm_ci.scan.python_excuses import PythonExcuses
    from rocm_ci.scan.reach import Reach
    from rocm_ci.scan.translators import Translator

_MOST_HEADERS = 200
_DEEPEST = 40  # includes within includes that are read for macros
_DEEPEST_CONTEXT = 6  # files that include files that include a header
_EVERYWHERE = 2**31
_CUDA_WORD = re.compile(r"(?<![A-Za-z])cuda(?![A-Za-z])")


class Project:
    """Reads a few files of the tree around the changed ones; what they say is kept, their bytes are not."""

    def __init__(self, source: FileSource) -> None:
        self._source = source
        self._builds = Builds(source)
        self._inventory = Inventory(source)
        self._headers = Headers(source, self._builds.folders, self._inventory.names)
        self._translators = cache(self._builds.translators)
        self._guarded = cache(self._guards_of)
        self._taught = cache(self._macros_of_header)
        self._names_below = cache(self._names_of_closure)
        self._reading: set[str] = set()

    # Each needs parsers that a scan of files of one language does not have loaded.

    @cached_property
    def _importers(self) -> Importers:
        from rocm_ci.scan.importers import Importers  # noqa: PLC0415

        return Importers(self._source, self._inventory)

    @cached_property
    def _python_excuses(self) -> PythonExcuses:
        from rocm_ci.scan.python_excuses import PythonExcuses  # noqa: PLC0415

        return PythonExcuses(self._source.read, self._inventory)

    @cached_property
    def _callers(self) -> Callers:
        from rocm_ci.scan.callers import Callers  # noqa: PLC0415

        return Callers(self._source, self._inventory)

    @cached_property
    def _reach(self) -> Reach:
        from rocm_ci.scan.build_lists import BuildLists  # noqa: PLC0415
        from rocm_ci.scan.reach import Reach  # noqa: PLC0415

        lists = BuildLists(self._source, self._inventory)
        return Reach(lists, self._headers, self._inventory, self._guarded, self.has_amd_twin)

    def translators(self, path: str) -> frozenset[Translator]:
        """Who turns a source file into HIP before it is compiled for AMD; nobody if none does."""
        return self._translators(path)

    def defines(self, path: str, name: str) -> bool:
        """Whether a C file may use a CUDA-looking name, because the project defines it for AMD.

        `#define cudaMalloc hipMalloc` makes `cudaMalloc` legal below it: in the file itself, through what
        it includes, through what the build puts before it, or through what includes it.
        """
        if self._defined_above(path, name, _EVERYWHERE):
            return True
        if any(self._defined_below(header, name) for header in self._forced(path)):
            return True
        return self._defined_around(path, name, frozenset({path}))

    def macros(self, path: str) -> dict[str, Guard]:
        """Macros that the project headers a C file includes define for one vendor only."""
        return self._of_includes(path)

    def has_header(self, path: str, header: str, *, in_quotes: bool) -> bool:
        """Whether an include names a file of the project's own, not one that is carried along (CUTLASS)."""
        found = self._headers.resolve(path, header, in_quotes=in_quotes)
        return found is not None and (not is_vendored(found) or is_vendored(path))

    def has_amd_twin(self, path: str) -> bool:
        """Whether the file is the NVIDIA half of a pair, e.g. `cuda/sort.cu` beside `hip/sort.hip`."""
        return any(self._headers.exists(twin) for twin in _twins(path))

    def excuse(self, path: str) -> str:
        """Why a C file is not compiled for AMD, as what builds and includes it tells; empty if it may be."""
        return self._reach.excuse(path)

    def module_excuse(self, parsed: Parsed, rule: str, line: int) -> str:
        """Why a finding of a rule in a Python module does not count there; empty when it does."""
        return self._importers.excuse(parsed.source.path, rule) or self._python_excuses.of(parsed, rule, line)

    def script_excuse(self, path: str) -> str:
        """Why a finding in a shell script does not count: what starts it is for NVIDIA."""
        return self._callers.excuse(path)

    # names that are made legal

    def _defined_above(self, path: str, name: str, line: int) -> bool:
        """Whether a file or one that it includes defines a name for AMD before one of its lines."""
        if self._defined_in(path, name, line):
            return True
        for include in self._headers.facts(path).includes:
            found = self._resolved(path, include) if include.line < line else None
            if found is not None and self._defined_below(found, name):
                return True
        return False

    def _defined_below(self, header: str, name: str) -> bool:
        """Whether a header or one that it includes defines a name for AMD."""
        return any(
            self._defined_in(one, name, _EVERYWHERE) for one in self._names_below(header).get(name, ())
        )

    def _names_of_closure(self, header: str) -> dict[str, list[str]]:
        """Name → the files that define it, of a header and all that it includes."""
        found: dict[str, list[str]] = {}
        for path in self._closure(header):
            for name in self._headers.facts(path).aliases:
                found.setdefault(name, []).append(path)
        return found

    def _defined_in(self, path: str, name: str, line: int) -> bool:
        lines = self._headers.facts(path).aliases.get(name, ())
        return any(at < line and self._guarded(path).of_line(at) is not Guard.NVIDIA for at in lines)

    def _defined_around(self, path: str, name: str, seen: frozenset[str]) -> bool:
        """Whether some file defines a name before it includes this one: the header relies on it."""
        if len(seen) > _DEEPEST_CONTEXT:
            return False
        for other, include in self._headers.includers(path):
            if other in seen:
                continue
            if self._defined_above(other, name, include.line):
                return True
            if self._defined_around(other, name, seen | {other}):
                return True
        return False

    def _forced(self, path: str) -> Iterator[str]:
        for folder, header in self._builds.forced(path):
            found = self._headers.resolve(posixpath.join(folder, "x.cpp"), header)
            if found is not None:
                yield found

    def _closure(self, path: str) -> tuple[str, ...]:
        """A header and all that it includes."""
        found, queue = {path: None}, [path]
        while queue:
            here = queue.pop()
            for include in self._headers.facts(here).includes:
                header = self._resolved(here, include)
                if header is not None and header not in found and len(found) < _MOST_HEADERS:
                    found[header] = None
                    queue.append(header)
        return tuple(found)

    def _resolved(self, path: str, include: Include) -> str | None:
        return self._headers.resolve(path, include.header, in_quotes=include.in_quotes)

    # guards across files

    def _guards_of(self, path: str) -> Guarded:
        from rocm_ci.scan.guarded import Guarded  # noqa: PLC0415 - the lexer of C

        return Guarded(self._headers.text(path), lambda: self._of_includes(path))

    def _of_includes(self, path: str) -> dict[str, Guard]:
        found: dict[str, Guard] = {}
        disputed: set[str] = set()
        for include in self._headers.facts(path).includes:
            resolved = self._resolved(path, include)
            # A header that is being read includes itself through others: it teaches nothing yet.
            if resolved is None or resolved in self._reading or len(self._reading) > _DEEPEST:
                continue
            for macro, guard in self._taught(resolved).items():
                if found.setdefault(macro, guard) is not guard:
                    disputed.add(macro)
        return {macro: guard for macro, guard in found.items() if macro not in disputed}

    def _macros_of_header(self, path: str) -> dict[str, Guard]:
        from rocm_ci.scan.guarded import Guarded, may_teach  # noqa: PLC0415 - the lexer of C

        data = self._headers.text(path)
        self._reading.add(path)
        try:
            known = self._of_includes(path)
        finally:  # also when the time for a file ran out
            self._reading.discard(path)
        return dict(Guarded(data, lambda: known).macros) if may_teach(data, known) else known


def _twins(path: str) -> Iterable[str]:
    """Where the AMD half of a pair would lie: `cuda` in its path renamed, or `.cu` become `.hip`."""
    parts = path.split("/")
    stem, suffix = posixpath.splitext(parts[-1])
    suffixes = (suffix, ".hip", ".hip.cpp") if suffix in (".cu", ".cuh") else (suffix,)
    names = [*parts[:-1], stem]
    for vendor in ("hip", "rocm", "amd"):
        renamed = [_CUDA_WORD.sub(vendor, name) for name in names]
        forms = [renamed, *([*names[:n], renamed[n], *names[n + 1 :]] for n in range(len(names)))]
        ends = (*suffixes, _CUDA_WORD.sub(vendor, suffix))
        for form in dict.fromkeys(map("/".join, forms)):
            yield from (form + end for end in dict.fromkeys(ends) if form + end != path)
