"""The output of a build, line by line → diagnostics and an excerpt. Bounded, whatever comes in."""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING

from ahocorasick_rs import AhoCorasick

from rocm_ci.build.blocks import CMakeBlock, Traceback
from rocm_ci.build.draft import Draft, Place
from rocm_ci.build.evidence import Evidence
from rocm_ci.build.line import plain
from rocm_ci.build.said import Said, said
from rocm_ci.model.finding import Severity

if TYPE_CHECKING:
    from rocm_ci.build.locate import Locator
    from rocm_ci.model.diagnostic import Diagnostic

MAX_ERRORS = 100
MAX_WARNINGS = 50
BEFORE, AFTER, TAIL = 4, 24, 30
MAX_EXCERPT = 6000
MAX_GROUP = 1000
# A line with none of these words says nothing to us: one search instead of a dozen patterns.
_WORDS = AhoCorasick((
    "rror", "arning", "atal", "note:", "remark:", "undefined", "multiple def", "unimpl", "annot ", "an not ",
    "not found", "required ", "ncluded ", "  from ", "generated", "directory", "referenced by", "***",
    "FAILED", "Traceback", "stopped:", "No such", "denied", "DSO missing", "relocation", "truncated",
    "recognized", "syntax", "space left", "quota", "Killed", "memory", "bad_alloc", " 137", "resolution",
    "resolve host", "not known", "Connection", "retries", "Timeout", "unreachable", "early EOF",
    "RPC failed", "SSL_", "hipcc", "gfx", "find", "does not contain",
))  # fmt: skip
_INCLUDED = re.compile(r"^\s*In file included from (?P<path>[^:]{1,500}):(?P<line>\d{1,9})")
_INCLUDED_MORE = re.compile(r"^\s+from (?P<path>[^:]{1,500}):(?P<line>\d{1,9})[:,]")
_REQUIRED = re.compile(
    r"^\s*(?P<path>[^\s:][^:]{0,500}):(?P<line>\d{1,9}):(?:\d{1,9}:)?\s+(?:recursively )?required "
)
_TRAILER = re.compile(
    r"^\d+ (?:error|warning)s?(?: and \d+ errors?)? generated(?: when compiling for (?P<arch>[\w:+-]+))?\.$"
)
_REFERENCED = re.compile(
    r"^>>> referenced by (?P<path>[^\s:(]{1,500})(?::(?P<line>\d{1,9}))?(?: \((?P<full>[^)]{1,500}):\d+\))?"
)


