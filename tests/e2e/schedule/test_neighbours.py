"""What one suite leaves in the checkout while another one runs there."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from rocm_ci.model.verdict import Verdict
from tests.e2e.schedule.host import host, suites

if TYPE_CHECKING:
    from pathlib import Path

# Each waits until the other is there; `tells.py` then writes XML where nobody asked for it, and `ends.py`
# ends after that without a word of its tests.
WAIT = """\
import os, pathlib, time
folder = pathlib.Path(os.environ["MEETING"])
def meet(mine, other):
    (folder / mine).touch()
    end = time.monotonic() + 60
    while not (folder / other).exists():
        assert time.monotonic() < end
        time.sleep(0.01)
"""
TELLS = """\
import wait
wait.meet("tells", "ends")
open("mine.xml", "w").write('<testsuite><testcase name="good"/></testsuite>')
wait.meet("written", "over")
"""
ENDS = """\
import wait
wait.meet("ends", "written")
(wait.folder / "over").touch()
"""


@pytest.mark.attack(
    "17", "a suite that ends without a result beside one that leaves a green report somewhere"
)
def test_a_report_of_a_neighbour_makes_no_suite_green(tmp_path: Path) -> None:
    machine = host(tmp_path)
    machine.repo.commit(**{"wait.py": WAIT, "tells.py": TELLS, "ends.py": ENDS})
    machine.configure(
        *(f"name: {n}, runner: pytest, gpus: 1, run: '{sys.executable} {n}.py'" for n in ("tells", "ends"))
    )

    done = machine.run()

    ends = suites(done)["ends"]
    assert (ends.verdict, ends.cases) == (Verdict.FAIL, ())
    assert ends.reason.startswith("no JUnit XML was written (exit status 0)")
    assert "JUnit XML lies in mine.xml, but other suites ran meanwhile" in ends.reason
