"""What the machine did while a step had its GPUs, on a pretended host that goes wrong in mid-run."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

import pytest

from rocm_ci.gpu import aftermath
from rocm_ci.gpu.aftermath import Aftermath
from rocm_ci.model.incident import Incident, IncidentKind
from tests.fakes import FakeRunner
from tests.unit.gpu.ill_host import GIB, Host, WaitingClock
from tools import pretend

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from rocm_ci.tools.process import Captured

KIND = IncidentKind
LISTED = "".join(f"GPU: {n}\n    BDF: {pretend.address(n)}\n" for n in range(4))


class Step:
    """A step that has GPU 1 (or those in `gpus`), begun when this is made."""

    def __init__(
        self, root: Path, gpus: tuple[int, ...] = (1,), environment: Mapping[str, str] | None = None
    ) -> None:
        self.host = Host(root)
        (root / "dev/kmsg").touch()
        self.run = FakeRunner({"amd-smi list": (0, LISTED), "amd-smi": (0, "")})
        self.clock = WaitingClock()
        self.watch = Aftermath(run=self.run, clock=self.clock, host=root, environment=environment or {})
        self._gpus = gpus
        self.begin()

    def begin(self) -> None:
        self.before = self.watch.look([self.host.watched(n) for n in self._gpus])

    def ended(self) -> tuple[Incident, ...]:
        return self.watch.since(self.before, alone=lambda _: nullcontext(""))

    @property
    def resets(self) -> list[tuple[str, ...]]:
        return [call for call in self.run.calls if "--gpureset" in call]


def kinds(found: tuple[Incident, ...]) -> list[tuple[IncidentKind, bool, bool]]:
    return [(i.kind, i.is_gpu, i.is_note) for i in found]


def test_a_machine_that_did_nothing_has_nothing_to_tell(tmp_path: Path) -> None:
    step = Step(tmp_path)

    assert step.ended() == ()
    assert step.watch.excerpt(step.before) == ""
    assert step.clock.sleeps == 0


def test_a_gpu_that_vanishes_in_mid_run_is_lost(tmp_path: Path) -> None:
    step = Step(tmp_path)
    step.host.vanish(1)

    (incident,) = step.ended()

    assert (incident.kind, incident.gpu, incident.is_gpu) == (KIND.GPU_LOST, "GPU 1", True)
    assert incident.text.startswith("GPU 1 is not there any more: ")


def test_a_gpu_whose_device_file_alone_vanishes_is_half_lost(tmp_path: Path) -> None:
    step = Step(tmp_path)
    (tmp_path / "dev/dri/renderD136").unlink()

    (incident,) = step.ended()

    assert incident.text == "GPU 1 is only half there any more: /dev/dri/renderD136 went away during the step"


def test_a_neighbour_that_vanishes_is_none_of_this_step(tmp_path: Path) -> None:
    step = Step(tmp_path)
    step.host.vanish(2)

    assert step.ended() == ()


def test_a_gpu_that_stops_answering_on_the_bus_is_lost(tmp_path: Path) -> None:
    step = Step(tmp_path)
    config = step.host.device(1) / "config"
    config.write_bytes(b"\x02\x10\xa1\x74")
    step.begin()
    config.write_bytes(b"\xff\xff\xff\xff")

    assert kinds(step.ended()) == [(KIND.GPU_LOST, True, False)]


def test_uncorrectable_errors_that_are_new_are_told_once(tmp_path: Path) -> None:
    step = Step(tmp_path)
    step.host.ras(1, "umc", 3)
    step.begin()
    assert step.ended() == (), "what was counted before the step is none of it"
    step.host.ras(1, "umc", 5)

    (incident,) = step.ended()

    assert kinds((incident,)) == [(KIND.ECC, True, False)]
    assert "2 uncorrectable error(s) more than before the step (ECC umc)" in incident.text
    assert step.ended() == ()


def test_errors_of_the_link_are_the_devices_and_no_ecc(tmp_path: Path) -> None:
    step = Step(tmp_path)
    path = step.host.device(1) / "aer_dev_fatal"
    path.write_text("TOTAL_ERR_FATAL 0\n")
    step.begin()
    path.write_text("TOTAL_ERR_FATAL 1\n")

    assert kinds(step.ended()) == [(KIND.DRIVER, True, False)]


@pytest.mark.parametrize(("taken", "note"), [(60 * GIB, True), (150 * GIB, False)])
def test_memory_that_was_gone_before_explains_why_a_test_got_none(
    tmp_path: Path, taken: int, note: bool
) -> None:
    step = Step(tmp_path)
    step.host.takes(1, taken)
    step.begin()

    first, again = step.ended(), step.ended()

    assert kinds(first) == [(KIND.VRAM_LEFT, False, note)]
    assert "were taken before the step began" in first[0].text
    assert again == ()


def test_a_little_memory_in_use_is_nothing_to_tell(tmp_path: Path) -> None:
    step = Step(tmp_path)
    step.host.takes(1, GIB)
    step.begin()

    assert step.ended() == ()


def test_messages_of_the_kernel_come_with_the_gpu_that_they_are_about(tmp_path: Path) -> None:
    step = Step(tmp_path)
    step.host.says(
        f"amdgpu {pretend.address(1)}: amdgpu: ring comp_1.0.0 timeout, signaled seq=1, emitted seq=2"
    )

    (incident,) = step.ended()

    assert (incident.kind, incident.gpu, incident.source) == (KIND.GPU_HANG, "GPU 1", "kernel log")
    assert "ring comp_1.0.0 timeout" in step.watch.excerpt(step.before)


def test_what_the_kernel_said_before_the_step_is_none_of_it(tmp_path: Path) -> None:
    step = Step(tmp_path)
    step.host.says(f"amdgpu {pretend.address(1)}: amdgpu: ring comp_1.0.0 timeout, signaled seq=1")
    step.begin()

    assert step.ended() == ()


@pytest.mark.attack("5", "what one run does to its GPU told in the report of another")
def test_a_neighbours_trouble_is_neither_told_nor_shown(tmp_path: Path) -> None:
    step = Step(tmp_path)
    step.host.says(f"amdgpu {pretend.address(2)}: amdgpu: ring comp_1.0.0 timeout, signaled seq=1")

    assert step.ended() == ()
    assert step.watch.excerpt(step.before) == ""


@pytest.mark.attack("5", "a machine's serial numbers, addresses and users in an attached kernel log")
def test_what_is_nobodys_business_is_left_out_of_what_is_attached(tmp_path: Path) -> None:
    step = Step(tmp_path)
    step.host.says(
        "[UFW BLOCK] IN=eth0 OUT= MAC=aa:bb:cc:dd:ee:ff:11:22:33:44:55:66:08:00 SRC=10.1.2.3 DST=10.9.8.7",
        "usb 1-2: SerialNumber: 0123456789AB",
        "audit: type=1400 audit(1.2:3): apparmor=DENIED name=/home/ada/secret",
        "EXT4-fs (sda1): mounted filesystem 1b4e28ba-2fa1-11d2-883f-0016d3cca427 r/w",
        "eth0: link address 00:1a:2b:3c:4d:5e",
        "python3[7]: segfault at 0 ip 000055 sp 00007f error 4 in libamdhip64.so",
    )
    step.ended()

    shown = step.watch.excerpt(step.before)

    assert "segfault at 0" in shown
    assert "mounted filesystem (id) r/w" in shown
    for private in ("10.1.2.3", "0123456789AB", "ada", "1b4e28ba", "00:1a:2b"):
        assert private not in shown


def test_a_driver_that_repeats_itself_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aftermath, "MAX_KEPT", 10)
    step = Step(tmp_path)
    for number in range(40):
        step.host.says(f"amdgpu {pretend.address(1)}: amdgpu: [gfxhub0] no-retry page fault {number}")
    step.ended()

    lines = step.watch.excerpt(step.before).splitlines()

    assert len(lines) == 11
    assert lines[-1] == "[10 more lines left out]"


def test_what_several_sources_say_comes_worst_first_and_once_each(tmp_path: Path) -> None:
    step = Step(tmp_path)
    step.host.takes(1, 60 * GIB)
    step.begin()
    for _ in range(3):
        step.host.says(f"amdgpu {pretend.address(1)}: amdgpu: device lost from bus!")

    found = step.ended()

    assert kinds(found) == [(KIND.GPU_LOST, True, False), (KIND.VRAM_LEFT, False, True)]


def test_a_step_without_gpus_hears_only_of_the_host(tmp_path: Path) -> None:
    step = Step(tmp_path, gpus=())
    step.host.says(
        f"amdgpu {pretend.address(1)}: amdgpu: device lost from bus!",
        "Out of memory: Killed process 4711 (python3) total-vm:1kB, anon-rss:1kB",
    )

    assert [i.kind for i in step.ended()] == [KIND.OUT_OF_MEMORY]


def test_a_kernel_log_that_nobody_may_read_is_a_problem_and_no_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rocm_ci.gpu import kernel_log

    def forbidden() -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(kernel_log, "_Device", forbidden)
    run = FakeRunner({"dmesg": (1, "dmesg: read kernel buffer failed: Operation not permitted")})
    watch = Aftermath(run=run, clock=WaitingClock(), environment={})
    first, second = watch.look([]), watch.look([])

    assert watch.since(first) == watch.since(second) == ()
    assert "the kernel log cannot be read: dmesg: read kernel buffer failed" in watch.problem
    assert [call[0] for call in run.calls] == ["dmesg", "journalctl"], "it is tried once, not at each lease"
    first.close()
    first.close()


class TestReset:
    ALLOWED = {"ROCM_CI_GPU_RESET": "when-free"}
    HUNG = f"amdgpu {pretend.address(1)}: amdgpu: MES failed to respond to msg=REMOVE_QUEUE"

    def test_without_the_runners_word_nothing_is_reset(self, tmp_path: Path) -> None:
        step = Step(tmp_path)
        step.host.context(4711, 1, GIB)
        step.ended()

        assert step.resets == []

    def test_a_gpu_that_keeps_a_context_of_nobody_is_reset_and_that_is_recorded(self, tmp_path: Path) -> None:
        step = Step(tmp_path, environment=self.ALLOWED)
        step.host.context(4711, 1, GIB)

        found = step.ended()

        assert step.resets == [("amd-smi", "reset", "--gpureset", "--gpu", "1")]
        assert KIND.GPU_RESET in [i.kind for i in found]

    def test_a_gpu_that_hung_is_reset(self, tmp_path: Path) -> None:
        step = Step(tmp_path, environment=self.ALLOWED)
        step.host.says(self.HUNG)

        found = step.ended()

        assert len(step.resets) == 1
        assert kinds(found) == [(KIND.GPU_HANG, True, False), (KIND.GPU_RESET, False, True)]

    def test_a_gpu_that_the_driver_brought_back_is_left_alone(self, tmp_path: Path) -> None:
        step = Step(tmp_path, environment=self.ALLOWED)
        step.host.says(self.HUNG, f"amdgpu {pretend.address(1)}: amdgpu: GPU reset(2) succeeded!")
        step.ended()

        assert step.resets == []

    def test_where_nobody_can_hold_the_other_gpus_none_is_reset(self, tmp_path: Path) -> None:
        step = Step(tmp_path, environment=self.ALLOWED)
        step.host.says(self.HUNG)
        found = step.watch.since(step.before)

        assert step.resets == []
        assert "whether another GPU of this host is in use is not known" in found[-1].text

    def test_a_holder_forbids_it_and_is_told(self, tmp_path: Path) -> None:
        step = Step(tmp_path, environment=self.ALLOWED)
        step.host.says(self.HUNG)
        step.host.process(7, "blender", "/dev/kfd")
        told = [i.text for i in step.ended() if i.kind is KIND.GPU_RESET]

        assert told == ["GPU 1 was not reset: blender (process 7) uses a GPU of this host"]
        assert step.resets == []

    def test_a_healthy_gpu_is_never_reset(self, tmp_path: Path) -> None:
        step = Step(tmp_path, gpus=(0, 1), environment=self.ALLOWED)
        step.host.says(self.HUNG)
        step.ended()

        assert [call[-1] for call in step.resets] == ["1"]

    def test_what_the_driver_says_of_our_own_reset_is_no_trouble(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        step = Step(tmp_path, environment=self.ALLOWED)
        step.host.says(self.HUNG)
        asked = step.run.capture

        def capture(argv: Sequence[str], **_: object) -> Captured:
            if "--gpureset" in argv:
                step.host.says(f"amdgpu {pretend.address(1)}: amdgpu: GPU reset begin!")
            return asked(argv)

        monkeypatch.setattr(step.run, "capture", capture)
        step.ended()

        assert step.ended() == ()
        assert "GPU reset begin!" in step.watch.excerpt(step.before)
