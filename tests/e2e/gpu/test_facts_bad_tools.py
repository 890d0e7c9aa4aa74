"""`rocm-ci facts` where the tools are missing, hang, print nonsense or far too much: real processes on PATH."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import require
from tests.e2e.gpu import fake_tools
from tools import pretend

ALL = ("rocminfo", "amd-smi", "rocm-smi", "hipconfig", "hipcc", "modinfo", "dmesg", "python3", "nvcc")
GPUS = 2


@pytest.fixture
def sysroot(tmp_path: Path) -> Path:
    root = tmp_path / "sysroot"
    pretend.machine(root, GPUS)
    return root


def command(
    tools: Path, sysroot: Path | None = None, *, shape: str = "json"
) -> tuple[list[str], dict[str, str]]:
    """The command with only these tools and what their scripts need: this machine may have real ones."""
    needed = tools / "needed"
    needed.mkdir(exist_ok=True)
    for name in ("cat", "sleep", "head", "tr"):
        if not (needed / name).exists():
            (needed / name).symlink_to(str(shutil.which(name)))
    where = ["--sysroot", str(sysroot)] if sysroot else []
    environment = {
        "PATH": f"{tools}:{needed}",
        "HOME": str(tools),
        "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
    }
    return [sys.executable, "-m", "rocm_ci", "facts", "--format", shape, *where], environment


def facts(
    tools: Path, sysroot: Path | None = None, *, shape: str = "json"
) -> subprocess.CompletedProcess[str]:
    argv, environment = command(tools, sysroot, shape=shape)
    return subprocess.run(argv, capture_output=True, text=True, env=environment, timeout=120, check=False)


def found(tools: Path, sysroot: Path | None = None) -> dict[str, Any]:
    done = facts(tools, sysroot)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def reasons(got: dict[str, Any]) -> dict[str, str]:
    return {unknown["name"]: unknown["reason"] for unknown in got["unknown"]}


def put_all(folder: Path, **how: Any) -> None:
    for name in ALL:
        fake_tools.put(folder, name, **how)


def test_tools_that_are_not_there_leave_the_kernels_own_files(tmp_path: Path, sysroot: Path) -> None:
    put_all(tmp_path / "bin", code=127, stderr="not here")
    for name in ALL:
        (tmp_path / "bin" / name).unlink()

    got = found(tmp_path / "bin", sysroot)

    assert got["gpu_count"] == GPUS
    assert got["gpus"][0]["name"] == "AMD Instinct MI300X"
    assert got["gpus"][0]["vram_bytes"] == 206141652992
    assert got["driver"] == {
        "loaded": True, "version": "6.16.13", "number": "30.30", "built_in": False,
        "source": "/sys/module/amdgpu/version",
    }  # fmt: skip
    assert "is not installed" in reasons(got)["rocm.hip"]


def test_a_tool_that_may_not_be_run_is_named(tmp_path: Path, sysroot: Path) -> None:
    put_all(tmp_path)
    for name in ALL:
        (tmp_path / name).chmod(0o644)

    got = found(tmp_path, sysroot)

    assert got["gpu_count"] == GPUS
    assert "Permission denied" in reasons(got)["rocm.hip"]


def test_a_tool_that_hangs_is_ended_and_the_others_are_heard(tmp_path: Path, sysroot: Path) -> None:
    pretend.rocminfo(tmp_path, GPUS)
    fake_tools.put(tmp_path, "modinfo", sleep_s=600)

    got = found(tmp_path, sysroot)

    assert got["gpus"][0]["features"] == "sramecc+:xnack-"
    assert got["gpus"][0]["visible"] is True


def test_nonsense_changes_nothing_of_what_the_kernel_says(tmp_path: Path, sysroot: Path) -> None:
    nonsense = '{"gpu": [{{{ Agent 1 \x1b[2J GPU[0]\t\t: : : \ndevice,\n::error::gone\n"card0": 9\n' * 400
    put_all(tmp_path, stdout=nonsense, stderr=nonsense, code=0)

    got = found(tmp_path, sysroot)

    assert [gpu["bus"] for gpu in got["gpus"]] == [pretend.address(n) for n in range(GPUS)]
    assert got["driver"]["version"] == "6.16.13"
    assert "\x1b" not in json.dumps(got)


def test_text_of_a_tool_starts_no_command_of_the_runner(tmp_path: Path) -> None:
    hostile = "ROCk module is NOT loaded\n::set-output name=x::y\x1b]0;title\x07 unable ::error::\n"
    put_all(tmp_path, stdout=hostile, stderr=hostile, code=1)

    done = facts(tmp_path, shape="text")

    assert done.returncode == 0
    assert not [line for line in done.stdout.splitlines() if line.lstrip().startswith("::")]
    assert "\x1b" not in done.stdout
    assert "\x07" not in done.stdout


def test_output_that_is_true_counts_whatever_the_exit_code(tmp_path: Path, sysroot: Path) -> None:
    """amd-smi and rocm-smi end with 1 or 2 after warnings, and their data is right."""
    smi = {"card0": {"Card Series": "AMD Instinct MI300X", "Node ID": "1", "VBIOS version": "113-X"}}
    fake_tools.put(tmp_path, "rocm-smi", stdout=json.dumps(smi), stderr="WARNING: low-power state", code=2)

    got = found(tmp_path, sysroot)

    assert got["gpus"][0]["called"]["rocm-smi"] == "AMD Instinct MI300X"


def test_a_tool_that_ends_well_without_a_word_is_a_reason_too(tmp_path: Path) -> None:
    """Debian's rocm-smi ends with 0 and no data where the driver is not loaded."""
    line = "ERROR:root:Driver not initialized (amdgpu not found in modules)\n"
    put_all(tmp_path, stderr=line, code=0)
    for name in ("rocminfo", "amd-smi"):
        (tmp_path / name).unlink()

    got = found(tmp_path, tmp_path)

    assert got["gpu_count"] == 0
    assert "Driver not initialized" in reasons(got)["driver.version"]


