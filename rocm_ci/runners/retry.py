"""What failed, once more: alone, and where the machine may be at fault on another GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.config.options import seconds
from rocm_ci.model.case import CaseStatus
from rocm_ci.runners.base import Listed
from rocm_ci.runners.blame import Weight
from rocm_ci.runners.continuation import through
from rocm_ci.runners.endings import BAD

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rocm_ci.runners.blame import Cause, Sighting
    from rocm_ci.runners.course import Course
    from rocm_ci.runners.outcome import Key

# More failures than this are no flakiness; running them all again costs time and proves nothing.
MAX_RETRIED = 50
# Up to here each has a process of its own.
MAX_ALONE = 10


def again(course: Course, natives: Mapping[str, str]) -> bool:
    """Repeat what is worth it; False when the runner cannot choose tests. `natives`: the tool's own names.

    Trouble of the machine is worth one repetition whatever the options say.
    """
    options = course.order.options
    # Together they may take as long as the suite itself: a repetition must not double a day.
    until_s = course.spent_s + seconds(options.timeout)
    for number in range(1, max(options.retries, 1) + 1):
        todo = _todo(course, is_for_all=number <= options.retries)
        if not todo or course.stopped():
            return True
        todo = _moved(course, todo)
        names = {key[0]: course.sightings[key][0].case.name for key in todo}
        listed = tuple(Listed(id=i, name=name, native=natives.get(i, i)) for i, name in names.items())
        is_alone = len(listed) <= MAX_ALONE
        groups = [(one,) for one in listed] if is_alone else [listed]
        how = "alone" if is_alone else "together"
        if listed:
            course.ctx.log.info(f"{options.name}: {len(listed)} failed test(s) again, {how}")
        for group in groups:
            if course.stopped():
                return True
            if course.spent_s > until_s:
                course.notes.append("no time was left to repeat every failed test")
                return True
            if not through(course, group, f"failed, again {how}", is_repeat=True):
                return course.lease is None
    return True


def _todo(course: Course, *, is_for_all: bool) -> list[Key]:
    """The tests that are worth a repetition. What never ran, or vanished, has nothing to repeat."""
    failed = [one for one, seen in course.sightings.items() if is_open(seen)]
    caused = [one for one in failed if _blaming(course.sightings[one])]
    plain = [one for one in failed if not _blaming(course.sightings[one])]
    if len(plain) > MAX_RETRIED and is_for_all:
        course.notes.append(f"{len(plain)} tests failed: more than {MAX_RETRIED} are not repeated")
    if not is_for_all or len(plain) > MAX_RETRIED:
        plain = []
    wanted = {*caused, *plain}
    return [one for one in failed if one in wanted]


def is_open(seen: Sequence[Sighting]) -> bool:
    """Whether a test has failed whenever it ran."""
    passed = any(s.case.status in (CaseStatus.PASSED, CaseStatus.FLAKY) for s in seen)
    last = seen[-1].case
    return not passed and last.status in BAD and not seen[-1].never_ran


def _blaming(seen: Sequence[Sighting]) -> Cause | None:
    """The trouble that still stands between a failure and the change."""
    if any(s.is_bad and s.is_clean for s in seen):
        return None
    return seen[-1].cause


def _moved(course: Course, todo: list[Key]) -> list[Key]:
    """Go to another GPU where one was at fault. What was proven is not repeated on the same one."""
    causes = {one: _blaming(course.sightings[one]) for one in todo}
    on_gpu = {one for one, cause in causes.items() if cause is not None and cause.is_gpu}
    if on_gpu:
        seen = {d for one in on_gpu for d in course.sightings[one][-1].devices}
        here = set(course.lease.devices) if course.lease else set()
        if here & seen and not course.elsewhere(is_worth_waiting=True):
            sick = {one for one in on_gpu if (c := causes[one]) and c.weight is Weight.PROVEN}
            return [one for one in todo if one not in sick]
        return todo
    last = (course.sightings[one][-1].cause for one in todo)
    if any(cause is not None and cause.is_gpu for cause in last):
        course.elsewhere(is_worth_waiting=False)
    return todo
