"""Which GPUs are in quarantine now, by the ledger on disk and what this run could not write there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rocm_ci.gpu.ledger import Ledger
from rocm_ci.gpu.quarantine import Rule, quarantined

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rocm_ci.context import Clock
    from rocm_ci.gpu.device import Device
    from rocm_ci.gpu.ledger import Entry
    from rocm_ci.gpu.quarantine import Quarantine


class Ward:
    """Reads the ledger again only when it has changed."""

    def __init__(
        self, state: Path, environment: Mapping[str, str], *, clock: Clock, host: Path = Path("/")
    ) -> None:
        self._ledger = Ledger(state, environment, host=host)
        self._rule = Rule.of(environment)
        # In a container the ledger is read only: what is found in there could be the change's own words.
        self._is_inner = bool(environment.get("ROCM_CI_IN_CONTAINER"))
        self._clock = clock
        self._unwritten: list[Entry] = []
        self._read: tuple[Entry, ...] = ()
        self._mark: tuple[int, int, int] | None = None
        self.problem = self._rule.problem or (self._ledger.problem if self._rule.count else "")

    def quarantined(self, devices: Iterable[Device]) -> tuple[Quarantine, ...]:
        """Those of the devices that are kept out, by themselves or with their card."""
        if self._rule.count <= 0:
            return ()
        entries = self._entries()
        if not entries:
            return ()
        found = quarantined(entries, self._rule, self._clock.now())
        whose = ((device, found.get(device.id) or found.get(device.card)) for device in devices)
        return tuple(replace(why, gpu=device.id) for device, why in whose if why is not None)

    def write(self, entry: Entry) -> str:
        """Into the ledger. When that cannot be it counts for this run alone; returns why."""
        try:
            self._ledger.add(entry)
        except OSError as error:
            self._unwritten.append(entry)
            if self._is_inner:
                return ""
            return (
                f"what a GPU did is not kept for other runs: {self._ledger.path}: {error.strerror or error}"
            )
        return ""

    def _entries(self) -> tuple[Entry, ...]:
        try:
            status = self._ledger.path.stat()
            mark = (status.st_mtime_ns, status.st_size, status.st_ino)
        except OSError:
            mark = None
        if mark is None or mark != self._mark:
            self._read, self._mark = self._ledger.entries(), mark
        return (*self._read, *self._unwritten)
