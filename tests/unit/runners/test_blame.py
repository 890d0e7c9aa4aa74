"""Whose fault it was: the table of `rocm_ci/runners/blame.py` row by row, and which trouble explains what."""

from __future__ import annotations

from typing import Any

import pytest

from rocm_ci.model.case import Case, CaseStatus, Ending
from rocm_ci.model.incident import Incident, IncidentKind
from rocm_ci.runners import blame, signs
from rocm_ci.runners.blame import Cause, Failure, Sighting, Weight, Who

PASSED, FAILED, FLAKY = CaseStatus.PASSED, CaseStatus.FAILED, CaseStatus.FLAKY
SKIPPED = CaseStatus.SKIPPED
Kind = IncidentKind
HANG_LINE = "HW Exception by GPU node-2 (Agent handle: 0x1) reason :GPU Hang"


def incident(kind: Kind, **known: Any) -> Incident:
    is_device = kind in blame.DEVICE
    given: dict[str, Any] = {
        "kind": kind,
        "text": "x",
        "source": "kernel log",
        "gpu": "GPU 0" if is_device else None,
        "is_gpu": is_device,
    }
    return Incident(**given | known)


def proven(kind: Kind) -> Cause:
    return blame.proven(incident(kind))


def printed(line: str) -> Cause:
    (sign,) = signs.in_text(line)
    return blame.said(sign)


HANG, ECC, LOST = proven(Kind.GPU_HANG), proven(Kind.ECC), proven(Kind.GPU_LOST)
DISK, MEMORY = proven(Kind.DISK_FULL), proven(Kind.OUT_OF_MEMORY)
SAID_HANG, SAID_DISK = printed(HANG_LINE), printed("OSError: [Errno 28] No space left on device")
# The memory fault of a kernel came first, so that the hang may be its doing.
DOUBT = blame.proven(incident(Kind.GPU_HANG, is_gpu=False))
FAULT = printed("Memory access fault by GPU node-1 (Agent handle: 0x1) on address 0x7f")


def saw(
    status: CaseStatus,
    cause: Cause | None = None,
    gpu: int = 0,
    *,
    alone: bool = False,
    tests: Ending = Ending.CRASH,
) -> Sighting:
    case = Case(id="t", suite="s", name="t", status=status, ending=tests if status is FAILED else None)
    return Sighting(case=case, devices=(f"gpu-{gpu}",), labels=(f"GPU {gpu}",), cause=cause, is_alone=alone)


