"""`rocm-ci scan --fix`: writes the repairs, or shows them as a diff."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rocm_ci.log import printable
from rocm_ci.scan.files import decode
from rocm_ci.scan.fixes import Fixes, fixes
from rocm_ci.scan.scanned import encodable
from rocm_ci.tools.rewrite import RefusedError, rewrite

if TYPE_CHECKING:
    from pathlib import Path

    from rocm_ci.model.changes import Changes
    from rocm_ci.scan.files import FileSource
    from rocm_ci.scan.fixes import FixedFile
    from rocm_ci.scan.inspection import Inspection
    from rocm_ci.scan.scanned import Scanned


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
    folder: FileSource,
    root: Path,
    changes: Changes,
    scanned: Scanned,
    *,
    unsafe: bool,
    dry_run: bool,
) -> Repaired:
    """Apply the edits of the findings to the files below `root`. With `dry_run` nothing is written."""
    found = fixes(folder, changes, scanned, inspection.rescan, unsafe=unsafe)
    refused = {encodable(path): reason for path, reason in found.refused.items()}
    if dry_run:
        return Repaired(files=_counts(found), refused=refused, diff="".join(map(_diff, found.files)))
    refused |= {encodable(one.path): why for one in found.files if (why := _write(root, one))}
    return Repaired(
        files={path: count for path, count in _counts(found).items() if path not in refused}, refused=refused
    )


def _write(root: Path, one: FixedFile) -> str:
    """Write one file; why it was refused, else empty."""
    try:
        rewrite(root, one.path, one.before, one.after)
    except RefusedError as error:
        return str(error)
    return ""


def _counts(found: Fixes) -> dict[str, int]:
    return {encodable(one.path): len(one.repaired) for one in found.files}


def _diff(one: FixedFile) -> str:
    """A unified diff that a terminal can show: control characters are left out."""
    before, after = (_lines(data) for data in (one.before, one.after))
    path = printable(encodable(one.path)).replace("\n", "\\n")
    lines = difflib.unified_diff(before, after, f"a/{path}", f"b/{path}", lineterm="")
    return "".join(printable(line).encode("utf-8", "replace").decode() + "\n" for line in lines)


def _lines(data: bytes) -> list[str]:
    lines = list(decode(data)[1])
    return lines[:-1] if lines and not lines[-1] else lines
