"""The GPUs of this host as leases: `context.Gpus` over the machine's facts."""

from __future__ import annotations

import itertools
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from rocm_ci.context import Lease
from rocm_ci.errors import MachineError
from rocm_ci.gpu import holder_note, visible, vram
from rocm_ci.gpu.aftermath import Aftermath
from rocm_ci.gpu.allocation import Allocation
from rocm_ci.gpu.alone import alone
from rocm_ci.gpu.choice import choose
from rocm_ci.gpu.ledger import Entry
from rocm_ci.gpu.locker import Locker
from rocm_ci.gpu.offer import offer
from rocm_ci.gpu.reset import OURS
from rocm_ci.gpu.ward import Ward

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from contextlib import AbstractContextManager

    from rocm_ci.context import Clock
    from rocm_ci.gpu.aftermath import Before
    from rocm_ci.gpu.device import Device
    from rocm_ci.gpu.holder_note import Note
    from rocm_ci.gpu.locker import Hold
    from rocm_ci.log import Log
    from rocm_ci.model.facts import Facts
    from rocm_ci.model.incident import Incident
    from rocm_ci.tools.process import Runner

_MAX_TOLD = 5


@dataclass(frozen=True, kw_only=True)
class _Given:
    """What stands behind a lease."""

    devices: tuple[Device, ...]
    hold: Hold | None
    before: Before