# What was seen, in its order, and what follows: the status, whether the machine is its ending, who is to blame.
TABLE = {
    "passed": ((saw(PASSED),), PASSED, False, Who.NOBODY),
    "skipped": ((saw(SKIPPED),), SKIPPED, False, Who.NOBODY),
    "passed beside a trouble that is proven": ((saw(PASSED, HANG),), PASSED, False, Who.NOBODY),
    # nothing speaks for the machine
    "failed, not repeated": ((saw(FAILED),), FAILED, False, Who.CHANGE),
    "failed twice": ((saw(FAILED), saw(FAILED)), FAILED, False, Who.CHANGE),
    "failed twice, on two GPUs": ((saw(FAILED), saw(FAILED, gpu=1)), FAILED, False, Who.CHANGE),
    "failed, then passed": ((saw(FAILED), saw(PASSED)), FLAKY, False, Who.NOBODY),
    "failed, failed, passed": ((saw(FAILED), saw(FAILED), saw(PASSED)), FLAKY, False, Who.NOBODY),
    "failed, then skipped": ((saw(FAILED), saw(SKIPPED)), FAILED, False, Who.CHANGE),
    "failed, then its tool repeated it by itself": ((saw(FAILED), saw(FLAKY)), FLAKY, False, Who.NOBODY),
    "failed, then failed beside a trouble": ((saw(FAILED), saw(FAILED, HANG, 1)), FAILED, False, Who.CHANGE),
    # proven: the kernel, the driver or the lease tells it
    "hang, no other GPU": ((saw(FAILED, HANG),), FAILED, True, Who.MACHINE),
    "hang, passed on another GPU": ((saw(FAILED, HANG), saw(PASSED, gpu=1)), PASSED, True, Who.MACHINE),
    "hang, flaky on another GPU": ((saw(FAILED, HANG), saw(FLAKY, gpu=1)), FLAKY, False, Who.NOBODY),
    "hang, failed on another GPU": ((saw(FAILED, HANG), saw(FAILED, gpu=1)), FAILED, False, Who.CHANGE),
    "hang, hang on another GPU": ((saw(FAILED, HANG), saw(FAILED, HANG, 1)), FAILED, False, Who.CHANGE),
    "hang, hang on the same GPU": ((saw(FAILED, HANG), saw(FAILED, HANG)), FAILED, True, Who.MACHINE),
    "lost, passed on another GPU": ((saw(FAILED, LOST), saw(PASSED, gpu=1)), PASSED, True, Who.MACHINE),
    "ECC, ECC on another GPU": ((saw(FAILED, ECC), saw(FAILED, ECC, 1)), FAILED, True, Who.MACHINE),
    "ECC, passed on another GPU": ((saw(FAILED, ECC), saw(PASSED, gpu=1)), PASSED, True, Who.MACHINE),
    "ECC, failed on another GPU": ((saw(FAILED, ECC), saw(FAILED, gpu=1)), FAILED, False, Who.CHANGE),
    "ECC, a printed hang on another GPU": ((saw(FAILED, ECC), saw(FAILED, SAID_HANG, 1)), FAILED, False, Who.CHANGE),
    "disk full, passed": ((saw(FAILED, DISK), saw(PASSED)), PASSED, True, Who.MACHINE),
    "disk full twice": ((saw(FAILED, DISK), saw(FAILED, DISK)), FAILED, True, Who.MACHINE),
    "disk full twice, on two GPUs": ((saw(FAILED, DISK), saw(FAILED, DISK, 1)), FAILED, True, Who.MACHINE),
    "killed for memory": ((saw(FAILED, MEMORY),), FAILED, True, Who.MACHINE),
    "killed for memory, passed alone": ((saw(FAILED, MEMORY), saw(PASSED, alone=True)), PASSED, True, Who.MACHINE),
    "killed for memory, again alone": ((saw(FAILED, MEMORY), saw(FAILED, MEMORY, alone=True)), FAILED, False, Who.CHANGE),
    "killed for memory, again among others": ((saw(FAILED, MEMORY), saw(FAILED, MEMORY)), FAILED, True, Who.MACHINE),
    # printed: the change can forge it
    "a printed hang, no other GPU": ((saw(FAILED, SAID_HANG),), FAILED, True, Who.OPEN),
    "a printed hang, passed on another GPU": ((saw(FAILED, SAID_HANG), saw(PASSED, gpu=1)), FLAKY, False, Who.NOBODY),
    "a printed hang, passed on the same GPU": ((saw(FAILED, SAID_HANG), saw(PASSED)), FLAKY, False, Who.NOBODY),
    "a printed hang, again on another GPU": ((saw(FAILED, SAID_HANG), saw(FAILED, SAID_HANG, 1)), FAILED, False, Who.CHANGE),
    "a printed hang, again on the same GPU": ((saw(FAILED, SAID_HANG), saw(FAILED, SAID_HANG)), FAILED, True, Who.OPEN),
    "a printed hang, failed without it": ((saw(FAILED, SAID_HANG), saw(FAILED)), FAILED, False, Who.CHANGE),
    "a printed full disk, passed": ((saw(FAILED, SAID_DISK), saw(PASSED)), FLAKY, False, Who.NOBODY),
    "a printed full disk, again": ((saw(FAILED, SAID_DISK), saw(FAILED, SAID_DISK, 1)), FAILED, True, Who.OPEN),
    "a printed hang, then a proven one elsewhere": ((saw(FAILED, SAID_HANG), saw(FAILED, HANG, 1)), FAILED, False, Who.CHANGE),
    "a printed hang, a proven one, passed": ((saw(FAILED, SAID_HANG), saw(FAILED, HANG, 1), saw(PASSED, gpu=2)), FLAKY, False, Who.NOBODY),
    # a suspicion: may be either's, and counts as if nothing spoke for the machine
    "a memory fault, not repeated": ((saw(FAILED, FAULT),), FAILED, False, Who.CHANGE),
    "a memory fault, passed": ((saw(FAILED, FAULT), saw(PASSED, gpu=1)), FLAKY, False, Who.NOBODY),
    "a hang after a memory fault": ((saw(FAILED, DOUBT),), FAILED, False, Who.CHANGE),
    "a hang after a memory fault, passed": ((saw(FAILED, DOUBT), saw(PASSED, gpu=1)), FLAKY, False, Who.NOBODY),
}  # fmt: skip


@pytest.mark.parametrize(("seen", "status", "is_machine", "who"), TABLE.values(), ids=TABLE)
def test_who_is_to_blame(seen: tuple[Sighting, ...], status: CaseStatus, is_machine: bool, who: Who) -> None:
    decided = blame.decide(seen)

    assert (decided.status, decided.ending is Ending.MACHINE, decided.who) == (status, is_machine, who)


PRINTED = [SAID_HANG, SAID_DISK, FAULT, printed("uncorrectable ECC error"), printed("hipErrorNoDevice")]


@pytest.mark.parametrize("cause", PRINTED, ids=lambda cause: cause.words)
@pytest.mark.parametrize("gpu", [0, 1])
def test_what_a_program_prints_never_makes_a_failure_green(cause: Cause, gpu: int) -> None:
    """A pass with a failure before it stays flaky, whatever was printed; only the option says what that is worth."""
    for seen in (
        [saw(FAILED, cause), saw(PASSED, gpu=gpu)],
        [saw(FAILED, HANG), saw(FAILED, cause, gpu), saw(PASSED, gpu=gpu)],
        [saw(FAILED, cause), saw(FAILED, cause, gpu)],
        [saw(FAILED, cause)],
    ):
        assert blame.decide(seen).status in (FAILED, FLAKY)


