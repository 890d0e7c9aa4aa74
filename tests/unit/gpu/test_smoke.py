from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rocm_ci.context import Lease
from rocm_ci.errors import MachineError
from rocm_ci.gpu import smoke
from rocm_ci.gpu.smoke import Ending, Smoke
from rocm_ci.model.facts import Facts, Gpu, Rocm
from rocm_ci.model.incident import IncidentKind
from rocm_ci.tools.process import NOT_FOUND, Captured
from tests.fakes import FakeGpus

FACTS = Facts(gpus=tuple(Gpu(index=n, gfx="gfx942") for n in range(3)))
GOOD: dict[str, Any] = {
    "rocm_ci_smoke": 1, "devices": 1, "target": "gfx942:sramecc+:xnack-", "wave": 64, "wave_told": 64,
    "memory_bytes": 192 << 30, "values": 1 << 20, "wrong_sums": 0, "wrong_copies": 0,
}  # fmt: skip


@dataclass
class Host:
    """hipcc that compiles (or says why not), and programs that answer by the GPU that they see."""

    compiler: tuple[int, str] = (0, "")
    answers: dict[str, Captured | dict[str, Any]] = field(default_factory=dict)
    calls: list[tuple[tuple[str, ...], dict[str, str]]] = field(default_factory=list)

    def capture(
        self,
        argv: Sequence[str],
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        timeout_s: float = 60.0,
        stdin: bytes = b"",
    ) -> Captured:
        self.calls.append((tuple(argv), dict(env or {})))
        if argv[0] == "hipcc":
            if not self.compiler[0]:
                Path(argv[-1]).write_bytes(b"program")
            return Captured(argv=tuple(argv), exit_code=self.compiler[0], stderr=self.compiler[1].encode())
        said = self.answers.get((env or {}).get("ROCR_VISIBLE_DEVICES", ""), GOOD)
        if isinstance(said, Captured):
            return said
        code = 1 if said.get("wrong_sums") else 3 if "error" in said else 0
        return Captured(argv=tuple(argv), exit_code=code, stdout=json.dumps(said).encode())

    def stream(self, *args: object, **kwargs: object) -> Any:
        raise AssertionError


def run(host: Host, gpus: FakeGpus | None = None, facts: Facts = FACTS) -> Smoke:
    return smoke.smoke(facts, gpus or FakeGpus(total=3), host, {"PATH": "/bin"})


def endings(found: Smoke) -> list[Ending]:
    return [result.ending for result in found.results]


def captured(text: str, code: int = 0, *, timed_out: bool = False) -> Captured:
    return Captured(argv=("smoke",), exit_code=code, stdout=text.encode(), timed_out=timed_out)


def test_each_gpu_is_tried_alone_by_a_program_for_its_target() -> None:
    host, gpus = Host(), FakeGpus(total=3)

    found = run(host, gpus)

    assert endings(found) == [Ending.RIGHT] * 3
    assert found.results[0].detail == "gfx942:sramecc+:xnack-, wave 64, 192 GiB, 1,048,576 values"
    compiling, *running = host.calls
    assert "--offload-arch=gfx942" in compiling[0]
    assert compiling[1]["HIP_PLATFORM"] == "amd"
    assert sorted(env["ROCR_VISIBLE_DEVICES"] for _, env in running) == ["0", "1", "2"]
    assert len(gpus.given_back) == 3


def test_a_gpu_that_hangs_is_named_and_blamed_and_the_others_go_on() -> None:
    gpus = FakeGpus(total=3)

    found = run(Host(answers={"1": captured("", -9, timed_out=True)}), gpus)

    assert endings(found) == [Ending.RIGHT, Ending.HUNG, Ending.RIGHT]
    assert found.results[1].label == "GPU 1"
    assert found.results[1].detail == "a small kernel did not end within 60 s"
    assert [(lease.devices, incident.kind) for lease, incident in gpus.blamed] == [
        (("gpu-1",), IncidentKind.GPU_HANG)
    ]
    assert gpus.free == {0, 1, 2}


def test_wrong_values_are_wrong_whatever_the_exit_code_says() -> None:
    for said in (
        captured(json.dumps(GOOD | {"wrong_sums": 3}), 0),
        captured(json.dumps(GOOD | {"wrong_copies": 1}), 1),
        captured(json.dumps(GOOD), 1),
        captured(json.dumps(GOOD | {"values": 0}), 0),
        captured(json.dumps({"rocm_ci_smoke": 1}), 0),
    ):
        assert smoke.judged("GPU 0", said, 60).ending is Ending.WRONG, said
    sums = smoke.judged("GPU 0", captured(json.dumps(GOOD | {"wrong_sums": 3}), 1), 60)
    assert sums.detail == "3 of 1,048,576 sums and 0 copied values are wrong"


