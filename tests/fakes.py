"""The fakes that tests hand in where the program wants ports; each exists once."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rocm_ci.context import Context, Lease
from rocm_ci.gpu.reader import Answer, Output, clean
from rocm_ci.log import Log
from rocm_ci.tools.process import NOT_FOUND, Captured, Streamed

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

    from rocm_ci.gpu.reader import Tool
    from rocm_ci.model.incident import Incident


@dataclass
class FakeClock:
    """Time that moves one second with every look."""

    seconds: float = 0.0

    def monotonic(self) -> float:
        self.seconds += 1.0
        return self.seconds

    def now(self) -> str:
        return "2026-11-30T12:00:00Z"

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds


@dataclass
class FakeGpus:
    """So many GPUs, leased at once and for nothing. `troubles`: what each asking for incidents tells, in turn."""

    total: int = 0
    troubles: list[tuple[Incident, ...]] = field(default_factory=list)
    leases: list[Lease] = field(default_factory=list)
    free: set[int] = field(default_factory=set)
    blamed: list[tuple[Lease, Incident]] = field(default_factory=list)
    given_back: list[str] = field(default_factory=list)
    others: str = ""
    kernel_says: str = ""

    def __post_init__(self) -> None:
        self.free = set(range(self.total))

    def lease(
        self, count: int, *, step: str, avoid: Collection[str] = (), whole_card: bool = False
    ) -> Lease | None:
        possible = [n for n in sorted(self.free) if f"gpu-{n}" not in avoid]
        if len(possible) < count:
            return None
        taken = possible[:count]
        self.free -= set(taken)
        inner = ",".join(str(n) for n in range(count))
        lease = Lease(
            id=f"{step}-{len(self.leases) + 1}",
            devices=tuple(f"gpu-{n}" for n in taken),
            labels=tuple(f"GPU {n}" for n in taken),
            environment={"ROCR_VISIBLE_DEVICES": ",".join(map(str, taken)), "HIP_VISIBLE_DEVICES": inner}
            if taken
            else {},
        )
        self.leases.append(lease)
        return lease

    def give_back(self, lease: Lease) -> None:
        self.given_back.append(lease.id)
        self.free |= {int(device.removeprefix("gpu-")) for device in lease.devices}

    def busy(self) -> str:
        return self.others

    def incidents(self, lease: Lease) -> tuple[Incident, ...]:
        return self.troubles.pop(0) if self.troubles else ()

    def kernel_log(self, lease: Lease) -> str:
        return self.kernel_says

    def blame(self, lease: Lease, incident: Incident) -> str:
        self.blamed.append((lease, incident))
        return ""


@dataclass
class FakeRunner:
    """Answers by the program's name; everything else is «not found». Remembers all calls.

    `answers` maps the first word of argv (or the whole command line) to (exit code, output).
    """

    answers: dict[str, tuple[int, str]] = field(default_factory=dict)
    calls: list[tuple[str, ...]] = field(default_factory=list)
    environments: list[dict[str, str]] = field(default_factory=list)

    def _answer(self, argv: Sequence[str], env: Mapping[str, str] | None) -> tuple[int, str]:
        self.calls.append(tuple(argv))
        self.environments.append(dict(env or {}))
        return (
            self.answers.get(" ".join(argv))
            or self.answers.get(argv[0])
            or (NOT_FOUND, f"cannot start {argv[0]}")
        )

    def capture(
        self,
        argv: Sequence[str],
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        timeout_s: float = 60.0,
        stdin: bytes = b"",
        limit: int | None = None,
    ) -> Captured:
        code, text = self._answer(argv, env)
        return Captured(argv=tuple(argv), exit_code=code, stdout=text.encode())

    def stream(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        timeout_s: float,
        log: Path,
        on_line: Callable[[str], None] | None = None,
        quiet_s: float | None = None,
        stop: Callable[[], str] | None = None,
    ) -> Streamed:
        code, text = self._answer(argv, env)
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text(text)
        for line in text.splitlines():
            if on_line is not None:
                on_line(line)
        return Streamed(argv=tuple(argv), exit_code=code, duration_s=0.5, timed_out=False, log=log, tail=text)


@dataclass
class MemoryReader:
    """A machine written down: files by absolute path, recorded tool output, an environment, links."""

    files: dict[str, str] = field(default_factory=dict)
    recordings: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)

    def ask(self, tool: Tool) -> Answer:
        found = tuple(Output(text=text) for text in map(clean, self.recordings) if tool.recognise(text))
        return Answer(outputs=found, problem="" if found else f"no {tool.name} output was recorded")

    def text(self, path: str) -> str | None:
        return self.files.get(path)

    def names(self, path: str) -> tuple[str, ...]:
        prefix = path.rstrip("/") + "/"
        return tuple(
            sorted({f.removeprefix(prefix).split("/")[0] for f in self.files if f.startswith(prefix)})
        )

    def resolve(self, path: str) -> str:
        return self.links.get(path, path)


def context(root: Path, run: FakeRunner | None = None, gpus: FakeGpus | None = None) -> Context:
    """A context over a folder, with fakes for every port and its log kept in memory."""
    return Context(
        run=run or FakeRunner(),
        log=Log(out=io.StringIO(), err=io.StringIO()),
        clock=FakeClock(),
        gpus=gpus or FakeGpus(total=8),
        root=root,
        out=root / "out",
        work=root / "work",
        state=root / "state",
        environment={"PATH": "/usr/bin:/bin", "HIP_PLATFORM": "amd"},
    )
