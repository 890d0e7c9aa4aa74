"""A host with MI300X for tests of the pool: facts, and a rocminfo that honours ROCR_VISIBLE_DEVICES."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rocm_ci.model.facts import Facts, Gpu
from rocm_ci.tools.process import NOT_FOUND, Captured
from tests.fakes import FakeRunner
from tools import pretend

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


def facts(count: int) -> Facts:
    """As the driver's files tell it."""
    return Facts(
        gpus=tuple(
            Gpu(index=n, name="MI300X", gfx="gfx942", node=n + 1, bus=pretend.address(n), numa_node=n // 4)
            for n in range(count)
        )
    )


def partitions(cards: int, each: int) -> Facts:
    """Cards cut into partitions that share an address."""
    return Facts(
        gpus=tuple(
            Gpu(
                index=n,
                name="MI300X",
                gfx="gfx942",
                node=n + 1,
                bus=pretend.address(n // each),
                partition=n % each,
            )
            for n in range(cards * each)
        )
    )


@dataclass
class Rocminfo(FakeRunner):
    """`sees` overrides what is shown under any variable; `is_there` whether the tool is installed."""

    count: int = 4
    sees: tuple[int, ...] | None = None
    is_there: bool = True
    asked: list[str] = field(default_factory=list)

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
        if argv[0] != "rocminfo" or not self.is_there:
            return Captured(argv=tuple(argv), exit_code=NOT_FOUND)
        wanted = (env or {}).get("ROCR_VISIBLE_DEVICES", ",".join(map(str, range(self.count))))
        self.asked.append(wanted)
        shown = self.sees
        if shown is None:
            shown = tuple(int(n) for n in wanted.split(",") if n.isdecimal() and int(n) < self.count)
        agents = "".join(
            pretend._AGENT.format(
                agent=n + 2, uuid=pretend._unique(n), node=n + 1, location=pretend._location(n)
            )
            for n in shown
        )
        return Captured(argv=tuple(argv), exit_code=0, stdout=(pretend._HEAD + agents).encode())
