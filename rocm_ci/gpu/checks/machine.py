"""What the checks look at: facts, what is asked for, and the few things facts do not carry."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rocm_ci.model.facts import Facts


@dataclass(frozen=True, kw_only=True)
class Needs:
    """What a job, or a user, asks of the machine.

    `wanted` says who asks for GPUs (`suite unit` → 1); `commands` are the configured build
    commands; `builds` that something will be compiled; `archs` are the configured targets.
    """

    wanted: Mapping[str, int] = field(default_factory=dict)
    require_gpu: bool = True
    builds: bool = False
    commands: tuple[str, ...] = ()
    archs: tuple[str, ...] = ()

    @property
    def gpus(self) -> int:
        """The most that any one suite or benchmark asks for."""
        return max(self.wanted.values(), default=0)


@dataclass(frozen=True, kw_only=True)
class Node:
    """A device file: whether it is there, may be read and written, and the number of its group."""

    path: str
    exists: bool
    usable: bool
    gid: int | None = None


@dataclass(frozen=True, kw_only=True)
class Machine:
    """A machine as the checks see it. `free_bytes` is the free disk space by folder."""

    facts: Facts
    environment: Mapping[str, str] = field(default_factory=dict)
    free_bytes: Mapping[str, int] = field(default_factory=dict)
    nodes: tuple[Node, ...] = ()


def survey(
    facts: Facts, environment: Mapping[str, str], folders: Mapping[str, Path], *, dev: Path = Path("/dev")
) -> Machine:
    """Look at disk space and device files; starts nothing. `folders` are named as the reader sees them."""
    return Machine(
        facts=facts,
        environment=environment,
        free_bytes={name: free for name, folder in folders.items() if (free := _free(folder)) is not None},
        nodes=tuple(_nodes(facts, dev)),
    )


def _free(folder: Path) -> int | None:
    """Free bytes of the file system that a folder is on or will be created on."""
    there = next((place for place in (folder, *folder.parents) if place.exists()), None)
    try:
        return shutil.disk_usage(there).free if there else None
    except OSError:
        return None


def _nodes(facts: Facts, dev: Path) -> Iterable[Node]:
    if not facts.gpus:
        return
    renders = sorted({gpu.render for gpu in facts.gpus if gpu.render})
    for name in ("kfd", *(f"dri/{render}" for render in renders)):
        path = dev / name
        try:
            gid = path.stat().st_gid
        except OSError:
            yield Node(path=f"/dev/{name}", exists=False, usable=False)
            continue
        yield Node(path=f"/dev/{name}", exists=True, usable=os.access(path, os.R_OK | os.W_OK), gid=gid)
