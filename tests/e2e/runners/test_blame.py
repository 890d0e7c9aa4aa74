"""`rocm-ci run` on four pretended GPUs whose faults the tests bring about: whose fault does it call what?

The kernel's messages are written by the tests themselves, in the place of the pretended machine's kernel; processes,
signals and crashes are real. No AMD GPU was there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocm_ci.model.verdict import Verdict
from tests import require
from tests.e2e.schedule.host import GPUS, Host, host, suites
from tools import pretend

if TYPE_CHECKING:
    from pathlib import Path

    from rocm_ci.model.result import Suite

HELPER = '''\
"""What the tests here do to their GPU."""
import os, pathlib, signal, time

folder = pathlib.Path(os.environ["MEETING"])
BUSES = os.environ["BUSES"].split(",")


def first(name):
    mark = folder / f"{name}.seen"
    there = mark.exists()
    mark.touch()
    return not there


def kernel(text):
    bus = BUSES[int(os.environ["ROCR_VISIBLE_DEVICES"].split(",")[0])]
    with open(os.environ["KMSG"], "a") as log:
        log.write(f"3,{os.getpid()},{time.monotonic_ns() // 1000},-;amdgpu {bus}: amdgpu: {text}\\n")


def hang():
    kernel("ring comp_1.1.0 timeout, signaled seq=41, emitted seq=43")
    kernel("GPU reset begin!")
    forge()
    os.abort()


def forge():
    print("HW Exception by GPU node-2 (Agent handle: 0x55d0c0) reason :GPU Hang", flush=True)
'''


@pytest.fixture
def machine(tmp_path: Path) -> Host:
    made = host(tmp_path)
    (tmp_path / "root/dev/kmsg").touch()
    made.repo.commit(**{"helper.py": HELPER, "pytest.ini": "[pytest]\n"})
    return made


def acted(machine: Host, *suite: str, **files: str) -> tuple[int, dict[str, Suite], str]:
    """Exit status, suites and comment of a run over `files` and the configured suites."""
    machine.repo.commit(**files)
    machine.configure(*suite, more="parallel: 1\n")
    done = machine.run(
        BUSES=",".join(pretend.address(number) for number in range(GPUS)),
        KMSG=str(machine.folder / "root/dev/kmsg"),
        ROCM_CI_DRAIN="1s",
    )
    return done.code, suites(done), (machine.repo.root / "rocm-ci-out/comment.md").read_text()


def entry(name: str, gpus: int = 1, **more: str) -> str:
    extra = "".join(f", {key}: {value}" for key, value in more.items())
    return (
        f"name: {name}, gpus: {gpus}, run: '$ROCM_CI_PYTHON -m pytest -p no:randomly test_{name}.py'{extra}"
    )


def statuses(suite: Suite) -> dict[str, tuple[str, str | None]]:
    return {
        case.name: (case.status.value, case.ending.value if case.ending else None) for case in suite.cases
    }


def test_a_hang_that_stays_behind_on_its_gpu_is_green_and_the_gpu_is_remembered(machine: Host) -> None:
    code, done, comment = acted(
        machine,
        entry("once"),
        **{
            "test_once.py": "import helper\ndef test_a(): pass\n"
            "def test_b():\n    if helper.first('b'): helper.hang()\ndef test_c(): pass\n"
        },
    )

    suite = done["once"]
    assert (code, suite.verdict) == (0, Verdict.PASS), suite.reason
    assert statuses(suite) == {
        "test_a": ("passed", None),
        "test_b": ("passed", "machine"),
        "test_c": ("passed", None),
    }
    assert "hung (test_once::test_b): repeated on GPU 1" in suite.reason
    assert [one.gpus[0][:5] for one in suite.tries] == ["GPU 0", "GPU 1", "GPU 1"]
    assert "the GPU hung (a ring timed out)" in comment
    ledger = machine.ended(machine.start("ledger"))
    assert "gpu-hang" in ledger.out
    assert pretend.address(0) in ledger.out


def test_a_kernel_that_hangs_two_gpus_is_the_change_s_and_in_no_ledger(machine: Host) -> None:
    code, done, comment = acted(
        machine,
        entry("wild"),
        **{"test_wild.py": "import helper\ndef test_w(): helper.hang()\ndef test_x(): pass\n"},
    )

    suite = done["wild"]
    assert (code, suite.verdict) == (1, Verdict.FAIL)
    assert statuses(suite) == {"test_w": ("errored", "crash"), "test_x": ("passed", None)}
    assert "hung two GPUs in turn" in suite.reason
    assert "this change" in comment.splitlines()[0]
    assert "gpu-hang" not in machine.ended(machine.start("ledger")).out


def test_a_hang_where_there_is_no_other_gpu_is_an_error_that_nobody_has_to_fix_in_the_change(
    machine: Host,
) -> None:
    code, done, comment = acted(
        machine,
        entry("all", gpus=GPUS),
        **{"test_all.py": "import helper\ndef test_b():\n    helper.hang()\ndef test_c(): pass\n"},
    )

    suite = done["all"]
    assert (code, suite.verdict) == (3, Verdict.ERROR)
    assert statuses(suite) == {"test_b": ("errored", "machine"), "test_c": ("passed", None)}
    assert suite.reason.startswith("machine: GPU 0 (AMD Instinct MI300X")
    assert "and there is no other GPU to repeat it on" in suite.reason
    assert "the machine failed, not this change" in comment.splitlines()[0]


def test_a_hang_that_was_only_printed_excuses_nothing(machine: Host) -> None:
    code, done, _ = acted(
        machine,
        entry("forged"),
        **{
            "test_forged.py": "import helper\ndef test_a():\n    helper.forge()\n"
            "def test_b():\n    helper.forge()\n    assert 1 == 2\n"
        },
    )

    assert (code, done["forged"].verdict) == (1, Verdict.FAIL)
    assert statuses(done["forged"]) == {"test_a": ("passed", None), "test_b": ("failed", "assertion")}
    assert not [one for one in done["forged"].incidents if one.is_gpu]
    assert "gpu-hang" not in machine.ended(machine.start("ledger")).out


def test_ctest_tells_flaky_killed_and_hung_tests_apart(machine: Host) -> None:
    require.program("ctest", "apt-get install cmake")
    script = (
        "import os, signal, sys\nsys.path.insert(0, os.path.dirname(__file__))\nimport helper\n"
        "what = sys.argv[1]\n"
        "if what == 'hung' and helper.first(what): helper.hang()\n"
        "if what == 'flaky' and helper.first(what): sys.exit('not yet')\n"
        "if what == 'killed': os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    tests = "".join(
        f'add_test({what} "$ENV{{ROCM_CI_PYTHON}}" "{machine.repo.root}/act.py" {what})\n'
        for what in ("good", "hung", "flaky", "killed")
    )
    code, done, _ = acted(
        machine,
        "name: c, gpus: 1, runner: ctest, run: 'ctest --test-dir t'",
        **{"act.py": script, "t/CTestTestfile.cmake": tests.replace("$ENV{ROCM_CI_PYTHON}", "python3")},
    )

    assert (code, done["c"].verdict) == (1, Verdict.FAIL)
    assert statuses(done["c"]) == {
        "good": ("passed", None),
        "hung": ("passed", "machine"),
        "flaky": ("flaky", "assertion"),
        "killed": ("failed", "crash"),
    }
