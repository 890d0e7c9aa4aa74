"""What the program between us and a command makes of the ends of its children."""

from __future__ import annotations

import os

import pytest

from rocm_ci.tools.supervisor import Command


@pytest.mark.attack("17", "the exit status of a test command changed by a process that gets its number")
def test_a_number_that_is_given_again_changes_no_status(monkeypatch: pytest.MonkeyPatch) -> None:
    """What forks without end goes once around all numbers within seconds."""
    ends = iter([(7, 1 << 8), (9, 0), (7, 0), (0, 0)])
    monkeypatch.setattr(os, "waitpid", lambda *_: next(ends))
    command = Command(7, [])

    command.reap()

    assert command.status == 1 << 8


def test_only_what_somebody_else_killed_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    ends = iter([(8, 9), (7, 9), (9, 15), (0, 0)])
    monkeypatch.setattr(os, "waitpid", lambda *_: next(ends))
    command = Command(7, [])

    command.reap()

    assert (command.status, command.killed) == (9, 1)
