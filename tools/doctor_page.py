"""The table of checks in docs/doctor.md: what each asks, needs, and how it is repaired; as the code says it.

The way out depends on the machine, so it is that of made-up ones on which everything is wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.gpu.checks.bus import Bus, Card
from rocm_ci.gpu.checks.history import History
from rocm_ci.gpu.checks.kernel import Kernel
from rocm_ci.gpu.checks.machine import Machine
from rocm_ci.gpu.checks.needs import Needs
from rocm_ci.gpu.checks.nodes import Node
from rocm_ci.gpu.checks.occupancy import Taken
from rocm_ci.gpu.checks.process import Process
from rocm_ci.gpu.checks.resources import Folder
from rocm_ci.gpu.checks.run import GROUPS, run_checks
from rocm_ci.gpu.checks.sensors import Sensors
from rocm_ci.gpu.smoke import Smoke
from rocm_ci.gpu.smoke_ending import Ending, Result
from rocm_ci.model.facts import Conflict, Driver, Facts, Gpu, Host, Rocm
from rocm_ci.model.verdict import Verdict

if TYPE_CHECKING:
    from rocm_ci.model.result import Check

BEGIN, END = "<!-- generated: checks -->", "<!-- end: checks -->"
_NEEDS = Needs(
    wanted={"suite": 2}, builds=True, commands=("cmake -B build && hipcc x.hip",), archs=("gfx90a",)
)
_GB = 1_000_000_000
_DOCKER = Host(
    os="Ubuntu 20.04 LTS", kernel="5.4.0-42-generic", cpus=1, memory_bytes=2 * _GB, container="docker"
)
# A card whose driver does not load, in a container with next to nothing.
_BARE = Machine(
    facts=Facts(host=_DOCKER, driver=Driver(loaded=False), tools={"cmake": "3.16.3"}),
    folders=(Folder(name="scratch files", free_bytes=_GB),),
    kernel=Kernel(command_line="quiet", takes_modules=True, kfd=False, profiling=4),
    bus=Bus(cards=(Card(bus="0000:0c:00.0"),), looked=True),
    process=Process(
        capabilities=0, memlock=(65_536, 65_536), files=(1_024, 4_096), shm_mounted=True, shm_bytes=64 << 20
    ),
)
# A kernel that drives displays only.
_DISPLAY = Machine(facts=Facts(driver=Driver(loaded=True)), kernel=Kernel(kfd=False))
_CARDS = tuple(
    Gpu(
        index=number,
        name="AMD Instinct MI350X",
        gfx="gfx950",
        bus=f"0000:{number:x}c:00.0",
        vbios=f"113-M350000{number}-100",
        compute_partition=("SPX", "CPX")[number],
        memory_partition="NPS1",
    )
    for number in range(2)
)
_SICK = Machine(
    facts=Facts(
        host=_DOCKER,
        driver=Driver(loaded=True, version="6.3.6"),
        rocm=Rocm(version="6.4.1", torch="2.9.0+cu128", torch_cuda="12.8", hip_platform="nvidia"),
        gpus=_CARDS,
        conflicts=(Conflict(name="rocm.version", said={"file": "6.4.1", "amd-smi": "7.2.0"}),),
        notes=("0000:2c:00.0: AMD Instinct MI350X is listed by lspci but not by kfd",),
    ),
    environment={
        "HSA_OVERRIDE_GFX_VERSION": "11.0.0",
        "HIP_VISIBLE_DEVICES": "0",
        "CUDA_VISIBLE_DEVICES": "1",
    },
    nodes=(
        Node(path="/dev/kfd", exists=True, gid=109, group="render", refused=13),
        Node(path="/dev/dri/renderD128", exists=False),
    ),
    kernel=Kernel(command_line="quiet", kfd=True),
    bus=Bus(
        cards=tuple(
            Card(bus=f"0000:{n}c:00.0", driver="amdgpu", iommu="DMA", lanes=(8, 16)) for n in range(3)
        ),
        atomics=(1,),
        is_translated=True,
    ),
    sensors={
        0: Sensors(temperature_c=96, errors={"umc": 2}, throttled=("ppt",), cap_w=(550, 750)),
    },
    taken={0: Taken(used_bytes=200 * _GB, total_bytes=206 * _GB, left=(4711,))},
    history=History(faults={"the driver reset the GPU": 1}, last="GPU reset begin!"),
    quarantined=("GPU 1 is in quarantine",),
    smoke=Smoke(
        results=(
            Result(
                label="GPU 0",
                ending=Ending.HUNG,
                detail="",
                fix="look at `dmesg` on the host; reset the GPU, or restart the host",
            ),
        )
    ),
)


def filled(text: str) -> str:
    """The page with its table. Raises ValueError when it has no place for one."""
    if BEGIN not in text or END not in text:
        message = f"docs/doctor.md has no place for the table: {BEGIN} … {END}"
        raise ValueError(message)
    head, _, rest = text.partition(BEGIN)
    return f"{head}{BEGIN}\n{table()}\n{END}{rest.partition(END)[2]}"


def table() -> str:
    """One row for each check, by group."""
    wrong = examples()
    lines = []
    for title, checks in GROUPS.items():
        lines += [
            f"### {title}",
            "",
            "| check | asks | needs | the way out, for example |",
            "|---|---|---|---|",
        ]
        for name, check in checks.items():
            asks = (check.__doc__ or "").strip().splitlines()[0]
            shown = wrong[name]
            lines.append(f"| `{name}` | {_cell(asks)} | {_cell(shown.needed)} | {_cell(shown.fix or '')} |")
        lines.append("")
    return "\n".join(lines).rstrip()


def examples() -> dict[str, Check]:
    """Each check by id as it finds trouble. Raises LookupError when it finds none on these machines."""
    found: dict[str, Check] = {}
    for machine in (_SICK, _BARE, _DISPLAY):
        for check in run_checks(machine, _NEEDS):
            if check.status in (Verdict.NEUTRAL, Verdict.ERROR):
                found.setdefault(check.id, check)
    missing = [name for checks in GROUPS.values() for name in checks if name not in found]
    if missing:
        message = f"no made-up machine has trouble with {', '.join(missing)}"
        raise LookupError(message)
    return found


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
