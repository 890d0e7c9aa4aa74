"""A message of a build tool while its notes are still coming in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rocm_ci.build import symbols
from rocm_ci.model.diagnostic import Diagnostic
from rocm_ci.model.finding import Severity

if TYPE_CHECKING:
    from rocm_ci.build.locate import Locator

MAX_NOTES = 8
MAX_CHAIN = 40
MAX_MESSAGE = 1000
MAX_NOTE = 400


@dataclass(frozen=True, slots=True)
class Place:
    """A position as the tool printed it."""

    path: str
    line: int | None = None
    column: int | None = None


@dataclass(slots=True)
class Draft:
    """`chain` holds the places that led here (instantiations, includes), nearest first.

    A `consequence` only repeats that something failed before; it is told when nothing else was said.
    """

    tool: str
    severity: Severity
    message: str
    log_line: int
    place: Place | None = None
    consequence: bool = False
    archs: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    chain: list[Place] = field(default_factory=list)

    def note(self, text: str) -> None:
        """Keep a note; of very many the first ones."""
        if len(self.notes) < MAX_NOTES:
            self.notes.append(text[:MAX_NOTE])

    def led_here(self, place: Place) -> None:
        """Keep a step of the way from the user's code to the error."""
        if len(self.chain) < MAX_CHAIN:
            self.chain.append(place)

    def finished(self, locator: Locator) -> Diagnostic:
        """The diagnostic, placed in the checkout if any step of the way lies in it."""
        place, notes = self.place, list(self.notes)
        if place is None or locator.inside(place.path) is None:
            nearest = next((p for p in self.chain if locator.inside(p.path)), None)
            if nearest is not None:
                if place is not None and not place.path.startswith("<"):
                    notes.insert(0, f"reported at {locator.shown(place.path)}:{place.line}")
                place = nearest
        if self.tool in ("ld", "lld", "ld.lld"):
            place = self._linked(place, locator)
        return Diagnostic(
            tool=self.tool,
            severity=self.severity,
            message=self.message[:MAX_MESSAGE],
            path=locator.shown(place.path) if place else None,
            line=place.line if place else None,
            column=place.column if place else None,
            arch=", ".join(self.archs) or None,
            log_line=self.log_line,
            notes=tuple(notes),
        )

    def _linked(self, place: Place | None, locator: Locator) -> Place | None:
        """A linker's message with the line where the missing name is used."""
        name = symbols.missing_name(self.message)
        if name is None or (place and place.line):
            return place
        path = place.path if place else None
        for step in self.chain:
            source = symbols.device_object(step.path)
            if path is None and source is not None:
                path = locator.by_stem(source[0])
                self.archs = [source[1]]
        inside = locator.inside(path) if path else None
        if path is None or inside is None:
            return place
        return Place(path, symbols.line_of_use(locator.root / inside, name))
