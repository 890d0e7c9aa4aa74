"""Who uses a GPU: open device files of living processes, and the contexts that the driver keeps.

The tools' own lists name every process that once opened the driver's file (ROCm/legacy-rocm-build#4411).
So the open files are counted, and the driver's folder of contexts tells what each of them holds.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rocm_ci.gpu.reader import clean
from rocm_ci.tools.children import TAG

if TYPE_CHECKING:
    from collections.abc import Mapping

KFD = "/dev/kfd"
_DRI = "/dev/dri/renderD"
_CONTEXTS = "sys/class/kfd/kfd/proc"
# Linux numbers the first process namespace so (PROC_PID_INIT_INO in include/linux/proc_ns.h).
_FIRST_NAMESPACE = "pid:[4026531836]"
_MAX_PROCESSES = 100_000


@dataclass(frozen=True, kw_only=True)
class Holder:
    """A living process with device files open. `vram_bytes` is None when the driver does not say.

    `ours` tells whether one of our steps started it. `gpus` maps the driver's ids to bytes held.
    """

    pid: int
    command: str
    devices: tuple[str, ...]
    vram_bytes: int | None = None
    ours: bool = False
    gpus: Mapping[int, int] = field(default_factory=dict)

    @property
    def shown(self) -> str:
        """For people: `python3 (process 4711)`."""
        return f"{self.command or 'a program'} (process {self.pid})"


@dataclass(frozen=True, kw_only=True)
class Context:
    """What the compute driver keeps for one process. `is_alive` is None when that cannot be told.

    `vram_bytes` maps the driver's id of a GPU to what is held there, `queues` are the GPUs with a queue.
    """

    pid: int
    vram_bytes: Mapping[int, int]
    queues: frozenset[int]
    is_alive: bool | None

    def uses(self, gpu: int) -> bool:
        """Whether it holds anything of that GPU; merely having opened the driver is nothing."""
        return self.vram_bytes.get(gpu, 0) > 0 or gpu in self.queues


def holders(host: Path = Path("/")) -> tuple[Holder, ...]:
    """Every living process with `/dev/kfd` or a render node open, as far as we may look."""
    held = {context.pid: context for context in contexts(host)}
    found = []
    for pid in _processes(host):
        devices = _devices(host, pid)
        if devices:
            gpus = held[pid].vram_bytes if pid in held else {}
            found.append(
                Holder(
                    pid=pid,
                    command=_command(host, pid),
                    devices=devices,
                    vram_bytes=sum(gpus.values()) if gpus else None,
                    ours=_is_ours(host, pid),
                    gpus=gpus,
                )
            )
    return tuple(found)


def sees_all(host: Path = Path("/")) -> bool:
    """Whether no process can be hidden from us: we are outside of containers and may look at each."""
    if _namespace(host) != _FIRST_NAMESPACE:
        return False
    try:
        for pid in _processes(host):
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                os.listdir(host / "proc" / str(pid) / "fd")  # noqa: PTH208 - as below
    except OSError:
        return False
    return True


def contexts(host: Path = Path("/")) -> tuple[Context, ...]:
    """All contexts of the compute driver. Those of ended processes are there until it lets go of them."""
    folder = host / _CONTEXTS
    # In a container the driver counts processes as the host does, and /proc as the container does.
    knows = _namespace(host) == _FIRST_NAMESPACE
    found = []
    for name in _names(folder):
        if name.isdecimal():
            vram = {}
            for entry in _names(folder / name):
                kind, _, gpu = entry.partition("_")
                if kind == "vram" and gpu.isdecimal():
                    vram[int(gpu)] = _number(folder / name / entry)
            queues = (
                _number(folder / name / "queues" / q / "gpuid") for q in _names(folder / name / "queues")
            )
            alive = _is_alive(host, int(name)) if knows else None
            found.append(
                Context(pid=int(name), vram_bytes=vram, queues=frozenset(queues) - {0}, is_alive=alive)
            )
    return tuple(found)


def _processes(host: Path) -> list[int]:
    return [int(name) for name in _names(host / "proc") if name.isdecimal()][:_MAX_PROCESSES]


def _devices(host: Path, pid: int) -> tuple[str, ...]:
    folder = host / "proc" / str(pid) / "fd"
    found = set()
    for name in _names(folder):
        try:
            target = os.readlink(folder / name)  # noqa: PTH115 - a str is wanted, and a hundred thousand of them
        except OSError:
            continue
        target = target.removesuffix(" (deleted)")
        if target == KFD or target.startswith(_DRI):
            found.add(target[:60])
    return tuple(sorted(found))


def _command(host: Path, pid: int) -> str:
    return clean(_read(host / "proc" / str(pid) / "comm").decode("utf-8", "replace")).strip()[:40]


def _is_ours(host: Path, pid: int) -> bool:
    if host == Path("/") and pid == os.getpid():
        return True
    return f"{TAG}=".encode() in _read(host / "proc" / str(pid) / "environ")


def _is_alive(host: Path, pid: int) -> bool:
    """A zombie lives no more: it waits for its parent, and the driver waits for nothing."""
    status = _read(host / "proc" / str(pid) / "stat")
    return bool(status) and status.rpartition(b") ")[2][:1] not in (b"Z", b"X")


def _namespace(host: Path) -> str:
    try:
        return str((host / "proc/self/ns/pid").readlink())
    except OSError:
        return _FIRST_NAMESPACE if host != Path("/") else ""


def _read(path: Path) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(descriptor, 1_000_000)
    except OSError:
        return b""
    finally:
        os.close(descriptor)


def _number(path: Path) -> int:
    text = _read(path)[:40].strip()
    return int(text) if text.isdigit() else 0


def _names(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208 - names only, in one call
    except OSError:
        return []
