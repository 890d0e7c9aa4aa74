"""Two pipes of a child, read side by side: never more than the limit, never longer than the time."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any, cast

import pytest

from rocm_ci.tools import capture
from rocm_ci.tools.capture import Reading

if TYPE_CHECKING:
    from collections.abc import Iterator

FAR = 1e12


class Child:
    """One that has ended, or ends after so many looks; we hold the other ends of its pipes."""

    def __init__(self, looks: int = 0) -> None:
        ends = [os.pipe() for _ in range(3)]
        self.stdin = os.fdopen(ends[0][1], "wb")
        self.stdout, self.stderr = (os.fdopen(ends[n][0], "rb") for n in (1, 2))
        self.reads = os.fdopen(ends[0][0], "rb")
        self.out, self.err = (os.fdopen(ends[n][1], "wb", buffering=0) for n in (1, 2))
        self.looks = looks

    def poll(self) -> int | None:
        self.looks -= 1
        return 0 if self.looks < 0 else None

    def wait(self, timeout: float) -> int:
        assert timeout > 0
        self.looks = 0
        return 0

    def reading(self, stdin: bytes = b"", limit: int = 100) -> Reading:
        return Reading(cast("Any", self), stdin, limit)

    def close(self) -> None:
        for pipe in (self.stdin, self.stdout, self.stderr, self.reads, self.out, self.err):
            pipe.close()


@pytest.fixture
def child() -> Iterator[Child]:
    made = Child()
    yield made
    made.close()


def test_both_are_read_to_their_ends_and_apart(child: Child) -> None:
    reading = child.reading()
    child.out.write(b"out")
    child.err.write(b"err")
    child.out.close()
    child.err.close()

    assert reading.until(FAR, ends_when_over=True)
    assert (reading.of(child.stdout), reading.of(child.stderr), reading.is_over) == (b"out", b"err", False)


@pytest.mark.parametrize(("size", "is_over"), [(99, False), (100, False), (101, True), (60_000, True)])
def test_more_than_the_limit_is_told_and_not_kept(child: Child, size: int, *, is_over: bool) -> None:
    reading = child.reading()
    child.err.write(b"x" * size)
    child.out.close()
    child.err.close()

    reading.until(FAR, ends_when_over=False)

    assert (len(reading.of(child.stderr)), reading.is_over) == (min(size, 100), is_over)


def test_it_stops_at_the_limit_when_it_is_asked_to(child: Child) -> None:
    child.looks = 1_000_000
    reading = child.reading()
    child.out.write(b"x" * 101)

    assert reading.until(FAR, ends_when_over=True)
    assert reading.is_over


def test_the_time_that_is_up_is_told(child: Child) -> None:
    child.looks = 1_000_000

    assert not child.reading().until(time.monotonic() - 1, ends_when_over=False)


def test_a_pipe_that_somebody_holds_open_after_the_end_is_left(
    child: Child, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capture, "_REST_S", 0.0)
    monkeypatch.setattr(capture, "_LOOK_MS", 1)
    reading = child.reading()
    child.out.write(b"written before the end")

    assert reading.until(FAR, ends_when_over=False)
    assert reading.of(child.stdout) == b"written before the end"


def test_what_it_gets_to_read_goes_in_as_fast_as_it_takes_it(child: Child) -> None:
    child.looks = 1_000_000
    reading = child.reading(stdin=b"ask")
    reading.until(time.monotonic() + 0.001, ends_when_over=False)

    assert child.reads.read() == b"ask", "and its end is told"


def test_a_child_that_reads_nothing_of_it_is_in_its_right(child: Child) -> None:
    child.reads.close()
    reading = child.reading(stdin=b"ask")
    child.out.close()
    child.err.close()

    assert reading.until(FAR, ends_when_over=False)
