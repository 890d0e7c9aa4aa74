"""A call beside the caller's own work."""

from __future__ import annotations

import threading

import pytest

from rocm_ci.tools.beside import Beside


def test_it_begins_before_it_is_asked_and_gives_the_value() -> None:
    begun = threading.Event()

    def answer() -> int:
        begun.set()
        return 42

    with Beside(answer) as call:
        assert begun.wait(10)
        assert call.result() == 42
        assert call.result() == 42


def test_what_it_raises_is_raised_where_it_is_asked() -> None:
    def fails() -> None:
        message = "no such commit"
        raise LookupError(message)

    with Beside(fails) as call, pytest.raises(LookupError, match="no such commit"):
        call.result()


def test_nothing_is_left_running_when_the_caller_fails() -> None:
    go, done = threading.Event(), threading.Event()

    def late() -> None:
        go.wait(10)
        done.set()

    def caller() -> None:
        with Beside(late):
            go.set()
            raise KeyError

    with pytest.raises(KeyError):
        caller()
    assert done.is_set()
