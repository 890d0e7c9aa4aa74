"""One crash does not lose the other tests: what a run left behind goes on in a fresh process."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from rocm_ci.config.options import seconds
from rocm_ci.model.case import Case, CaseStatus, Ending
from rocm_ci.runners.blame import Sighting, Weight

if TYPE_CHECKING:
    from rocm_ci.runners.base import Listed
    from rocm_ci.runners.course import Course
    from rocm_ci.runners.outcome import Outcome

# A suite that crashes this often is broken as a whole; what is left is named, not run.
MAX_BREAKS = 20


def through(
    course: Course, only: tuple[Listed, ...], why: str, *, is_repeat: bool = False
) -> tuple[Outcome, ...]:
    """Runs until every test had its turn, at most `MAX_BREAKS` ends before their time; none if it cannot run.

    All of them together have the time of the suite; on another GPU it begins anew.
    """
    line: list[Outcome] = []
    limit_s = seconds(course.order.options.timeout)
    todo, left_s, moves = only, limit_s, 0
    while True:
        seen = course.once(todo, why, within_s=left_s if line else None, is_repeat=is_repeat)
        if seen is None:
            if line:
                what = "no GPU came free" if course.lease is None else "there was no way to go on"
                _never_ran(course, todo, f"never ran: {what} after the end before it", line[-1])
            return tuple(line)
        line.append(seen)
        if not seen.rest or seen.is_asked or course.stopped():
            return tuple(line)
        is_worth = _is_dead(seen) and not (moves and seen.is_out_of_time)
        has_moved = is_worth and course.elsewhere(is_worth_waiting=True)
        moves += has_moved
        if seen.is_out_of_time and not has_moved:
            course.notes.append(f"{len(seen.rest)} test(s) never began")
            return tuple(line)
        if has_moved:
            line[-1] = dataclasses.replace(seen, faults=())
        left_s = limit_s if has_moved else left_s - seen.attempt.streamed.duration_s
        if len(line) > MAX_BREAKS or left_s <= 0:
            what = "the suite's time was up" if left_s <= 0 else f"the suite broke off {len(line)} times"
            _never_ran(course, seen.rest, f"never ran: {what} before", seen)
            return tuple(line)
        todo = seen.rest
        why = f"the {len(todo)} test(s) left after {seen.end.ending.value}"


def _is_dead(seen: Outcome) -> bool:
    """Whether its GPU is not to be trusted any more. An early end is no time to doubt what was printed."""
    causes = [*seen.causes.values(), *((seen.whole,) if seen.whole else ())]
    enough = Weight.SAID if seen.is_out_of_time else Weight.PROVEN
    return any(cause.is_gpu and cause.weight.value >= enough.value for cause in causes)


def _never_ran(course: Course, rest: tuple[Listed, ...], message: str, last: Outcome) -> None:
    """Whose fault that is follows from what ended the `last` run."""
    cause = next((last.causes[name] for name in last.pinned if name in last.causes), last.whole)
    for one in rest:
        case = Case(
            id=one.id,
            suite=course.order.options.name,
            name=one.name,
            status=CaseStatus.ERRORED,
            message=message,
            ending=Ending.UNREPORTED,
        )
        sighting = Sighting(
            case=case,
            devices=last.lease.devices,
            labels=last.lease.labels,
            cause=cause,
            never_ran=True,
        )
        course.sightings.setdefault((one.id, 0), []).append(sighting)
