"""All runs of a suite as one result: cases as they were decided, verdict, reason, incidents, ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from rocm_ci.model.case import Case, CaseStatus
from rocm_ci.model.incident import Incident, IncidentKind
from rocm_ci.model.verdict import Verdict
from rocm_ci.runners import gpuless, judge, location, own_words, telling
from rocm_ci.runners.blame import Weight, Who, decide, event, shown
from rocm_ci.runners.endings import ABRUPT, BAD
from rocm_ci.runners.judge import Fault
from rocm_ci.runners.keeping import inside
from rocm_ci.runners.telling import Story

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rocm_ci.context import Lease
    from rocm_ci.model.result import Suite
    from rocm_ci.runners.blame import Sighting
    from rocm_ci.runners.course import Course
    from rocm_ci.runners.outcome import Outcome

MAX_INCIDENTS = 50
MAX_TRIES_TOLD = 100


def summed(course: Course, line: Sequence[Outcome], command: Story | None, blank: Suite) -> Suite:
    """`line` are the runs that count, `command` what became of the command if it was repeated as a whole."""
    stories = [_story(seen) for seen in course.sightings.values()]
    every = [*stories, *((command,) if command else ())]
    faults, remarks = _faults(course, line, command)
    cases = tuple(_case(story) for story in stories)
    wanting, skipped = gpuless.remarks(cases, line[0].lease.labels)
    verdict, counted = judge.verdict(
        cases, (*faults, *wanting), exit_code=line[0].attempt.streamed.exit_code, flaky=course.order.flaky
    )
    why = course.stopped() if verdict is not Verdict.PASS or line[-1].is_asked else ""
    if line[-1].is_asked:
        why = line[-1].attempt.streamed.why or why
    if why:
        verdict = Verdict.ERROR
        # What it has to say of a whole run is no news of half a one.
        counted = judge.counted(cases)
    is_red = verdict in (Verdict.FAIL, Verdict.ERROR)
    streamed = (course.first_red if is_red else None) or line[0].attempt.streamed
    reasons = [
        why,
        *telling.blaming(stories),
        counted,
        *_abrupt(stories, line),
        *remarks,
        *telling.excusing(stories),
        *telling.flaky_crashes(stories),
        *skipped,
        *course.notes,
        *_orphans(line),
        *_ledger(course, every),
    ]
    return replace(
        blank,
        verdict=verdict,
        reason="; ".join(dict.fromkeys(reason for reason in reasons if reason)),
        duration_s=sum(one.duration_s for one in course.tries),
        exit_code=streamed.exit_code,
        timed_out=any(one.is_out_of_time for one in line),
        log=inside(streamed.log, course.ctx.out),
        excerpt=_tail(streamed.tail) if is_red else None,
        cases=tuple(_shown(case, course, line) for case in cases),
        incidents=_incidents(course, every),
        tries=tuple(course.tries[:MAX_TRIES_TOLD]),
        kept=tuple(course.kept),
    )


def _story(seen: Sequence[Sighting]) -> Story:
    return Story(name=seen[0].case.id, sightings=tuple(seen), decision=decide(seen))


def _case(story: Story) -> Case:
    bad = [s for s in story.sightings if s.is_bad]
    first = shown(bad) if bad else story.sightings[0]
    # A process that was killed took the words of its tests along; alone, the same one had its say.
    alike = (first.case, *(s.case for s in reversed(bad) if s.case.ending is first.case.ending))
    told = max(alike, key=lambda case: (bool(case.message), bool(case.excerpt)))
    return replace(
        first.case,
        message=first.case.message or told.message,
        excerpt=told.excerpt,
        path=told.path,
        line=told.line,
        status=story.decision.status,
        ending=story.decision.ending,
        attempts=sum(s.case.attempts for s in story.sightings),
        duration_s=story.last.case.duration_s if not story.is_red else first.case.duration_s,
        gpus=story.last.labels,
    )


def _faults(course: Course, line: Sequence[Outcome], command: Story | None) -> tuple[list[Fault], list[str]]:
    """What is wrong besides the tests, after it is known whose fault it is, and what else to tell of it."""
    found = list(dict.fromkeys(fault for one in line for fault in one.faults))
    wanting = [name for one in line for name in one.wanting]
    remarks = [gpuless.wanted(wanting)] if wanting else []
    if command is None:
        return found, remarks
    if command.decision.who in (Who.MACHINE, Who.OPEN) and command.is_red:
        excused = list(dict.fromkeys(fault for one in line if one.is_excused for fault in one.faults))
        blamed = [Fault(Verdict.ERROR, text) for text in telling.blaming([command])]
        rest = [fault for fault in found if fault not in excused]
        return [*blamed, *rest], [*(fault.reason for fault in excused), *remarks]
    if command.is_red:
        told = telling.blaming([command]) or ["and again when it was repeated"]
        return found, [*told, *remarks]
    told = telling.excusing([command])
    if command.decision.status is CaseStatus.FLAKY:
        text = told[0] if told else "the command was killed once, and ran to its end when repeated"
        return [*found, Fault(judge.FLAKY[course.order.flaky], text)], remarks
    return found, [*told, *remarks]


def _abrupt(stories: Iterable[Story], line: Sequence[Outcome]) -> list[str]:
    """How the tests ended that took their process along."""
    pinned = {identity for one in line for identity in one.pinned if not one.is_out_of_time}
    said: dict[str, list[str]] = {}
    for story in stories:
        case = next((s.case for s in story.sightings if s.is_bad), None)
        if case and story.is_red and case.ending in ABRUPT and story.name in pinned and case.message:
            said.setdefault(case.message, []).append(story.name)
    return [f"{judge.named(names)}: {message}" for message, names in said.items()]


def _orphans(line: Sequence[Outcome]) -> list[str]:
    orphans = sum(one.attempt.streamed.orphans for one in line)
    stuck = sum(len(one.attempt.streamed.stuck) for one in line)
    said = [f"{orphans} process(es) outlived the command and were ended"] if orphans else []
    said += [f"{stuck} process(es) that no signal ends are left"] if stuck else []
    return [*said, *dict.fromkeys(p for one in line if (p := one.attempt.streamed.problem))]


def _ledger(course: Course, stories: Sequence[Story]) -> list[str]:
    """Write what the machine did into the ledger, but for what went with the change from GPU to GPU."""
    said = []
    for lease, incident in course.incidents:
        if not incident.is_gpu or incident.is_note:
            continue
        owners = [s for s in stories if any(_is_by(seen, lease, incident) for seen in s.sightings)]
        if owners and all(_has_followed(story) for story in owners):
            continue
        said.append(course.ctx.gpus.blame(lease, incident))
    return said


def _is_by(seen: Sighting, lease: Lease, incident: Incident) -> bool:
    """Whether an incident belongs to the event that explains what was seen."""
    known = seen.cause.incident if seen.cause else None
    return known is not None and seen.devices == lease.devices and event(known.kind) is event(incident.kind)


def _has_followed(story: Story) -> bool:
    """Whether the same trouble came with it to another GPU: then it was no GPU's."""
    proven = [s for s in story.sightings if s.cause and s.cause.weight is Weight.PROVEN]
    return story.decision.who is Who.CHANGE and len(proven) > 1


