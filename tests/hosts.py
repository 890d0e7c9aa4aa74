"""Runners that are not there: a device tree in a folder, and programs that answer from a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.launch.machine import Machine

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

AMD, INTEL = "0x1002", "0x8086"


class FakeMachine(Machine):
    """Answers short commands by how their line begins, and plays the long one through `on_run`.

    `groups` maps a device's file name to the group that owns it; the rest belongs to 44.
    """

    def __init__(
        self,
        root: Path,
        *,
        answers: Mapping[str, tuple[int, str]] | None = None,
        programs: Sequence[str] = ("python3",),
        groups: Mapping[str, int] | None = None,
        on_run: Callable[[Sequence[str]], int] = lambda _argv: 0,
    ) -> None:
        super().__init__(root)
        self.answers = dict(answers or {})
        self.programs = programs
        self.groups = dict(groups or {})
        self.on_run = on_run
        self.asked: list[tuple[str, ...]] = []
        self.paused_s = 0.0
        self.started: list[tuple[tuple[str, ...], dict[str, str], Path]] = []

    def group(self, path: Path) -> int:
        return self.groups.get(path.name, 44)

    def user(self) -> str:
        return "1001:127"

    def which(self, name: str) -> str | None:
        return f"/usr/bin/{name}" if name in self.programs else None

    def pause(self, seconds: float) -> None:
        self.paused_s += seconds

    def capture(self, *argv: str) -> tuple[int, str]:
        self.asked.append(argv)
        line = " ".join(argv)
        return next((said for start, said in self.answers.items() if line.startswith(start)), (127, ""))

    def supervise(self, argv: Sequence[str], env: Mapping[str, str], cwd: Path) -> int:
        self.started.append((tuple(argv), dict(env), cwd))
        return self.on_run(argv)


def device_tree(root: Path, nodes: Mapping[str, str] | None = None, *, kfd: bool = True) -> Path:
    """A root folder with /dev/dri and /sys/class/drm; `nodes` maps render nodes to their vendor."""
    dri = root / "dev" / "dri"
    dri.mkdir(parents=True)
    (dri / "card0").touch()
    if kfd:
        (root / "dev" / "kfd").touch()
    for node, vendor in ({"renderD128": AMD, "renderD129": AMD} if nodes is None else nodes).items():
        (dri / node).touch()
        device = root / "sys" / "class" / "drm" / node / "device"
        device.mkdir(parents=True)
        (device / "vendor").write_text(f"{vendor}\n")
    return root


def pod_file(root: Path, path: str, text: str) -> None:
    """A file that a cluster drops into the pod."""
    file = root / path.lstrip("/")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
