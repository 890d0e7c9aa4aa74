"""How a suite's result reads where the machine had a part in it. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.model.case import CaseStatus
from rocm_ci.model.incident import IncidentKind as Kind
from rocm_ci.runners.blame import Cause, Decision, Sighting, Weight, Who
from rocm_ci.runners.endings import BAD
from rocm_ci.runners.judge import named

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# What a GPU did; the rest is said of the host.
_DID = {
    Kind.GPU_HANG: "hung",
    Kind.GPU_RESET: "was reset",
    Kind.GPU_LOST: "was lost",
    Kind.NO_GPU: "could not be used",
    Kind.ECC: "had an uncorrectable error",
    Kind.DRIVER: "had a fault of its driver",
    Kind.VRAM_LEFT: "had its memory taken by somebody else",
    Kind.CONTEXT_LEFT: "was still held by an ended process",
    Kind.STUCK_PROCESS: "kept a process that no signal ends",
    Kind.ALLOCATION: "was not the one that was allocated",
}
_HOST = {
    Kind.DISK_FULL: "the disk was full",
    Kind.OUT_OF_MEMORY: "the host ran out of memory",
    Kind.SHARED_MEMORY: "the shared memory was too small",
    Kind.LIBRARY: "a ROCm library is missing",
    Kind.NETWORK: "the network failed",
    Kind.RUNNER: "the runner was shut down",
    Kind.PERMISSION: "a GPU device may not be opened",
}


@dataclass(frozen=True, kw_only=True)
class Story:
    """One test (an empty name: the command as a whole), all that was seen of it, and what was decided."""

    name: str
    sightings: tuple[Sighting, ...]
    decision: Decision

    @property
    def first(self) -> Sighting | None:
        """The first failure that a trouble lay beside."""
        return next((s for s in self.sightings if s.is_bad and s.cause), None)

    @property
    def last(self) -> Sighting:
        """What was seen at last."""
        return self.sightings[-1]

    @property
    def is_red(self) -> bool:
        """Whether it is bad in the end."""
        return self.decision.status in BAD


def subject(cause: Cause, labels: Sequence[str]) -> str:
    """`GPU 3 (…) hung`, `the disk was full`: what happened, and to whom."""
    if cause.kind in _DID:
        who = cause.incident.gpu if cause.incident and cause.incident.gpu else " and ".join(labels)
        nobody = "the machine" if cause.kind is Kind.STUCK_PROCESS else "the GPU"
        return f"{who or nobody} {_DID[cause.kind]}"
    if cause.kind in _HOST:
        return _HOST[cause.kind]
    return cause.words or cause.text


def blaming(stories: Iterable[Story]) -> list[str]:
    """What explains a red result: for the beginning of a reason."""
    return _grouped(story for story in stories if story.is_red)


def excusing(stories: Iterable[Story]) -> list[str]:
    """What happened on the way to a result that is not red."""
    return _grouped(story for story in stories if not story.is_red)


def _grouped(stories: Iterable[Story]) -> list[str]:
    """One sentence for all tests that share it."""
    said: dict[tuple[str, str], list[str]] = {}
    for story in stories:
        if story.first is not None:
            said.setdefault(_sentence(story, story.first), []).append(story.name)
    return [_joined(before, names, after) for (before, after), names in said.items()]


def _joined(before: str, names: Sequence[str], after: str) -> str:
    who = named(names) if any(names) else ""
    if not before:
        return (who or "the command") + after
    return before + (f" ({who})" if who else "") + after


def _sentence(story: Story, first: Sighting) -> tuple[str, str]:
    """The words before and after the names of the tests; with none before, they are its subject."""
    cause = first.cause
    assert cause is not None  # noqa: S101 - `Story.first` has one
    what = subject(cause, first.labels)
    if story.decision.who is Who.CHANGE:
        return _changed(story, first, cause)
    if story.is_red:
        return _unresolved(story, first, cause)
    if story.decision.who is Who.NOBODY and cause.weight is Weight.SAID:
        what = f"{what}, says only its own output ({cause.source})"
    return what, _passed(story, first)


def _changed(story: Story, first: Sighting, cause: Cause) -> tuple[str, str]:
    what = subject(cause, first.labels)
    if not any(s.is_bad and s.is_clean for s in story.sightings):
        return "", _twice(story, first, cause)
    if _moved(story):
        return what, f": repeated{_on(story.last, first)}, fails there, too"
    repeated = ": failed again when repeated" if len(story.sightings) > 1 else ""
    return f"{what}, which may be the machine or the change", repeated


def _passed(story: Story, first: Sighting) -> str:
    return f": repeated{_on(story.last, first)}, passed there" if _moved(story) else ": repeated, passed"


def _moved(story: Story) -> bool:
    return bool(story.last.devices) and not set(story.last.devices) & set(story.sightings[0].devices)


def _on(last: Sighting, first: Sighting) -> str:
    return f" on {' and '.join(last.labels)}" if last.labels and last.labels != first.labels else ""


def _twice(story: Story, first: Sighting, cause: Cause) -> str:
    if cause.kind is Kind.OUT_OF_MEMORY:
        return " ran out of memory twice, the second time alone: it is the change"
    both = f"on {' and '.join(first.labels)}, then on {' and '.join(story.last.labels)}: it is the change"
    if cause.weight is Weight.SAID:
        return f" failed in the same way {both}, although its output says that {cause.words}"
    if cause.kind is Kind.GPU_HANG:
        return f" hung two GPUs in turn, {both}"
    return f" met a GPU that {_DID.get(cause.kind, 'was in trouble') if cause.kind else cause.words}, {both}"


def _unresolved(story: Story, first: Sighting, cause: Cause) -> tuple[str, str]:
    if len(story.sightings) > 1:
        after = ", and again when it was repeated"
    elif cause.is_gpu and first.devices:
        after = ", and there is no other GPU to repeat it on"
    else:
        after = ""
    if cause.weight is Weight.SAID:
        return f"perhaps the machine: {cause.words}, says only {cause.source} («{cause.text}»)", after
    source = f"the {cause.source}" if cause.source == "kernel log" else cause.source
    return f"machine: {subject(cause, first.labels)}, says {source}", after


def flaky_crashes(stories: Iterable[Story]) -> list[str]:
    """Crashes that did not repeat are flaky, too, but worth a word."""
    names: dict[str, list[str]] = {}
    for story in stories:
        ending = story.decision.ending
        if story.decision.status is CaseStatus.FLAKY and ending is not None and ending.value in _ONCE:
            names.setdefault(_ONCE[ending.value], []).append(story.name)
    return [f"{words}: {named(tests)}" for words, tests in names.items() if any(tests)]


_ONCE = {
    "crash": "crashed once, passed when repeated",
    "timeout": "overran once, passed when repeated",
    "silence": "fell silent once, passed when repeated",
    "memory": "was short of memory once, passed when repeated",
    "unreported": "ended without a result once, passed when repeated",
}
