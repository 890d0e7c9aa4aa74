"""One configured suite from its order to its result: run, judge, retry, name the failures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from rocm_ci.model.case import Case, CaseStatus
from rocm_ci.model.result import Suite
from rocm_ci.model.verdict import Verdict
from rocm_ci.runners import attempt, judge, location, machine
from rocm_ci.runners.base import Listed
from rocm_ci.runners.excerpt import Clip

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rocm_ci.context import Context, Lease
    from rocm_ci.runners.attempt import Attempt, Order
    from rocm_ci.runners.live import Seen

# More failures than this are no flakiness; running them all again costs time and proves nothing.
MAX_RETRIED = 50
_TAIL_LINES = 40


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


def run(ctx: Context, order: Order, lease: Lease) -> Suite:
    """Run it, with retries of what failed."""
    first = attempt.run(ctx, order, lease)
    if first is None:  # a runner may only decline a part of a suite
        return unrun(order, Verdict.ERROR, f"the runner {order.runner.name} cannot run this command")
    streamed = first.streamed
    evidence = judge.Evidence(
        exit_code=streamed.exit_code,
        timed_out=streamed.timed_out,
        timeout=order.options.timeout,
        orphans=streamed.orphans,
        reading=first.reading,
        watch=first.watch,
        expects_report=first.expects_report,
        missing=machine.missing_program(streamed.tail) if streamed.exit_code in (126, 127) else None,
    )
    cases = _cases(first, order, evidence)
    found = judge.faults(evidence, cases)
    if found or any(case.status in judge.BAD for case in cases):
        sign = machine.sign(streamed.log)
        found = (judge.blamed(sign), *found) if sign else found
    extra_s = 0.0
    if not found:
        cases, extra_s = _retried(ctx, order, lease, first, cases)
    verdict, reason = judge.verdict(cases, found, evidence)
    return replace(
        unrun(order, verdict, reason),
        duration_s=streamed.duration_s + extra_s,
        exit_code=streamed.exit_code,
        timed_out=streamed.timed_out,
        log=_inside(streamed.log, ctx.out),
        excerpt=_tail(streamed.tail) if verdict in (Verdict.FAIL, Verdict.ERROR) else None,
        cases=tuple(_shown(case, ctx, order, first) for case in cases),
    )


def _cases(first: Attempt, order: Order, evidence: judge.Evidence) -> tuple[Case, ...]:
    """The report's cases; what only the output knows is added when the report is not the whole story."""
    reading, watch = first.reading, first.watch
    reported = _told(reading.cases, watch.seen) if reading else ()
    complete = reading is not None and reading.readable and not reading.truncated
    if complete and not evidence.timed_out and not judge.signal_name(evidence.exit_code):
        return reported
    known = {case.id for case in reported}
    live = watch.cases(order.options.name, unfinished=judge.ended_how(evidence))
    return (*reported, *(case for case in live if case.id not in known))


def _told(cases: tuple[Case, ...], seen: Mapping[str, Seen]) -> tuple[Case, ...]:
    """What the tool printed but kept out of its XML: «Timeout», «SegFault», and its own retries."""
    bad = {case.id for case in cases if case.status in judge.BAD}
    told = []
    for case in cases:
        known = seen.get(case.id)
        if known is None:
            pass
        elif case.id in bad and known.message and case.message in (None, "fail"):
            case = replace(case, message=known.message)  # noqa: PLW2901 - the same case, better told
        elif case.id not in bad and case.status is CaseStatus.PASSED and known.status is CaseStatus.FLAKY:
            case = replace(  # noqa: PLW2901 - as above
                case, status=CaseStatus.FLAKY, attempts=known.failures + 1, message=known.message or None
            )
        told.append(case)
    return tuple(told)


def _retried(
    ctx: Context, order: Order, lease: Lease, first: Attempt, cases: tuple[Case, ...]
) -> tuple[tuple[Case, ...], float]:
    """Run the failed tests again, alone; one that passes then is FLAKY. Also the seconds it took."""
    took = 0.0
    for number in range(1, order.options.retries + 1):
        failed = tuple(case for case in cases if case.status in judge.BAD)
        if not failed or len(failed) > MAX_RETRIED:
            break
        ctx.log.info(f"{order.options.name}: {len(failed)} failed test(s) again, attempt {number + 1}")
        only = tuple(Listed(id=c.id, name=c.name, native=first.watch.native(c.id) or c.id) for c in failed)
        again = attempt.run(ctx, order, lease, number, only)
        if again is None:
            break
        took += again.streamed.duration_s
        reported = again.reading.cases if again.reading else ()
        ended = {case.id: case for case in reported or again.watch.cases("", unfinished="")}
        cases = tuple(_after_retry(case, ended.get(case.id)) for case in cases)
    return cases, took


def _after_retry(case: Case, again: Case | None) -> Case:
    """Message and place of the first failure stay: they are what there is to look at."""
    if case.status not in judge.BAD or again is None:
        return case
    passed = again.status in (CaseStatus.PASSED, CaseStatus.FLAKY)
    status = CaseStatus.FLAKY if passed else case.status
    return replace(case, status=status, attempts=case.attempts + again.attempts)


def _shown(case: Case, ctx: Context, order: Order, first: Attempt) -> Case:
    """With its place relative to the checkout, and a command to reproduce it when it did not pass."""
    case = location.placed(
        case, ctx.root, ctx.root.resolve(), is_file=lambda path: (ctx.root / path).is_file()
    )
    if case.status not in (*judge.BAD, CaseStatus.FLAKY):
        return case
    native = first.watch.native(case.id)
    return replace(case, reproduce=order.runner.reproduce(case, order.shown, ctx.root, native))


def _inside(path: Path, folder: Path) -> str:
    return str(path.relative_to(folder)) if path.is_relative_to(folder) else str(path)


def _tail(tail: str) -> str | None:
    clip = Clip()
    clip.add("\n".join(tail.splitlines()[-_TAIL_LINES:]))
    return clip.text() or None
