"""Whose fault a failed build is."""

from __future__ import annotations

from pathlib import Path

import pytest

from rocm_ci.build.blame import Ended, Judgement, judge
from rocm_ci.build.diagnostics import Collector
from rocm_ci.build.locate import Locator
from rocm_ci.model.verdict import Verdict

CODE_ERROR = "a.hip:3:1: error: use of undeclared identifier 'cudaFree'"
DISK = "fatal error: error writing to /tmp/x.s: No space left on device"


def judged(
    log: str, *, code: int = 1, timed_out: bool = False, archs: tuple[str, ...] = ("gfx90a",)
) -> Judgement:
    collector = Collector(Locator(Path(__file__).parent))
    for line in log.split("\n"):
        collector.feed(line)
    ended = Ended(exit_code=code, timed_out=timed_out, timeout="30m", last_line=collector.last_line)
    return judge(ended, collector.diagnostics(), collector.evidence, archs)


@pytest.mark.parametrize(
    ("log", "code", "verdict", "reason"),
    [
        ("fine", 0, Verdict.PASS, ""),
        (CODE_ERROR, 1, Verdict.FAIL, "a.hip:3: use of undeclared identifier 'cudaFree'"),
        (DISK, 1, Verdict.ERROR, "the disk is full: "),
        ("working", 137, Verdict.ERROR, "a compiler was killed: not enough memory (exit status 137)"),
        ("working", -9, Verdict.ERROR, "a compiler was killed: not enough memory"),
        ("bash: line 1: hipcc: command not found", 127, Verdict.ERROR, "a build tool is missing: "),
        ("bash: line 1: own-tool: command not found", 127, Verdict.FAIL, "own-tool: command not found"),
        ("last words", 3, Verdict.FAIL, "exit status 3: last words"),
        ("", 3, Verdict.FAIL, "exit status 3"),
        (
            "clang: error: invalid target ID 'gfx90a'; format is a processor name", 1, Verdict.ERROR,
            "the HIP compiler on this machine cannot build for gfx90a: ",
        ),
        ("clang: error: invalid target ID 'gfx42'; format", 1, Verdict.FAIL, "invalid target ID 'gfx42'; format"),
        (
            ("CMake Error at CMakeLists.txt:5 (message):\n  downloading 'https://x' failed\n"
            '    status_string: "Couldn\'t resolve host name"\n'), 1, Verdict.ERROR, "the network failed: ",
        ),
        (
            ("WARNING: Retrying after connection broken by 'NewConnectionError(...)'\n"
            "ERROR: Could not find a version that satisfies the requirement torch"), 1, Verdict.ERROR,
            "the network failed: ",
        ),
        (
            "ERROR: Could not find a version that satisfies the requirement tirch", 1, Verdict.FAIL,
            "Could not find a version that satisfies the requirement tirch",
        ),
    ],
)  # fmt: skip
def test_the_blame_of_a_build(log: str, code: int, verdict: Verdict, reason: str) -> None:
    found = judged(log, code=code)

    assert found.verdict is verdict
    assert found.reason.startswith(reason)
    assert reason or not found.reason


def test_when_both_are_at_fault_both_are_said_and_the_change_fails() -> None:
    found = judged(f"{CODE_ERROR}\n{DISK}")

    assert found.verdict is Verdict.FAIL
    assert "cudaFree" in found.reason
    assert "Besides, the disk is full" in found.reason


def test_more_errors_are_counted() -> None:
    assert judged(f"{CODE_ERROR}\na.hip:9:1: error: other").reason.endswith("(and 1 more)")


def test_a_timeout_is_the_changes_unless_the_machine_showed_a_fault() -> None:
    assert judged("working", code=-15, timed_out=True).reason == (
        "timed out after 30m; the whole process tree was ended"
    )
    assert judged("working", code=-15, timed_out=True).verdict is Verdict.FAIL
    assert judged("x: Could not resolve host: y", code=-15, timed_out=True).verdict is Verdict.ERROR


def test_a_success_with_an_untargeted_call_fails_with_the_flags_to_add() -> None:
    found = judged("hipcc -c a.hip -o a.o", code=0, archs=("gfx90a", "gfx942"))

    assert found.verdict is Verdict.FAIL
    assert "--offload-arch=gfx90a --offload-arch=gfx942" in found.reason
