"""The folder of one ROCm release → the one of whichever is there, where a default can be written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.model.edit import Edit
from rocm_ci.scan.repair import Fixer, Repair

if TYPE_CHECKING:
    from rocm_ci.scan.language import Match, Parsed

_RELEASE = re.compile(r"/opt/rocm-\d+(?:\.\d+)*")
_SCRIPT = re.compile(r"\.(?:sh|bash|zsh|ksh)\Z")
_CONTAINER = re.compile(
    r"(?:^|/)(?:Dockerfile|Containerfile)[^/]*\Z|\.(?:dockerfile|containerfile)\Z", re.IGNORECASE
)


class RocmRelease:
    """In a script with the variable that users set; an image has the one place that its base gave it."""

    name = "rocm-release"

    def repair(self, parsed: Parsed, match: Match) -> Repair | None:
        """See `Fixer`."""
        path, lines = parsed.source.path, parsed.source.lines
        line = lines[match.line - 1]
        found = _RELEASE.match(line, match.column - 1)
        if found is None:
            return None
        if _CONTAINER.search(path):
            text = "/opt/rocm"
        elif (_SCRIPT.search(path) or lines[0].startswith("#!")) and not _is_in_single_quotes(
            line, found.start()
        ):
            text = "${ROCM_PATH:-/opt/rocm}"
        else:
            return None
        return Repair((Edit(line=match.line, column=match.column, end=found.end() + 1, text=text),))


def _is_in_single_quotes(line: str, at: int) -> bool:
    """Where a shell would not look at `$`; any quote before it counts: in doubt the line stays."""
    return "'" in line[:at]


FIXER: Fixer = RocmRelease()
