"""Who starts a script: one that only jobs and images for NVIDIA start is not run on ROCm."""

from __future__ import annotations

import posixpath
import re
from functools import cache, cached_property
from typing import TYPE_CHECKING

from rocm_ci.scan import vendor
from rocm_ci.scan.files import utf8
from rocm_ci.scan.source import Guard, RegionKind, Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocm_ci.scan.files import FileSource
    from rocm_ci.scan.inventory import Inventory
    from rocm_ci.scan.source import Region

_STARTERS = re.compile(
    r"(?i)(?:.*\.)?(?:docker|container)file(?:\..*)?|.*\.(?:sh|bash|sbatch|slurm|ya?ml|mk|cmake|bats)|(?:gnu)?makefile|jenkinsfile.*"
    r"|cmakelists\.txt|setup\.py|noxfile\.py|tox\.ini|pyproject\.toml|justfile"
)
# Hidden folders are no part of the inventory, and this is where jobs are written down.
_HIDDEN = (
    ".github/",
    ".buildkite/",
    ".circleci/",
    ".gitlab/",
    ".ci/",
    ".azure-pipelines/",
    ".jenkins/",
    ".devcontainer/",
)
_HIDDEN_FILES = (".gitlab-ci.yml", ".travis.yml", ".drone.yml")
_SCRIPT = re.compile(rb"[\w.-]+\.(?:sh|bash|sbatch|slurm)\b")
_MOST_FILES = 4_000
_MOST_BYTES = 300_000  # of one file
_MOST_BYTES_ALL = 20_000_000
_FARTHEST = 4  # scripts that start scripts
_NO_START = frozenset({"source_file_dependencies", "paths", "files", "exclude", "paths-ignore", "changes"})
_COPIES = frozenset({"instruction:COPY", "instruction:ADD", "command:chmod", "command:rm", "command:cp"})


class Callers:
    """Answers for the scripts of one tree. Nothing is read before the first question."""

    def __init__(self, source: FileSource, inventory: Inventory) -> None:
        self._source = source
        self._inventory = inventory
        self._is_cut = False
        self._regions = cache(self._parsed)

    def excuse(self, path: str) -> str:
        """Why a finding in a shell script is no more than a note; empty when it counts."""
        place = self._only_nvidia(path, frozenset()) if self._inventory.is_complete else ""
        return f"only run on NVIDIA: {place}" if place and not self._is_cut else ""

    def _only_nvidia(self, path: str, seen: frozenset[str]) -> str:
        """Where a script is started, if that is on NVIDIA alone."""
        if len(seen) > _FARTHEST:
            return ""
        first = ""
        name = posixpath.basename(path)
        for caller in self._index.get(name.encode("utf-8", "surrogateescape"), ()):
            if caller == path or caller in seen:
                continue
            for region in self._starts(caller, name):
                if region.guard is not Guard.NVIDIA and not self._is_nvidias(caller, seen | {path}):
                    return ""
                first = first or f"{caller}:{region.line}"
        return first

    def _starts(self, caller: str, name: str) -> Iterator[Region]:
        """Where a file hands out the name of a script, other than to copy it or to watch it."""
        for region in self._regions(caller):
            if name in region.text and region.kind is not RegionKind.KEY:
                if not (_NO_START | _COPIES).isdisjoint(region.context):
                    continue
                yield region

    def _is_nvidias(self, caller: str, seen: frozenset[str]) -> bool:
        """Whether a file as a whole is for NVIDIA: an image based on one of its, or a script so started."""
        if vendor.of_path(caller) is Guard.NVIDIA:
            return True
        if caller.endswith((".sh", ".bash", ".sbatch", ".slurm")):
            return bool(self._only_nvidia(caller, seen))
        bases = [r for r in self._regions(caller) if "from" in r.context]
        return bool(bases) and all(vendor.of(r.text) is Guard.NVIDIA for r in bases if "$" not in r.text)

    def _parsed(self, path: str) -> tuple[Region, ...]:
        # The languages import one another's parsers: not needed before a script has a finding.
        from rocm_ci.scan.language_registry import HEAD, language_of  # noqa: PLC0415

        text = utf8(self._source.read(path) or b"").decode("utf-8", "surrogateescape")
        language = language_of(path, text[:HEAD])
        if language is None:
            return ()
        folder = posixpath.dirname(path)
        lines = tuple(text.split("\n"))
        source = Source(
            path,
            text,
            lines,
            beside=lambda name: self._inventory.exists(posixpath.join(folder, name)),
            read=self._source.read,
        )
        return language.parse(source).regions

    @cached_property
    def _index(self) -> dict[bytes, list[str]]:
        """Name of a script → the files that hold it."""
        found: dict[bytes, list[str]] = {}
        left = _MOST_BYTES_ALL
        for path in self._starters():
            data = self._source.read(path) or b""
            if len(data) > _MOST_BYTES:
                continue
            left -= len(data)
            if left < 0:
                self._is_cut = True
                break
            for name in set(_SCRIPT.findall(data)):
                found.setdefault(name, []).append(path)
        return found

    def _starters(self) -> Iterable[str]:
        paths = [
            p for p in (*self._hidden(), *self._inventory.paths) if _STARTERS.fullmatch(p.rpartition("/")[2])
        ]
        return paths[:_MOST_FILES]

    def _hidden(self) -> Iterator[str]:
        root = self._inventory.names("")
        yield from (name for name in _HIDDEN_FILES if name in root)
        queue = [folder for folder in _HIDDEN if folder in root]
        while queue:
            folder = queue.pop()
            for name in sorted(self._inventory.names(folder.rstrip("/"))):
                if name.endswith("/"):
                    queue.append(folder + name)
                else:
                    yield folder + name
