"""Real reports, too big to be held in memory, read by a process of its own; its peak as the kernel saw it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.e2e.command import scrubbed

if TYPE_CHECKING:
    from pathlib import Path

_TESTS = 30_000
# Of a process that reads them all at once: several times as much.
_BAR_MB = 120


@pytest.mark.attack("5", "a report that is far bigger than the memory to read it")
@pytest.mark.parametrize(
    "damage", ["", "<testcase classname='a' name='R&D'/>"], ids=["well-formed", "damaged"]
)
def test_a_big_report_is_read_whole_in_little_memory(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "big.xml"
    with path.open("w") as out:
        out.write("<testsuites><testsuite name='s'>\n" + damage)
        for number in range(_TESTS):
            text = (
                "<failure message='m'>" + "why it failed\n" * 20 + "</failure>" if number % 500 == 0 else ""
            )
            printed = "<system-out>" + "printed line\n" * 60 + "</system-out>"
            out.write(f"<testcase classname='t.test_x' name='test_{number}'>{text}{printed}</testcase>\n")
        out.write("</testsuite></testsuites>")

    with (tmp_path / "out.json").open("w") as out:
        argv = [sys.executable, "-m", "rocm_ci", "junit", "--format", "json", str(path)]
        process = subprocess.Popen(argv, cwd=tmp_path, env=scrubbed(), stdout=out, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)

    assert process.returncode == 0
    document = json.loads((tmp_path / "out.json").read_text())
    assert (document["tests"], document["failures"]) == (_TESTS + bool(damage), _TESTS // 500)
    assert document["repaired"] is bool(damage)
    assert usage.ru_maxrss / 1000 < _BAR_MB
