"""One thing to fix, as the comment, the annotations and the terminal all show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from rocm_ci.model.diagnostic import Diagnosis
    from rocm_ci.model.finding import Severity

Kind = Literal["build", "scan", "test", "kernels", "perf", "machine"]


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One thing to fix. All texts are raw: whoever shows them makes them inert.

    `subject` is a name (a test, a kernel, a benchmark), `also` further subjects with the same
    message; `command` reproduces it; `cause` explains it from the error library.
    """

    kind: Kind
    severity: Severity
    message: str
    subject: str | None = None
    also: tuple[str, ...] = ()
    path: str | None = None
    line: int | None = None
    column: int | None = None
    advice: str | None = None
    replacement: str | None = None
    rule: str | None = None
    docs: str | None = None
    command: str | None = None
    cause: Diagnosis | None = None

    @property
    def place(self) -> str | None:
        """`path:line`, as far as known."""
        return self.path and (f"{self.path}:{self.line}" if self.line else self.path)
