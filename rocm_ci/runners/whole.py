"""A command that went wrong besides its tests: once more as a whole, where trouble may explain it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.model.case import Case, CaseStatus, Ending
from rocm_ci.runners.blame import Sighting, Weight, decide
from rocm_ci.runners.continuation import through
from rocm_ci.runners.endings import signal_name
from rocm_ci.runners.telling import Story

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocm_ci.runners.base import Listed
    from rocm_ci.runners.blame import Cause
    from rocm_ci.runners.course import Course
    from rocm_ci.runners.outcome import Key, Outcome


def again(
    course: Course, line: tuple[Outcome, ...], only: tuple[Listed, ...]
) -> tuple[tuple[Outcome, ...], Story | None]:
    """The runs that count now, and what became of the command; no story when there was nothing to repeat."""
    red = [one for one in line if one.is_red]
    seen = next((one for one in red if one.faults), red[0] if red else None)
    cause = _cause(line)
    if seen is None or (cause is None and not _is_killed(seen) and not seen.is_lossy):
        return line, None
    first = _sighting(seen, cause)
    if cause is not None and cause.is_gpu and seen.lease.devices:
        # An attempt to repeat single tests may have moved already.
        here = set(course.lease.devices) if course.lease else set(seen.lease.devices)
        is_elsewhere = not here & set(seen.lease.devices) or course.elsewhere(is_worth_waiting=True)
        if not is_elsewhere and cause.weight is Weight.PROVEN:
            return line, _story(first)
    before, course.sightings = course.sightings, {}
    course.ctx.log.info(f"{course.order.options.name}: once more, as a whole")
    new = through(course, only, "once more, as a whole")
    if not new:
        course.sightings = before
        return line, _story(first)
    course.sightings = _joined(before, course.sightings)
    last = next((one for one in new if one.faults), new[-1])
    return new, _story(first, _sighting(last, last.whole))


def unrepeated(line: Sequence[Outcome]) -> Story | None:
    """What is to be said of a fault that trouble explains, and that nobody repeated."""
    seen = next((one for one in line if one.is_excused), None)
    return _story(_sighting(seen, seen.whole)) if seen else None


def _cause(line: Sequence[Outcome]) -> Cause | None:
    """What may explain it; a mere suspicion is not worth a whole run."""
    causes = [
        cause
        for one in line
        for cause in ((one.whole,) if one.faults else tuple(one.causes.values()))
        if cause is not None and cause.weight is not Weight.SUSPECTED
    ]
    return max(causes, key=lambda cause: cause.weight.value, default=None)


def _is_killed(seen: Outcome) -> bool:
    """Killed by somebody else, perhaps the kernel, with nobody known who was running."""
    killed = signal_name(seen.attempt.streamed.exit_code) == "SIGKILL" and not seen.attempt.streamed.stopped
    return killed and not seen.pinned


def _sighting(seen: Outcome, cause: Cause | None) -> Sighting:
    # What only its tests did is told of them.
    status = CaseStatus.FAILED if seen.faults else CaseStatus.PASSED
    case = Case(
        id="",
        suite="",
        name="",
        status=status,
        ending=None if status is CaseStatus.PASSED else _ending(seen),
    )
    return Sighting(
        case=case,
        devices=seen.lease.devices,
        labels=seen.lease.labels,
        cause=cause if seen.faults else None,
    )


def _ending(seen: Outcome) -> Ending:
    streamed = seen.attempt.streamed
    broke = streamed.stopped or streamed.timed_out or signal_name(streamed.exit_code)
    return seen.end.ending if broke else Ending.ASSERTION


def _story(*sightings: Sighting) -> Story:
    return Story(name="", sightings=sightings, decision=decide(sightings))


def _joined(before: dict[Key, list[Sighting]], now: dict[Key, list[Sighting]]) -> dict[Key, list[Sighting]]:
    """What failed keeps its first failure; of the rest only the new run counts."""
    bad = {key: seen for key, seen in before.items() if any(one.is_bad for one in seen)}
    joined = {key: [*bad.pop(key, []), *seen] for key, seen in now.items()}
    return {**joined, **bad}
