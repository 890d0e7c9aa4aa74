"""What a scan gives back, and how the parts of one scan are put together."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

from rocm_ci.model.finding import SilencedBy
from rocm_ci.model.scan_note import NoteKind, ScanNote

if TYPE_CHECKING:
    from rocm_ci.model.finding import Finding


@dataclass(frozen=True, slots=True)
class Scanned:
    """The outcome of one scan. `files` counts the files that were read; `notes` tell what was not.

    `silenced` are the findings that do not count, each with who said so; `suppressed` and `baselined`
    are their numbers.
    """

    findings: tuple[Finding, ...]
    suppressed: int
    files: int
    notes: tuple[ScanNote, ...] = ()
    silenced: tuple[Finding, ...] = ()

    @property
    def baselined(self) -> int:
        """How many findings the baseline knows."""
        return sum(f.silenced is not None and f.silenced.by is SilencedBy.BASELINE for f in self.silenced)

    @property
    def unfinished(self) -> bool:
        """Whether some file was given up, so that nobody knows what it holds."""
        return any(note.kind is NoteKind.UNFINISHED for note in self.notes)

    def joined(self, *others: Scanned) -> Scanned:
        """The outcome of several scans of different files, as one scan would have given it."""
        parts = (self, *others)
        return Scanned(
            tuple(sorted((f for one in parts for f in one.findings), key=by_place)),
            sum(one.suppressed for one in parts),
            sum(one.files for one in parts),
            tuple(sorted((n for one in parts for n in one.notes), key=_note_order)),
            tuple(sorted((f for one in parts for f in one.silenced), key=by_place)),
        )


def by_place(finding: Finding) -> tuple[str, int, int, str]:
    """The order of findings."""
    return finding.path, finding.line, finding.column, finding.rule


def _note_order(note: ScanNote) -> tuple[str, int, str, str]:
    return note.path, note.line or 0, note.rule or "", note.reason


def encodable(text: str) -> str:
    """Bytes that are no UTF-8 arrive as surrogates, which no report can encode: `\\udcff`."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def told(error: Exception) -> str:
    """What went wrong in our own code, with the place: the report of a bug needs no more."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f" at {PurePath(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}" if trace else ""
    return f"{type(error).__name__}{place}: {str(error)[:200]} (a bug in rocm-ci: please report it)"
