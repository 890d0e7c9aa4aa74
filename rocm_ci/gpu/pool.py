"""The GPUs of this host as leases: `context.Gpus` over the machine's facts."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING

from rocm_ci.context import Lease
from rocm_ci.gpu import visible

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from rocm_ci.context import Clock
    from rocm_ci.log import Log
    from rocm_ci.model.facts import Facts
    from rocm_ci.model.incident import Incident
    from rocm_ci.tools.process import Runner


class Pool:
    """See `context.Gpus`."""

    def __init__(
        self,
        facts: Facts,
        environment: Mapping[str, str],
        *,
        run: Runner | None = None,
        clock: Clock | None = None,
        state: Path | None = None,
        host: Path = Path("/"),
        log: Log | None = None,
        owner: str = "",
    ) -> None:
        del run, clock, state, host, log, owner
        self._facts = facts
        self._environment = environment
        self._numbers = itertools.count(1)

    @property
    def total(self) -> int:
        """See `Gpus.total`."""
        return visible.usable(self._facts, self._environment)

    def lease(
        self, count: int, *, step: str, avoid: Collection[str] = (), whole_card: bool = False
    ) -> Lease | None:
        """See `Gpus.lease`."""
        del avoid, whole_card
        chosen = visible.variables(self._facts, self._environment, count)
        return Lease(id=f"{step}-{next(self._numbers)}", environment=chosen)

    def give_back(self, lease: Lease) -> None:
        """See `Gpus.give_back`."""

    def busy(self) -> str:
        """See `Gpus.busy`."""
        return ""

    def incidents(self, lease: Lease) -> tuple[Incident, ...]:  # noqa: ARG002
        """See `Gpus.incidents`."""
        return ()

    def blame(self, lease: Lease, incident: Incident) -> str:  # noqa: ARG002
        """See `Gpus.blame`."""
        return ""
