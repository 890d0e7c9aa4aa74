"""What a program printed, held against `rules/tables/log-signs.yaml`: may the machine be at fault?

Anything can be printed by anybody: a sign is a reason to look twice, never a proof.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from rocm_ci.model.base import Frozen
from rocm_ci.model.incident import IncidentKind
from rocm_ci.registry import data_folder
from rocm_ci.runners.excerpt import clean, shortened
from rocm_ci.tools import file

if TYPE_CHECKING:
    from pathlib import Path

_MAX_READ = 512_000_000
_MAX_LINE = 4_096
_MAX_SIGNS = 1_000
_CHUNK = 1_048_576


class Meaning(Frozen, frozen=True, kw_only=True, rename="kebab"):
    """One row of the table; see there. Without `kind` and `explained-by` it speaks of the change."""

    words: tuple[str, ...]
    pattern: str
    text: str
    kind: IncidentKind | None = None
    device: bool = False
    explained_by: frozenset[IncidentKind] = frozenset()
    sample: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()

    @property
    def is_doubtful(self) -> bool:
        """Whether it may be either's fault: some trouble of the machine, when proven, would explain it."""
        return self.kind is None and bool(self.explained_by)

    @property
    def is_of_gpu(self) -> bool:
        """Whether a GPU, not the host around it, is what it speaks of."""
        return self.device or self.kind is None


class _Table(Frozen, frozen=True, kw_only=True):
    signs: tuple[Meaning, ...]


@dataclass(frozen=True, kw_only=True)
class Sign:
    """What a line means, where it stands in the log (1-based; 0: in a test's own text), and its text."""

    meaning: Meaning
    line: int
    text: str

    @property
    def source(self) -> str:
        """Where it was read."""
        return f"log line {self.line}" if self.line else "the test's output"


@dataclass(frozen=True, kw_only=True)
class Scanned:
    """The signs of a log in their order, and how many lines it has."""

    signs: tuple[Sign, ...] = ()
    lines: int = 0

    def between(self, first: int, last: int) -> tuple[Sign, ...]:
        """Those from line `first` to line `last`, both included."""
        return tuple(sign for sign in self.signs if first <= sign.line <= last)


@cache
def table() -> tuple[Meaning, ...]:
    """All signs; the first that fits a line wins."""
    import msgspec.yaml  # noqa: PLC0415 - PyYAML is only needed where something failed

    text = (data_folder("rules") / "tables" / "log-signs.yaml").read_bytes()
    return msgspec.yaml.decode(text, type=_Table).signs


@cache
def _pattern() -> re.Pattern[str]:
    return re.compile("|".join(f"(?P<s{n}>{meaning.pattern})" for n, meaning in enumerate(table())))


@cache
def _words() -> tuple[bytes, ...]:
    return tuple({word.encode() for meaning in table() for word in meaning.words})


# A dead device speaks through many errors, but through those of its own runtime.
_SYMPTOM = re.compile(
    r"\bhip\w*Error|\bHIP error|\bHSA_STATUS|\bamdgpu\b|GPU node-\d|\bHIP runtime", re.IGNORECASE
)


def in_text(*texts: str | None) -> tuple[Sign, ...]:
    """The signs in what a test said of itself, each meaning once."""
    found: dict[str, Sign] = {}
    for text in texts:
        for match in _pattern().finditer(text or ""):
            meaning = _meaning(match)
            if meaning.text not in found:
                found[meaning.text] = Sign(meaning=meaning, line=0, text=_shown(match.string, match.start()))
    return tuple(found.values())


def is_symptom(*texts: str | None) -> bool:
    """Whether a failure reads like one of the GPU."""
    return any(text and _SYMPTOM.search(text) for text in texts) or any(
        sign.meaning.is_of_gpu for sign in in_text(*texts)
    )


def no_space(scanned: Scanned) -> Scanned:
    """With what we met ourselves behind its last line: there was no room to write the log."""
    meaning = next(m for m in table() if m.kind is IncidentKind.DISK_FULL)
    sign = Sign(meaning=meaning, line=scanned.lines + 1, text="no space was left for the rest of the log")
    return Scanned(signs=(*scanned.signs, sign), lines=scanned.lines)


def in_log(log: Path) -> Scanned:
    """All signs of a log, at most a thousand. Nothing when a command took the log away."""
    source = file.read(log)
    if source is None:
        return Scanned()
    found: list[Sign] = []
    number = read = 0
    rest = b""
    with source:
        while read < _MAX_READ and (chunk := source.read(_CHUNK)):
            read += len(chunk)
            rest += chunk
            # Pieces end with a line, unless a line is longer than a piece.
            cut = rest.rfind(b"\n") + 1 or (len(rest) if len(rest) > _CHUNK else 0)
            piece, rest = rest[:cut], rest[cut:]
            _look(piece, number, found)
            number += piece.count(b"\n")
        _look(rest, number, found)
    return Scanned(signs=tuple(found), lines=number + bool(rest))


def _look(piece: bytes, before: int, found: list[Sign]) -> None:
    """Add the signs of whole lines. Most logs hold none of the words, which is quick to see."""
    words = [word for word in _words() if word in piece]
    if not words:
        return
    for number, raw in enumerate(piece.split(b"\n"), before + 1):
        if len(found) >= _MAX_SIGNS:
            return
        at = min((place for word in words if (place := raw.find(word)) >= 0), default=-1)
        if at < 0:
            continue
        text = raw[max(0, at - _MAX_LINE // 2) : at + _MAX_LINE // 2].decode("utf-8", "replace")
        match = _pattern().search(text)
        if match:
            found.append(Sign(meaning=_meaning(match), line=number, text=_shown(text, match.start())))


def _meaning(match: re.Match[str]) -> Meaning:
    return table()[int((match.lastgroup or "s0")[1:])]


def _shown(text: str, at: int) -> str:
    """The line around a sign, short and harmless."""
    begin = max(text.rfind("\n", 0, at) + 1, at - 100)
    end = text.find("\n", at)
    return shortened(clean(text[begin : end if end >= 0 else None]).strip(), 200)
