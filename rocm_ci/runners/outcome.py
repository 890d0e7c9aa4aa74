"""One run of a suite's command, understood: its cases, how they ended, and what trouble lay beside them."""

from __future__ import annotations

import dataclasses
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from msgspec.structs import replace

from rocm_ci.model.case import Case, CaseStatus, Ending
from rocm_ci.model.incident import IncidentKind
from rocm_ci.runners import blame, endings, judge, own_words, signs
from rocm_ci.runners.base import Listed
from rocm_ci.runners.blame import Sighting, Weight
from rocm_ci.runners.endings import BAD
from rocm_ci.runners.missing import missing_program
from rocm_ci.tools.process import Stop

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rocm_ci.context import Lease
    from rocm_ci.model.incident import Incident
    from rocm_ci.runners.attempt import Attempt, Order
    from rocm_ci.runners.blame import Cause
    from rocm_ci.runners.endings import End
    from rocm_ci.runners.live import Seen
    from rocm_ci.runners.signs import Scanned
    from rocm_ci.tools.process import Streamed

# Without a line of its own a test that took the process along is looked for at the end of the log.
_END_LINES = 200


# A test's id, and which of those that share it.
Key: TypeAlias = tuple[str, int]


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """`causes` explain bad tests, `whole` what is wrong besides them. `rest` are tests that it owes.

    `pinned` are the tests that were running when it ended before its time, `wanting` those that failed
    for want of a GPU that the suite did not ask for (an empty id: the command).
    """

    attempt: Attempt
    lease: Lease
    cases: tuple[Case, ...]
    pinned: tuple[str, ...]
    end: End
    faults: tuple[judge.Fault, ...]
    incidents: tuple[Incident, ...] = ()
    causes: Mapping[str, Cause] = field(default_factory=dict)
    whole: Cause | None = None
    rest: tuple[Listed, ...] = ()
    wanting: tuple[str, ...] = ()

    @property
    def told(self) -> str:
        """What came of it, in a few words."""
        counts = judge.counted(self.cases)
        reasons = [fault.reason for fault in self.faults]
        if self.pinned:
            reasons.append(f"{self.end.ending.value}: {judge.named(self.pinned)}")
        return "; ".join(part for part in (counts, *reasons) if part)

    @property
    def is_asked(self) -> bool:
        """Whether it was stopped because the whole run is to end."""
        return self.attempt.streamed.stopped is Stop.ASKED

    @property
    def is_out_of_time(self) -> bool:
        """Whether the suite's own time was up."""
        return self.attempt.streamed.timed_out and self.attempt.overdue is None

    @property
    def is_lossy(self) -> bool:
        """Whether tests may be left of which nobody knows: it broke off, and had no list of them."""
        return bool(self.pinned) and self.attempt.unrun is None

    @property
    def is_excused(self) -> bool:
        """Whether trouble, at least what was printed of it, explains what is wrong besides the tests."""
        return bool(self.faults) and self.whole is not None and self.whole.weight is not Weight.SUSPECTED

    @property
    def is_red(self) -> bool:
        """Whether anything is wrong."""
        return bool(self.faults) or any(case.status in BAD for case in self.cases)

    def sightings(self, *, is_alone: bool) -> dict[Key, Sighting]:
        """What it saw of each test, also of those that share an id."""
        seen: dict[Key, Sighting] = {}
        count: Counter[str] = Counter()
        for case in self.cases:
            seen[case.id, count[case.id]] = Sighting(
                case=case,
                devices=self.lease.devices,
                labels=self.lease.labels,
                cause=self.causes.get(case.id),
                is_alone=is_alone,
            )
            count[case.id] += 1
        return seen


