"""The runs of one suite: on which GPUs, one after the other, and everything that was seen on the way."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from msgspec.structs import replace

from rocm_ci.config.options import seconds
from rocm_ci.errors import MachineError
from rocm_ci.log import printable
from rocm_ci.model.incident import Incident, Try
from rocm_ci.runners import attempt, judge, keeping, outcome, stuck

if TYPE_CHECKING:
    from collections.abc import Collection

    from rocm_ci.context import Context, Lease
    from rocm_ci.runners.attempt import Attempt, Order
    from rocm_ci.runners.base import Listed
    from rocm_ci.runners.blame import Sighting
    from rocm_ci.runners.outcome import Key, Outcome
    from rocm_ci.tools.process import Streamed

_LOOK_S = 0.5


class Course:
    """Runs attempts with one lease, then perhaps with another, and writes down what was seen of each test.

    `sightings` are by test, in the order of their first appearance; `incidents` each with its lease.
    """

    def __init__(self, ctx: Context, order: Order, lease: Lease) -> None:
        self.ctx = ctx
        self.order = order
        self.lease: Lease | None = lease
        self.sightings: dict[Key, list[Sighting]] = {}
        self.incidents: list[tuple[Lease, Incident]] = []
        self.tries: list[Try] = []
        self.kept: list[str] = []
        self.notes: list[str] = []
        self.first_red: Streamed | None = None
        self._given = lease
        self._avoid = set(lease.devices)
        self._began = ctx.clock.monotonic()
        # Before anything is blamed: a GPU in quarantine no longer counts.
        self._total = ctx.gpus.total

    def once(
        self, only: tuple[Listed, ...], why: str, *, within_s: float | None = None, is_repeat: bool = False
    ) -> Outcome | None:
        """One run; None when the runner cannot choose these tests, or there is no GPU to run on.

        Of a repetition only what it was asked for counts: some tools then run more than that.
        """
        if self.lease is None:
            return None
        number = len(self.tries)
        order = self.order if within_s is None else _within(self.order, within_s)
        done = attempt.run(self.ctx, order, self.lease, number, only)
        if done is None:
            return None
        incidents = () if self.stopped() else self._incidents(done, self.lease)
        earlier = tuple(incident for lease, incident in self.incidents if lease is self.lease)
        seen = outcome.understood(done, self.order, self.lease, incidents, earlier=earlier)
        self.incidents += [(self.lease, incident) for incident in incidents]
        self._note(seen.sightings(is_alone=is_repeat and len(only) == 1), only if is_repeat else None)
        if self.first_red is None and seen.is_red:
            self.first_red = done.streamed
        if done.strays:
            places = judge.named(printable(place).replace("\n", " ") for place in done.strays)
            self.notes.append(f"its JUnit XML was found in {places}, where nobody had asked for it")
        if done.foreign:
            places = judge.named(printable(place).replace("\n", " ") for place in done.foreign)
            self.notes.append(
                f"JUnit XML lies in {places}, but other suites ran meanwhile and it may be theirs:"
                " let this one write to {junit}, or set `alone: true`"
            )
        self._told(seen, why, len(only) or None)
        return seen

    def _incidents(self, done: Attempt, lease: Lease) -> tuple[Incident, ...]:
        # First: while memory drains, what waits in the kernel may come to its end.
        stuck_ones = stuck.incidents(done.streamed.stuck, lease)
        return (*self.ctx.gpus.incidents(lease), *stuck_ones)

    def _note(self, seen: dict[Key, Sighting], asked: tuple[Listed, ...] | None) -> None:
        if asked is None:
            for key, sighting in seen.items():
                self.sightings.setdefault(key, []).append(sighting)
            return
        wanted = {one.id for one in asked}
        for key in dict.fromkeys([*self.sightings, *seen]):
            # A test that failed twice over, in itself and in its teardown, may pass but once.
            now = seen.get(key) or seen.get((key[0], 0))
            if key[0] in wanted and now is not None and (key in self.sightings or now.is_bad):
                self.sightings.setdefault(key, []).append(now)

    def stopped(self) -> str:
        """Why everything is to end; empty when it is not."""
        return self.ctx.stop()

    @property
    def spent_s(self) -> float:
        """Since the suite began."""
        return self.ctx.clock.monotonic() - self._began

    @property
    def labels(self) -> tuple[str, ...]:
        """The GPUs that it has now."""
        return self.lease.labels if self.lease else ()

    @property
    def is_elsewhere_possible(self) -> bool:
        """Whether this host has enough other GPUs at all, be they free or not."""
        count = len(self._given.devices)
        return count > 0 and self._total - len(self._avoid) >= count

    def elsewhere(self, *, is_worth_waiting: bool) -> bool:
        """Move to other GPUs, or answer False and stay with what there is, which may be none any more.

        Ours are given back before it waits, so that two suites never wait for each other.
        """
        if not self.is_elsewhere_possible:
            return False
        other = self._leased(self._avoid)
        if other is None and is_worth_waiting:
            self.give_back()
            other = self._awaited(self._avoid)
        if other is not None:
            self.give_back()
            self.lease = other
            self._avoid |= set(other.devices)
            return True
        if self.lease is None and not self.stopped():
            self.notes.append(f"no other GPU came free within {self.order.lease_wait_s:.0f} s")
            self.lease = self._awaited(())
        return False

    def _awaited(self, avoid: Collection[str]) -> Lease | None:
        """As many GPUs as before, waited for no longer than any suite waits for its own."""
        until = self.ctx.clock.monotonic() + self.order.lease_wait_s
        lease = self._leased(avoid)
        while lease is None and not self.stopped() and self.ctx.clock.monotonic() < until:
            self.ctx.clock.sleep(_LOOK_S)
            lease = self._leased(avoid)
        return lease

    def _leased(self, avoid: Collection[str]) -> Lease | None:
        """What is free now; a GPU that turns out not to be usable is none, and is told."""
        try:
            return self.ctx.gpus.lease(
                len(self._given.devices), step=self.order.options.name, avoid=frozenset(avoid)
            )
        except MachineError as error:
            if str(error) not in self.notes:
                self.notes.append(str(error))
            return None

    def give_back(self) -> None:
        """End the lease that it has now."""
        if self.lease is not None:
            self.ctx.gpus.give_back(self.lease)
            self.lease = None

    def close(self) -> None:
        """Give back what it took itself; what it was handed is its caller's."""
        if self.lease is not self._given:
            self.give_back()

    def _told(self, seen: Outcome, why: str, tests: int | None) -> None:
        streamed = seen.attempt.streamed
        kept = [keeping.inside(core, self.ctx.out) for core in streamed.cores]
        if seen.is_red or seen.incidents:
            kept.append(keeping.kernel_log(self.ctx, seen.lease, streamed.log))
        self.kept += [path for path in kept if path][: max(keeping.MAX_KEPT - len(self.kept), 0)]
        self.tries.append(
            Try(
                number=len(self.tries),
                why=why,
                duration_s=streamed.duration_s,
                exit_code=streamed.exit_code,
                tests=tests,
                gpus=seen.lease.labels,
                log=keeping.inside(streamed.log, self.ctx.out),
                outcome=seen.told,
            )
        )


def _within(order: Order, within_s: float) -> Order:
    """The same with less time."""
    left_s = min(within_s, seconds(order.options.timeout))
    return dataclasses.replace(order, options=replace(order.options, timeout=f"{max(left_s, 0.1):.1f}s"))
