"""The live path: real processes, fake AMD tools, a recorded /sys; and the commands themselves."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from rocm_ci.gpu.collect import collect
from rocm_ci.gpu.collectors.torch import TORCH
from rocm_ci.gpu.live import LiveReader
from rocm_ci.gpu.reader import Tool
from rocm_ci.tools.process import ProcessRunner
from tests import require
from tests.e2e.gpu import fake_tools

MACHINES = Path(__file__).parents[2] / "data" / "machines"
ONE_AGENT = """\
ROCk module version 6.12.12 is loaded
*******
Agent 2
*******
  Name:                    gfx942
  Uuid:                    GPU-1c0ffee01c0ffee0
  Marketing Name:          AMD Instinct MI300X
  Node:                    1
  Device Type:             GPU
  Chip ID:                 29857(0x74a1)
  Compute Unit:            304
"""


def rocm_ci(*args: str, path: str | None = None) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k not in ("ROCM_PATH", "HIP_VISIBLE_DEVICES")}
    if path is not None:
        environment["PATH"] = f"{path}:{environment['PATH']}"
    return subprocess.run(
        [sys.executable, "-m", "rocm_ci", *args],
        capture_output=True,
        text=True,
        env=environment,
        timeout=120,
        check=False,
    )


def facts(*args: str, path: str | None = None) -> dict[str, Any]:
    done = rocm_ci("facts", "--format", "json", *args, path=path)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_checkout_cannot_put_its_own_modules_into_the_question_for_torch(tmp_path: Path) -> None:
    for name in ("json", "platform", "torch"):
        (tmp_path / f"{name}.py").write_text("open('was-imported', 'w').close()\n")

    done = ProcessRunner().capture(TORCH.commands[0], cwd=tmp_path, timeout_s=60)

    assert "rocm_ci_python" in done.text
    assert not (tmp_path / "was-imported").exists()


def test_tools_and_kernel_files_of_a_live_machine_become_facts(tmp_path: Path) -> None:
    machine = MACHINES / "two-mi300x"
    tools, root = tmp_path / "bin", tmp_path / "root"
    fake_tools.put(tools, "rocminfo", stdout=(machine / "captured" / "one.log").read_text())
    fake_tools.put(tools, "amd-smi", stdout=(machine / "captured" / "two.log").read_text())
    fake_tools.put(
        tools, "rocm-smi", stderr="ERROR:root:Driver not initialized (amdgpu not found in modules)"
    )
    fake_tools.put(tools, "gcc", stdout="gcc (Ubuntu 13.3.0-6ubuntu2~24.04) 13.3.0\n")
    for tree in ("sys", "proc", "etc", "opt"):
        shutil.copytree(machine / tree, root / tree)
    reader = LiveReader(ProcessRunner(), {"PATH": f"{tools}:/bin:/usr/bin"}, root=root)

    found = collect(reader)

    assert [gpu.name for gpu in found.gpus] == ["AMD Instinct MI300X"] * 2
    assert [gpu.bus for gpu in found.gpus] == ["0000:0c:00.0", "0000:22:00.0"]
    assert found.gpus[0].vbios == "113-M3000100-102"
    assert found.driver.version == "6.12.12"
    assert found.rocm.version == "6.4.1"
    assert found.tools["gcc"] == "13.3.0"
    assert found.host.cpus == 32
    assert found.conflicts == ()


def test_a_tool_that_hangs_is_ended_and_named(tmp_path: Path) -> None:
    fake_tools.put(tmp_path, "rocminfo", sleep_s=600)
    tool = Tool(name="rocminfo", commands=(("rocminfo",),), recognise=lambda _: True, timeout_s=0.3)

    answer = LiveReader(ProcessRunner(), {"PATH": f"{tmp_path}:/bin:/usr/bin"}).ask(tool)

    assert answer.outputs == ()
    assert answer.problem == "rocminfo did not answer within 0.3 s"


def test_a_tool_that_prints_garbage_is_no_crash(tmp_path: Path) -> None:
    for name in ("rocminfo", "amd-smi", "rocm-smi", "hipconfig", "hipcc", "modinfo", "python3"):
        fake_tools.put(tmp_path, name, stdout='{"gpu": [{{{ Agent 1 \x1b[2J\x00 device,\n' * 50, code=11)
    reader = LiveReader(ProcessRunner(), {"PATH": f"{tmp_path}:/bin:/usr/bin"}, root=tmp_path / "nothing")

    found = collect(reader)

    assert found.gpus == ()
    assert not [note for note in found.notes if "could not understand" in note]


def test_the_real_compiler_is_found_on_the_amd_platform() -> None:
    require.hipcc()

    found = facts()

    assert found["rocm"]["hipcc"]
    assert found["rocm"]["hip_platform"] in ("amd", None)
    assert found["tools"]["hipcc"] == found["rocm"]["hipcc"]


def test_facts_of_this_machine_hold_the_contract_and_no_ids(tmp_path: Path) -> None:
    fake_tools.put(tmp_path, "rocminfo", stdout=ONE_AGENT)

    found = facts(path=str(tmp_path))

    assert {"host", "driver", "rocm", "gpus", "hardware_key", "unknown"} <= set(found)
    assert found["host"]["kernel"] == os.uname().release
    assert found["gpu_count"] >= 1
    assert "c0ffee" not in json.dumps(found)


def test_a_recording_is_replayed_as_json_and_as_text() -> None:
    folder = str(MACHINES / "new-stream-mi355x-text")

    text = rocm_ci("facts", "--replay", folder)

    assert facts("--replay", folder)["gpus"][0]["name"] == "AMD Instinct MI355X"
    assert "AMD Instinct MI355X · gfx950 · 256 CU · 288 GiB VRAM" in text.stdout
    assert "not in use: /opt/rocm-7.2.1 7.2.1-81" in text.stdout


def test_a_folder_that_is_not_there_is_a_usage_error(tmp_path: Path) -> None:
    done = rocm_ci("facts", "--replay", str(tmp_path / "none"))

    assert done.returncode == 2
    assert "does not exist" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_empty_recording_says_that_nothing_is_known(tmp_path: Path) -> None:
    found = facts("--replay", str(tmp_path))

    assert found["gpu_count"] == 0
    assert {"gpus", "host.os", "driver.version", "rocm.version"} <= {u["name"] for u in found["unknown"]}
