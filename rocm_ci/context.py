"""The ports handed down to stages and sinks, and the job they work on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rocm_ci.config.options import Config
    from rocm_ci.log import Log
    from rocm_ci.model.changes import Changes
    from rocm_ci.model.event import Event
    from rocm_ci.model.facts import Facts
    from rocm_ci.model.plan import Plan, StageName
    from rocm_ci.model.result import StageResult
    from rocm_ci.tools.process import Runner


class Clock(Protocol):
    """Where time comes from, so that tests need no sleep."""

    def monotonic(self) -> float:
        """Seconds that only ever grow."""
        ...

    def now(self) -> str:
        """UTC now, ISO 8601 to the second."""
        ...


@dataclass(frozen=True, kw_only=True)
class Context:
    """The effects a stage may use, and the folders it may use them in.

    `root` is the checkout under test; `out` keeps what outlives the run (logs, result files);
    `work` is scratch space (worktrees, base builds). `environment` is what child processes get.
    """

    run: Runner
    log: Log
    clock: Clock
    root: Path
    out: Path
    work: Path
    environment: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Job:
    """What a run is about; everything a stage may read.

    `config_path` is where the configuration stands, relative to the checkout: the merge base has its
    own there. `done` holds the earlier stages' results.
    """

    event: Event
    config: Config
    changes: Changes
    facts: Facts
    plan: Plan
    done: Mapping[StageName, StageResult]
    config_path: str = ".github/rocm-ci.yml"