class Collector:
    """Feed it every line of one build step."""

    def __init__(self, locator: Locator) -> None:
        self.evidence = Evidence()
        self._locator = locator
        self._number = 0
        self._seen: dict[tuple[object, ...], Draft] = {}
        self._group: list[Draft] = []
        self._current: Draft | None = None
        self._way: list[Place] = []
        self._block: CMakeBlock | Traceback | None = None
        self._before: deque[str] = deque(maxlen=BEFORE)
        self._tail: deque[str] = deque(maxlen=TAIL)
        self._first: list[str] = []
        self.dropped = 0

    def feed(self, raw: str) -> None:
        """The next line of output, without its end."""
        self._number += 1
        line = plain(raw)
        self._tail.append(line)
        if self._first:
            if len(self._first) < BEFORE + AFTER:
                self._first.append(line)
        else:
            self._before.append(line)
        worth = bool(_WORDS.find_matches_as_indexes(line))
        if worth:
            self.evidence.feed(line, self._number)
        if self._block is not None:
            if self._block.take(line):
                return
            self._end_block()
        if worth:
            self._read(line)

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Everything found, errors first, each kind in order of the log."""
        self._end_block()
        drafts = list(self._seen.values())
        if any(d.severity is Severity.ERROR and not d.consequence for d in drafts):
            drafts = [d for d in drafts if not d.consequence]
        drafts.sort(key=lambda d: (d.severity is not Severity.ERROR, d.log_line))
        return tuple(d.finished(self._locator) for d in drafts)

    @property
    def excerpt(self) -> str:
        """The lines around the first error, or the last lines when there was none."""
        return "\n".join(self._first or self._tail)[:MAX_EXCERPT]

    @property
    def last_line(self) -> str:
        """The last line that says anything."""
        return next((line.strip() for line in reversed(self._tail) if line.strip()), "")[:300]

    def _read(self, line: str) -> None:
        if "irectory" in line:
            self._locator.note_folder(line)
        if self._context(line):
            return
        self._block = CMakeBlock.begin(line, self._number) or Traceback.begin(line, self._number)
        if self._block is not None:
            if isinstance(self._block, CMakeBlock) and self._block.draft.severity is Severity.ERROR:
                self._mark()
            return
        found = said(line)
        if found is not None:
            self._say(found)

    def _context(self, line: str) -> bool:
        """Lines that only say how one got to an error, or for which target it was."""
        trailer = _TRAILER.match(line)
        if trailer:
            self._attribute(trailer["arch"])
            return True
        included = _INCLUDED.match(line)
        if included:
            # clang prints the outermost file first, gcc the innermost and then `from` lines.
            self._way.insert(0, Place(included["path"], int(included["line"])))
            del self._way[64:]
            return True
        for pattern in (_INCLUDED_MORE, _REQUIRED):
            found = pattern.match(line)
            if found:
                self._way.append(Place(found["path"].strip(), int(found["line"])))
                return True
        referenced = _REFERENCED.match(line)
        if referenced and self._current is not None:
            at = int(referenced["line"]) if referenced["line"] else None
            self._current.led_here(Place(referenced["full"] or referenced["path"], at))
            self._current.note(line.removeprefix(">>> "))
        return referenced is not None

    def _say(self, found: Said) -> None:
        if found.severity is Severity.NOTE:
            self._note(found)
            return
        draft = Draft(
            found.tool,
            found.severity,
            found.text,
            self._number,
            found.place,
            found.consequence,
        )
        for place in self._way:
            draft.led_here(place)
        self._way.clear()
        self._keep(draft)

    def _note(self, found: Said) -> None:
        self._way.clear()
        if self._current is None or found.place is None:
            return
        shown = self._locator.shown(found.place.path)
        self._current.note(f"{shown}:{found.place.line}: {found.text}" if shown else found.text)
        if "requested here" in found.text or "expanded from" in found.text or "in call to" in found.text:
            # The steps of the instantiation are nearer to the error than the includes.
            at = sum(1 for _ in self._current.notes) - 1
            self._current.chain.insert(min(at, len(self._current.chain)), found.place)
            del self._current.chain[64:]

    def _keep(self, draft: Draft) -> None:
        key = (draft.tool, draft.severity, draft.message, draft.place)
        known = self._seen.get(key)
        if known is None:
            limit = MAX_ERRORS if draft.severity is Severity.ERROR else MAX_WARNINGS
            if sum(1 for d in self._seen.values() if d.severity is draft.severity) >= limit:
                self.dropped += 1
                self._current = None
                return
            self._seen[key] = known = draft
            self._current = draft
        else:
            # Its notes are already there: the compiler says all again for the next target.
            self._current = None
        if len(self._group) < MAX_GROUP:
            self._group.append(known)
        if draft.severity is Severity.ERROR and not draft.consequence:
            self._mark()

    def _attribute(self, arch: str | None) -> None:
        for draft in self._group:
            if arch and arch not in draft.archs and len(draft.archs) < 16:
                draft.archs.append(arch)
        self._group.clear()
        self._current = None

    def _end_block(self) -> None:
        block, self._block = self._block, None
        if isinstance(block, CMakeBlock):
            self._keep(block.end())
        elif isinstance(block, Traceback):
            if block.program.endswith("rocm_agent_enumerator"):
                self.evidence.asked_for_gpus(self._number)
            elif block.draft is not None:
                self._keep(block.draft)

    def _mark(self) -> None:
        if not self._first:
            self._first = list(self._before)