def understood(
    attempt: Attempt,
    order: Order,
    lease: Lease,
    incidents: tuple[Incident, ...],
    *,
    earlier: tuple[Incident, ...] = (),
) -> Outcome:
    """Read the log when something is wrong, and hold everything against each other.

    `earlier` is what this lease's GPUs did in the runs before.
    """
    streamed = attempt.streamed
    end = endings.of_process(streamed, order.options, is_overdue=attempt.overdue is not None)
    broken = _broke_off(attempt)
    culprits = _culprits(attempt) if broken else ()
    evidence = judge.Evidence(
        exit_code=streamed.exit_code,
        timed_out=streamed.timed_out and attempt.overdue is None,
        timeout=order.options.timeout,
        reading=attempt.reading,
        watch=attempt.watch,
        expects_report=attempt.expects_report,
        missing=missing_program(streamed.tail) if streamed.exit_code in (126, 127) else None,
        out_of_memory=streamed.out_of_memory,
        silent=(order.options.no_output or "") if streamed.stopped is Stop.SILENCE else "",
        pinned=bool(culprits),
        lossy=bool(culprits) and attempt.unrun is None,
    )
    cases = _cases(attempt, order, end, culprits, bystanders=_bystanders(attempt, culprits))
    found = () if streamed.stopped is Stop.ASKED else judge.faults(evidence, cases)
    bad = [case for case in cases if case.status in BAD]
    scanned = signs.in_log(streamed.log) if bad or found else signs.Scanned()
    if streamed.met_full_disk:
        scanned = signs.no_space(scanned)
    failures = [_failure(case, attempt.watch.seen.get(case.id), scanned, culprits) for case in bad]
    wanting: tuple[str, ...] = ()
    if not lease.devices:
        # Who asked for no GPU and misses one found no fault of the machine.
        wanting = tuple(f.id for f in failures if any(map(_wants, f.signs)))
        if found and not bad and any(map(_wants, scanned.signs)):
            wanting = ("",)
        failures = [
            dataclasses.replace(f, signs=tuple(s for s in f.signs if not _wants(s))) for f in failures
        ]
        scanned = dataclasses.replace(scanned, signs=tuple(s for s in scanned.signs if not _wants(s)))
    return Outcome(
        attempt=attempt,
        lease=lease,
        # Only now: what others printed beside it must not speak for it.
        cases=own_words.quoted(cases, attempt.watch.seen, culprits, streamed.tail, scanned.lines),
        pinned=tuple(culprits),
        end=end,
        faults=found,
        incidents=incidents,
        causes=blame.attributed(failures, incidents, earlier),
        whole=_whole(streamed, end, incidents, scanned, is_broken=broken) if found else None,
        rest=_rest(attempt, culprits) if broken else (),
        wanting=wanting,
    )


def _wants(sign: signs.Sign) -> bool:
    return sign.meaning.kind is IncidentKind.NO_GPU


def _broke_off(attempt: Attempt) -> bool:
    """Whether it ended before its time. A tool that stops at the first failure leaves tests out by intent."""
    streamed = attempt.streamed
    return bool(
        streamed.stopped or streamed.timed_out or endings.signal_name(streamed.exit_code) or attempt.running
    )


def _culprits(attempt: Attempt) -> tuple[str, ...]:
    """The tests that may have ended the process: the one that overran, else all that were running."""
    if attempt.overdue is not None:
        return (attempt.overdue.id,)
    return tuple(seen.id for seen in attempt.running)


def _bystanders(attempt: Attempt, culprits: tuple[str, ...]) -> frozenset[str]:
    return frozenset(seen.id for seen in attempt.running) - frozenset(culprits)


def _rest(attempt: Attempt, culprits: tuple[str, ...]) -> tuple[Listed, ...]:
    """What never began, and what was ended only because another test had to be."""
    aside = [
        Listed(id=seen.id, name=seen.name, native=seen.native)
        for seen in attempt.running
        if seen.id not in culprits
    ]
    unrun = attempt.unrun or ()
    known = {one.id for one in unrun}
    return (*(one for one in aside if one.id not in known), *unrun)


