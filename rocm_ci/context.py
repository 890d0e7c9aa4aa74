"""The ports handed down to stages and sinks, and the job they work on."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from rocm_ci.model.times import Times

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from rocm_ci.config.options import Config
    from rocm_ci.log import Log
    from rocm_ci.model.changes import Changes
    from rocm_ci.model.event import Event
    from rocm_ci.model.facts import Facts
    from rocm_ci.model.incident import Incident
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

    def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


@dataclass(frozen=True, kw_only=True)
class Lease:
    """GPUs that are ours until they are given back; none is a lease, too.

    `devices` are stable ids (a PCI address, with `/N` for partition N), `labels` the same for
    people (`GPU 3 (MI300X, 0000:c1:00.0)`). A child with `environment` sees exactly these.
    """

    id: str
    devices: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)


class Gpus(Protocol):
    """The GPUs of this host, shared with other runs on it. Thread-safe."""

    @property
    def total(self) -> int:
        """How many devices this run could ever lease: neither hidden from it nor in quarantine."""
        ...

    def lease(
        self, count: int, *, step: str, avoid: Collection[str] = (), whole_card: bool = False
    ) -> Lease | None:
        """`count` free devices for `step`, none of `avoid`; None when so many are not free now.

        With `whole_card` nobody else gets a partition of the same card meanwhile. After it, that
        the runtime sees as many as were allocated has been asserted; raises `MachineError` if not.
        """
        ...

    def give_back(self, lease: Lease) -> None:
        """End a lease. Calling it twice is no fault."""
        ...

    def busy(self) -> str:
        """Who else holds GPUs that this run could lease (`GPU 3 (…) by …, since …`), or nothing."""
        ...

    def incidents(self, lease: Lease) -> tuple[Incident, ...]:
        """What the machine did since the lease began, or was asked about; for the end of a step."""
        ...

    def kernel_log(self, lease: Lease) -> str:
        """What the kernel said since the lease began, without what is about foreign GPUs; may be empty."""
        ...

    def blame(self, lease: Lease, incident: Incident) -> str:
        """Write an incident into the ledger; what follows (`GPU 3 is in quarantine …`), or nothing."""
        ...


def _go_on() -> str:
    return ""


@dataclass(frozen=True, kw_only=True)
class Context:
    """The effects a stage may use, and the folders it may use them in.

    `root` is the checkout under test; `out` keeps what outlives the run (logs, result files);
    `work` is scratch space (worktrees, base builds). `environment` is what child processes get.
    `state` is kept on this host from run to run (locks, ledger, recorded times). `stop` answers with a
    reason as soon as everything that runs is to end: what waits or runs long asks it several times a second.
    `host` is where the machine's own files (`sys`, `proc`, `dev`) lie: elsewhere only for a pretended one.
    """

    run: Runner
    log: Log
    clock: Clock
    gpus: Gpus
    root: Path
    out: Path
    work: Path
    state: Path
    environment: Mapping[str, str]
    stop: Callable[[], str] = _go_on
    host: Path = Path("/")


@dataclass(frozen=True, kw_only=True)
class Job:
    """What a run is about; everything a stage may read.

    `config_path` is where the configuration stands, relative to the checkout: the merge base has its
    own there. `done` holds the earlier stages' results, `times` what an earlier report tells of durations.
    """

    event: Event
    config: Config
    changes: Changes
    facts: Facts
    plan: Plan
    done: Mapping[StageName, StageResult]
    config_path: str = ".github/rocm-ci.yml"
    times: Times = field(default_factory=Times)
