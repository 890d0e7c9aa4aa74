"""A source or a glob of sources as a build file writes it → which paths of the tree it means."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

UNKNOWN = "\0"  # stands in a written path for a piece that only the build knows
ABOVE = "\1"  # stands at its start for a folder of the project around the build file
_SUFFIXES = (
    "c", "cc", "cpp", "cxx", "cu", "hip", "h", "hh", "hpp", "hxx", "cuh", "inl", "inc", "in", "jinja", "py",
)  # fmt: skip
_SOURCE = re.compile(rf"[^\n]*[^\n/]\.(?:{'|'.join(_SUFFIXES)})|[^\n]*\*")
_LONGEST = 400
_WILD = re.compile(r"[*?\[\0]")
_AMD = re.compile(r"(?i)hip|rocm|amd|thh")
_NOTHING = re.compile(r"(?!)")
_UP = re.compile(r"(?:\.\.?/)+")


def is_source(written: str) -> bool:
    """Whether a text of a build file can name sources: by its suffix, or a glob."""
    if len(written) > _LONGEST or " " in written or _SOURCE.fullmatch(written) is None:
        return False
    return not (written.startswith(UNKNOWN) and written.endswith("*"))


@dataclass(frozen=True)
class Pattern:
    """What stands in a build file of the folder `base`. `deep`: its last part is looked for below, too."""

    base: str
    written: str
    deep: bool = False

    def means(self, path: str) -> bool:
        """Whether it certainly names the path, as far as its unknown pieces go."""
        if self._is_exact:
            return not self.written.startswith(UNKNOWN) and path in self._places
        return self._strict.fullmatch(path) is not None

    def may_mean(self, path: str) -> bool:
        """Whether it names the path or one that looks like it elsewhere: a copy, another working folder.

        A name without any folder is meant to lie somewhere below the build file.
        """
        if self.means(path):
            return True
        if self._is_exact:
            below, plain = self._somewhere
            rest = path.removeprefix(below)
            return path.startswith(below) and (rest == plain or rest.endswith(f"/{plain}"))
        return self._loose.fullmatch(path) is not None

    @property
    def name(self) -> str:
        """The name of the one file it means; empty for a glob."""
        last = self.written.rpartition("/")[2]
        return "" if self.deep or _WILD.search(last) else last

    @property
    def homes(self) -> tuple[str, ...]:
        """The file that it names, or the folder that its glob starts from; where it may lie, if known."""
        if self.written.startswith(UNKNOWN):
            return ()
        if self.name:
            return self._places
        folders = (_WILD.split(place, maxsplit=1)[0].rpartition("/")[0] for place in self._places)
        return tuple(f"{folder}/" for folder in folders if folder)

    @cached_property
    def _places(self) -> tuple[str, ...]:
        if not self.written.startswith(ABOVE):
            return (_joined(self.base, self.written),)
        plain = self.written.lstrip(ABOVE).lstrip("/")
        return tuple(dict.fromkeys(_joined(folder, plain) for folder in around(self.base)))

    @property
    def names_amd(self) -> bool:
        """Whether it is about files that hipify wrote."""
        return _AMD.search(self.written) is not None

    @cached_property
    def _strict(self) -> re.Pattern[str]:
        if self.written.startswith(UNKNOWN):
            return _NOTHING
        return _compiled("|".join(_glob(place, deep=self.deep) for place in self._places))

    @cached_property
    def _loose(self) -> re.Pattern[str]:
        below, plain = self._somewhere
        return _compiled(f"{re.escape(below)}(?:.*/)?{_glob(plain, deep=self.deep)}")

    @cached_property
    def _somewhere(self) -> tuple[str, str]:
        """(the folder below which it may lie, with a slash, what is written without what leads upwards)."""
        plain = _UP.sub("", self.written.lstrip(UNKNOWN + ABOVE).lstrip("/"))
        is_fixed = "/" not in plain and not self.written.startswith((UNKNOWN, ABOVE))
        return f"{self.base}/" if is_fixed and self.base else "", plain

    @cached_property
    def _is_exact(self) -> bool:
        """Whether it is about one name, which is compared sooner than an expression is compiled."""
        return not self.deep and _WILD.search(self.written.lstrip(UNKNOWN)) is None


@lru_cache(maxsize=20_000)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def around(folder: str) -> list[str]:
    """The folders around a folder and itself, the root first."""
    parts = folder.split("/") if folder else []
    return ["/".join(parts[:count]) for count in range(len(parts) + 1)]


def _joined(base: str, written: str) -> str:
    return posixpath.normpath(posixpath.join(base, written))


def _glob(written: str, *, deep: bool) -> str:
    """A regular expression. A written piece that is unknown may be anything within one name."""
    folder, slash, last = written.rpartition("/")
    if deep:
        return f"{_pieces(folder)}{slash}(?:.*/)?{_pieces(last)}"
    return _pieces(written)


def _pieces(text: str) -> str:
    found = []
    for piece in re.split(r"(\*\*/|\*+|\?|\[[^\]/]*\]|\0)", text):
        if piece == "**/":
            found.append("(?:.*/)?")
        elif piece.startswith("*"):
            found.append("[^/]*")
        elif piece == "?" or (piece.startswith("[") and piece.endswith("]")):
            found.append("[^/]")
        else:
            found.append("[^/]*" if piece == UNKNOWN else re.escape(piece))
    return re.sub(r"(?:\[\^/\]\*){2,}", "[^/]*", "".join(found))
