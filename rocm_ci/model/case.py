"""One test and how it ended."""

from __future__ import annotations

import enum

from rocm_ci.model.base import Frozen


class CaseStatus(enum.Enum):
    """FLAKY failed first and passed on a retry."""

    PASSED = "passed"
    FAILED = "failed"
    ERRORED = "errored"
    SKIPPED = "skipped"
    FLAKY = "flaky"


class Ending(enum.Enum):
    """Why a test counts as bad. ASSERTION: it said so itself; MACHINE: no healthy machine saw it fail.

    CRASH took its process away, TIMEOUT and SILENCE were ended by the watchdog, MEMORY by the
    kernel or a limit; UNREPORTED began and never ended; VANISHED was expected and did not run.
    """

    ASSERTION = "assertion"
    CRASH = "crash"
    TIMEOUT = "timeout"
    SILENCE = "silence"
    MEMORY = "memory"
    MACHINE = "machine"
    UNREPORTED = "unreported"
    VANISHED = "vanished"


class Layer(enum.Enum):
    """Which net a suite belongs to."""

    UNIT = "unit"
    INTEGRATION = "integration"
    SYSTEM = "system"


class Case(Frozen, frozen=True, kw_only=True):
    """One test. `id` is `classname::name` (or the name alone); texts are cut to a bound.

    `ending` says why a test is bad, or was before it passed; None where only a report is known.
    `gpus` are the labels of the devices it last ran on.
    """

    id: str
    suite: str
    name: str
    status: CaseStatus
    duration_s: float | None = None
    attempts: int = 1
    message: str | None = None
    excerpt: str | None = None
    path: str | None = None
    line: int | None = None
    reproduce: str | None = None
    ending: Ending | None = None
    gpus: tuple[str, ...] = ()
