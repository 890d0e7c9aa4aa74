"""What a suite's output tells while it runs: all that is left when it is killed before its report."""

from __future__ import annotations

import time
from dataclasses import dataclass

from rocm_ci.model.case import Case, CaseStatus
from rocm_ci.runners.excerpt import clean, shortened

# A hostile suite must not fill our memory with invented names, nor our time with lines on which patterns
# try everything: of a long one only begin and end are looked at.
MAX_SEEN = 200_000
MAX_TEXT = 64_000_000
MAX_LINE = 4_096
_BAD = (CaseStatus.FAILED, CaseStatus.ERRORED)


@dataclass(slots=True)
class Seen:
    """One test on the output; `status` is None while it runs. `native` is the tool's own name of it.

    `failures` counts attempts that failed: a tool that repeats a test by itself prints each.
    `began` is when it last did (monotonic). Between lines `first_line` and `last_line` of the log
    nobody else printed; 0 where that is not known.
    """

    id: str
    name: str
    native: str
    status: CaseStatus | None = None
    message: str = ""
    duration_s: float | None = None
    failures: int = 0
    began: float = 0.0
    first_line: int = 0
    last_line: int = 0


class Watch:
    """Listens to the lines of one attempt. The base class understands nothing."""

    def __init__(self) -> None:
        self.seen: dict[str, Seen] = {}
        self.open: dict[str, Seen] = {}
        self.failed_in_summary = 0
        self.nothing_ran = False
        self.number = 0
        self._room = MAX_TEXT

    def line(self, text: str) -> None:
        """One line, as it was printed. Never raises."""
        self.number += 1
        if len(text) > MAX_LINE:
            text = text[: MAX_LINE // 2] + text[-MAX_LINE // 2 :]
        self.understand(clean(text).rstrip())

    def understand(self, text: str) -> None:
        """One line without colours; for subclasses."""

    def started(self, identity: str, name: str, native: str) -> None:
        """A test began, perhaps once more."""
        seen = self._seen(identity, name, native)
        if seen is not None:
            seen.status, seen.began = None, time.monotonic()
            self.open[identity] = seen
            seen.first_line = self.number
            if len(self.open) > 1:
                for one in self.open.values():
                    one.first_line = one.last_line = 0

    def _seen(self, identity: str, name: str, native: str) -> Seen | None:
        seen = self.seen.get(identity)
        if seen is None and len(self.seen) < MAX_SEEN and self._room > 0:
            seen = self.seen[identity] = Seen(identity, name, native)
            self._room -= len(identity) + len(name) + len(native)
        return seen

    def ended(
        self,
        identity: str,
        name: str,
        native: str,
        status: CaseStatus,
        *,
        message: str = "",
        duration_s: float | None = None,
    ) -> None:
        """A test ended; it need not have been seen starting. A pass after a failure is FLAKY."""
        seen = self._seen(identity, name, native)
        if seen is None:
            return
        self.open.pop(identity, None)
        seen.last_line = self.number if seen.first_line else 0
        seen.duration_s = duration_s
        self._room -= len(message)
        if self._room < 0:
            message = ""
        if status in _BAD:
            seen.failures += 1
        if status is CaseStatus.PASSED and seen.failures:
            seen.status = CaseStatus.FLAKY
        else:
            seen.status, seen.message = status, message

    def running(self) -> tuple[Seen, ...]:
        """Tests that began and did not end."""
        return tuple(self.open.values())

    def failed(self) -> int:
        """How many tests the output calls failed."""
        return max(self.failed_in_summary, sum(seen.status in _BAD for seen in self.seen.values()))

    def native(self, identity: str) -> str | None:
        """The tool's own name of a test, e.g. pytest's node id."""
        seen = self.seen.get(identity)
        return seen.native if seen else None

    def cases(self, suite: str, *, unfinished: str) -> tuple[Case, ...]:
        """All that was seen; `unfinished` says of the running ones what happened to them."""
        return tuple(
            Case(
                id=shortened(seen.id, 1000),
                suite=suite,
                name=shortened(seen.name, 1000),
                status=seen.status or CaseStatus.ERRORED,
                duration_s=seen.duration_s,
                attempts=max(1, seen.failures + (seen.status is CaseStatus.FLAKY)),
                message=(seen.message or None) if seen.status else unfinished,
            )
            for seen in self.seen.values()
        )
