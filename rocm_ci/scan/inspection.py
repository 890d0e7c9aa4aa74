"""One scan as a user wants it: rules, levels and baseline together, and notes about the two last."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from msgspec.structs import replace as changed

from rocm_ci.errors import ConfigError
from rocm_ci.model.changes import ChangeKind, Changes, FileChange
from rocm_ci.model.finding import Finding, Severity, Topic
from rocm_ci.scan import baseline as baselines
from rocm_ci.scan.baseline import NO_BASELINE, Baseline
from rocm_ci.scan.files import ABSENT, Explains
from rocm_ci.scan.levels import Levels
from rocm_ci.scan.scanned import by_place, encodable
from rocm_ci.scan.suppression import OWN_RULES, STALE, UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from rocm_ci.config.options import ScanOptions
    from rocm_ci.scan.baseline import Entry
    from rocm_ci.scan.files import FileSource
    from rocm_ci.scan.rulebook import RuleBook
    from rocm_ci.scan.scanned import Scanned

_TOLD = 5  # places that a note names


def _no_renames() -> Mapping[str, str]:
    return {}


@dataclass(frozen=True, kw_only=True)
class Inspection:
    """What a scan needs beside the changes. `renames` asks git for the old names of files, if need be."""

    source: FileSource
    options: ScanOptions
    archs: Sequence[str]
    book: RuleBook
    baseline: Baseline = NO_BASELINE
    config_path: str = ".github/rocm-ci.yml"
    renames: Callable[[], Mapping[str, str]] = _no_renames

    def scan(self, changes: Changes) -> tuple[Scanned, tuple[Entry, ...]]:
        """The findings that count, and the entries of the baseline that nothing stands for any more."""
        scanned = self.rescan(self.source, changes)
        stale: tuple[Entry, ...] = ()
        notes = [self._note(UNKNOWN, self.config_path, said) for said in self._unknown()]
        if self.baseline:
            scanned, stale = self._compared(scanned, changes)
            notes += self._stale_note(stale)
        if notes:
            levelled = [note for note in map(self._levelled, notes) if note is not None]
            scanned = replace(scanned, findings=tuple(sorted((*scanned.findings, *levelled), key=by_place)))
        return scanned, stale

    def rescan(self, source: FileSource, changes: Changes) -> Scanned:
        """The findings without regard to the baseline."""
        # The parsers of all languages, 100 ms to import: neither help nor a wrong option needs them.
        from rocm_ci.scan.parallel import scan_all  # noqa: PLC0415

        return scan_all(source, changes, self.options, self.archs, book=self.book)

    def _compared(self, scanned: Scanned, changes: Changes) -> tuple[Scanned, tuple[Entry, ...]]:
        known = self._up_to_date(scanned, changes)
        if changes.whole_tree:
            looked_at = known.paths - {p for p in known.paths - _paths(changes.files) if self._is_there(p)}
            compared = baselines.compare(scanned, known, (), looked_at)
            return compared.scanned, compared.stale
        mine = [c for c in changes.files if encodable(c.path) in known.paths]
        older: list[Finding] = []
        kept = [c for c in mine if c.kind is not ChangeKind.DELETED]
        if kept:
            whole = self.rescan(self.source, Changes(files=tuple(kept), whole_tree=True))
            new = {by_place(f) for f in (*scanned.findings, *scanned.silenced)}
            older = [f for f in whole.findings if by_place(f) not in new]
        compared = baselines.compare(scanned, known, older, frozenset(_paths(mine)))
        return compared.scanned, compared.stale

    def _up_to_date(self, scanned: Scanned, changes: Changes) -> Baseline:
        """The baseline with the names that files have now."""
        known = self.baseline.renamed(baselines.renames(changes))
        if not any(f.path not in known.paths for f in scanned.findings):
            return known
        if all(self._is_there(path) for path in known.paths):
            return known
        return known.renamed({encodable(old): encodable(new) for old, new in self.renames().items()})

    def _is_there(self, path: str) -> bool:
        return self.source.read(path) is not None

    def _stale_note(self, stale: Sequence[Entry]) -> Iterable[Finding]:
        if not stale:
            return
        count = sum(entry.count for entry in stale)
        places = list(dict.fromkeys(entry.path for entry in stale))
        named = ", ".join(places[:_TOLD]) + (
            f" and {len(places) - _TOLD} more" if len(places) > _TOLD else ""
        )
        what = "1 known finding is" if count == 1 else f"{count} known findings are"
        fix = "shrink it with `rocm-ci scan --shrink-baseline`, so that they cannot come back unseen"
        yield self._note(STALE, self.baseline.where, f"{what} gone: {named}", fix)

    def _unknown(self) -> Iterable[str]:
        known = OWN_RULES.union(c.rule.id for c in self.book.rules)
        return Levels(self.options).unknown(known)

    def _note(
        self, rule: str, path: str, message: str, fix: str = "write the name of a rule or topic"
    ) -> Finding:
        return Finding(
            rule=rule,
            topic=Topic.CUDA_TOOL,
            severity=Severity.NOTE,
            path=path,
            line=1,
            column=1,
            end=2,
            message=message,
            fix=fix,
            docs="docs/silencing.md",
        )

    def _levelled(self, note: Finding) -> Finding | None:
        severity, _ = Levels(self.options).of(note.rule, note.topic, note.path, note.severity)
        return None if severity is None else changed(note, severity=severity)


def baseline_of(source: FileSource, where: str) -> bytes | None:
    """The file of a baseline; None where there is none. One that cannot be read must not pass for none."""
    data = source.read(where)
    if data is None and isinstance(source, Explains) and (why := source.refusal(where)) != ABSENT:
        message = f"{where} is no baseline: {why}"
        raise ConfigError(message, hint="see `scan.baseline`, or write it with `scan --write-baseline`")
    return data


def chosen_baseline(
    head: bytes | None, base: bytes | None, where: str, *, trusted: bool
) -> tuple[Baseline, tuple[str, ...]]:
    """The baseline that counts, and what a reader should know about it.

    A baseline weakens a gate: from an untrusted head it comes from the base commit. `base` is None where
    the base commit has none.
    """
    ours = baselines.read(head, where) if head is not None and trusted else Baseline((), where)
    try:
        theirs = (
            baselines.read(base, f"{where} at the merge base") if base is not None else Baseline((), where)
        )
    except ConfigError as error:
        if not trusted:
            raise
        # A change that repairs the file must be able to land.
        return ours, (f"{where} could not be compared with the merge base: {error}.",)
    if not trusted:
        told = f"{where} is taken from the merge base; what a fork changes there counts once it is merged."
        return theirs, () if head == base else (told,)
    more, fewer = theirs.lacks(ours), ours.lacks(theirs)
    if not more and not fewer:
        return ours, ()
    parts = [
        f"{n:,} finding{'s' if n > 1 else ''} {how}" for n, how in ((more, "more"), (fewer, "fewer")) if n
    ]
    return ours, (f"This change alters {where}: it knows {' and '.join(parts)}.",)


def _paths(files: Iterable[FileChange]) -> set[str]:
    return {encodable(change.path) for change in files}
