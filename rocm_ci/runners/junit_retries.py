"""Which elements are attempts of one test. A retry is only believed on evidence.

Two tests may share an id (sections, matrices, shards), and to call one of them a retry of the other
would hide a failure. Evidence is: the same place in the same suite, failed first and passed later;
or a later report that holds nothing but tests which had failed before.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from msgspec.structs import replace

from rocm_ci.model.case import Case, CaseStatus

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rocm_ci.runners.junit_elements import Element

BAD = (CaseStatus.FAILED, CaseStatus.ERRORED)
GOOD = (CaseStatus.PASSED, CaseStatus.FLAKY)


def merged(documents: Sequence[Sequence[Element]]) -> tuple[tuple[Case, ...], int]:
    """All cases in order, and how many failed attempts a later one made up for.

    A test that failed and then passed is FLAKY, with its attempts counted and the message of the
    first failure kept; everything else stays one case per element.
    """
    # One flat list; (document, run) names the suite element an element came from.
    flat = [((number, e.run), e) for number, elements in enumerate(documents) for e in elements]
    groups: dict[tuple[str, str, tuple[str, ...]], list[int]] = defaultdict(list)
    for index, (_, element) in enumerate(flat):
        groups[element.case.id, element.suite, element.key].append(index)
    doubles = [group for group in groups.values() if len(group) > 1]
    if not doubles:
        return tuple(element.case for _, element in flat), 0
    reruns = _reruns(flat)
    gone: set[int] = set()
    instead: dict[int, Case] = {}
    for group in doubles:
        _merge(group, flat, reruns, gone, instead)
    cases = (instead.get(index, element.case) for index, (_, element) in enumerate(flat) if index not in gone)
    return tuple(cases), len(gone)


def _merge(
    group: list[int],
    flat: list[tuple[tuple[int, int], Element]],
    reruns: set[tuple[int, int]],
    gone: set[int],
    instead: dict[int, Case],
) -> None:
    """Walk the attempts in order; a pass makes up for the failures directly before it."""
    failed: list[int] = []
    for index in group:
        run, element = flat[index]
        if element.case.status in BAD:
            failed.append(index)
            continue
        same_suite = [i for i in failed if flat[i][0] == run]
        covered = failed if run in reruns else same_suite
        if element.case.status in GOOD and covered:
            first = flat[covered[0]][1].case
            attempts = element.case.attempts + sum(flat[i][1].case.attempts for i in covered)
            instead[index] = replace(
                element.case, status=CaseStatus.FLAKY, attempts=attempts, message=first.message,
                excerpt=first.excerpt, path=first.path, line=first.line,
            )  # fmt: skip
            gone.update(covered)
            failed = [i for i in failed if i not in gone]


def _reruns(flat: Iterable[tuple[tuple[int, int], Element]]) -> set[tuple[int, int]]:
    """Suite elements that hold nothing but tests which had failed in earlier ones of the same name."""
    runs: dict[tuple[int, int], list[Element]] = defaultdict(list)
    for run, element in flat:
        runs[run].append(element)
    failed: dict[str, set[str]] = defaultdict(set)
    passed: dict[str, set[str]] = defaultdict(set)
    found = set()
    for run, elements in runs.items():
        name = elements[0].suite
        ids = {e.case.id for e in elements}
        if ids <= failed[name] and not ids & passed[name]:
            found.add(run)
        failed[name] |= {e.case.id for e in elements if e.case.status in BAD}
        passed[name] |= {e.case.id for e in elements if e.case.status in GOOD}
    return found
