from __future__ import annotations

from pathlib import Path

from rocm_ci.gpu.checks import history
from rocm_ci.gpu.checks.bus import Bus, Card
from rocm_ci.gpu.checks.history import History
from rocm_ci.gpu.checks.machine import Machine, Needs
from rocm_ci.gpu.reader import Answer, Output, Tool
from rocm_ci.model.facts import Facts, Gpu
from rocm_ci.model.verdict import Verdict
from tests.fakes import FakeRunner, MemoryReader

ONE = Facts(gpus=(Gpu(index=0),))
LOG = """\
<6>[    1.000000] kfd kfd: amdgpu: skipped device 1002:67e3, PCI rejects atomics 730<0
<3>[   10.500000] amdgpu 0000:0c:00.0: amdgpu: device lost from bus!
<3>[   11.500000] amdgpu 0000:0c:00.0: amdgpu: device lost from bus!
<6>[   12.000000] a program called amdgpu: device lost from bus
"""


def test_the_kernels_own_lines_are_counted_by_what_they_mean(tmp_path: Path) -> None:
    found = history.look(FakeRunner(answers={"dmesg": (0, LOG)}), MemoryReader(), Path("/"), live=True)

    assert found.faults == {"the GPU fell off the bus": 2}
    assert found.last.endswith("device lost from bus!")
    assert found.refused == ("kfd kfd: amdgpu: skipped device 1002:67e3, PCI rejects atomics 730<0",)


def test_a_recorded_machine_has_its_own_log(tmp_path: Path) -> None:
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev" / "kmsg").write_text(
        "3,1,10500000,-;amdgpu 0000:0c:00.0: amdgpu: device lost from bus!\n"
    )

    found = history.look(None, MemoryReader(), tmp_path, live=False)

    assert found.faults == {"the GPU fell off the bus": 1}
    assert (
        history.look(None, MemoryReader(), tmp_path / "none", live=False).problem
        == "the recorded machine has no kernel log"
    )


def test_a_log_that_is_closed_to_us_says_so() -> None:
    denied = FakeRunner(answers={"dmesg": (1, "dmesg: read kernel buffer failed: Operation not permitted")})

    found = history.look(denied, MemoryReader(), Path("/"), live=True)

    assert found.problem == "dmesg: read kernel buffer failed: Operation not permitted"
    check = history.kernel_messages(Machine(facts=ONE, history=found), Needs())
    assert check.status is Verdict.SKIPPED
    assert "dmesg_restrict" in (check.fix or "")


def test_a_log_of_which_the_start_is_gone_does_not_speak_for_the_start() -> None:
    text = "<6>[ 9000.500000] usb 1-1: new device\n"
    found = history.look(FakeRunner(answers={"dmesg": (0, text)}), MemoryReader(), Path("/"), live=True)

    check = history.kernel_messages(Machine(facts=ONE, history=found), Needs())

    assert check.seen == "nothing of the kind; what the log still holds begins 9000 s after the start"


def test_a_journal_of_a_recorded_machine_counts_under_any_name() -> None:
    class Recorded(MemoryReader):
        def ask(self, tool: Tool) -> Answer:
            line = "Nov 30 07:10:09 host kernel: amdgpu 0000:0c:00.0: amdgpu: device lost from bus!\n"
            return Answer(outputs=(Output(text=line),)) if tool.name == "dmesg" else Answer()

    found = history.look(None, Recorded(), Path("/nowhere"), live=False)

    assert found.faults == {"the GPU fell off the bus": 1}
    assert found.last == "amdgpu 0000:0c:00.0: amdgpu: device lost from bus!"
    # With a runner the answer would be that of the host we run on, which is another machine.
    assert history.look(FakeRunner(), Recorded(), Path("/nowhere"), live=False).faults is None


def test_faults_of_the_past_are_advice_and_a_quiet_log_passes() -> None:
    def check(facts: Facts, **told: object) -> Verdict:
        machine = Machine(facts=facts, history=History(**told))  # type: ignore[arg-type]
        return history.kernel_messages(machine, Needs(wanted={"suite": 1})).status

    assert check(ONE, faults={"the GPU fell off the bus": 2}, last="[1.0] lost") is Verdict.NEUTRAL
    assert check(ONE, faults={}) is Verdict.PASS
    assert check(Facts(), faults={}) is Verdict.SKIPPED
    lost = Machine(facts=Facts(), bus=Bus(cards=(Card(bus="0000:0c:00.0"),)), history=History(faults={}))
    assert history.kernel_messages(lost, Needs()).status is Verdict.PASS
