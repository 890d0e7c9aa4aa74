"""`rocm-ci doctor` on this machine with its real tools, and on pretended ones with fake tools."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import require
from tests.e2e.gpu import fake_tools
from tests.e2e.gpu.test_facts import ONE_AGENT, rocm_ci
from tools import pretend, troubled

ROOT = Path(__file__).parents[3]
HAS_GPU = Path("/dev/kfd").exists()


def checks(done: subprocess.CompletedProcess[str]) -> dict[str, dict[str, Any]]:
    assert done.stdout, done.stderr
    return {check["id"]: check for check in json.loads(done.stdout)["checks"]}


def at(environment: dict[str, str], *args: str) -> subprocess.CompletedProcess[str]:
    """The doctor in an environment of its own."""
    return subprocess.run(
        [sys.executable, "-m", "rocm_ci", "doctor", *args],
        capture_output=True,
        text=True,
        env=environment,
        cwd=ROOT,
        timeout=120,
        check=False,
    )


def test_checks_are_a_contract() -> None:
    done = rocm_ci("doctor", "--format", "json")

    found = json.loads(done.stdout)
    assert {"checks", "verdict"} == set(found)
    assert {"id", "group", "status", "seen", "needed", "fix"} == set(found["checks"][0])
    assert done.returncode == (3 if found["verdict"] == "error" else 0)
    assert [c["id"] for c in found["checks"] if c["status"] != "pass" and not c["fix"]] == []


def test_a_machine_without_the_wanted_gpus_is_unusable() -> None:
    done = rocm_ci("doctor", "--gpus", "1024", "--quick")

    assert done.returncode == 3
    assert "✗ gpus" in done.stdout
    assert "needed   1024 GPU(s)" in done.stdout
    assert "This machine cannot do what is asked." in done.stdout


@pytest.mark.skipif(HAS_GPU, reason="here is an AMD GPU")
def test_tools_that_end_well_without_a_gpu_make_nothing_green() -> None:
    rocm_smi = require.program("rocm-smi", "apt-get install rocm-smi")
    require.program("rocminfo", "apt-get install rocminfo")
    assert subprocess.run([rocm_smi], capture_output=True, timeout=60, check=False).returncode == 0

    done = rocm_ci("doctor", "--format", "json")

    found = checks(done)
    assert done.returncode == 0
    assert found["gpus"]["status"] == "neutral"
    green = {name for name, check in found.items() if check["status"] == "pass"}
    assert not {name for name in green if found[name]["group"] in ("devices", "driver")}


def test_a_gpu_whose_target_is_not_wanted_is_pointed_out(tmp_path: Path) -> None:
    fake_tools.put(tmp_path, "rocminfo", stdout=ONE_AGENT)

    done = rocm_ci("doctor", "--gpus", "1", "--arch", "gfx90a", "--format", "json", path=str(tmp_path))

    arch = checks(done)["arch"]
    assert arch["status"] in ("error", "neutral")
    assert "gfx942" in arch["seen"]
    assert "gfx90a" in arch["needed"]


def test_each_fault_of_a_sick_host_is_found_and_no_other(tmp_path: Path) -> None:
    done = at(troubled.host(tmp_path), "--format", "json")

    found = checks(done)
    assert done.returncode == 3
    assert {name for name, check in found.items() if check["status"] == "error"} == troubled.WRONG
    assert {name for name, check in found.items() if check["status"] == "neutral"} == troubled.ADVICE
    assert "128 of 1,048,576 sums" in found["smoke"]["seen"]
    assert found["smoke"]["seen"].startswith("GPU 4 ")
    assert "python3 (process 48211)" in found["vram"]["seen"]
    assert "GPU 2 " in found["quarantine"]["seen"]


def test_a_healthy_pretended_host_is_fine_and_its_gpus_compute(tmp_path: Path) -> None:
    environment = troubled.host(tmp_path)
    machine, tools = tmp_path / "fine", tmp_path / "bin"
    pretend.machine(machine, 2)
    pretend.rocminfo(tools, 2)
    environment |= {"ROCM_CI_SYSROOT": str(machine), "ROCM_CI_STATE": str(tmp_path / "other")}
    environment.pop("HSA_OVERRIDE_GFX_VERSION")

    done = at(environment, "--format", "json", "--gpus", "2", "--arch", "gfx942")

    found = checks(done)
    assert done.returncode == 0, done.stdout
    assert [name for name, check in found.items() if check["status"] == "error"] == []
    assert found["smoke"]["seen"].startswith("right on 2 GPU(s) with a program compiled by hipcc")


@pytest.mark.parametrize("code", [0, 1])
def test_tools_that_print_garbage_leave_things_unknown_and_the_terminal_alone(
    tmp_path: Path, code: int
) -> None:
    environment = troubled.host(tmp_path)
    garbage = '\x00\x1b[2J{["gpu": \x9b31m]\r\n::error::no\n' * 2_000
    for name in ("rocminfo", "rocm-smi", "amd-smi", "hipcc", "hipconfig", "python3", "cmake", "lspci"):
        (tmp_path / "bin" / name).unlink(missing_ok=True)
        fake_tools.put(tmp_path / "bin", name, stdout=garbage, stderr=garbage[:1000], code=code)

    as_json, as_text = at(environment, "--format", "json"), at(environment)

    found = checks(as_json)
    assert as_json.returncode == as_text.returncode == 3
    assert found["smoke"]["status"] == "neutral"
    assert "hipcc cannot compile for gfx942" in found["smoke"]["seen"]
    assert found["throttling"]["status"] == "skipped"
    assert found["torch"]["status"] == "skipped"
    assert found["ecc"]["status"] == "error", "what the kernel tells stands"
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", as_text.stdout)
    assert "rocm-ci could not" not in as_json.stdout


def test_without_any_tool_the_kernel_still_tells_much(tmp_path: Path) -> None:
    environment = troubled.host(tmp_path) | {"PATH": str(tmp_path / "nothing")}

    found = checks(at(environment, "--format", "json"))

    told = {name for name, check in found.items() if check["status"] == "error"}
    assert told >= {"device-nodes", "ecc", "vram", "quarantine", "shm", "gfx-override"}
    assert found["smoke"]["status"] == found["throttling"]["status"] == "skipped"


@pytest.mark.parametrize(("columns", "colour"), [("80", False), ("120", True)])
def test_the_text_fits_the_terminal_and_colours_only_on_request(
    tmp_path: Path, columns: str, *, colour: bool
) -> None:
    environment = troubled.host(tmp_path) | {"COLUMNS": columns, "FORCE_COLOR": "1"}
    if not colour:
        environment["NO_COLOR"] = "1"

    done = at(environment, "--quick")

    assert ("\033[" in done.stdout) is colour
    assert max(len(line) for line in re.sub(r"\033\[[\d;]*m", "", done.stdout).splitlines()) <= int(columns)


def test_a_recorded_machine_is_judged_without_running_anything() -> None:
    folder = ROOT / "tests" / "data" / "machines" / "nvcc-and-cuda-torch"

    found = checks(rocm_ci("doctor", "--replay", str(folder), "--format", "json"))

    assert found["torch"]["status"] == "neutral"
    assert found["smoke"]["status"] == found["disk"]["status"] == "skipped"
