"""A GPU is reset only if that is allowed, nobody uses any GPU, and it is looked at afterwards."""

from __future__ import annotations

import dataclasses
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from rocm_ci.gpu.reset import Resetter
from rocm_ci.model.incident import Incident, IncidentKind
from rocm_ci.tools.process import Captured
from tests.fakes import FakeRunner
from tests.unit.gpu.ill_host import Host
from tools import pretend

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

# Twins of what the tools print; the addresses in another order than the pretended host's.
AMD_SMI = "".join(
    f"GPU: {number}\n    BDF: {pretend.address(which).upper()}\n    UUID: 00ff-{number}\n\n"
    for number, which in enumerate((3, 1, 0, 2))
)
ROCM_SMI = "".join(
    f"GPU[{n}]\t\t: PCI Bus: {pretend.address(w).upper()}\n" for n, w in enumerate((2, 0, 1, 3))
)
RESET_3 = ("amd-smi", "reset", "--gpureset", "--gpu", "0")


@dataclass
class Bench:
    """A host with four free GPUs, a tool that can reset, and what became of GPU 3."""

    host: Host
    run: FakeRunner
    used: str = ""
    helps: bool = True
    happened: list[str] = field(default_factory=list)

    @contextmanager
    def alone(self, what: str) -> Iterator[str]:
        self.happened.append(f"held for a {what}")
        yield self.used
        self.happened.append(f"let go after {len(self.run.calls)} calls")

    def reset(self, number: int = 3, environment: Mapping[str, str] | None = None) -> Incident:
        resetter = Resetter(
            run=self.run, environment=environment or {}, host=self.host.root, alone=self.alone
        )
        return resetter.reset(self.host.watched(number), works=lambda: self.helps)

    @property
    def resets(self) -> list[tuple[str, ...]]:
        return [call for call in self.run.calls if any("reset" in word for word in call)]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    answers = {
        "amd-smi list": (0, AMD_SMI),
        "amd-smi": (0, "Successfully reset GPU"),
        "rocm-smi": (0, ROCM_SMI),
    }
    return Bench(Host(tmp_path), FakeRunner(answers))


def test_exactly_the_device_with_this_address_is_reset_and_it_is_told(bench: Bench) -> None:
    incident = bench.reset()

    assert bench.resets == [RESET_3]
    assert (incident.kind, incident.is_note, incident.gpu) == (IncidentKind.GPU_RESET, True, "GPU 3")
    assert incident.text == "GPU 3 was reset with amd-smi, because nobody used it and the runner allows it"


def test_rocm_smi_is_asked_where_amd_smi_does_not_know_the_device(bench: Bench) -> None:
    bench.run.answers["amd-smi list"] = (0, "GPU: 0\n    BDF: 0000:99:00.0\n")

    incident = bench.reset()

    assert bench.resets == [("rocm-smi", "--gpureset", "-d", "3")]
    assert "with rocm-smi" in incident.text


@pytest.mark.parametrize("answers", [{}, {"amd-smi list": (0, "GPU: 0\n"), "rocm-smi": (0, "GPU[0] : PCI Bus: 0000:99:00.0\n")},
                                     {"amd-smi list": (1, AMD_SMI), "rocm-smi": (0, "")}])  # fmt: skip
def test_a_device_that_no_tool_knows_is_not_reset(bench: Bench, answers: dict[str, tuple[int, str]]) -> None:
    bench.run.answers = answers

    incident = bench.reset()

    assert bench.resets == []
    assert (incident.is_note, incident.text) == (
        True, "GPU 3 was not reset: neither amd-smi nor rocm-smi can do it here",
    )  # fmt: skip


@pytest.mark.attack("5", "a GPU reset while somebody works on this host")
def test_a_program_that_has_any_gpu_open_forbids_it(bench: Bench) -> None:
    bench.host.process(7, "blender", "/dev/dri/renderD128")

    incident = bench.reset()

    assert bench.resets == []
    assert incident.text == "GPU 3 was not reset: blender (process 7) uses a GPU of this host"


def test_a_lease_of_another_gpu_forbids_it(bench: Bench) -> None:
    bench.used = "another GPU of this host is in use (GPU 0 by jane)"

    assert bench.reset().text == f"GPU 3 was not reset: {bench.used}"
    assert bench.run.calls == []


def test_the_other_gpus_are_held_until_the_tool_has_ended(bench: Bench) -> None:
    bench.reset()

    assert bench.happened == ["held for a reset of GPU 3", "let go after 2 calls"]
    assert bench.run.calls[-1] == RESET_3


def test_who_used_a_gpu_until_it_was_held_is_seen(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def late(_: str) -> Iterator[str]:
        bench.host.process(7, "blender", "/dev/dri/renderD128")
        yield ""

    monkeypatch.setattr(bench, "alone", late)

    assert "blender" in bench.reset().text
    assert bench.resets == []


def test_in_a_container_nobody_knows_who_uses_it(bench: Bench) -> None:
    namespace = bench.host.root / "proc/self/ns/pid"
    namespace.unlink()
    namespace.symlink_to("pid:[4026532999]")

    assert "not all processes of this host can be seen" in bench.reset().text
    assert bench.resets == []


def test_a_partition_is_never_reset_nor_a_device_without_an_address_nor_one_that_is_gone(
    bench: Bench,
) -> None:
    def refused(**changes: str | None) -> str:
        device = dataclasses.replace(bench.host.watched(3), **changes)  # type: ignore[arg-type]
        resetter = Resetter(run=bench.run, environment={}, host=bench.host.root, alone=bench.alone)
        return resetter.reset(device, works=lambda: True).text

    assert "it is a partition" in refused(id=f"{pretend.address(3)}/1")
    assert "its place on the bus is not known" in refused(bus=None)
    bench.host.vanish(3)
    assert "it is not there any more" in refused()
    assert bench.resets == []


def test_a_tool_that_fails_is_told_by_its_last_words_and_the_device_is_at_fault(bench: Bench) -> None:
    bench.run.answers["amd-smi"] = (1, "noise\n\x1b[31mReset not supported\x1b[0m\n")

    incident = bench.reset()

    assert (incident.is_gpu, incident.is_note) == (True, False)
    assert incident.text == "GPU 3: amd-smi could not reset it: Reset not supported"


def test_a_tool_that_only_says_it_worked_is_not_believed(bench: Bench) -> None:
    bench.helps = False

    incident = bench.reset()

    assert incident.is_gpu
    assert incident.text == "GPU 3: amd-smi reset it, and it is as it was"


def test_a_tool_that_hangs_is_the_devices_fault(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = bench.run.capture

    def hanging(argv: Sequence[str], **named: float) -> Captured:
        done = asked(argv, timeout_s=named["timeout_s"])
        return dataclasses.replace(done, timed_out="--gpureset" in argv)

    monkeypatch.setattr(bench.run, "capture", hanging)

    assert bench.reset().text == "GPU 3: the reset with amd-smi did not end within 120 s"


def test_the_tools_are_looked_for_where_rocm_puts_them_too(bench: Bench) -> None:
    bench.reset(environment={"PATH": "/opt/tools"})

    paths = bench.run.environments[0]["PATH"].split(":")
    assert paths[0] == "/opt/tools"
    assert "/opt/rocm/bin" in paths
