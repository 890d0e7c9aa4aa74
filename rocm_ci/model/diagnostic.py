"""What a compiler, CMake or a linker said, and what a log means."""

from __future__ import annotations

import enum

from rocm_ci.model.base import Frozen
from rocm_ci.model.finding import Severity


class Diagnostic(Frozen, frozen=True, kw_only=True):
    """One message of a build tool. `path` is relative to the checkout where it lies inside it.

    `log_line` is the 1-based line of the log it was read from, `arch` the GPU targets it was said for.
    """

    tool: str
    severity: Severity
    message: str
    path: str | None = None
    line: int | None = None
    column: int | None = None
    arch: str | None = None
    log_line: int | None = None
    notes: tuple[str, ...] = ()


class Category(enum.Enum):
    """The five kinds of failure the error library knows."""

    COMPILE = "compile"
    RUNTIME = "runtime"
    PERFORMANCE = "performance"
    NUMERIC = "numeric"
    INFRA = "infra"


class Blame(enum.Enum):
    """Whose fault an error of the library is, where it is the root cause."""

    CHANGE = "change"
    MACHINE = "machine"
    EITHER = "either"


class Diagnosis(Frozen, frozen=True, kw_only=True):
    """One explanation of a failure, from the error library. `line` is 1-based in the log.

    `said` is that line without colours and prefixes. `follows` names the diagnoses it is a consequence of.
    """

    id: str
    category: Category
    line: int
    title: str
    cause: str
    fixes: tuple[str, ...] = ()
    confidence: float
    location: str | None = None
    references: tuple[str, ...] = ()
    severity: Severity = Severity.ERROR
    blame: Blame = Blame.EITHER
    said: str = ""
    is_not: tuple[str, ...] = ()
    follows: tuple[str, ...] = ()
