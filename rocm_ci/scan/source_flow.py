"""How sources flow through the variables of build files to where they are built, and for whom."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from rocm_ci.scan import vendor
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from rocm_ci.scan.source_patterns import Pattern


class Place(NamedTuple):
    """A 1-based line of a build file."""

    path: str
    line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


@dataclass(frozen=True, slots=True)
class Origin:
    """Sources that a build file names, and the variable that they go into; none where they are used."""

    pattern: Pattern
    variable: str | None
    guard: Guard
    place: Place


@dataclass(frozen=True, slots=True)
class Step:
    """The content of one variable goes into another one, or (None) is used."""

    start: str
    end: str | None
    guard: Guard
    place: Place


@dataclass(frozen=True, slots=True)
class Removal:
    """Sources that are taken out of a variable for AMD: those that a pattern means, or a variable holds."""

    variable: str
    what: Pattern | re.Pattern[str] | str
    place: Place


class SourceFlow:
    """All that the build files of a tree name. Only what is certain counts against a file."""

    def __init__(self) -> None:
        self.origins: list[Origin] = []
        self._named: dict[str, list[Origin]] = {}
        self._globs: list[Origin] = []
        self.steps: dict[str, list[Step]] = {}
        self.removals: list[Removal] = []
        self._blocked: dict[str, Place | None] = {}
        self._homes: dict[str, bool] = {}
        self.knows_amd = False  # whether some build file knows of AMD at all

    def name(self, pattern: Pattern, variable: str | None, guard: Guard, place: Place) -> None:
        """Sources are named."""
        origin = Origin(pattern, variable, guard, place)
        self.origins.append(origin)
        if pattern.name:
            self._named.setdefault(pattern.name, []).append(origin)
        else:
            self._globs.append(origin)

    def pass_on(self, start: str, end: str | None, guard: Guard, place: Place) -> None:
        """A variable goes into another, or (None) is used."""
        if start != end:
            self.steps.setdefault(start, []).append(Step(start, end, guard, place))

    def take_out(self, variable: str, what: Pattern | re.Pattern[str] | str, place: Place) -> None:
        """Sources are taken out of a variable again, for AMD."""
        self.removals.append(Removal(variable, what, place))
        if isinstance(what, str):  # a list of what is not for AMD
            self.pass_on(what, None, Guard.NVIDIA, place)

    def add(self, other: SourceFlow, guard: Guard) -> None:
        """Take over what another build file says, which is read under a guard."""
        for origin in other.origins:
            self.name(origin.pattern, origin.variable, vendor.both(guard, origin.guard), origin.place)
        for steps in other.steps.values():
            for step in steps:
                self.pass_on(step.start, step.end, vendor.both(guard, step.guard), step.place)
        self.removals += other.removals if guard is not Guard.NVIDIA else ()
        self.knows_amd = self.knows_amd or other.knows_amd

    def only_nvidia(self, path: str, twins: Iterable[str], is_there: Callable[[str], bool]) -> Place | None:
        """Where it is said that a file is built for NVIDIA only; None when it may be built for AMD.

        `twins` are the paths that hipify might give to what it makes of the file. `is_there` tells
        whether a file, or a folder with a slash at its end, exists.
        """
        if not self.knows_amd:
            return None
        found: Place | None = None
        for one in (path, *twins):
            for origin in self._candidates(one):
                means = origin.pattern.means(one)
                if one != path and not (origin.pattern.names_amd and origin.pattern.may_mean(one)):
                    continue
                if not means and not (origin.pattern.may_mean(one) and not self._lies(origin, is_there)):
                    continue
                place = self._why_not(origin) or self._removal(origin, one)
                if place is None:
                    return None
                if one == path and found is None and means:
                    found = place
        return found

    def _lies(self, origin: Origin, is_there: Callable[[str], bool]) -> bool:
        """Whether what is named is found where it is named, so that it means no other file."""
        for home in origin.pattern.homes:
            if home not in self._homes:
                self._homes[home] = is_there(home)
        return any(self._homes[home] for home in origin.pattern.homes)

    def _candidates(self, path: str) -> Iterator[Origin]:
        yield from self._named.get(path.rpartition("/")[2], ())
        yield from self._globs

    def _why_not(self, origin: Origin) -> Place | None:
        if origin.guard is Guard.NVIDIA:
            return origin.place
        return None if origin.variable is None else self._block(origin.variable)

    def _removal(self, origin: Origin, path: str) -> Place | None:
        """Where what was named before is taken out again for AMD."""
        for one in self.removals:
            place = one.place
            is_before = origin.place.path == place.path and origin.place.line < place.line
            if is_before and one.variable == origin.variable and self._takes(one, origin, path):
                return place
        return None

    def _takes(self, one: Removal, origin: Origin, path: str) -> bool:
        if isinstance(one.what, re.Pattern):
            # A glob gives whole paths, anything else what is written: below the folder of the build file.
            base = f"{origin.pattern.base}/" if origin.pattern.base else ""
            shown = path.removeprefix(base) if origin.pattern.name else f"/{path.removeprefix(base)}"
            return path.startswith(base) and one.what.search(shown) is not None
        if not isinstance(one.what, str):
            return one.what.means(path)
        held = (
            o for o in self._candidates(path) if o.variable == one.what and o.place.path == one.place.path
        )
        return any(each.pattern.means(path) for each in held)

    def _block(self, variable: str) -> Place | None:
        """Where every way from a variable to its use turns to NVIDIA; None when one may not."""
        if variable not in self._blocked:
            self._blocked[variable] = self._search(variable)
        return self._blocked[variable]

    def _search(self, variable: str) -> Place | None:
        found: Place | None = None
        seen, queue = {variable}, [variable]
        while queue:
            steps = self.steps.get(queue.pop())
            if not steps:
                return None  # what nobody uses may be used where we do not see it
            for step in steps:
                if step.guard is Guard.NVIDIA:
                    found = found or step.place
                elif step.end is None:
                    return None
                elif step.end not in seen:
                    seen.add(step.end)
                    queue.append(step.end)
        return found
