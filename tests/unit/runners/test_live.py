"""Lines that a suite prints to make its listener slow, full or break."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from rocm_ci.runners import command, ctest, gtest, live, missing
from rocm_ci.runners import pytest as ours

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocm_ci.runners.live import Watch

WATCHES = [ours.RUNNER.watch, ctest.RUNNER.watch, gtest.RUNNER.watch, command.RUNNER.watch]
TOOLS = ["pytest", "ctest", "gtest", "command"]
LONG = 16_384
# Generous: what was slow took seconds for one line.
DEADLINE_S = 20.0


@pytest.mark.parametrize("watch", WATCHES, ids=TOOLS)
@pytest.mark.parametrize("digits", [400, 5_000])
@pytest.mark.parametrize(
    "line",
    [
        "[       OK ] A.B ({} ms)",
        "[  FAILED  ] A.B ({} ms)",
        "1/2 Test #1: a ..... Passed {}.0 sec",
        "1/2 Test #{}: a ..... Passed 1.0 sec",
        "    Start {}: a",
        "=== {} failed in 0.1s ===",
    ],
)
@pytest.mark.attack("input", "a number without end in a line that looks like a test tool's")
def test_a_number_without_end_breaks_nothing(watch: Callable[[], Watch], digits: int, line: str) -> None:
    listening = watch()

    listening.line(line.format("9" * digits))

    assert all((seen.duration_s or 0) < 1e12 for seen in listening.seen.values())
    assert listening.failed_in_summary < 10**9


@pytest.mark.parametrize("watch", WATCHES, ids=TOOLS)
@pytest.mark.attack("input", "lines on which the patterns of test tools try everything")
def test_no_line_makes_a_pattern_slow(watch: Callable[[], Watch]) -> None:
    listening = watch()
    began = time.monotonic()

    for piece in (
        "x.py::", "[gw0] [ 10%] PASSED x.py::", " PASSED (", "= ", "1 a, ", "a ..... ***", "***  ", " .",
        "x ......Subprocess a***", "[       OK ] ", "[       OK ] A", "[  FAILED  ] A.B (1", "\x1b[", "\x1b]", "A", "[",
    ):  # fmt: skip
        for head in ("", "1/1 Test #1: a ", "[       OK ] ", "x.py::y "):
            listening.line(f"{head}{piece * (LONG // len(piece))} 1.0 se")

    assert time.monotonic() - began < DEADLINE_S


@pytest.mark.attack("input", "a long last line that makes the search for a missing program slow")
def test_no_tail_makes_the_search_for_a_missing_program_slow() -> None:
    began = time.monotonic()

    assert missing.missing_program("\n".join(["a" * LONG] * 200)) is None
    assert time.monotonic() - began < DEADLINE_S


@pytest.mark.attack("input", "memory filled by invented tests on the output")
def test_invented_names_fill_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "MAX_TEXT", 100_000)
    for watch, form in zip(
        WATCHES, ["{}.py::a PASSED", "  Start {0}: {0}", "[ RUN      ] {}", "{}.py::a PASSED"], strict=True
    ):
        listening = watch()
        for number in range(200):
            listening.line(form.format(f"{number}{'x' * LONG}"))
        assert sum(len(seen.id) + len(seen.name) for seen in listening.seen.values()) < 120_000


def test_the_mark_of_a_test_behind_a_long_text_is_heard() -> None:
    listening = gtest.RUNNER.watch()

    listening.line(f"{'.' * LONG}[       OK ] A.B (7 ms)")

    assert [seen.native for seen in listening.seen.values()] == ["A.B"]
