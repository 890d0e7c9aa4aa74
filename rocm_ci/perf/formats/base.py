"""The contract of a benchmark result format."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Protocol

from rocm_ci.errors import RocmCiError
from rocm_ci.model.perf import Better

MAX_BYTES = 200_000_000


class FormatError(RocmCiError):
    """A result file is not of the format it should be."""

    exit_code = 2


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """All values of one metric that one process measured, in the order they were taken."""

    name: str
    unit: str
    values: tuple[float, ...]
    better: Better | None = None


class Format(Protocol):
    """How one tool writes its results."""

    @property
    def name(self) -> str:
        """What the configuration calls it."""
        ...

    def claims(self, text: str) -> bool:
        """Whether a file looks like it (for `perf compare`, where nobody says the format)."""
        ...

    def read(self, text: str) -> tuple[Measurement, ...]:
        """The measurements of one result file. Raises `FormatError`."""
        ...


def decoded(text: str, tool: str) -> dict[str, Any]:
    """The JSON object that a result file holds."""
    if len(text) > MAX_BYTES:
        message = f"the {tool} result has {len(text)} characters, over the limit of {MAX_BYTES}"
        raise FormatError(message, hint="write fewer repetitions into one file")
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        message = f"the {tool} result is not valid JSON ({error})"
        raise FormatError(message, hint="the benchmark may have died writing it: see its log") from error
    if not isinstance(document, dict) or not isinstance(document.get("benchmarks"), list):
        message = f"the result has no list of `benchmarks`, so it is not of {tool}"
        raise FormatError(message, hint="check `format` of this benchmark in the configuration")
    return document


def number(value: object) -> float | None:
    """A finite number, or None."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if abs(value) < float("inf") else None
