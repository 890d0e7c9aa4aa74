"""Which processes are below us, in pretended tables of processes; `os.getpid()` is 100 in all of them."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

from rocm_ci.tools import below

if TYPE_CHECKING:
    from pathlib import Path

ME = 100
# By number, their states and parents.
TABLE = {
    1: ("S", 0), 50: ("S", 1), ME: ("S", 50),
    200: ("S", ME), 201: ("T", 200), 202: ("Z", 200), 203: ("D", 202),
    300: ("S", 1), 301: ("S", 300), 51: ("S", 50),
}  # fmt: skip


class Kernel:
    """Its table of processes, and who was signalled."""

    def __init__(self) -> None:
        self.table = dict(TABLE)
        self.signalled: list[tuple[int, int]] = []
        self.has_handles = True

    def open(self, pid: int) -> int:
        if not self.has_handles:
            raise OSError(38, "Function not implemented")
        if pid not in self.table:
            raise ProcessLookupError
        return pid + 10_000

    def send(self, handle: int, number: int) -> None:
        self.signalled.append((handle % 10_000, number))


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> Kernel:
    made = Kernel()
    monkeypatch.setattr(below, "stat", lambda pid: made.table.get(pid, ("", 0)))
    monkeypatch.setattr(os, "getpid", lambda: ME)
    monkeypatch.setattr(os, "listdir", lambda _: [*map(str, made.table), "self", "stat"])
    monkeypatch.setattr(os, "pidfd_open", made.open)
    monkeypatch.setattr(os, "kill", made.send)
    monkeypatch.setattr(os, "close", lambda _: None)
    monkeypatch.setattr(signal, "pidfd_send_signal", made.send)
    return made


@pytest.mark.usefixtures("kernel")
def test_all_that_live_below_us_are_found_and_nothing_else() -> None:
    assert sorted(below.descendants()) == [200, 201, 203]


@pytest.mark.usefixtures("kernel")
def test_of_some_those_that_are_below_us_are_told() -> None:
    assert below.descendants([201, 202, 203, 51, 301, 1, ME, 999]) == [201, 203]


def test_a_table_that_changes_under_the_look_ends_in_no_circle(kernel: Kernel) -> None:
    kernel.table |= {400: ("S", 401), 401: ("S", 400)}

    assert sorted(below.descendants()) == [200, 201, 203]
    assert below.descendants([400]) == []


@pytest.mark.parametrize("has_handles", [True, False], ids=["handles", "a kernel before 5.3"])
def test_only_a_descendant_is_signalled(kernel: Kernel, *, has_handles: bool) -> None:
    kernel.has_handles = has_handles
    for pid in (200, 201, 51, 300, 1, ME, 999):
        below.send(pid, signal.SIGTERM)

    assert kernel.signalled == [(200, signal.SIGTERM), (201, signal.SIGTERM)]


def test_a_number_that_was_given_away_meanwhile_is_left_alone(kernel: Kernel) -> None:
    found = below.descendants()
    kernel.table[201] = ("S", 1)
    for pid in found:
        below.send(pid, signal.SIGKILL)

    assert 201 not in [pid for pid, _ in kernel.signalled]


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        (b"7 (sh) S 3 7 7 0 -1 4 1 1 1 1 1 1 1 1 20 0 1 0 9", ("S", 3)),
        (b"7 (a) Z) 1 (b) R 3 7 7 0 -1 4 1 1 1 1 1 1 1 1 20 0 1 0 9", ("R", 3)),
        (b"7 (sh) Z 3 7 7 0 -1 4 1 1 1 1 1 1 1 1 20 0 1 0 9", ("Z", 3)),
        (b"7 (main thread gone) Z 3 7 7 0 -1 4 1 1 1 1 1 1 1 1 20 0 2 0 9", ("R", 3)),
        (b"", ("", 0)),
        (b"7 (sh) Z", ("", 0)),
    ],
)
def test_a_state_is_read_as_the_kernel_writes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: bytes, seen: tuple[str, int]
) -> None:
    """Names hold brackets and spaces, and a process whose first thread has ended is no dead one."""
    (tmp_path / "stat").write_bytes(line)
    real = open
    monkeypatch.setattr("builtins.open", lambda _, *how: real(tmp_path / "stat", *how))

    assert below.stat(7) == seen
