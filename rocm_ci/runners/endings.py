"""How a test, or the process that ran it, came to its end. Pure."""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.model.case import Case, CaseStatus, Ending
from rocm_ci.tools.process import Stop, Streamed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocm_ci.config.options import TestOptions

BAD = (CaseStatus.FAILED, CaseStatus.ERRORED)
# A dead or hanging device takes the process away or keeps it waiting.
ABRUPT = (Ending.CRASH, Ending.TIMEOUT, Ending.SILENCE, Ending.MEMORY, Ending.UNREPORTED)
_SHELL_SIGNAL = 128

# What tools say of a test that they lost: ctest, pytest-timeout, pytest-xdist, the C and Python libraries.
_SAID: tuple[tuple[Ending, re.Pattern[str]], ...] = (
    (
        Ending.TIMEOUT,
        re.compile(r"\ATimeout\Z|\A(?:Failed: )?Timeout \(?>|from pytest-timeout"),
    ),
    (
        Ending.CRASH,
        re.compile(
            r"\A(?:Exception: |Child |Subprocess )\w+|\ASEGFAULT\b|\AILLEGAL\b|\ANUMERICAL\b|\AOTHER_FAULT\b"
            r"|worker '?gw\d+'? crashed while running"
        ),
    ),
    (Ending.MEMORY, re.compile(r"\bMemoryError\b|std::bad_alloc|Cannot allocate memory")),
)


@dataclass(frozen=True)
class End:
    """How a process ended before its tests did: the kind, and words that follow a test's name."""

    ending: Ending
    words: str


def signal_name(exit_code: int) -> str:
    """`SIGSEGV` for -11 and for the shell's 139; empty when it is no signal."""
    number = -exit_code if exit_code < 0 else exit_code - _SHELL_SIGNAL
    try:
        return signal.Signals(number).name
    except ValueError:
        return ""


def of_process(streamed: Streamed, options: TestOptions, *, is_overdue: bool = False) -> End:
    """What happened to the tests that were still running."""
    if is_overdue:
        return End(Ending.TIMEOUT, f"ran longer than {options.test_timeout} and was ended")
    if streamed.timed_out:
        return End(Ending.TIMEOUT, f"running when the time of {options.timeout} was up")
    if streamed.stopped is Stop.SILENCE:
        return End(Ending.SILENCE, f"printed nothing for {options.no_output} and was ended")
    if streamed.stopped is not None:
        return End(Ending.UNREPORTED, f"running when the run was stopped: {streamed.why}")
    name = signal_name(streamed.exit_code)
    if streamed.out_of_memory:
        return End(Ending.MEMORY, "ended by the kernel for want of memory")
    if name:
        return End(Ending.CRASH, f"running when the process ended by {name}")
    return End(
        Ending.UNREPORTED, f"never reported an end: the process ended with status {streamed.exit_code}"
    )


def of_case(case: Case) -> Ending | None:
    """Why a reported test is bad, as far as its own text tells; None when it is not."""
    if case.status not in BAD:
        return case.ending
    if case.ending is not None:
        return case.ending
    return of_message(case.message)


def of_message(message: str | None) -> Ending:
    """What the words of a failure tell of how it ended."""
    told = (message or "").strip()
    return next((ending for ending, said in _SAID if said.search(told)), Ending.ASSERTION)


def pinned(cases: Sequence[Case], running: Sequence[str], end: End) -> tuple[Case, ...]:
    """The cases, those that were running with how they ended."""
    return tuple(
        case
        if case.id not in running
        else Case(
            id=case.id,
            suite=case.suite,
            name=case.name,
            status=CaseStatus.ERRORED,
            duration_s=case.duration_s,
            attempts=case.attempts,
            message=end.words,
            ending=end.ending,
        )
        for case in cases
    )
