"""What the kernel says while tests run reaches report, comment and the kept files, on a pretended machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocm_ci.model.incident import IncidentKind
from rocm_ci.model.result import TestResult
from tests.e2e.schedule import host as hosts

if TYPE_CHECKING:
    from pathlib import Path

    from rocm_ci.model.result import Suite

# A test that fails while the kernel says what `SAYS` holds, with the test's own GPU for `{gpu}`.
HANG = """\
import os, sys
says = os.environ["SAYS"].replace("{gpu}", os.environ["ROCM_CI_GPU_IDS"])
with open(os.environ["KMSG"], "a") as log:
    for number, text in enumerate(says.splitlines()):
        log.write(f"3,{number},1000000,-;{text}\\n")
bad = "<failure message='HIP error: the launch timed out'/>" if says else ""
print(f"<testsuite><testcase classname='k' name='sum'>{bad}</testcase></testsuite>", file=open(os.environ["ROCM_CI_JUNIT"], "w"))
sys.exit(bool(says))
"""


def ran(tmp_path: Path, says: str) -> tuple[Suite, Path]:
    """A suite of one GPU that ran while the kernel said so; its result, and the output folder."""
    machine = hosts.host(tmp_path)
    kmsg = tmp_path / "root/dev/kmsg"
    kmsg.write_text("3,1,1,-;amdgpu: GPU reset begin!\n")
    machine.repo.commit(**{"hang.py": HANG})
    machine.configure("name: unit, gpus: 1, run: python3 hang.py")
    done = machine.run(SAYS=says, KMSG=str(kmsg), ROCM_CI_DRAIN="100ms")
    (result,) = [r for r in done.report.results if isinstance(r, TestResult)]
    return result.suites[0], done.folder / "rocm-ci-out"


@pytest.mark.attack("5", "a machine's serial numbers in what is attached to a result")
def test_a_hang_is_told_with_the_kernels_words_and_nothing_that_names_the_machine(tmp_path: Path) -> None:
    suite, out = ran(
        tmp_path,
        "amdgpu {gpu}: amdgpu: ring comp_1.0.0 timeout, signaled seq=1\n"
        "amdgpu 0000:ff:00.0: amdgpu: device lost from bus!\n"
        "usb 1-1: SerialNumber: 00PRIVATE99",
    )

    assert {i.kind for i in suite.incidents} == {IncidentKind.GPU_HANG}
    assert suite.kept[0] == "logs/test-unit.kernel.log"
    shown = (out / suite.kept[0]).read_text()
    assert "ring comp_1.0.0 timeout" in shown
    assert "device lost" not in shown, "the GPU of somebody else"
    assert "GPU reset begin!" not in shown, "from before the run"
    assert "Kept: `logs/test-unit.kernel.log`" in (out / "comment.md").read_text()
    for path in out.rglob("*"):
        assert not path.is_file() or b"00PRIVATE99" not in path.read_bytes()


def test_a_green_suite_keeps_nothing(tmp_path: Path) -> None:
    suite, out = ran(tmp_path, "")

    assert (suite.incidents, suite.kept) == ((), ())
    assert not list((out / "logs").glob("*.kernel.log"))
