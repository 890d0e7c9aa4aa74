"""Real reports, too big to be held in memory, read by a process of its own; its peak as the kernel saw it."""

from __future__ import annotations

import json
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
# Between us and it stands a small process: the peak that the kernel tells starts with that of the parent.
_MEASURED = """
import resource, subprocess, sys
with open(sys.argv[1], "w") as out:
    subprocess.run(sys.argv[2:], stdout=out, stderr=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


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

    document_path = tmp_path / "out.json"
    argv = [sys.executable, "-m", "rocm_ci", "junit", "--format", "json", str(path)]
    done = subprocess.run(
        [sys.executable, "-c", _MEASURED, str(document_path), *argv],
        cwd=tmp_path, env=scrubbed(), capture_output=True, text=True, timeout=300, check=True,
    )  # fmt: skip

    document = json.loads(document_path.read_text())
    assert (document["tests"], document["failures"]) == (_TESTS + bool(damage), _TESTS // 500)
    assert document["repaired"] is bool(damage)
    assert int(done.stdout) / 1000 < _BAR_MB
