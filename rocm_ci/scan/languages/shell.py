"""Shell scripts: sh, bash, zsh and friends."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan import shell, vendor
from rocm_ci.scan.language import Language, Parsed
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from pathlib import PurePosixPath

    from rocm_ci.scan.source import Source

_SUFFIXES = frozenset(
    {".sh", ".bash", ".zsh", ".ksh", ".slurm", ".sbatch", ".pbs", ".lsf", ".bats", ".envrc"}
)
_SHEBANG = re.compile(r"#!.*\b(?:bash|sh|zsh|ksh|dash)\b")
# The caller gives the release of CUDA, so the script is for those who have one: `cuda_version=$2`.
_TAKES_CUDA = re.compile(
    r"(?mi)^[ \t]*(?:local |export )?\w*cuda_?(?:version|ver|home|path|root|tag|release|major)?="
    r"\"?[^\"'\s]*\$\{?[1-9]\}?[^\"'\s]*\"?\s*$"
)
_AMD = re.compile(r"(?i)rocm|rocr|\bhip|\bamd\b")
_NAMES = frozenset({".bashrc", ".envrc", ".profile", ".bash_profile"})


class Shell:
    """By suffix, by name, or by a `#!` line."""

    name = "shell"

    def claims(self, path: PurePosixPath, head: str) -> bool:
        """A `configure` of two megabytes is generated; those without suffix need a `#!`."""
        return (
            path.suffix in _SUFFIXES
            or path.name in _NAMES
            or (not path.suffix and bool(_SHEBANG.match(head)))
        )

    def parse(self, source: Source) -> Parsed:
        """Commands and assignments with their guards."""
        outer = vendor.of_path(source.path, beside=source.beside)
        if outer is Guard.NONE and _TAKES_CUDA.search(source.text) and not _AMD.search(source.text):
            outer = Guard.NVIDIA
        return Parsed(source, tuple(shell.regions(source.text, 1, 1, guard=outer)))


LANGUAGE: Language = Shell()