def failure(name: str, ending: Ending = Ending.ASSERTION, *lines: str, **known: Any) -> Failure:
    return Failure(
        id=name, ending=ending, signs=signs.in_text(*lines), is_symptom=signs.is_symptom(*lines), **known
    )


PLAIN, WORDS = (
    failure("plain"),
    failure("words", Ending.ASSERTION, "HIP error: unspecified launch failure (719)"),
)
CRASHED, SLOW = failure("crashed", Ending.CRASH), failure("slow", Ending.TIMEOUT)


def explained(failures: list[Failure], *incidents: Incident, earlier: tuple[Incident, ...] = ()) -> set[str]:
    """The failures that something proven explains."""
    found = blame.attributed(failures, incidents, earlier)
    return {name for name, cause in found.items() if cause.weight is Weight.PROVEN}


@pytest.mark.parametrize(
    ("failures", "names"),
    [
        ([PLAIN, CRASHED, WORDS], {"words"}),
        ([PLAIN, CRASHED, SLOW], {"crashed", "slow"}),
        ([PLAIN], {"plain"}),
        ([], set()),
    ],
)
def test_a_hang_explains_what_looks_like_it_and_if_nothing_does_everything(
    failures: list[Failure], names: set[str]
) -> None:
    assert explained(failures, incident(Kind.GPU_HANG)) == names


LAUNCH = failure("launch", Ending.ASSERTION, "HIP error: unspecified launch failure (719)")
SAYS_HANG = failure("hang", Ending.ASSERTION, HANG_LINE)
SAYS_NONE = failure("none", Ending.ASSERTION, "no ROCm-capable device is detected")


def test_of_two_events_each_explains_what_speaks_of_it() -> None:
    lost, hang = incident(Kind.GPU_LOST), incident(Kind.GPU_HANG)

    found = blame.attributed([PLAIN, SAYS_NONE, SAYS_HANG], [lost, hang])
    silent = blame.attributed([PLAIN, SAYS_NONE, CRASHED], [lost, hang])

    assert {name: cause.kind for name, cause in found.items()} == {
        "none": Kind.GPU_LOST,
        "hang": Kind.GPU_HANG,
    }
    assert {name: cause.kind for name, cause in silent.items()} == {
        "none": Kind.GPU_LOST,
        "crashed": Kind.GPU_HANG,
    }


def test_a_hang_and_its_reset_are_one_event_and_a_memory_error_is_no_hang() -> None:
    both = (incident(Kind.GPU_HANG), incident(Kind.GPU_RESET))

    assert explained([SAYS_HANG, CRASHED], *both) == {"hang"}
    assert explained([LAUNCH, SAYS_HANG], incident(Kind.ECC)) == {"launch"}


def test_a_gpu_that_hung_before_explains_only_what_looks_like_it() -> None:
    before = (incident(Kind.GPU_HANG),)

    assert explained([PLAIN, CRASHED, SLOW, WORDS], earlier=before) == {"slow", "words"}
    assert explained([SLOW], earlier=(incident(Kind.DISK_FULL),)) == set()
    assert explained([SLOW], earlier=(incident(Kind.GPU_HANG, is_note=True),)) == set()


@pytest.mark.parametrize(
    ("kind", "fits", "does_not"),
    [
        (Kind.OUT_OF_MEMORY, failure("f", Ending.MEMORY), CRASHED),
        (Kind.OUT_OF_MEMORY, failure("f", Ending.CRASH, is_killed=True), PLAIN),
        (Kind.DISK_FULL, failure("f", Ending.ASSERTION, "No space left on device"), WORDS),
        (Kind.STUCK_PROCESS, SLOW, PLAIN),
        (Kind.VRAM_LEFT, failure("f", Ending.ASSERTION, "HIP out of memory. Tried to allocate 2 GiB"), WORDS),
    ],
)
def test_trouble_of_the_host_explains_what_speaks_of_it(kind: Kind, fits: Failure, does_not: Failure) -> None:
    assert explained([fits, does_not], incident(kind)) == {fits.id}


def test_memory_that_the_step_itself_left_explains_nothing_of_it() -> None:
    full = failure("f", Ending.ASSERTION, "HIP out of memory. Tried to allocate 2 GiB")

    assert explained([full], incident(Kind.VRAM_LEFT, gpu="GPU 0", is_gpu=True)) == set()


def test_a_note_explains_nothing() -> None:
    assert blame.attributed([CRASHED], [incident(Kind.GPU_RESET, is_note=True)]) == {}


def test_what_was_proven_outweighs_what_was_printed() -> None:
    forged = failure("f", Ending.CRASH, "No space left on device")

    assert blame.attributed([forged], [incident(Kind.GPU_HANG)])["f"].kind is Kind.GPU_HANG


def test_a_sign_of_the_machine_outweighs_a_suspicion_and_one_of_the_change_is_none() -> None:
    both = failure("both", Ending.CRASH, "Memory access fault by GPU node-1", HANG_LINE)
    change = failure("change", Ending.ASSERTION, "RuntimeError: HIP error: invalid device function")

    causes = blame.attributed([both, change], [])

    assert (causes["both"].kind, causes["both"].weight) == (Kind.GPU_HANG, Weight.SAID)
    assert "change" not in causes
