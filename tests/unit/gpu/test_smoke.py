from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rocm_ci.context import Lease
from rocm_ci.errors import MachineError
from rocm_ci.gpu import smoke
from rocm_ci.gpu.smoke import Smoke
from rocm_ci.gpu.smoke_ending import Ending
from rocm_ci.model.facts import Facts, Gpu, Rocm
from rocm_ci.model.incident import IncidentKind
from rocm_ci.tools.process import NOT_FOUND, Captured
from tests.fakes import FakeGpus

HUNG = Captured(argv=("smoke",), exit_code=-9, stderr=b"rocm-ci smoke: running the kernel\n", timed_out=True)
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
        limit: int | None = None,
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

    found = run(Host(answers={"1": HUNG}), gpus)

    assert endings(found) == [Ending.RIGHT, Ending.HUNG, Ending.RIGHT]
    assert found.results[1].label == "GPU 1"
    assert found.results[1].detail == "did not end within 60 s, stuck when running the kernel"
    assert [(lease.devices, incident.kind) for lease, incident in gpus.blamed] == [
        (("gpu-1",), IncidentKind.GPU_HANG)
    ]
    assert gpus.free == {0, 1, 2}


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
    assert not none.is_broken
    assert old.is_broken
    assert none.reason == "hipcc is not installed; and no PyTorch for ROCm is installed"
    assert "install hipcc" in none.fix
    assert old.reason.startswith("hipcc cannot compile for gfx942: clang: error: invalid target ID")


def test_what_only_the_software_can_have_done_is_held_against_no_gpu() -> None:
    gpus = FakeGpus(total=3)
    slow = Captured(argv=("s",), exit_code=-9, stderr=b"rocm-ci smoke: importing torch\n", timed_out=True)

    found = run(Host(answers={"0": slow, "1": GOOD | {"devices": 8}, "2": GOOD | {"wrong_sums": 1}}), gpus)

    assert endings(found) == [Ending.HUNG, Ending.WRONG, Ending.WRONG]
    assert [(incident.gpu, incident.kind) for _, incident in gpus.blamed] == [("GPU 2", IncidentKind.ECC)]


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
