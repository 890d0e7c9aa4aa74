"""Scripts of Windows: batch files and PowerShell. Rules see them as `windows-script`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.scan import batch, powershell, vendor
from rocm_ci.scan.language import Language, Parsed

if TYPE_CHECKING:
    from pathlib import PurePosixPath

    from rocm_ci.scan.source import Source

_BATCH = frozenset({".bat", ".cmd"})
_POWERSHELL = frozenset({".ps1", ".psm1"})


class WindowsScript:
    """By suffix."""

    name = "windows-script"

    def claims(self, path: PurePosixPath, head: str) -> bool:  # noqa: ARG002 - the name says it
        """`*.bat`, `*.cmd`, `*.ps1`, `*.psm1`."""
        return path.suffix.lower() in _BATCH | _POWERSHELL

    def parse(self, source: Source) -> Parsed:
        """Commands and settings with their guards."""
        outer = vendor.of_path(source.path, beside=source.beside)
        is_batch = source.path.lower().endswith(tuple(_BATCH))
        reader = batch.regions if is_batch else powershell.regions
        return Parsed(source, tuple(reader(source.text, 1, 1, guard=outer)))


LANGUAGE: Language = WindowsScript()