def _cases(
    attempt: Attempt, order: Order, end: End, culprits: tuple[str, ...], *, bystanders: frozenset[str]
) -> tuple[Case, ...]:
    """The report's cases; what only the output knows is added when the report is not the whole story."""
    reading, watch = attempt.reading, attempt.watch
    reported = _told(reading.cases, watch.seen) if reading else ()
    complete = reading is not None and reading.readable and not reading.truncated
    if not complete or attempt.running or _broke_off(attempt):
        known = {case.id for case in reported}
        live = watch.cases(order.options.name, unfinished=end.words)
        reported = (*reported, *(case for case in live if case.id not in known))
    owed = bystanders | ({one.id for one in attempt.unrun or ()} if _broke_off(attempt) else set())
    known = {case.id for case in reported}
    missing = tuple(
        Case(id=seen.id, suite=order.options.name, name=seen.name, status=CaseStatus.ERRORED)
        for seen in attempt.running
        if seen.id in culprits and seen.id not in known
    )
    cases = endings.pinned((*reported, *missing), culprits, end)
    return tuple(_ended(case) for case in cases if case.id not in owed or case.status not in BAD)


def _ended(case: Case) -> Case:
    return replace(case, ending=endings.of_case(case)) if case.status in BAD else case


def _told(cases: Sequence[Case], seen: Mapping[str, Seen]) -> tuple[Case, ...]:
    """What the tool printed but kept out of its XML: «Timeout», «SegFault», and its own retries."""
    bad = {case.id for case in cases if case.status in BAD}
    told = []
    for case in cases:
        known = seen.get(case.id)
        if known is None:
            pass
        elif case.id in bad and known.message and _is_told_better(case.message, known.message):
            case = replace(case, message=known.message)  # noqa: PLW2901 - the same case, better told
        elif case.id not in bad and case.status is CaseStatus.PASSED and known.status is CaseStatus.FLAKY:
            case = replace(  # noqa: PLW2901 - as above
                case, status=CaseStatus.FLAKY, attempts=known.failures + 1, message=known.message or None
            )
        told.append(case)
    return tuple(told)


def _is_told_better(reported: str | None, printed: str) -> bool:
    """CTest's XML has the last line that a test printed before its time was up, and not that it was."""
    if reported in (None, "fail"):
        return True
    return endings.of_message(reported) is Ending.ASSERTION is not endings.of_message(printed)


def _failure(case: Case, seen: Seen | None, scanned: Scanned, culprits: Iterable[str]) -> blame.Failure:
    """Only what a test printed itself speaks for it: its own text, its own lines of the log."""
    first, last = (seen.first_line, seen.last_line) if seen else (0, 0)
    own: tuple[signs.Sign, ...] = ()
    if case.id in culprits:
        own = scanned.between(first or scanned.lines - _END_LINES, scanned.lines)
    elif first and last:
        own = scanned.between(first, last)
    texts = (case.message, case.excerpt)
    own = (*own, *signs.in_text(*texts))
    ending = case.ending or endings.of_case(case)
    assert ending is not None  # noqa: S101 - a bad case has one
    return blame.Failure(
        id=case.id,
        ending=ending,
        is_symptom=any(sign.meaning.is_of_gpu for sign in own) or signs.is_symptom(*texts),
        is_killed="SIGKILL" in (case.message or "") or "illed" in (case.message or ""),
        signs=own,
    )


def _whole(
    streamed: Streamed, end: End, incidents: tuple[Incident, ...], scanned: Scanned, *, is_broken: bool
) -> Cause | None:
    """The trouble that explains a fault outside of any test: what was proven, else what was printed."""
    command = blame.Failure(
        id="",
        ending=end.ending if is_broken else Ending.ASSERTION,
        is_symptom=bool(scanned.signs),
        is_killed=endings.signal_name(streamed.exit_code) == "SIGKILL",
        signs=scanned.signs,
    )
    return blame.attributed([command], incidents).get("")
