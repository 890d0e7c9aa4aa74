"""Which elements are attempts of one test. A retry is only believed on evidence.

Two tests may share an id (sections, matrices, shards), and to call one of them a retry of the other
would hide a failure. Evidence is: the same place in the same suite, failed first and passed later;
a later report that holds nothing but tests which had failed before; or a name that says so.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec.structs import replace

from rocm_ci.model.case import Case, CaseStatus

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rocm_ci.runners.junit_elements import Element

BAD = (CaseStatus.FAILED, CaseStatus.ERRORED)
GOOD = (CaseStatus.PASSED, CaseStatus.FLAKY)
_MARK = re.compile(
    r"[ ._(\[-]*(?<![a-z])(?P<word>retry|retries|rerun|attempt)[ ._#-]{0,2}(?P<number>\d*)[)\]]?",
    re.IGNORECASE,
)


def merged(documents: Sequence[tuple[str, Sequence[Element]]]) -> tuple[tuple[Case, ...], int]:
    """All cases in order, and how many failed attempts a later one made up for.

    `documents` come with their names, which may say «retry». A test that failed and then passed
    is FLAKY, with its attempts counted and the message of the first failure kept; everything else
    stays one case per element.
    """
    flat = [
        _Placed(
            (number, element.run), _plain(element.suite), element, is_marked=_is_marked(name, element.suite)
        )
        for number, (name, elements) in enumerate(documents)
        for element in elements
    ]
    groups: dict[tuple[str, str, tuple[str, ...]], list[int]] = defaultdict(list)
    for index, placed in enumerate(flat):
        groups[placed.element.case.id, placed.suite, placed.element.key].append(index)
    doubles = [group for group in groups.values() if len(group) > 1]
    if not doubles:
        return tuple(placed.element.case for placed in flat), 0
    reruns = _reruns(flat)
    gone: set[int] = set()
    instead: dict[int, Case] = {}
    for group in doubles:
        _merge(group, flat, reruns, gone, instead)
    cases = (instead.get(i, placed.element.case) for i, placed in enumerate(flat) if i not in gone)
    return tuple(cases), len(gone)


@dataclass(frozen=True, slots=True)
class _Placed:
    """An element with the document and suite element it came from, and the suite's name without «retry 2»."""

    run: tuple[int, int]
    suite: str
    element: Element
    is_marked: bool


def _plain(suite: str) -> str:
    return _MARK.sub("", suite)


def _is_marked(*names: str) -> bool:
    """Whether a name says that this is a retry; the first attempt is none."""
    return any(
        m.group("number") not in ("0", "1") or m.group("word") != "attempt"
        for n in names
        for m in _MARK.finditer(n)
    )


def _merge(
    group: list[int],
    flat: list[_Placed],
    reruns: set[tuple[int, int]],
    gone: set[int],
    instead: dict[int, Case],
) -> None:
    """Walk the attempts in order; a pass makes up for the failures directly before it."""
    failed: list[int] = []
    for index in group:
        run, element = flat[index].run, flat[index].element
        if element.case.status in BAD:
            failed.append(index)
            continue
        same_suite = [i for i in failed if flat[i].run == run]
        covered = failed if run in reruns else same_suite
        if element.case.status in GOOD and covered:
            first = flat[covered[0]].element.case
            attempts = element.case.attempts + sum(flat[i].element.case.attempts for i in covered)
            instead[index] = replace(
                element.case, status=CaseStatus.FLAKY, attempts=attempts, message=first.message,
                excerpt=first.excerpt, path=first.path, line=first.line,
            )  # fmt: skip
            gone.update(covered)
            failed = [i for i in failed if i not in gone]


def _reruns(flat: Iterable[_Placed]) -> set[tuple[int, int]]:
    """Suite elements that hold nothing but tests which had failed in earlier ones, or say «retry»."""
    runs: dict[tuple[int, int], list[_Placed]] = defaultdict(list)
    for placed in flat:
        runs[placed.run].append(placed)
    failed: dict[str, set[str]] = defaultdict(set)
    passed: dict[str, set[str]] = defaultdict(set)
    found = set()
    for run, members in runs.items():
        name = members[0].suite
        cases = [one.element.case for one in members]
        ids = {case.id for case in cases}
        if members[0].is_marked or (ids <= failed[name] and not ids & passed[name]):
            found.add(run)
        failed[name] |= {case.id for case in cases if case.status in BAD}
        passed[name] |= {case.id for case in cases if case.status in GOOD}
    return found
