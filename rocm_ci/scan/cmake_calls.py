"""From where the functions of a CMake file are called: a helper of the CUDA branch is reached there only."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from rocm_ci.scan import vendor
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from rocm_ci.scan.cmake_lexer import Command
    from rocm_ci.scan.source import Source

DEFINES = frozenset({"function", "macro"})
_MOST_ROUNDS = 3  # helpers that helpers call
_MOST_BYTES = 1_000_000
_KEY = "cmake-calls:"

Sites = dict[str, frozenset[Guard]]


def defined(commands: Iterable[Command]) -> frozenset[str]:
    """Lower-case names of the functions and macros of a file."""
    return frozenset(c.words[0].lower() for c in commands if c.name in DEFINES and c.words)


def guards(
    names: frozenset[str], source: Source, sites_of: Callable[[str, str, Mapping[str, Guard]], Sites]
) -> Mapping[str, Guard]:
    """The guard of each function's body. `sites_of` walks a text (of a path) and tells its call sites."""
    outside = [_elsewhere(path, source, sites_of) for path in _callers(source.path)]
    found: dict[str, Guard] = {}
    for _ in range(_MOST_ROUNDS):
        inside = sites_of(source.path, source.text, found)
        new = {name: _agreed(name, [sites.get(name) for sites in (inside, *outside)]) for name in names}
        if new == found:
            break
        found = new
    return found


def _callers(path: str) -> list[str]:
    """The files that are likely to call a helper: the `CMakeLists.txt` of the folders around it."""
    folders = list(PurePosixPath(path).parents)[:4]
    return [c for f in folders if (c := str(f / "CMakeLists.txt")) != path]


def _elsewhere(
    path: str, source: Source, sites_of: Callable[[str, str, Mapping[str, Guard]], Sites]
) -> Sites:
    key = _KEY + path
    if key not in source.memo:
        data = source.read(path)
        usable = data is not None and len(data) <= _MOST_BYTES
        text = data.decode("utf-8", "replace") if data is not None and usable else ""
        source.memo[key] = sites_of(path, text, {}) if text else {}
    sites = source.memo[key]
    assert isinstance(sites, dict)  # noqa: S101 - the key is this module's own
    return sites


def _agreed(name: str, sites: list[frozenset[Guard] | None]) -> Guard:
    """NVIDIA when it is called in such places alone, or never and its name says so."""
    some = frozenset[Guard]().union(*(s for s in sites if s))
    if not some:
        return vendor.of(name) if vendor.of(name) is Guard.NVIDIA else Guard.NONE
    return Guard.NVIDIA if some == {Guard.NVIDIA} else Guard.NONE
