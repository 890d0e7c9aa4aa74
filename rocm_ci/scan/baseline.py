"""Findings that were there before: a file of fingerprints with which an old project can start."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
from msgspec.structs import replace

from rocm_ci.errors import ConfigError
from rocm_ci.model.base import Frozen
from rocm_ci.model.changes import ChangeKind
from rocm_ci.model.finding import Silenced, SilencedBy
from rocm_ci.scan.repair import moved
from rocm_ci.scan.scanned import Scanned, by_place, encodable
from rocm_ci.scan.suppression import OWN_RULES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from rocm_ci.model.changes import Changes
    from rocm_ci.model.finding import Finding

MAX_BYTES = 50_000_000
_Text = Annotated[str, msgspec.Meta(min_length=1, max_length=4096)]


class Entry(Frozen, frozen=True, kw_only=True):
    """`count` equal findings of one file."""

    path: _Text
    rule: Annotated[str, msgspec.Meta(max_length=60)]
    fingerprint: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{16}-[0-9a-f]{8}$")]
    count: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)] = 1


class _File(Frozen, frozen=True, kw_only=True):
    version: Literal[1]
    findings: tuple[Entry, ...] = ()


@dataclass(frozen=True)
class Baseline:
    """Known findings. `where` is the file they are from, for messages."""

    entries: tuple[Entry, ...] = ()
    where: str = ""

    def __bool__(self) -> bool:
        return bool(self.entries)

    @property
    def total(self) -> int:
        """How many findings it knows."""
        return sum(entry.count for entry in self.entries)

    @cached_property
    def paths(self) -> frozenset[str]:
        """The files it speaks about."""
        return frozenset(entry.path for entry in self.entries)

    def renamed(self, names: Mapping[str, str]) -> Baseline:
        """The same where files got new names: old → new, in the form that findings show."""
        if not any(entry.path in names for entry in self.entries):
            return self
        entries = tuple(
            replace(e, path=names[e.path], fingerprint=moved(e.fingerprint, names[e.path]))
            if e.path in names
            else e
            for e in self.entries
        )
        return Baseline(entries, self.where)

    def lacks(self, other: Baseline) -> int:
        """How many findings another one knows that this one does not."""
        mine, theirs = _counts(self.entries), _counts(other.entries)
        return sum((theirs - mine).values())


NO_BASELINE = Baseline()


@dataclass(frozen=True, slots=True)
class Compared:
    """A scan with a baseline. `stale` are entries, with the count that is gone."""

    scanned: Scanned
    stale: tuple[Entry, ...] = ()


def read(text: bytes, where: str) -> Baseline:
    """The content of a baseline file. Raises `ConfigError`."""
    hint = "write it again with `rocm-ci scan --all --write-baseline`"
    if len(text) > MAX_BYTES:
        message = f"{where}: {len(text)} bytes is too much for a baseline"
        raise ConfigError(message, hint=hint)
    try:
        file = msgspec.json.decode(text, type=_File)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        message = f"{where} is no baseline: {error}"
        raise ConfigError(message, hint=hint) from error
    return Baseline(file.findings, where)


def renames(changes: Changes) -> dict[str, str]:
    """Old → new name of the files that a change moves."""
    return {
        encodable(change.old_path): encodable(change.path)
        for change in changes.files
        if change.kind is ChangeKind.RENAMED and change.old_path is not None
    }


def compare(
    scanned: Scanned,
    baseline: Baseline,
    older: Iterable[Finding] = (),
    looked_at: frozenset[str] | None = None,
) -> Compared:
    """What of a scan the baseline does not know.

    `older` are the findings of the same files on lines that the change does not add: what they use up of
    the baseline cannot excuse a new line. `looked_at` are the files of which every line was scanned,
    None for all; only there it is known that something is gone.
    """
    left = _counts(baseline.entries)
    for finding in older:
        left[finding.path, finding.fingerprint] -= 1
    kept, known = [], []
    for finding in scanned.findings:
        key = (finding.path, finding.fingerprint)
        if left[key] > 0:
            left[key] -= 1
            reason = f"it is in {baseline.where}"
            known.append(replace(finding, silenced=Silenced(by=SilencedBy.BASELINE, reason=reason)))
        else:
            kept.append(finding)
    silenced = tuple(sorted((*scanned.silenced, *known), key=by_place))
    left_over = Scanned(tuple(kept), scanned.suppressed, scanned.files, scanned.notes, silenced)
    return Compared(left_over, tuple(_stale(baseline.entries, left, looked_at)))


def shrunk(baseline: Baseline, stale: Iterable[Entry]) -> Baseline:
    """Without what is gone."""
    gone = Counter({(e.path, e.fingerprint): e.count for e in stale})
    kept = []
    for entry in baseline.entries:
        key = (entry.path, entry.fingerprint)
        less = min(entry.count, gone[key])
        gone[key] -= less
        if entry.count > less:
            kept.append(replace(entry, count=entry.count - less))
    return Baseline(tuple(kept), baseline.where)


def of(findings: Iterable[Finding], where: str) -> Baseline:
    """One that knows these findings. Notes about suppressions and baselines are not worth knowing."""
    counts = Counter(
        (f.path, f.rule, f.fingerprint) for f in findings if f.fingerprint and f.rule not in OWN_RULES
    )
    entries = (
        Entry(path=path, rule=rule, fingerprint=print_, count=count)
        for (path, rule, print_), count in sorted(counts.items())
    )
    return Baseline(tuple(entries), where)


def written(baseline: Baseline) -> str:
    """The content of its file, one entry a line so that changes merge well."""
    import json  # noqa: PLC0415 - few scans write one

    lines = [json.dumps(msgspec.to_builtins(entry), ensure_ascii=False) for entry in baseline.entries]
    listed = "[\n    " + ",\n    ".join(lines) + "\n  ]" if lines else "[]"
    return f'{{\n  "version": 1,\n  "findings": {listed}\n}}\n'


def _stale(
    entries: Iterable[Entry], left: Counter[tuple[str, str]], paths: frozenset[str] | None
) -> Iterator[Entry]:
    for entry in entries:
        count = left[entry.path, entry.fingerprint]
        if count > 0 and (paths is None or entry.path in paths):
            left[entry.path, entry.fingerprint] = 0
            yield replace(entry, count=count)


def _counts(entries: Iterable[Entry]) -> Counter[tuple[str, str]]:
    counted: Counter[tuple[str, str]] = Counter()
    for entry in entries:
        counted[entry.path, entry.fingerprint] += entry.count
    return counted