class Pool:
    """See `context.Gpus`. `environment` is the runner's own, as far as children get it.

    `state` keeps ledger and (where no shared place is) locks, `host` is the root of the machine's files,
    `owner` what other runs are told about who holds a GPU.
    """

    def __init__(
        self,
        facts: Facts,
        environment: Mapping[str, str],
        *,
        run: Runner,
        clock: Clock,
        state: Path,
        host: Path = Path("/"),
        log: Log | None = None,
        owner: str = "",
    ) -> None:
        self._environment = environment
        self._host = host
        self._clock = clock
        self._log = log
        self._owner = owner
        # A run that somebody starts with `rocm-ci lease` waits for itself: that must be told.
        self._outer = set(environment.get("ROCM_CI_GPU_IDS", "").split(","))
        self._offer = offer(facts, environment, host)
        self._allocation = Allocation(run, environment, host)
        self._aftermath = Aftermath(run=run, clock=clock, host=host, environment=environment)
        self._locker = Locker(environment, state, host=host, clock=clock)
        self._ward = Ward(state, environment, clock=clock, host=host)
        self._numbers = itertools.count(1)
        self._given: dict[str, _Given] = {}
        self._told: set[str] = set()
        self._recorded: set[tuple[str, str]] = set()
        # One of ours at a time looks for free devices; the kernel sees to the other runs.
        self._guard = threading.RLock()
        for text in (self._offer.problem, *self._offer.notes, self._ward.problem):
            self._warn(text)

    @property
    def total(self) -> int:
        """See `Gpus.total`."""
        return len(self._leasable())

    def lease(
        self, count: int, *, step: str, avoid: Collection[str] = (), whole_card: bool = False
    ) -> Lease | None:
        """See `Gpus.lease`. Raises `MachineError` also when there can never be so many."""
        if count <= 0:
            return self._new((), None, step)
        with self._guard:
            leasable = self._leasable()
            if count > len(leasable):
                raise MachineError(self._lack(count, len(leasable)), hint=self._hint())
            hold = self._taken(leasable, count, frozenset(avoid), whole_card=whole_card)
            if hold is None:
                return None
            try:
                chosen = visible.variables(self._ordinals(hold.devices), self._environment)
                others = len(self._offer.counted) - count
                self._allocation.check(hold.devices, chosen, others)
                self._warn(self._allocation.problem)
                lease = self._new(hold.devices, hold, step)
            except BaseException:
                hold.release()
                raise
        hold.sign(self._note(step))
        return lease

    def give_back(self, lease: Lease) -> None:
        """See `Gpus.give_back`."""
        with self._guard:
            given = self._given.pop(lease.id, None)
        if given is not None:
            given.before.close()
            if given.hold is not None:
                given.hold.release()

    def hand_on(self, lease: Lease) -> str:
        """The program that this process becomes shall hold it; answers why other runs may not honour that."""
        given = self._given.pop(lease.id)
        if given.hold is not None:
            given.hold.hand_on()
        return self._locker.unshared

    def close(self) -> None:
        """Give everything back that still is leased."""
        for name in tuple(self._given):
            self.give_back(Lease(id=name))
        self._locker.close()

    def busy(self) -> str:
        """See `Gpus.busy`; also which GPUs nobody gets, and why."""
        own = {device.id for given in tuple(self._given.values()) for device in given.devices}
        with self._guard:
            foreign = [device for device in self._offer.ours if device.id not in own]
            held = [
                f"{device.label} by {'the lease that this runs within' if device.id in self._outer else who}"
                for device, who in self._locker.holders(foreign)
            ]
        told = held + [one.shown for one in self._ward.quarantined(self._offer.ours)]
        told += [f"{device.label} is not there any more" for device in self._offer.ours if device.is_gone]
        told += [self._offer.problem] if self._offer.problem else []
        more = len(told) - _MAX_TOLD
        return "; ".join(told[:_MAX_TOLD] + ([f"and {more} more"] if more > 0 else []))

    def incidents(self, lease: Lease) -> tuple[Incident, ...]:
        """See `Gpus.incidents`."""
        given = self._given.get(lease.id)
        if given is None:
            return ()
        found = self._aftermath.since(given.before, alone=lambda what: self._alone(lease, what))
        for incident in found:
            if incident.source == OURS and incident.is_note:
                self._record(lease, incident)
        if self._aftermath.problem:
            self._say(self._aftermath.problem)
        return found

    def kernel_log(self, lease: Lease) -> str:
        """See `Gpus.kernel_log`; empty also when the log cannot be read."""
        given = self._given.get(lease.id)
        return self._aftermath.excerpt(given.before) if given else ""

    def blame(self, lease: Lease, incident: Incident) -> str:
        """See `Gpus.blame`. Only what a GPU itself did is held against it; the lease may be over."""
        device = self._device(lease, incident)
        if device is None or not incident.is_gpu or incident.is_note:
            return ""
        self._warn(self._ward.write(self._entry(lease, device, incident)))
        found = [one.shown for one in self._ward.quarantined((device,))]
        for text in found:
            self._warn(text)
        return found[0] if found else ""

    def _record(self, lease: Lease, incident: Incident) -> None:
        """What we did to a GPU, or why not, is kept, too, and held against nobody. Once for each lease."""
        device = self._device(lease, incident)
        if device is not None and (lease.id, incident.text) not in self._recorded:
            self._recorded.add((lease.id, incident.text))
            self._warn(self._ward.write(replace(self._entry(lease, device, incident), note=True)))

    def _device(self, lease: Lease, incident: Incident) -> Device | None:
        leased = (device for device in self._offer.counted if device.id in lease.devices)
        return next((one for one in leased if one.label == incident.gpu), None)

    def _entry(self, lease: Lease, device: Device, incident: Incident) -> Entry:
        return Entry(
            time=self._clock.now(),
            gpu=device.id,
            label=device.label,
            kind=incident.kind.value,
            run=self._owner,
            step=lease.id.rpartition("-")[0],
            text=incident.text,
        )

    def _new(self, devices: tuple[Device, ...], hold: Hold | None, step: str) -> Lease:
        chosen: dict[str, str] = {}
        if self._offer.counted:
            chosen = visible.variables(self._ordinals(devices), self._environment)
        lease = Lease(
            id=f"{step}-{next(self._numbers)}",
            devices=tuple(device.id for device in devices),
            labels=tuple(device.label for device in devices),
            # With these a suite can assert by itself that it got what was leased.
            environment={
                **chosen,
                "ROCM_CI_GPUS": str(len(devices)),
                "ROCM_CI_GPU_IDS": ",".join(device.id for device in devices),
            },
        )
        before = self._aftermath.look([device.watched for device in devices])
        with self._guard:
            self._given[lease.id] = _Given(devices=devices, hold=hold, before=before)
        return lease

    def _note(self, step: str) -> Note:
        return holder_note.ours(self._owner, step, self._clock.now(), self._host)

    def _taken(
        self, leasable: tuple[Device, ...], count: int, avoid: frozenset[str], *, whole_card: bool
    ) -> Hold | None:
        """The best of what is free now, locked."""
        cards = sum(1 for device in leasable if not device.is_integrated)
        wanted = [device for device in leasable if device.id not in avoid]
        hold = self._locker.take(wanted, lambda free: choose(free, count, cards=cards), whole_card=whole_card)
        for problem in self._locker.problems():
            self._warn(problem)
        return hold

    def _leasable(self) -> tuple[Device, ...]:
        """Of ours those that are still there and not in quarantine. Says once of each why it is not."""
        here = []
        for device in self._offer.ours:
            if device.is_gone:
                self._warn(f"{device.label} is not there any more and is not leased")
            else:
                here.append(device)
        kept_out = {one.gpu: one for one in self._ward.quarantined(here)}
        for one in kept_out.values():
            self._warn(one.shown)
        return tuple(device for device in here if device.id not in kept_out)

    def _ordinals(self, devices: tuple[Device, ...]) -> list[int]:
        """As the runtime counts today: a GPU that its driver let go is not counted any more."""
        counted = self._offer.counted
        if devices and any(device.is_gone for device in counted):
            alive = vram.kfd_ids(self._host)
            if alive:
                counted = tuple(d for d in counted if d.gpu.kfd_id is None or d.gpu.kfd_id in alive)
        return [counted.index(device) for device in devices]

    def _alone(self, lease: Lease, what: str) -> AbstractContextManager[str]:
        others = [device for device in self._offer.counted if device.id not in lease.devices]
        return alone(self._locker, others, self._note(what))

    def _lack(self, count: int, there: int) -> str:
        if self._offer.problem:
            return self._offer.problem
        reasons = [one.shown for one in self._ward.quarantined(self._offer.ours)]
        reasons += [f"{d.label} is not there any more" for d in self._offer.ours if d.is_gone]
        why = f": {'; '.join(reasons[:_MAX_TOLD])}" if reasons else ""
        return f"{count} GPU(s) are asked for, and {there} can be leased on this host{why}"

    def _hint(self) -> str:
        if self._offer.problem:
            return self._offer.hint
        if self._ward.quarantined(self._offer.ours):
            return "look at `rocm-ci ledger`; repair or release what is in quarantine"
        return "ask for fewer GPUs, or take another runner"

    def _warn(self, text: str) -> None:
        if text and text not in self._told and self._log is not None:
            self._told.add(text)
            self._log.warning(text)

    def _say(self, text: str) -> None:
        if text not in self._told and self._log is not None:
            self._told.add(text)
            self._log.info(text)
