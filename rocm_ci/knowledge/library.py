"""All entries of the error library, ours and a project's own, with their patterns ready to be looked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from rocm_ci import registry
from rocm_ci.errors import ConfigError
from rocm_ci.knowledge import detectors
from rocm_ci.knowledge.detector import Detector
from rocm_ci.knowledge.entry import Entry, Signature, decode
from rocm_ci.knowledge.failing import FAILURE
from rocm_ci.knowledge.sweep import Probe, Sweep, probe
from rocm_ci.model.diagnostic import Category

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

FOLDER = ".github/rocm-ci/errors"
MOST_ENTRIES = 200
MOST_BYTES = 200_000


@dataclass(frozen=True, slots=True)
class Armed:
    """A signature of an entry; its patterns by their numbers in the sweep."""

    entry: Entry
    signature: Signature
    pattern: int
    needs: tuple[int, ...]
    unless: tuple[int, ...]
    not_line: Probe | None


@dataclass(frozen=True, slots=True)
class Watching:
    """An entry's detector; its patterns by their names, as numbers in the sweep."""

    entry: Entry
    detector: Detector
    patterns: Mapping[str, int]


class Library:
    """Entries by id. Made once, then only read."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.entries: dict[str, Entry] = {}
        for entry in entries:
            if entry.id in self.entries:
                message = f"two entries of the error library are called {entry.id}"
                raise ConfigError(message, hint="rename one")
            self.entries[entry.id] = entry
        self._probes: list[Probe] = []
        self._numbers: dict[str, int] = {}

    @cached_property
    def armed(self) -> tuple[Armed, ...]:
        """Every signature with its patterns."""
        return tuple(
            Armed(
                entry=entry,
                signature=signature,
                pattern=self._number(signature.pattern, signature.words, entry),
                needs=tuple(self._number(pattern, (), entry) for pattern in signature.needs),
                unless=tuple(self._number(pattern, (), entry) for pattern in signature.unless),
                not_line=None if signature.not_line is None else _loose(signature.not_line),
            )
            for entry in self.entries.values()
            for signature in entry.signatures
        )

    @cached_property
    def watching(self) -> tuple[Watching, ...]:
        """Every detector that an entry names. Raises `ConfigError` for one that is not there."""
        wanted = [entry for entry in self.entries.values() if entry.by_detector]
        known = registry.load(detectors, "DETECTOR", Detector) if wanted else {}  # type: ignore[type-abstract]
        found = []
        for entry in wanted:
            detector = known.get(entry.by_detector or "")
            if detector is None:
                message = f"error library, {entry.id}: no detector {entry.by_detector!r}"
                raise ConfigError(message, hint=f"detectors are {', '.join(known)}")
            patterns = {name: self._number(text, (), entry) for name, text in detector.patterns.items()}
            found.append(Watching(entry=entry, detector=detector, patterns=patterns))
        return tuple(found)

    @cached_property
    def failures(self) -> frozenset[int]:
        """Patterns that say that something failed, whatever it was."""
        return frozenset(self._number(pattern, words, None) for pattern, words in FAILURE)

    @cached_property
    def sweep(self) -> Sweep:
        """Looks for all of it at once."""
        _ = self.armed, self.watching, self.failures
        return Sweep(self._probes)

    def _number(self, pattern: str, words: Iterable[str], entry: Entry | None) -> int:
        if pattern not in self._numbers:
            try:
                one = probe(pattern, words)
            except ValueError as error:
                name = entry.id if entry else "rocm-ci"
                message = f"error library, {name}: {error}"
                raise ConfigError(message, hint="give the signature `words:`") from error
            self._numbers[pattern] = len(self._probes)
            self._probes.append(one)
        return self._numbers[pattern]


def _loose(pattern: str) -> Probe:
    import re  # noqa: PLC0415

    return Probe(re.compile(pattern), frozenset())


def shipped() -> list[Entry]:
    """The entries that come with rocm-ci, by category and id."""
    folder = registry.data_folder("rules") / "errors"
    return [
        decode(path.read_text("utf-8"), f"{category.value}/{path.name}", category)
        for category in Category
        for path in files(folder, category)
    ]


def files(folder: Path, category: Category) -> list[Path]:
    """The files of one category, sorted."""
    return sorted((folder / category.value).glob("*.yaml"))


def own(names: Iterable[str], read: Callable[[str], bytes | None]) -> list[Entry]:
    """A project's entries: `names` are paths below `FOLDER`, `CATEGORY/ID.yaml`, as the checkout has them.

    Raises `ConfigError` for a file that is no entry: one that silently does not count would be missed only
    when it is needed.
    """
    paths = sorted(name for name in names if name.endswith((".yaml", ".yml")))
    if len(paths) > MOST_ENTRIES:
        message = f"{FOLDER}: {len(paths)} entries, more than {MOST_ENTRIES}"
        raise ConfigError(message, hint="join the signatures of entries that say the same")
    found = []
    for name in paths:
        folder, _, rest = name.partition("/")
        if not rest or folder not in {category.value for category in Category}:
            message = f"{FOLDER}/{name}: is in no folder of a category"
            raise ConfigError(message, hint=f"folders are {', '.join(c.value for c in Category)}")
        data = read(f"{FOLDER}/{name}")
        if data is None or len(data) > MOST_BYTES:
            message = f"{FOLDER}/{name}: not a plain file of at most {MOST_BYTES // 1000} kB"
            raise ConfigError(message, hint="put the entry itself there, no link")
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            message = f"{FOLDER}/{name}: not UTF-8 at byte {error.start}"
            raise ConfigError(message, hint="save the entry as UTF-8") from error
        found.append(decode(text, f"{FOLDER}/{name}", Category(folder)))
    return found
