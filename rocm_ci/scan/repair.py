"""A match → its exact repair: edits that are known to fit the text, and whether they are safe."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Protocol

from rocm_ci import registry
from rocm_ci.model.edit import Edit, in_order
from rocm_ci.scan.source import Guard, RegionKind

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

    from rocm_ci.scan.language import Match, Parsed
    from rocm_ci.scan.rule import Rule

_WHITE = re.compile(r"\s+")
_MOST_LINES = 20  # of a suggestion
_LONGEST_LINE = 500
_MOST_WIDE = 1_000


@dataclass(frozen=True, slots=True)
class Repair:
    """What is to be written. `replacement` is the text for the match's own place, where that is all."""

    edits: tuple[Edit, ...] = ()
    replacement: str | None = None
    unsafe: bool = False


class Fixer(Protocol):
    """What no pattern can say. A rule names it: `repair: ballot-width`."""

    @property
    def name(self) -> str:
        """The name that a rule file uses."""
        ...

    def repair(self, parsed: Parsed, match: Match) -> Repair | None:
        """The edits that surely are right; None when that cannot be shown."""
        ...


@cache
def fixers() -> dict[str, Fixer]:
    """Every fixer by name."""
    from rocm_ci.scan import fixers as package  # noqa: PLC0415 - few scans find what needs one

    return registry.load(package, "FIXER", Fixer)  # type: ignore[type-abstract]


class Repairs:
    """The repairs of one parsed file.

    `lines` are those of the file as a whole, of which `parsed` may be a part: what stands there must be
    what was matched. `translates`: its build turns CUDA names into HIP ones by itself.
    """

    def __init__(self, parsed: Parsed, language: str, lines: Sequence[str], *, translates: bool) -> None:
        self._parsed = parsed
        self._lines = lines
        self._language = language
        self._translates = translates
        self._serves_both: bool | None = None

    def of(self, rule: Rule, match: Match) -> Repair:
        """The repair of a match of `rule`; one without edits where none is certain."""
        made = self._made(rule, match)
        ordered = in_order(made.edits)
        if not ordered or not all(_fits(edit, self._lines) for edit in ordered):
            return Repair()
        alone = ordered[0] if len(ordered) == 1 else None
        is_here = alone is not None and _place(alone) == (match.line, match.column, match.end)
        renames = rule.translated is not None and not match.edits
        unsafe = made.unsafe or (renames and self._leaves_nvidia_without_a_name)
        return Repair(ordered, alone.text if alone is not None and is_here else None, unsafe)

    def _made(self, rule: Rule, match: Match) -> Repair:
        if match.edits:
            return Repair(match.edits, unsafe=match.unsafe)
        if rule.repair is not None:
            return fixers()[rule.repair].repair(self._parsed, match) or Repair()
        text, unsafe = match.replacement, match.unsafe
        if text is None:
            for one in rule.replacements:
                changed = re.sub(one.from_, one.to, match.text)
                if changed != match.text and one.holds_in(self._language):
                    text, unsafe = changed, unsafe or one.unsafe
                    break
        written = self._lines[match.line - 1] if match.line <= len(self._lines) else ""
        # What was matched may be spread over lines, or be a name for something written otherwise.
        if text is None or text == match.text or written[match.column - 1 : match.end - 1] != match.text:
            return Repair()
        return Repair((Edit(line=match.line, column=match.column, end=match.end, text=text),), unsafe=unsafe)

    @property
    def _leaves_nvidia_without_a_name(self) -> bool:
        """Whether the file is built for NVIDIA with CUDA's own headers too, where a HIP name is unknown."""
        if self._serves_both is None:
            self._serves_both = self._translates or any(
                region.guard is Guard.NVIDIA and region.kind is RegionKind.INCLUDE
                for region in self._parsed.regions
            )
        return self._serves_both


def fingerprint(rule: str, path: str, line: str, text: str) -> str:
    """`WHAT-WHERE` in hexadecimal: of the rule and the line without its white space, and of the path.

    It stays when lines move or are indented anew; with `moved`, when the file gets another name.
    """
    what = "\0".join((rule, _WHITE.sub("", line), text)).encode("utf-8", "surrogateescape")
    return f"{hashlib.sha256(what).hexdigest()[:16]}-{_where(path)}"


def moved(print_: str, path: str) -> str:
    """The same fingerprint in a file of another name."""
    return f"{print_.split('-', maxsplit=1)[0]}-{_where(path)}"


def excerpt(edits: Sequence[Edit], lines: Sequence[str], added: Container[int] | None) -> tuple[str, ...]:
    """The lines that a review suggestion replaces; none when it cannot be one."""
    if not edits:
        return ()
    first, last = edits[0].line, edits[-1].line
    if last - first >= _MOST_LINES or (
        added is not None and any(n not in added for n in range(first, last + 1))
    ):
        return ()
    found = tuple(lines[first - 1 : last])
    return found if all(len(s) <= _LONGEST_LINE and _is_plain(s) for s in found) else ()


def wide(numbers: Iterable[int], lines: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Places (line, column) of characters above U+FFFF on some lines: two units each in UTF-16."""
    return tuple(
        (number, column)
        for number in sorted(numbers)
        if number <= len(lines) and not lines[number - 1].isascii()
        for column, char in enumerate(lines[number - 1], 1)
        if char > "\uffff"
    )[:_MOST_WIDE]


def _is_plain(text: str) -> bool:
    """Whether a line reads the same after a journey through JSON and a browser."""
    return all(ch.isprintable() or ch == "\t" for ch in text)


def _place(edit: Edit) -> tuple[int, int, int]:
    return edit.line, edit.column, edit.end


def _fits(edit: Edit, lines: Sequence[str]) -> bool:
    if not 1 <= edit.line <= len(lines) or "\n" in edit.text or "\r" in edit.text:
        return False
    return 1 <= edit.column <= edit.end <= len(lines[edit.line - 1]) + 1


def _where(path: str) -> str:
    return hashlib.sha256(path.encode("utf-8", "surrogateescape")).hexdigest()[:8]
