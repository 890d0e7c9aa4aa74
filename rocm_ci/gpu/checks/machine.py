"""A machine as the checks see it: its facts, and what facts do not carry, looked at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from rocm_ci.gpu.checks import bus, history, kernel, nodes, occupancy, process, resources, sensors
from rocm_ci.gpu.checks.bus import Bus
from rocm_ci.gpu.checks.history import History
from rocm_ci.gpu.checks.kernel import Kernel
from rocm_ci.gpu.checks.needs import Needs
from rocm_ci.gpu.checks.occupancy import Taken
from rocm_ci.gpu.checks.process import Process
from rocm_ci.gpu.checks.sensors import Sensors
from rocm_ci.gpu.visibility import usable_gpus

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rocm_ci.gpu.checks.nodes import Node
    from rocm_ci.gpu.checks.resources import Folder
    from rocm_ci.gpu.reader import Reader
    from rocm_ci.gpu.smoke import Smoke
    from rocm_ci.model.facts import Facts, Gpu
    from rocm_ci.tools.process import Runner

__all__ = ["Machine", "Needs", "survey"]

T = TypeVar("T")
_KERNEL, _BUS, _PROCESS, _HISTORY = Kernel(), Bus(), Process(), History(problem="nobody looked")


@dataclass(frozen=True, kw_only=True)
class Machine:
    """Everything that a check may look at; it looks at nothing else.

    `quarantined` describes GPUs that no run gets (None: not known). `smoke` is what became of a small
    program on each GPU, None when none was to be run. `unseen` says what could not be looked at, and why.
    """

    facts: Facts
    environment: Mapping[str, str] = field(default_factory=dict)
    folders: tuple[Folder, ...] = ()
    nodes: tuple[Node, ...] = ()
    kernel: Kernel = _KERNEL
    bus: Bus = _BUS
    process: Process = _PROCESS
    sensors: Mapping[int, Sensors] = field(default_factory=dict)
    taken: Mapping[int, Taken] = field(default_factory=dict)
    history: History = _HISTORY
    memory_available: int | None = None
    quarantined: tuple[str, ...] | None = None
    smoke: Smoke | None = None
    unseen: Mapping[str, str] = field(default_factory=dict)

    @property
    def usable(self) -> int:
        """GPUs that a program of this process would see."""
        return usable_gpus(self.facts, self.environment)

    def sensors_of(self, gpu: Gpu) -> Sensors:
        """What the GPU tells of itself."""
        return self.sensors.get(gpu.index, Sensors())

    def taken_of(self, gpu: Gpu) -> Taken:
        """How much of it is in use."""
        return self.taken.get(gpu.index, Taken())


def survey(
    facts: Facts,
    reader: Reader,
    *,
    folders: Mapping[str, Path],
    host: Path = Path("/"),
    run: Runner | None = None,
    quarantined: Callable[[], tuple[str, ...]] | None = None,
    smoke: Callable[[], Smoke] | None = None,
) -> Machine:
    """Look at everything that facts do not carry. Bounded in time; a look that fails is told, never raised.

    `host` is where the machine's files lie. `folders` are those we write to, named as the reader sees
    them. Without `run` no process is started: device files are then judged by owner and mode.
    """
    unseen: dict[str, str] = {}

    def seen(name: str, look: Callable[[], T], otherwise: T) -> T:
        try:
            return look()
        except Exception as error:  # noqa: BLE001 - one odd file must not hide what the others tell
            unseen[name] = f"rocm-ci could not look: {type(error).__name__}: {error}"[:300]
            return otherwise

    environment = reader.environment
    live = host == Path("/")
    if not environment:
        unseen["environment"] = "no environment was recorded"
    return Machine(
        facts=facts,
        environment=environment,
        folders=seen("disk", lambda: resources.folders(folders), ()),
        nodes=seen("nodes", lambda: nodes.look(facts, reader, host, run), ()),
        kernel=seen("kernel", lambda: kernel.look(reader), _KERNEL),
        bus=seen("bus", lambda: bus.look(reader), _BUS),
        process=seen("process", lambda: process.look(reader), _PROCESS),
        sensors=seen("sensors", lambda: sensors.look(facts, reader), {}),
        taken=seen("vram", lambda: occupancy.look(facts, host), {}),
        history=seen("kernel-log", lambda: history.look(run, reader, host, live=live), _HISTORY),
        memory_available=seen("memory", lambda: resources.memory_available(reader), None),
        quarantined=seen("quarantine", quarantined, None) if quarantined else None,
        smoke=seen("smoke", smoke, None) if smoke else None,
        unseen=unseen,
    )
