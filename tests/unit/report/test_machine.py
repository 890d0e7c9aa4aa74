from __future__ import annotations

import msgspec

from rocm_ci.model.facts import Conflict, Facts, Rocm
from rocm_ci.report import machine
from tests import reports


def test_the_line_names_gpu_driver_rocm_and_system() -> None:
    assert machine.line(reports.FACTS) == (
        "1 × AMD Instinct MI300X (gfx942, 304 CU, 192 GiB, SPX/NPS1) · amdgpu 6.12.12 · ROCm 6.4.1"
        " · Ubuntu 24.04.3 LTS, kernel 6.8.0-60-generic"
    )


def test_equal_gpus_are_counted() -> None:
    eight = tuple(msgspec.structs.replace(reports.MI300X, index=n) for n in range(8))
    facts = msgspec.structs.replace(reports.FACTS, gpus=eight)

    assert machine.line(facts).startswith("8 × AMD Instinct MI300X")
    assert machine.short_name(facts) == "8 × MI300X"


def test_a_machine_of_which_nothing_is_known_has_a_line() -> None:
    assert machine.line(Facts()) == "no AMD GPU · driver unknown · ROCm not found · unknown system"


def test_hip_without_a_rocm_release_is_called_hip() -> None:
    rocm = Rocm(hip="5.2.21153")

    assert "HIP 5.2.21153" in machine.line(msgspec.structs.replace(reports.NO_GPU, rocm=rocm))


def test_no_gpu_is_a_fact() -> None:
    assert machine.line(reports.NO_GPU).startswith("no AMD GPU · driver not loaded")


def test_the_table_tells_software_system_and_what_results_compare_with() -> None:
    rows = dict(machine.table(reports.FACTS))

    assert rows["GPU 0"].endswith("power cap 750 W")
    assert "torch 2.8.0+rocm6.4" in rows["Software"]
    assert rows["Image"] == "acme/rocm-ci@sha256:1c9d5e in docker"
    assert rows["Comparable with"] == reports.FACTS.hardware_key


def test_what_is_not_certain_is_said_with_its_reason() -> None:
    doubtful = msgspec.structs.replace(
        reports.FACTS,
        conflicts=(Conflict(name="rocm.version", said={"hipconfig": "6.4", "file": "6.3"}),),
        notes=("amd-smi printed a warning",),
    )

    assert machine.doubts(doubtful) == (
        ("gpus[0].vbios", "amd-smi says N/A inside a container"),
        ("rocm.version", "hipconfig says 6.4, file says 6.3"),
        ("note", "amd-smi printed a warning"),
    )
