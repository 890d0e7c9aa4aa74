"""`rocm-ci doctor` on this machine, with and without a fake GPU."""

from __future__ import annotations

import json
from pathlib import Path

from tests.e2e.gpu import fake_tools
from tests.e2e.gpu.test_facts import ONE_AGENT, rocm_ci


def test_checks_are_a_contract() -> None:
    done = rocm_ci("doctor", "--format", "json")

    found = json.loads(done.stdout)
    assert {"checks", "verdict"} == set(found)
    assert {"id", "group", "status", "seen", "needed", "fix"} == set(found["checks"][0])
    assert done.returncode == (3 if found["verdict"] == "error" else 0)


def test_a_machine_without_the_wanted_gpus_is_unusable() -> None:
    done = rocm_ci("doctor", "--gpus", "1024")

    assert done.returncode == 3
    assert "✗ gpus" in done.stdout
    assert "needed   1024 GPU(s)" in done.stdout
    assert "fix      run on a runner that has them" in done.stdout


def test_a_gpu_whose_target_is_not_wanted_is_pointed_out(tmp_path: Path) -> None:
    fake_tools.put(tmp_path, "rocminfo", stdout=ONE_AGENT)

    done = rocm_ci("doctor", "--gpus", "1", "--arch", "gfx90a", "--format", "json", path=str(tmp_path))

    arch = next(c for c in json.loads(done.stdout)["checks"] if c["id"] == "arch")
    assert arch["status"] in ("error", "neutral")
    assert "gfx942" in arch["seen"]
    assert "gfx90a" in arch["needed"]