def test_more_than_the_one_leased_gpu_is_wrong() -> None:
    found = smoke.judged("GPU 0", captured(json.dumps(GOOD | {"devices": 8})), 60)

    assert found.ending is Ending.WRONG
    assert found.detail == "one GPU was leased, and the runtime shows 8"


def test_the_wave_must_be_that_of_the_target() -> None:
    def ending(target: str, wave: int, told: int) -> Ending:
        said = GOOD | {"target": target, "wave": wave, "wave_told": told}
        return smoke.judged("GPU 0", captured(json.dumps(said)), 60).ending

    assert ending("gfx90a", 64, 64) is Ending.RIGHT
    assert ending("gfx1100", 32, 32) is Ending.RIGHT
    assert ending("gfx942", 32, 32) is Ending.WRONG
    assert ending("gfx1030", 64, 64) is Ending.WRONG
    assert ending("gfx942", 64, 32) is Ending.WRONG
    assert ending("", 32, 32) is Ending.RIGHT


def test_a_runtime_that_refuses_says_at_which_step() -> None:
    said = {"rocm_ci_smoke": 1, "step": "allocating", "error": "hipErrorOutOfMemory (2)"}

    found = smoke.judged("GPU 0", captured(json.dumps(said), 3), 60)

    assert found.ending is Ending.REFUSED
    assert found.detail == "hipErrorOutOfMemory (2) when allocating"
    assert "`vram`" in found.fix


def test_garbage_and_crashes_are_refusals_with_what_was_printed() -> None:
    crash = smoke.judged("GPU 0", captured("HW Exception by GPU node-1: error GPU Hang\x1b[2J", -6), 60)
    silent = smoke.judged("GPU 0", captured("", -11), 60)

    assert crash.ending is silent.ending is Ending.REFUSED
    assert crash.detail == "ended with code -6: HW Exception by GPU node-1: error GPU Hang"
    assert silent.detail == "ended with code -11"


def test_without_a_compiler_for_the_target_pytorch_does_it() -> None:
    host = Host(compiler=(1, "clang: error: invalid target ID 'gfx942'"))
    facts = Facts(gpus=FACTS.gpus, rocm=Rocm(torch="2.9.0+rocm7.0", torch_hip="7.0.51831"))

    found = run(host, facts=facts)

    assert found.tool == "torch 2.9.0+rocm7.0"
    assert endings(found) == [Ending.RIGHT] * 3
    assert all(
        argv[:2] == ("python3", "-I") and argv[2].endswith("smoke_torch.py") for argv, _ in host.calls[1:]
    )


def test_with_neither_nothing_is_run_and_the_reason_is_told() -> None:
    none = run(Host(compiler=(NOT_FOUND, "cannot start hipcc")))
    old = run(Host(compiler=(1, "clang: error: invalid target ID 'gfx942'")))

    assert none.results == ()
    assert none.reason == "hipcc is not installed; and no PyTorch for ROCm is installed"
    assert "install hipcc" in none.fix
    assert old.reason.startswith("hipcc cannot compile for gfx942: clang: error: invalid target ID")


def test_a_cuda_wheel_is_not_asked() -> None:
    facts = Facts(gpus=FACTS.gpus, rocm=Rocm(torch="2.9.0+cu128", torch_cuda="12.8"))

    assert run(Host(compiler=(NOT_FOUND, "")), facts=facts).results == ()


def test_gpus_that_other_runs_hold_are_not_disturbed() -> None:
    gpus = FakeGpus(total=3)
    gpus.free = {1}

    found = run(Host(), gpus)

    assert endings(found) == [Ending.RIGHT, Ending.BUSY]
    assert [result.label for result in found.results] == ["GPU 1", "2 GPU(s)"]
    gpus.free = set()
    assert [result.label for result in run(Host(), gpus).results] == ["all 3 GPU(s)"]


def test_a_lease_that_is_not_what_the_runtime_shows_ends_in_a_refusal() -> None:
    class Wrong(FakeGpus):
        def lease(
            self, count: int, *, step: str, avoid: Collection[str] = (), whole_card: bool = False
        ) -> Lease | None:
            raise MachineError("allocated 1, visible 8")

    found = run(Host(), Wrong(total=3))

    assert endings(found) == [Ending.REFUSED]
    assert found.results[0].detail == "allocated 1, visible 8"


def test_without_a_gpu_nothing_is_compiled() -> None:
    host = Host()

    assert run(host, facts=Facts()).reason == "there is no GPU"
    assert host.calls == []
