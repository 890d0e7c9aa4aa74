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


class Layer(enum.Enum):
    """Which net a suite belongs to."""

    UNIT = "unit"
    INTEGRATION = "integration"
    SYSTEM = "system"


class Case(Frozen, frozen=True, kw_only=True):
    """One test. `id` is `classname::name` (or the name alone); texts are cut to a bound."""

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