_MEASURED = """
import resource, subprocess, sys
with open(sys.argv[1], "wb") as out:
    code = subprocess.run(sys.argv[2:], stdout=out).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)
"""


@pytest.mark.timeout(180)
def test_a_tool_that_prints_without_end_costs_no_memory_and_no_answer(tmp_path: Path, sysroot: Path) -> None:
    for name in ("rocminfo", "amd-smi", "dmesg"):
        fake_tools.put(tmp_path, name)
        (tmp_path / name).write_text("#!/bin/sh\nhead -c 100000000 /dev/zero | tr '\\0' 'x'\n")
    fake_tools.put(tmp_path, "hipconfig")
    (tmp_path / "hipconfig").write_text("#!/bin/sh\ntr '\\0' 'x' < /dev/zero\n")
    argv, environment = command(tmp_path, sysroot)

    # The peak that the kernel tells begins with that of the parent: a small process stands between.
    measured = [sys.executable, "-c", _MEASURED, str(tmp_path / "said.json"), *argv]
    done = subprocess.run(measured, env=environment, capture_output=True, text=True, check=False)

    got = json.loads((tmp_path / "said.json").read_text())
    assert (done.returncode, got["gpu_count"]) == (0, GPUS)
    assert "hipconfig printed more than 8 MB and was ended" in reasons(got)["rocm.hip"]
    assert int(done.stdout) < 250_000  # KiB


def test_the_real_tools_of_this_machine_are_understood() -> None:
    """Debian's tools where there is no GPU: rocm-smi exits 0, rocminfo colours its one line."""
    for name in ("rocminfo", "rocm-smi"):
        require.program(name, f"apt-get install {name}")
    if Path("/dev/kfd").exists():
        pytest.skip("this machine has a GPU")

    done = subprocess.run(
        [sys.executable, "-m", "rocm_ci", "facts", "--format", "json"],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )

    got = json.loads(done.stdout)
    assert got["gpu_count"] == 0
    assert got["driver"]["loaded"] is False
    said = reasons(got)
    assert "the amdgpu driver is not loaded" in said["gpus"]
    assert "ROCk module is NOT loaded" in said["driver.version"]
    assert "Driver not initialized (amdgpu not found in modules)" in said["driver.version"]
