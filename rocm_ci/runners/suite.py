"""One configured suite from its order to its result: run, go on after a crash, repeat, blame, tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from rocm_ci.model.result import Suite
from rocm_ci.model.verdict import Verdict
from rocm_ci.runners import continuation, expected, judge, retry, whole
from rocm_ci.runners.course import Course
from rocm_ci.runners.expected import Expected
from rocm_ci.runners.summary import summed

if TYPE_CHECKING:
    from rocm_ci.context import Context, Lease
    from rocm_ci.runners.attempt import Order
    from rocm_ci.runners.base import Listed
    from rocm_ci.runners.outcome import Outcome
    from rocm_ci.runners.telling import Story


def unrun(order: Order, verdict: Verdict, reason: str) -> Suite:
    """A suite that was not started, and why."""
    options = order.options
    return Suite(
        name=options.name,
        layer=options.layer,
        runner=order.runner.name,
        command=order.shown,
        verdict=verdict,
        duration_s=0.0,
        reason=reason,
        gpus=options.gpus,
    )


def run(ctx: Context, order: Order, lease: Lease, only: tuple[Listed, ...] = ()) -> Suite:
    """Run it, or with `only` a part of it, as often as it takes to know whose fault a failure is.

    The lease stays its caller's to give back, who may do so although it is given back already.
    The list of expected tests is held against a whole suite only; see `vanished`.
    """
    if isinstance(order.wanted, str):
        return unrun(order, Verdict.FAIL, order.wanted)
    course = Course(ctx, order, lease)
    try:
        line = continuation.through(course, only, "first run")
        if not line:  # a runner may only decline a part of a suite
            return unrun(order, Verdict.ERROR, f"the runner {order.runner.name} cannot run this command")
        line, story = _repeated(course, line, only)
        suite = summed(course, line, story, unrun(order, Verdict.ERROR, ""))
    finally:
        course.close()
    return suite if only else vanished(order, suite)


def vanished(order: Order, suite: Suite) -> Suite:
    """A whole suite, perhaps joined from parts, held against the list of tests that are expected of it."""
    return _held(suite, order.wanted) if isinstance(order.wanted, Expected) else suite


def _held(suite: Suite, wanted: Expected) -> Suite:
    """With what vanished. Of a suite that the machine broke nothing is missing that it could have run."""
    gone = expected.missing(wanted, suite.cases, suite=suite.name)
    if not gone:
        return suite
    names = judge.named(case.id for case in gone)
    told = f"{len(gone)} expected test(s) did not run: {names}"
    if suite.verdict is Verdict.ERROR:
        return replace(suite, reason=f"{suite.reason}; {told}")
    reason = f"{told}; {suite.reason}" if suite.reason else told
    return replace(suite, verdict=Verdict.FAIL, reason=reason, cases=(*suite.cases, *gone))


def _repeated(
    course: Course, line: tuple[Outcome, ...], only: tuple[Listed, ...]
) -> tuple[tuple[Outcome, ...], Story | None]:
    """Everything that is worth another run; the runs that count in the end."""
    story = None
    if line[-1].is_asked or course.stopped():
        return line, None
    is_chosen = not line[-1].is_out_of_time and retry.again(course, _natives(line))
    # Without a choice, or when the time was up, nothing less than the whole can be repeated.
    if not is_chosen or (any(one.faults for one in line) and not _has_red_test(course)):
        line, story = whole.again(course, line, only)
        if story is not None and not line[-1].is_out_of_time and not course.stopped():
            retry.again(course, _natives(line))
    return line, story or whole.unrepeated(line)


def _has_red_test(course: Course) -> bool:
    return any(retry.is_open(seen) for seen in course.sightings.values())


def _natives(line: tuple[Outcome, ...]) -> dict[str, str]:
    """The tools' own names of the tests."""
    return {seen.id: seen.native for one in line for seen in one.attempt.watch.seen.values()}
