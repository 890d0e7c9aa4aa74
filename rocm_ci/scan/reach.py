"""Whether a file can be reached on ROCm: what builds it, what includes it. Unknown counts as reached."""

from __future__ import annotations

from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from rocm_ci.scan.build_lists import is_build_file
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocm_ci.scan.build_lists import BuildLists
    from rocm_ci.scan.guarded import Guarded
    from rocm_ci.scan.headers import Headers
    from rocm_ci.scan.inventory import Inventory
    from rocm_ci.scan.source_flow import Place

# What files are written from: an include directive in one of these stands in a source that we do not see.
_TEMPLATES = (".jinja", ".jinja2", ".j2", ".in", ".tmpl", ".mako", ".tpl")
_MOST_WRITERS = 400
_LONGEST_WRITER = 200_000  # bytes; longer ones are data
_SOURCES = (".cu", ".cuh", ".cpp", ".cc", ".cxx", ".hip", ".h", ".hpp")
_MOST_FILES = 400  # that include a file, one through the other
_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".h++", ".cuh", ".hiph", ".inl", ".ipp", ".tpp", ".tcc", ".inc")


class Reach:
    """Answers for the C-family files of one tree. `guarded` gives the guards of the lines of a file."""

    def __init__(
        self,
        lists: BuildLists,
        headers: Headers,
        inventory: Inventory,
        guarded: Callable[[str], Guarded],
        has_amd_twin: Callable[[str], bool],
    ) -> None:
        self._lists = lists
        self._headers = headers
        self._inventory = inventory
        self._guarded = guarded
        self._has_amd_twin = has_amd_twin
        self._excuses: dict[str, str] = {}

    def excuse(self, path: str) -> str:
        """Why a file is not compiled for AMD, without a full stop; empty when it may be."""
        if path not in self._excuses:
            self._excuses[path] = self._excuse(path)
        return self._excuses[path]

    def _excuse(self, path: str) -> str:
        reasons: list[str] = []
        seen, queue = {path}, [path]
        while queue:
            here = queue.pop()
            place = self._lists.only_nvidia(here)
            if place is None and not here.endswith(_HEADERS):
                return ""
            if not self._headers_are_known():
                return "" if place is None or here != path else _of_place(path, path, place)
            reasons += [_of_place(path, here, place)] if place is not None else []
            written = self._of_writers(here)
            included, onward = self._of_includers(here)
            if written is None or not (place or written or included or onward) or len(seen) > _MOST_FILES:
                return ""
            reasons += [*included, *written]
            queue += [other for other in onward if other not in seen]
            seen.update(onward)
        return reasons[0] if reasons else ""

    def _of_writers(self, path: str) -> list[str] | None:
        """Why what may write sources that include a file is not run on ROCm; None when it may be."""
        reasons = []
        for other in self._writers_of(path):
            place = self._lists.only_nvidia(other)
            if place is None:
                return None
            reasons.append(f"not reached on ROCm: {other}, which names it, is not run there: {place}")
        return reasons

    def _of_includers(self, path: str) -> tuple[list[str], list[str]]:
        """(why some files do not include a file on ROCm, the files that may)."""
        reasons, onward = [], []
        for other, include in self._headers.includers(path):
            guarded = self._guarded(other)
            if not guarded.is_code(include.line):
                continue
            if guarded.of_line(include.line) is Guard.NVIDIA:
                reasons.append(f"not reached on ROCm: included for CUDA only, {other}:{include.line}")
            elif self._has_amd_twin(other):
                reasons.append(f"not reached on ROCm: {other}, which includes it, has a twin there")
            else:
                onward.append(other)
        return reasons, onward

    def _headers_are_known(self) -> bool:
        """Whether every file that may include another one was read."""
        self._headers.includers("")
        return self._headers.is_complete

    def _writers_of(self, path: str) -> list[str]:
        """Templates, and scripts beside sources, that name a file: they may write sources that include it."""
        name = path.rpartition("/")[2].encode("utf-8", "surrogateescape")
        found = [other for other, data in self._writers.items() if name in data and other != path]
        # What no build runs has written what is checked in, if anything.
        return [other for other in found if not other.endswith(".py") or self._lists.mentions(other)]

    @cached_property
    def _writers(self) -> dict[str, bytes]:
        paths = self._inventory.paths
        folders = {p.rpartition("/")[0] for p in paths if p.endswith(_SOURCES)}
        found = (
            p
            for p in paths
            if (p.endswith(".py") and p.rpartition("/")[0] in folders and not is_build_file(p))
            or (p.endswith(_TEMPLATES) and "." in p.rsplit(".", 1)[0])
        )
        texts = {path: self._headers.text(path) for path in islice(found, _MOST_WRITERS)}
        return {path: data for path, data in texts.items() if len(data) < _LONGEST_WRITER}


def _of_place(path: str, here: str, place: Place) -> str:
    if here == path:
        return f"not built for ROCm: {place}"
    return f"not reached on ROCm: {here}, which includes it, is not built there: {place}"
