from __future__ import annotations

from pathlib import Path

import pytest

from rocm_ci.gpu.checks import kernel
from rocm_ci.gpu.checks.kernel import Kernel
from rocm_ci.gpu.checks.machine import Machine, survey
from rocm_ci.gpu.checks.sensors import Sensors
from rocm_ci.gpu.smoke import Smoke
from rocm_ci.model.facts import Facts, Gpu, GpuState
from tests.fakes import MemoryReader

ONE = Facts(gpus=(Gpu(index=0, state=GpuState(temperature_c=40.0)),))


def test_everything_is_looked_at_below_the_machines_root(tmp_path: Path) -> None:
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev" / "kfd").touch()
    reader = MemoryReader(
        files={"/proc/cmdline": "iommu=pt", "/proc/meminfo": "MemAvailable: 2 kB\n"},
        environment={"HIP_VISIBLE_DEVICES": "0"},
    )

    found = survey(
        ONE,
        reader,
        folders={"here": tmp_path},
        host=tmp_path,
        quarantined=lambda: ("GPU 7",),
        smoke=lambda: Smoke(reason="tried"),
    )

    assert found.unseen == {}
    assert found.environment == {"HIP_VISIBLE_DEVICES": "0"}
    assert [node.path for node in found.nodes if node.exists] == ["/dev/kfd"]
    assert found.kernel.command_line == "iommu=pt"
    assert found.memory_available == 2048
    assert found.sensors_of(ONE.gpus[0]).temperature_c == 40.0
    assert found.quarantined == ("GPU 7",)
    assert found.smoke == Smoke(reason="tried")
    assert found.usable == 1


def test_a_look_that_breaks_costs_only_itself(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def broken(_reader: object) -> Kernel:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(kernel, "look", broken)

    found = survey(Facts(), MemoryReader(), folders={"here": tmp_path}, host=tmp_path)

    assert found.unseen["kernel"] == "rocm-ci could not look: OSError: [Errno 5] Input/output error"
    assert found.kernel == Kernel()
    assert [folder.name for folder in found.folders] == ["here"]


def test_a_gpu_that_nobody_looked_at_has_no_values() -> None:
    assert Machine(facts=ONE).sensors_of(ONE.gpus[0]) == Sensors()
