"""Whether built files hold code for every declared GPU target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.kernels import fatbin, target
from rocm_ci.model.result import Artifact

if TYPE_CHECKING:
    from pathlib import Path

    from rocm_ci.kernels.bundle import Zstd

# What hipcc builds for when it is told nothing and finds no GPU.
DEFAULT_TARGET = "gfx803"


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """One file. `untargeted`: a part was compiled without a target. `gaps`: parts that lack some target.

    A file that could not be looked into is `unknown`, with the reason; its `missing` is then empty.
    """

    artifact: Artifact
    untargeted: bool = False
    gaps: int = 0
    parts: int = 0
    unknown: str = ""

    @property
    def has_code(self) -> bool:
        """Whether there is any GPU code in it."""
        return bool(self.artifact.archs)


def of(path: Path, root: Path, declared: tuple[str, ...], *, zstd: Zstd | None = None) -> Coverage:
    """Look into one file below `root`."""
    found = fatbin.read(path, zstd=zstd)
    name = path.relative_to(root).as_posix()
    if found.problems and not found.entries:
        return Coverage(artifact=Artifact(path=name), unknown=found.problems[0])
    parts: dict[int, list[str]] = {}
    for entry in found.entries:
        parts.setdefault(entry.bundle, []).append(entry.target)
    bare = [archs for archs in parts.values() if {target.processor(a) for a in archs} == {DEFAULT_TARGET}]
    wanted = {target.processor(d) for d in declared}
    missing = target.missing(declared, found.archs)
    return Coverage(
        artifact=Artifact(path=name, archs=found.archs, missing=() if found.problems else missing),
        untargeted=bool(bare) and DEFAULT_TARGET not in wanted,
        gaps=sum(1 for archs in parts.values() if target.missing(declared, tuple(archs))),
        parts=len(parts),
        unknown=found.problems[0] if found.problems and missing else "",
    )
