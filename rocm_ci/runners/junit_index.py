"""All `<testcase>` elements of a report, and of each, as a few numbers, what tells a retry from a test.

A report may hold a million tests: looking for retries must not need all of them in memory at once.
"""

from __future__ import annotations

import re
from array import array
from typing import TYPE_CHECKING

import msgspec

from rocm_ci.model.case import Case, CaseStatus
from rocm_ci.runners.junit_pages import Pages

if TYPE_CHECKING:
    from collections.abc import Iterator

BAD = (CaseStatus.FAILED, CaseStatus.ERRORED)
GOOD = (CaseStatus.PASSED, CaseStatus.FLAKY)
_MARK = re.compile(
    r"[ ._(\[-]*(?<![a-z])(?P<word>retry|retries|rerun|attempt)[ ._#-]{0,2}(?P<number>\d*)[)\]]?",
    re.IGNORECASE,
)
_WORDS = ("retr", "rerun", "attempt")


class Element(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One `<testcase>`. `run` numbers the suite elements of a document; `key` tells two tests apart."""

    case: Case
    suite: str
    run: int
    key: tuple[str, ...]


class Elements:
    """Append-only. `ids` tells two tests apart by suite and id, `groups` by `key`, too (64-bit hashes).

    `is_bad` and `is_good` say how each ended, `runs` in which suite element it stands; `marked` are
    those suite elements whose name says that they are a retry.
    """

    def __init__(self) -> None:
        self.pages = Pages(Element)
        self.ids = array("q")
        self.groups = array("q")
        self.runs = array("q")
        self.is_bad = bytearray()
        self.is_good = bytearray()
        self.marked: set[int] = set()
        self._suite: tuple[str, str] = ("", "")
        self._run = -1

    def append(self, element: Element) -> None:
        """Add one at the end."""
        case, suite = element.case, element.suite
        if suite != self._suite[0]:
            self._suite = (suite, plain(suite))
        if element.run != self._run:
            self._run = element.run
            if is_marked(suite):
                self.marked.add(element.run)
        identity = hash((case.id, self._suite[1]))
        self.ids.append(identity)
        self.groups.append(hash((identity, element.key)))
        self.runs.append(element.run)
        self.is_bad.append(case.status in BAD)
        self.is_good.append(case.status in GOOD)
        self.pages.append(element)

    def __len__(self) -> int:
        return len(self.pages)

    def __iter__(self) -> Iterator[Element]:
        return iter(self.pages)


def plain(suite: str) -> str:
    """The name of a suite without «retry 2»."""
    return _MARK.sub("", suite) if _has_word(suite) else suite


def is_marked(name: str) -> bool:
    """Whether a name says that this is a retry; the first attempt is none."""
    return _has_word(name) and any(
        m.group("number") not in ("0", "1") or m.group("word") != "attempt" for m in _MARK.finditer(name)
    )


def _has_word(name: str) -> bool:
    low = name.lower()
    return any(word in low for word in _WORDS)
