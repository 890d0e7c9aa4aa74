"""Whose fault was it? What was seen of a failure, on which GPU, next to what → who is to blame. Pure.

A failure counts against the change as soon as it was seen where the machine did nothing wrong.

| seen                                 | seen again, alone or on another GPU | it is  | blamed  |
|--------------------------------------|-------------------------------------|--------|---------|
| failed, no trouble                   | not repeated                        | FAIL   | change  |
| failed, no trouble                   | failed, with trouble or without     | FAIL   | change  |
| failed, no trouble, or a suspicion   | passed                              | flaky  | nobody  |
| failed, proven trouble               | passed                              | passed | machine |
| failed, proven trouble               | failed, no trouble                  | FAIL   | change  |
| failed, proven trouble               | not repeated: no other GPU          | ERROR  | machine |
| failed, proven trouble of a GPU      | the same on another GPU             | FAIL   | change  |
| failed, proven hardware error (ECC)  | the same on another GPU             | ERROR  | machine |
| failed, proven trouble of the host   | the same again                      | ERROR  | machine |
| killed for memory                    | killed for memory again, alone      | FAIL   | change  |
| failed, its output speaks of trouble | passed                              | flaky  | nobody  |
| failed, its output speaks of trouble | not repeated, or on the same GPU    | ERROR  | open    |
| failed, its output speaks of a GPU   | again on another GPU                | FAIL   | change  |

Trouble is *proven* by the kernel, the driver or the lease. What a suite prints can be forged by the change:
it never makes anything green, and never counts against a GPU. What may be either's fault is a *suspicion*.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.model.case import Case, CaseStatus, Ending
from rocm_ci.model.incident import Incident, IncidentKind
from rocm_ci.runners.endings import ABRUPT, BAD

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rocm_ci.runners.signs import Meaning, Sign

Kind = IncidentKind
DEVICE = frozenset({Kind.GPU_HANG, Kind.GPU_RESET, Kind.GPU_LOST, Kind.NO_GPU, Kind.ECC, Kind.DRIVER})
_LEFT = frozenset({Kind.VRAM_LEFT, Kind.CONTEXT_LEFT})
_WAITED = (Ending.TIMEOUT, Ending.SILENCE)


class Weight(enum.Enum):
    """How much is known of a trouble; see the module."""

    SUSPECTED = 1
    SAID = 2
    PROVEN = 3


class Who(enum.Enum):
    """Who is to blame. OPEN: it cannot be decided here."""

    NOBODY = "nobody"
    CHANGE = "change"
    MACHINE = "machine"
    OPEN = "open"


@dataclass(frozen=True, kw_only=True)
class Cause:
    """A trouble that may explain a failure. `is_gpu`: another GPU may do better. `words`: `the GPU hung`."""

    kind: IncidentKind | None
    weight: Weight
    words: str
    source: str
    text: str
    is_gpu: bool = False
    incident: Incident | None = None


@dataclass(frozen=True, kw_only=True)
class Failure:
    """A bad test of one run: how it ended, whether it reads like a GPU's error, what signs it printed."""

    id: str
    ending: Ending
    is_symptom: bool = False
    is_killed: bool = False
    signs: tuple[Sign, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Sighting:
    """One test as one run saw it: on which devices, with what trouble beside it, and whether alone.

    `never_ran`: it had no turn, because of the tests before it.
    """

    case: Case
    devices: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    cause: Cause | None = None
    is_alone: bool = False
    never_ran: bool = False

    @property
    def is_bad(self) -> bool:
        """Whether it failed here."""
        return self.case.status in BAD

    @property
    def is_clean(self) -> bool:
        """Whether nothing but a suspicion speaks for the machine."""
        return self.cause is None or self.cause.weight is Weight.SUSPECTED


@dataclass(frozen=True, kw_only=True)
class Decision:
    """What a test is worth in the end, why it was bad, and who is to blame."""

    status: CaseStatus
    ending: Ending | None
    who: Who


def attributed(
    failures: Sequence[Failure], incidents: Sequence[Incident], earlier: Sequence[Incident] = ()
) -> dict[str, Cause]:
    """Which trouble explains which failure of one run. What was proven outweighs what was printed.

    `earlier` is what the same GPUs did in the runs before.
    """
    causes: dict[str, Cause] = {}
    done: set[Kind] = set()
    for incident in incidents:
        # One event speaks through several messages: its other failures are those of another one.
        if incident.is_note or event(incident.kind) in done:
            continue
        found = _fitting(incident, [f for f in failures if f.id not in causes], is_sole=not causes)
        causes |= {failure.id: proven(incident) for failure in found}
        if found and incident.kind in DEVICE:
            done.add(event(incident.kind))
    for incident in earlier:
        # A GPU that was in trouble may be so still; but only what looks like it is laid at its door.
        if incident.is_gpu and not incident.is_note and incident.kind in DEVICE:
            for failure in failures:
                if failure.is_symptom or failure.ending in _WAITED:
                    causes.setdefault(failure.id, proven(incident))
    for failure in failures:
        known = next((s for s in failure.signs if s.meaning.kind), None)
        sign = known or next((s for s in failure.signs if s.meaning.is_doubtful), None)
        if sign is not None and failure.id not in causes:
            causes[failure.id] = said(sign)
    return causes


def event(kind: Kind) -> Kind:
    """What happened; a hang and the reset that ends it are one."""
    return Kind.GPU_HANG if kind is Kind.GPU_RESET else kind


def proven(incident: Incident) -> Cause:
    """The cause that an incident is. One that a faulty kernel may have brought about is a suspicion."""
    is_device = incident.kind in DEVICE and (incident.gpu is not None or incident.is_gpu)
    is_suspected = is_device and not incident.is_gpu
    return Cause(
        kind=incident.kind,
        weight=Weight.SUSPECTED if is_suspected else Weight.PROVEN,
        words="",
        source=incident.source,
        text=incident.text,
        is_gpu=is_device or incident.kind in (*_LEFT, Kind.STUCK_PROCESS, Kind.ALLOCATION),
        incident=incident,
    )


def said(sign: Sign) -> Cause:
    """The cause that a line of output speaks of."""
    return Cause(
        kind=sign.meaning.kind,
        weight=Weight.SAID if sign.meaning.kind else Weight.SUSPECTED,
        words=sign.meaning.text,
        source=sign.source,
        text=sign.text,
        is_gpu=sign.meaning.device or sign.meaning.kind is None,
    )


def _fitting(incident: Incident, failures: Sequence[Failure], *, is_sole: bool) -> Sequence[Failure]:
    """The failures that an incident explains; of several, those that look like it.

    `is_sole`: no other incident explains any, so that it may be one that looks like nothing.
    """
    kind = incident.kind
    if kind is Kind.OUT_OF_MEMORY:
        return [f for f in failures if f.ending is Ending.MEMORY or f.is_killed]
    if kind in _LEFT:
        # What a step leaves behind explains nothing of itself; what was there before it does.
        if incident.is_gpu:
            return []
        return [f for f in failures if any(kind in sign.meaning.explained_by for sign in f.signs)]
    if kind is Kind.STUCK_PROCESS:
        return [f for f in failures if f.ending in ABRUPT]
    if kind not in DEVICE and kind is not Kind.ALLOCATION:
        return [f for f in failures if any(sign.meaning.kind is kind for sign in f.signs)]
    tiers: tuple[Callable[[Failure], bool], ...] = (
        lambda f: any(_speaks_of(kind, sign.meaning) for sign in f.signs),
        lambda f: f.is_symptom,
        lambda f: f.ending in ABRUPT,
        lambda _: is_sole,
    )
    return next((found for fits in tiers if (found := [f for f in failures if fits(f)])), [])


def _speaks_of(kind: Kind, meaning: Meaning) -> bool:
    said = Kind.GPU_LOST if meaning.kind is Kind.NO_GPU else meaning.kind
    return kind in meaning.explained_by or (said is not None and event(said) is event(kind))


def decide(sightings: Sequence[Sighting]) -> Decision:
    """The row of the table that fits what was seen, in the order in which it was seen."""
    bad = [s for s in sightings if s.is_bad]
    if not bad:
        last = sightings[-1].case
        return Decision(status=last.status, ending=last.ending, who=Who.NOBODY)
    # To be skipped when it is repeated is no pass.
    passed = [s.case.status for s in sightings if s.case.status in (CaseStatus.PASSED, CaseStatus.FLAKY)]
    if passed:
        if CaseStatus.FLAKY not in passed and all(s.cause and s.cause.weight is Weight.PROVEN for s in bad):
            return Decision(status=CaseStatus.PASSED, ending=Ending.MACHINE, who=Who.MACHINE)
        return Decision(status=CaseStatus.FLAKY, ending=shown(bad).case.ending, who=Who.NOBODY)
    last = bad[-1].case
    if any(s.is_clean for s in bad):
        case = shown(bad).case
        return Decision(status=case.status, ending=case.ending, who=Who.CHANGE)
    if _followed(bad):
        return Decision(status=last.status, ending=last.ending, who=Who.CHANGE)
    is_proven = any(s.cause and s.cause.weight is Weight.PROVEN for s in bad)
    return Decision(status=last.status, ending=Ending.MACHINE, who=Who.MACHINE if is_proven else Who.OPEN)


def shown(bad: Sequence[Sighting]) -> Sighting:
    """The failure that there is to look at: one that no machine explains, and which is its own.

    A test that shares its process may be ended by what another one did; how it fails alone is its own.
    """
    clean = [s for s in bad if s.is_clean] or bad
    own = next((s for s in reversed(clean) if s.is_alone), clean[0])
    return next(s for s in clean if s.case.ending is own.case.ending)


def _followed(bad: Sequence[Sighting]) -> bool:
    """Whether the trouble went with the test, which then brought it."""
    if len(bad) < 2:
        return False
    causes = [s.cause for s in bad if s.cause is not None]
    if all(c.kind is Kind.OUT_OF_MEMORY for c in causes):
        return bad[-1].is_alone
    if all(c.kind is Kind.ECC and c.weight is Weight.PROVEN for c in causes):
        return False
    if not all(c.is_gpu for c in causes):
        return False
    first = set(bad[0].devices)
    return any(s.devices and not first & set(s.devices) for s in bad[1:])
