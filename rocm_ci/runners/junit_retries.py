"""Which elements are attempts of one test. A retry is only believed on evidence.

Two tests may share an id (sections, matrices, shards), and to call one of them a retry of the other
would hide a failure. Evidence is: the same place in the same suite, failed first and passed later;
a later report that holds nothing but tests which had failed before; or a name that says so.
"""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

from msgspec.structs import replace

from rocm_ci.model.case import Case, CaseStatus
from rocm_ci.runners.junit_index import is_marked
from rocm_ci.runners.junit_pages import PLAIN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.runners.junit_index import Elements

# More suite elements than any document can have: numbers of the next one begin there.
_RUNS = 1 << 40


def merged(documents: Sequence[tuple[str, Elements]]) -> tuple[Sequence[Case], int]:
    """All cases in order, and how many failed attempts a later one made up for.

    `documents` come with their names, which may say «retry». A test that failed and then passed
    is FLAKY, with its attempts counted and the message of the first failure kept; everything else
    stays one case per element. The cases are a tuple, or where they are very many, read anew each time.
    """
    found = _Merging(documents)
    found.merge()
    cases = Cases([elements for _, elements in documents], found.instead, frozenset(found.gone))
    return (tuple(cases) if len(cases) <= PLAIN else cases), len(found.gone)


class Cases(Sequence[Case]):
    """The cases of elements, without those in `gone` and with others `instead` (numbers over all)."""

    def __init__(self, documents: Sequence[Elements], instead: dict[int, Case], gone: frozenset[int]) -> None:
        self._documents = documents
        self._instead = instead
        self._gone = gone
        self._size = sum(map(len, documents)) - len(gone)

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Case]:
        elements = itertools.chain.from_iterable(self._documents)
        if not self._gone and not self._instead:
            return (element.case for element in elements)
        return (
            self._instead.get(number, element.case)
            for number, element in enumerate(elements)
            if number not in self._gone
        )

    @overload
    def __getitem__(self, index: int) -> Case: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Case]: ...
    def __getitem__(self, index: int | slice) -> Case | Sequence[Case]:
        """By number, or a slice as a tuple. Walks there."""
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            return tuple(itertools.islice(self, start, stop, step)) if step > 0 else tuple(self)[index]
        at = index + len(self) if index < 0 else index
        if not 0 <= at < len(self):
            raise IndexError(index)
        return next(itertools.islice(self, at, None))


class _Merging:
    """Elements are numbered over all documents; only hashes are looked at until a case is needed."""

    def __init__(self, documents: Sequence[tuple[str, Elements]]) -> None:
        self._documents = documents
        self._groups, self._ids, self._runs = array("q"), array("q"), array("q")
        self._is_bad, self._is_good = bytearray(), bytearray()
        self._marked: set[int] = set()
        self._in_retry: set[int] = set()
        for number, (name, elements) in enumerate(documents):
            first = number * _RUNS
            self._groups += elements.groups
            self._ids += elements.ids
            self._runs += array("q", (first + run for run in elements.runs)) if first else elements.runs
            self._is_bad += elements.is_bad
            self._is_good += elements.is_good
            self._marked.update(first + run for run in elements.marked)
            if is_marked(name):
                self._in_retry.add(number)
        self.gone: set[int] = set()
        self.instead: dict[int, Case] = {}

    def merge(self) -> None:
        """Find which attempts belong together, and only then look at their cases."""
        pairs = self._pairs()
        if not pairs:
            return
        wanted = {number for last, covered in pairs for number in (last, *covered)}
        elements = itertools.chain.from_iterable(elements for _, elements in self._documents)
        cases = {number: one.case for number, one in enumerate(elements) if number in wanted}
        for last, covered in pairs:
            first = cases[covered[0]]
            attempts = cases[last].attempts + sum(cases[i].attempts for i in covered)
            self.instead[last] = replace(
                cases[last], status=CaseStatus.FLAKY, attempts=attempts, message=first.message,
                excerpt=first.excerpt, path=first.path, line=first.line,
            )  # fmt: skip
            self.gone.update(covered)

    def _pairs(self) -> list[tuple[int, list[int]]]:
        """Passed attempts, each with the failed ones that it makes up for: those directly before it."""
        again = self._failed_again(self._groups)
        if not again:
            return []
        reruns = self._reruns()
        failed: dict[int, list[int]] = {}
        pairs = []
        for number, group in enumerate(self._groups):
            if group not in again:
                continue
            if self._is_bad[number]:
                failed.setdefault(group, []).append(number)
            elif self._is_good[number] and group in failed:
                run = self._runs[number]
                covered = [i for i in failed[group] if run in reruns or self._runs[i] == run]
                if covered:
                    pairs.append((number, covered))
                    failed[group] = [i for i in failed[group] if i not in covered]
        return pairs

    def _failed_again(self, hashes: array[int]) -> set[int]:
        """Those that are there more than once and failed at least once."""
        bad = {one for one, is_bad in zip(hashes, self._is_bad, strict=True) if is_bad}
        if not bad:
            return bad
        order = sorted(hashes)
        return {one for one, other in itertools.pairwise(order) if one == other and one in bad}

    def _reruns(self) -> set[int]:
        """Suite elements that hold nothing but tests which had failed in earlier ones, or say «retry»."""
        bad = self._failed_again(self._ids)
        members: dict[int, array[int]] = {}
        fresh: set[int] = set()
        for number, identity in enumerate(self._ids):
            if identity in bad:
                members.setdefault(self._runs[number], array("q")).append(number)
            else:
                fresh.add(self._runs[number])
        failed: set[int] = set()
        passed: set[int] = set()
        found = set()
        for run, numbers in members.items():
            ids = {self._ids[number] for number in numbers}
            is_told = run in self._marked or run // _RUNS in self._in_retry
            if is_told or (run not in fresh and ids <= failed and not ids & passed):
                found.add(run)
            failed.update(self._ids[number] for number in numbers if self._is_bad[number])
            passed.update(self._ids[number] for number in numbers if self._is_good[number])
        return found
