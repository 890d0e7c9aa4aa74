"""A pretended host whose GPUs and processes go wrong, one file at a time. Only files: nothing runs."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rocm_ci.gpu.watched import Watched
from rocm_ci.tools.children import TAG
from tests.fakes import FakeClock
from tools import pretend

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

GIB = 2**30
OURS = f"PATH=/bin\0{TAG}=1\0".encode()


@dataclass
class WaitingClock(FakeClock):
    """Runs `meanwhile` with each sleep, so that something can happen while it is waited for."""

    meanwhile: Callable[[], None] = lambda: None
    sleeps: int = 0

    def sleep(self, seconds: float) -> None:
        super().sleep(seconds)
        self.sleeps += 1
        self.meanwhile()


@dataclass
class Host:
    """So many MI300X below `root`."""

    root: Path
    gpus: int = 4
    kernel_s: float = field(default=100.0, init=False)

    def __post_init__(self) -> None:
        pretend.machine(self.root, self.gpus)
        (self.root / "proc/self/ns").mkdir(parents=True)
        (self.root / "proc/self/ns/pid").symlink_to("pid:[4026531836]")

    def device(self, number: int) -> Path:
        """The folder of a GPU on the bus."""
        return self.root / "sys/bus/pci/devices" / pretend.address(number)

    def watched(self, number: int) -> Watched:
        """As the pool hands it over."""
        return Watched(
            id=pretend.address(number),
            label=f"GPU {number}",
            bus=pretend.address(number),
            kfd_id=kfd_id(number),
            render=f"renderD{128 + 8 * number}",
        )

    def takes(self, number: int, more: int) -> None:
        """More of its memory is taken (or less)."""
        path = pretend.vram_used(self.root, number)
        path.write_text(f"{int(path.read_text()) + more}\n")

    def context(self, pid: int, number: int, held: int, *, queue: bool = False) -> Path:
        """The compute driver keeps a context of a process."""
        folder = self.root / "sys/class/kfd/kfd/proc" / str(pid)
        (folder / "queues").mkdir(parents=True, exist_ok=True)
        (folder / f"vram_{kfd_id(number)}").write_text(f"{held}\n")
        if queue:
            (folder / "queues/0").mkdir()
            (folder / "queues/0/gpuid").write_text(f"{kfd_id(number)}\n")
        return folder

    def process(self, pid: int, name: str, *devices: str, environ: bytes = b"", state: str = "S") -> Path:
        """A process with these device files open."""
        folder = self.root / "proc" / str(pid)
        (folder / "fd").mkdir(parents=True)
        for number, target in enumerate(("/dev/null", *devices)):
            (folder / "fd" / str(number)).symlink_to(target)
        (folder / "comm").write_text(f"{name}\n")
        (folder / "stat").write_text(f"{pid} ({name}) {state} 1 1 1 0\n")
        (folder / "environ").write_bytes(environ)
        return folder

    def says(self, *messages: str, facility: int = 0) -> None:
        """The kernel says something, as records of /dev/kmsg."""
        with (self.root / "dev/kmsg").open("a", encoding="utf-8", errors="surrogateescape") as log:
            for message in messages:
                self.kernel_s += 1
                log.write(
                    f"{(facility << 3) + 3},{int(self.kernel_s)},{int(self.kernel_s * 1e6)},-;{message}\n"
                )

    def ras(self, number: int, block: str, uncorrectable: int, correctable: int = 0) -> None:
        """Error counters of a block, as amdgpu writes them."""
        folder = self.device(number) / "ras"
        folder.mkdir(exist_ok=True)
        (folder / f"{block}_err_count").write_text(f"ue: {uncorrectable}\nce: {correctable}\n")

    def vanish(self, number: int) -> None:
        """It falls off the bus, and its files go with it."""
        shutil.rmtree(self.device(number))
        render = self.watched(number).render or ""
        (self.root / "dev/dri" / render).unlink()
        shutil.rmtree(self.root / "sys/class/kfd/kfd/topology/nodes" / str(number + 1))
        shutil.rmtree(self.root / "sys/class/drm" / render)


def kfd_id(number: int) -> int:
    """The driver's id of a GPU."""
    return 28851 + 1000 * number
