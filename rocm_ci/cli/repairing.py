"""`rocm-ci scan --fix`: writes the repairs, or shows them as a diff."""

from __future__ import annotations

import difflib
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from rocm_ci.log import printable
from rocm_ci.scan.files import Folder, decode
from rocm_ci.scan.fixes import Overlay, fixes
from rocm_ci.scan.scanned import encodable
from rocm_ci.tools.rewrite import RefusedError, rewrite

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rocm_ci.model.changes import Changes
    from rocm_ci.scan.inspection import Inspection
    from rocm_ci.scan.scanned import Scanned

T = TypeVar("T")
MOST_ROUNDS = 5


@dataclass(frozen=True, kw_only=True)
class Repaired:
    """What was written, or would be. Paths are shown ones; `refused` gives a reason by path."""

    files: dict[str, int] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    diff: str = ""

    @property
    def count(self) -> int:
        """How many findings were repaired."""
        return sum(self.files.values())


def repair(
    inspection: Inspection,
    root: Path,
    changes: Changes,
    scanned: Scanned,
    *,
    unsafe: bool,
    dry_run: bool,
) -> tuple[Repaired, Scanned]:
    """Apply the edits of the findings to the files below `root`; what was done, and the findings then.

    With `dry_run` nothing is written and the findings are those of now. A repair can bring others to light
    elsewhere (a file is no copy of another any more), so the tree is scanned again until none is left.
    """
    folder = Folder(root)
    overlay = Overlay(folder)
    counts: Counter[str] = Counter()
    refused: dict[str, str] = {}
    left = scanned
    for _ in range(MOST_ROUNDS):
        found = fixes(overlay, changes, left, inspection.rescan, unsafe=unsafe)
        refused |= found.refused
        if not found.files:
            break
        overlay.content |= {one.path: one.after for one in found.files}
        counts.update({one.path: len(one.repaired) for one in found.files})
        # No edit moves a line, so the changes still hold for the files as they are now.
        left, _ = replace(inspection, source=overlay).scan(changes)
    pairs = [(path, folder.read(path) or b"", after) for path, after in sorted(overlay.content.items())]
    if dry_run:
        diff = "".join(_diff(*pair) for pair in pairs)
        return Repaired(files=_shown(counts), refused=_shown(refused), diff=diff), scanned
    unwritten = {pair[0]: why for pair in pairs if (why := _write(root, *pair))}
    if unwritten:
        left, _ = replace(inspection, source=folder).scan(changes)
    written = {path: count for path, count in counts.items() if path not in unwritten}
    return Repaired(files=_shown(written), refused=_shown({**refused, **unwritten})), left


def _shown(by_path: Mapping[str, T]) -> dict[str, T]:
    return {encodable(path): value for path, value in sorted(by_path.items())}


def _write(root: Path, path: str, before: bytes, after: bytes) -> str:
    """Write one file; why it was refused, else empty."""
    try:
        rewrite(root, path, before, after)
    except RefusedError as error:
        return str(error)
    return ""


def _diff(path: str, before: bytes, after: bytes) -> str:
    """A unified diff that a terminal can show: control characters are left out."""
    path = printable(encodable(path)).replace("\n", "\\n")
    lines = difflib.unified_diff(_lines(before), _lines(after), f"a/{path}", f"b/{path}", lineterm="")
    return "".join(printable(line).encode("utf-8", "replace").decode() + "\n" for line in lines)


def _lines(data: bytes) -> list[str]:
    lines = list(decode(data)[1])
    return lines[:-1] if lines and not lines[-1] else lines