def _incidents(course: Course, stories: Sequence[Story]) -> tuple[Incident, ...]:
    """What the machine did, and what was only printed of it where that decided something."""
    found = [incident for _, incident in course.incidents]
    for story in stories:
        for seen in story.sightings:
            cause = seen.cause
            if cause is None or cause.weight is not Weight.SAID or story.decision.who is Who.CHANGE:
                continue
            found.append(
                Incident(
                    kind=cause.kind or IncidentKind.DRIVER,
                    text=f"{cause.words}, says the suite's own output: {cause.text}",
                    source=cause.source,
                    gpu=" and ".join(seen.labels) or None,
                    is_note=not story.is_red,
                )
            )
    return tuple(dict.fromkeys(found))[:MAX_INCIDENTS]


def _shown(case: Case, course: Course, line: Sequence[Outcome]) -> Case:
    """With its place relative to the checkout, and a command to reproduce it when it did not pass."""
    root = course.ctx.root
    case = location.placed(case, root, root.resolve(), is_file=lambda path: (root / path).is_file())
    if case.status not in (*BAD, CaseStatus.FLAKY):
        return case
    native = next((n for one in line if (n := one.attempt.watch.native(case.id))), None)
    return replace(case, reproduce=course.order.runner.reproduce(case, course.order.shown, root, native))


def _tail(tail: str) -> str | None:
    return own_words.clipped(own_words.ending(tail.split("\n")))
