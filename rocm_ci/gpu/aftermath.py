"""What the machine did while a step had its GPUs: looked at before, and again after."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rocm_ci.gpu import drain, holders, vram
from rocm_ci.gpu.kernel_incidents import Reading
from rocm_ci.gpu.kernel_log import KernelLog
from rocm_ci.gpu.kernel_privacy import shareable
from rocm_ci.gpu.reset import Resetter
from rocm_ci.gpu.watched import SLACK_BYTES, Limits
from rocm_ci.model.incident import Incident, IncidentKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rocm_ci.context import Clock
    from rocm_ci.gpu.drain import Left
    from rocm_ci.gpu.kernel_log import Line, Tail
    from rocm_ci.gpu.reset import Hold
    from rocm_ci.gpu.vram import State
    from rocm_ci.gpu.watched import Watched
    from rocm_ci.tools.process import Runner

MAX_KEPT = 2_000
MAX_EXCERPT = 200_000


@contextmanager
def _nobody_knows(_: str) -> Iterator[str]:
    yield "whether another GPU of this host is in use is not known"


@dataclass(kw_only=True)
class Before:
    """The machine when a lease began, and what the kernel has said since. Close it at the lease's end."""

    devices: tuple[Watched, ...]
    states: dict[str, State]
    contexts: frozenset[int]
    tail: Tail | None
    reading: Reading
    lines: list[Line] = field(default_factory=list)
    is_told: bool = False

    def close(self) -> None:
        """Let go of the kernel log. Twice is no fault."""
        if self.tail is not None:
            self.tail.close()


