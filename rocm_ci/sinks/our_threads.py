"""Our review threads of a pull request: which suggestions they stand for, which of them are done. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.github import thread_marker
from rocm_ci.model.result import ScanResult
from rocm_ci.model.scan_note import NoteKind
from rocm_ci.model.verdict import Verdict
from rocm_ci.sinks.suggestion_text import prints

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocm_ci.github.review import Thread
    from rocm_ci.github.thread_marker import ThreadMark
    from rocm_ci.model.report import Report
    from rocm_ci.report.suggestions import Suggestion
    from rocm_ci.sinks.second_look import Diff


@dataclass(frozen=True, slots=True)
class Ours:
    """A thread that this token's own identity began with a suggestion."""

    thread: Thread
    mark: ThreadMark

    @property
    def stands(self) -> bool:
        """Whether its suggestion is not to be made again: until it is marked as done, resolved or not."""
        return self.mark.state == "open"

    @property
    def is_open(self) -> bool:
        """Whether it waits for somebody."""
        return self.stands and not self.thread.is_resolved


def ours(threads: Iterable[Thread], identity: str) -> tuple[Ours, ...]:
    """Ours among all threads. The mark alone proves nothing: everybody can write one."""
    me = identity.casefold()
    own = ((t, thread_marker.find(t.body)) for t in threads if t.author.casefold() == me)
    return tuple(Ours(thread, mark) for thread, mark in own if mark is not None)


@dataclass(frozen=True, slots=True)
class Pairing:
    """`new` suggestions that no thread stands for, and the threads in which nothing is suggested any more."""

    new: tuple[Suggestion, ...]
    idle: tuple[Ours, ...]


def paired(offers: Iterable[Suggestion], there: Iterable[Ours], diff: Diff) -> Pairing:
    """Each suggestion with at most one thread, each thread with at most one suggestion.

    The thread on its very line comes first; then one of the same findings elsewhere, outdated or not: of
    two equal lines one may be new. Last one whose file is there no more, for it may have a new name.
    """
    free = [one for one in there if one.stands]
    new = list(offers)
    for fits in (_is_at, _is_of, _was_of):
        left = []
        for offer in new:
            found = next((one for one in free if fits(offer, one, diff)), None)
            if found is None:
                left.append(offer)
            else:
                free.remove(found)
        new = left
    return Pairing(tuple(new), tuple(free))


def _is_at(offer: Suggestion, one: Ours, diff: Diff) -> bool:
    is_there = one.thread.line == offer.last and not one.thread.is_outdated
    return is_there and _is_of(offer, one, diff)


def _is_of(offer: Suggestion, one: Ours, _: Diff) -> bool:
    return not one.mark.prints.isdisjoint(prints(offer))


def _was_of(offer: Suggestion, one: Ours, diff: Diff) -> bool:
    """The first half of a fingerprint leaves the path out."""
    if diff.has(one.thread.path):
        return False
    return not {p.partition("-")[0] for p in one.mark.prints}.isdisjoint(
        p.partition("-")[0] for p in prints(offer)
    )


def done(idle: Iterable[Ours], report: Report, diff: Diff, seen: frozenset[str], key: str) -> Iterator[Ours]:
    """The threads of this reporter whose findings are surely gone, also those that are resolved already.

    A click on a suggestion resolves its thread: unless it is marked as done, it would stand for an equal
    line that comes later. The report must have scanned the file and found them no more, and our second
    look neither. What people have answered to is theirs to close, and so is what only a setting silenced.
    """
    if not _was_scanned(report):
        return
    unread = _unread(report)
    reported = {f.fingerprint for r in report.results if isinstance(r, ScanResult) for f in r.findings}
    for one in idle:
        path = one.thread.path
        if not one.stands or one.thread.replies or one.mark.key != key:
            continue
        if path in unread or not diff.is_shown(path):
            continue
        if one.mark.prints.isdisjoint(reported) and one.mark.prints.isdisjoint(seen):
            yield one


def _was_scanned(report: Report) -> bool:
    scans = [result for result in report.results if isinstance(result, ScanResult)]
    return bool(scans) and not report.interrupted and all(s.verdict is not Verdict.ERROR for s in scans)


def _unread(report: Report) -> frozenset[str]:
    """Files that the scan did not read to the end."""
    notes = (note for r in report.results if isinstance(r, ScanResult) for note in r.notes)
    return frozenset(n.path for n in notes if n.kind in (NoteKind.UNFINISHED, NoteKind.SKIPPED))
