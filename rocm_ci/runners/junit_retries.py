"""Which elements are attempts of one test. A retry is only believed on evidence.

Two tests may share an id (sections, matrices, shards), and to call one of them a retry of the other
would hide a failure. Evidence is: the same place in the same suite, failed first and passed later;
a later report that holds nothing but tests which had failed before; or a name that says so.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, overload

from msgspec.structs import replace

from rocm_ci.model.case import Case, CaseStatus
from rocm_ci.runners.junit_index import is_marked
from rocm_ci.runners.junit_pages import PLAIN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.runners.junit_index import Element, Elements

_Run = tuple[int, int]


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


@dataclass
class _Merging:
    """Elements are numbered over all documents; only hashes are looked at until a case is needed."""

    documents: Sequence[tuple[str, Elements]]
    gone: set[int] = field(default_factory=set)
    instead: dict[int, Case] = field(default_factory=dict)

    def merge(self) -> None:
        doubles = self._doubles()
        if not doubles:
            return
        reruns = self._reruns()
        pairs: list[tuple[int, list[int]]] = []
        for group in doubles:
            self._attempts(group, reruns, pairs)
        wanted = {number for last, covered in pairs for number in (last, *covered)}
        cases = {n: e.case for n, e in enumerate(self._elements()) if n in wanted} if wanted else {}
        for last, covered in pairs:
            first = cases[covered[0]]
            attempts = cases[last].attempts + sum(cases[i].attempts for i in covered)
            self.instead[last] = replace(
                cases[last], status=CaseStatus.FLAKY, attempts=attempts, message=first.message,
                excerpt=first.excerpt, path=first.path, line=first.line,
            )  # fmt: skip

    def _elements(self) -> Iterator[Element]:
        return itertools.chain.from_iterable(elements for _, elements in self.documents)

    def _doubles(self) -> list[list[tuple[int, _Run, bool, bool]]]:
        """Groups of elements that are one test by all signs and that failed at least once and not always."""
        bad: set[int] = set()
        for _, elements in self.documents:
            bad.update(
                group for group, is_bad in zip(elements.groups, elements.is_bad, strict=True) if is_bad
            )
        if not bad:
            return []
        groups: dict[int, list[tuple[int, _Run, bool, bool]]] = {}
        number = 0
        for document, (_, elements) in enumerate(self.documents):
            for at, group in enumerate(elements.groups):
                if group in bad:
                    run = (document, elements.runs[at])
                    one = (number + at, run, bool(elements.is_bad[at]), bool(elements.is_good[at]))
                    groups.setdefault(group, []).append(one)
            number += len(elements)
        return [group for group in groups.values() if len(group) > 1 and any(one[3] for one in group)]

    def _attempts(
        self,
        group: list[tuple[int, _Run, bool, bool]],
        reruns: set[_Run],
        pairs: list[tuple[int, list[int]]],
    ) -> None:
        """Walk the attempts in order; a pass makes up for the failures directly before it."""
        failed: list[tuple[int, _Run]] = []
        for number, run, is_bad, is_good in group:
            if is_bad:
                failed.append((number, run))
                continue
            covered = [i for i, where in failed if run in reruns or where == run]
            if is_good and covered:
                pairs.append((number, covered))
                self.gone.update(covered)
                failed = [one for one in failed if one[0] not in self.gone]

    def _reruns(self) -> set[_Run]:
        """Suite elements that hold nothing but tests which had failed in earlier ones, or say «retry»."""
        bad: set[int] = set()
        for _, elements in self.documents:
            bad.update(
                identity for identity, is_bad in zip(elements.ids, elements.is_bad, strict=True) if is_bad
            )
        runs, fresh = self._members(bad)
        failed: set[int] = set()
        passed: set[int] = set()
        found = set()
        for run, members in runs.items():
            document, number = run
            name, elements = self.documents[document]
            ids = {elements.ids[at] for at in members}
            is_told = is_marked(name) or number in elements.marked
            if is_told or (run not in fresh and ids <= failed and not ids & passed):
                found.add(run)
            failed.update(elements.ids[at] for at in members if elements.is_bad[at])
            passed.update(elements.ids[at] for at in members if elements.is_good[at])
        return found

    def _members(self, bad: set[int]) -> tuple[dict[_Run, list[int]], set[_Run]]:
        """Per suite element the tests that failed somewhere, and which suite elements hold others, too."""
        runs: dict[_Run, list[int]] = {}
        fresh: set[_Run] = set()
        for document, (_, elements) in enumerate(self.documents):
            for at, identity in enumerate(elements.ids):
                run = (document, elements.runs[at])
                if identity in bad:
                    runs.setdefault(run, []).append(at)
                else:
                    fresh.add(run)
        return runs, fresh