class Aftermath:
    """Looks after the leases of one host. Thread-safe; no method raises or waits without bound."""

    def __init__(
        self, *, run: Runner, clock: Clock, host: Path = Path("/"), environment: Mapping[str, str]
    ) -> None:
        self._run = run
        self._clock = clock
        self._host = host
        self._environment = environment
        self._limits = Limits.of(environment)
        self._log = KernelLog(run, environment, host)

    @property
    def problem(self) -> str:
        """Why the kernel log cannot be read; empty when it can, or nobody looked yet."""
        return self._log.problem

    def look(self, devices: Sequence[Watched]) -> Before:
        """The machine now. A few small files per device."""
        states = {device.id: vram.state(device, self._host) for device in devices}
        return Before(
            devices=tuple(devices),
            states=states,
            contexts=frozenset(c.pid for c in holders.contexts(self._host)) if devices else frozenset(),
            tail=self._log.tail(),
            reading=Reading(
                devices=tuple(devices),
                ancestors={name: state.ancestors for name, state in states.items()},
                cards=vram.cards(self._host) if devices else 0,
            ),
        )

    def since(self, before: Before, *, alone: Hold = _nobody_knows) -> tuple[Incident, ...]:
        """What happened since then, or since this was asked last; worst first.

        `alone` holds all other GPUs of the host for the time of a reset.
        """
        found = self._read(before)
        found += [i for device in before.devices for i in self._device(device, before)]
        before.is_told = True
        if before.devices:
            late, rest = drain.drained(
                [d for d in before.devices if vram.state(d, self._host).present],
                before.states,
                before.contexts,
                self._host,
                clock=self._clock,
                within_s=self._limits.drain_s,
            )
            found += late
            # While memory drained, the driver may have told why it took so long.
            found += self._read(before)
            if self._limits.may_reset:
                found += self._resets(before, found, rest, alone)
        return tuple(sorted(_distinct(found), key=lambda i: (i.is_note, not i.is_gpu)))

    def excerpt(self, before: Before) -> str:
        """The kernel's messages since the lease began; may be empty.

        Those of foreign GPUs are left out, and what tells who uses this machine or which one it is.
        """
        concerned = (line for line in before.lines if before.reading.concerns(line))
        own = [replace(line, text=text).shown for line in concerned if (text := shareable(line.text))]
        if not own:
            return ""
        text = "\n".join(own[:MAX_KEPT]) + "\n"
        more = len(own) - MAX_KEPT
        text += f"[{more} more lines left out]\n" if more > 0 else ""
        return text if len(text) <= MAX_EXCERPT else text[:MAX_EXCERPT] + "\n[cut here]\n"

    def _read(self, before: Before) -> list[Incident]:
        """New messages of the kernel as incidents, one for each kind of trouble and GPU."""
        if before.tail is None:
            return []
        lines = before.tail.read()
        before.lines += lines[: max(2 * MAX_KEPT - len(before.lines), 0)]
        return before.reading.incidents(lines)

    def _device(self, device: Watched, before: Before) -> list[Incident]:
        """What the files of a device say: gone, silent, more errors than before."""
        then, now = before.states[device.id], vram.state(device, self._host)
        gone = sorted(then.present - now.present)
        if gone:
            what = "is not there any more" if not now.present else "is only half there any more"
            where = ", ".join(place if place.startswith("kfd") else f"/{place}" for place in gone)
            text = f"{device.label} {what}: {where} went away during the step"
            return [_fault(IncidentKind.GPU_LOST, text, device, f"/{gone[0]}")]
        found = []
        if then.answers and now.answers is False:
            text = f"{device.label} does not answer on the bus any more"
            found.append(_fault(IncidentKind.GPU_LOST, text, device, "/sys"))
        for name, count in sorted(now.errors.items()):
            more = count - then.errors.get(name, count)
            if more > 0:
                is_memory = name.startswith("ECC")
                kind = IncidentKind.ECC if is_memory else IncidentKind.DRIVER
                text = f"{device.label}: {more} uncorrectable error(s) more than before the step ({name})"
                found.append(_fault(kind, text, device, "/sys"))
        before.states[device.id] = replace(then, errors=now.errors)
        return found if before.is_told else [*found, *self._taken_before(device, then)]

    def _taken_before(self, device: Watched, then: State) -> list[Incident]:
        """Memory that was gone before the step began: it explains why a test got none."""
        used, total = then.used_bytes, then.total_bytes
        if device.is_partition or not used or not total or used < max(total // 10, 4 * SLACK_BYTES):
            return []
        text = (
            f"{device.label}: {drain.size(used)} of {drain.size(total)} of its memory were taken"
            " before the step began"
        )
        return [
            Incident(
                kind=IncidentKind.VRAM_LEFT,
                text=text,
                source="/sys",
                gpu=device.label,
                is_note=used * 2 < total,
            )
        ]

    def _resets(
        self, before: Before, found: Sequence[Incident], rest: Sequence[Left], alone: Hold
    ) -> list[Incident]:
        """A reset of each device that kept something, or hung and was not brought back by the driver."""
        kept = {one.device.id for one in rest}
        back = {i.gpu for i in found if i.is_note and i.kind is IncidentKind.GPU_RESET}
        hung = {i.gpu for i in found if i.is_gpu and not i.is_note and i.kind in _CURED} - back
        resetter = Resetter(run=self._run, environment=self._environment, host=self._host, alone=alone)
        done = []
        for device in before.devices:
            if device.id not in kept and device.label not in hung:
                continue

            def works(one: Watched = device) -> bool:
                return not drain.left([one], before.states, before.contexts, self._host)

            done.append(resetter.reset(device, works=works))
            if before.tail is not None:  # what the driver says of our own reset is no trouble
                before.lines += before.tail.read()[:MAX_KEPT]
        return done


_CURED = (IncidentKind.GPU_HANG, IncidentKind.CONTEXT_LEFT, IncidentKind.VRAM_LEFT)


def _fault(kind: IncidentKind, text: str, device: Watched, source: str) -> Incident:
    return Incident(kind=kind, text=text, source=source, gpu=device.label, is_gpu=True)


def _distinct(found: Iterable[Incident]) -> list[Incident]:
    """One of each kind and GPU from each source: the first, which is the most telling."""
    first: dict[tuple[IncidentKind, str | None, bool, str], Incident] = {}
    for incident in found:
        first.setdefault((incident.kind, incident.gpu, incident.is_note, incident.source), incident)
    return list(first.values())
