"""What the doctor finds on recorded machines, and that it claims nothing that was not recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from rocm_ci.gpu.checks.machine import Machine, Needs, survey
from rocm_ci.gpu.checks.outcome import ELSEWHERE
from rocm_ci.gpu.checks.run import run_checks
from rocm_ci.gpu.collect import collect
from rocm_ci.gpu.replay import ReplayReader
from rocm_ci.model.result import Check
from rocm_ci.model.verdict import Verdict

MACHINES = Path(__file__).parents[3] / "data" / "machines"
NAMES = sorted(path.name for path in MACHINES.iterdir() if path.is_dir())
# What has to be told of some of them; of the last ones nothing.
TROUBLE: dict[str, set[str]] = {
    "card-fell-off": {"sources-agree"},
    "core-10-beside-7-2-as-files": {"gpus"},
    "dead-card-in-kernel-log": {"kernel-log", "dead-devices", "sources-agree"},
    "docker-inspect-of-an-image": {"gpus"},
    "docker-pull-log": {"gpus"},
    "driver-installed-not-loaded": {"gpus"},
    "guest-with-mi300x-vf": set(),
    "mi300a-four-apus": set(),
    "mi300x-cpx-nps4": set(),
    "mi350x-amd-smi-26-object": set(),
    "nested-container": {"gpus"},
    "nested-container-cgroup-2": {"gpus"},
    "new-stream-in-a-pod": {"gpus"},
    "no-access": {"gpus", "torch"},
    "no-gpu-debian-tools": {"gpus"},
    "nvcc-and-cuda-torch": {"torch"},
    "packages-of-a-red-hat": {"gpus"},
    "pod-transcript-with-quota": {"gpus"},
    "processor-graphics-beside-card": {"vram"},
    "sources-that-disagree": {"vram"},
    "system-tools-only": {"gpus"},
    "target-overridden": {"gfx-override"},
    "two-mi300x": set(),
    "w7900-and-v710": set(),
}
# Nothing of these was recorded of any: they must stay open.
UNRECORDED = ("disk", "device-nodes", "device-access", "quarantine", "smoke", "shm", "memlock", "nofile")


def judged(name: str) -> tuple[Machine, dict[str, Check]]:
    folder = MACHINES / name
    reader = ReplayReader(folder)
    facts = collect(reader)
    machine = survey(facts, reader, folders={}, host=folder)
    needs = Needs(wanted={"this machine": machine.usable} if machine.usable else {}, curious=True)
    return machine, {check.id: check for check in run_checks(machine, needs)}


@pytest.mark.parametrize("name", TROUBLE)
def test_a_recorded_machine_has_the_trouble_it_has_and_no_other(name: str) -> None:
    _, checks = judged(name)

    told = {check.id for check in checks.values() if check.status in (Verdict.NEUTRAL, Verdict.ERROR)}
    assert told == TROUBLE[name]


@pytest.mark.parametrize("name", NAMES)
def test_what_was_not_recorded_is_unknown_and_says_how_to_find_out(name: str) -> None:
    machine, checks = judged(name)

    assert set(machine.unseen) <= {"environment"}
    assert {one for one in UNRECORDED if checks[one].status is not Verdict.SKIPPED} == set()
    for check in checks.values():
        assert check.status is Verdict.PASS or check.fix, check.id
        # Where there are GPUs, «run it on a machine with GPUs» is no help.
        assert not machine.facts.gpus or check.fix != ELSEWHERE, check.id


def test_a_user_without_access_is_sent_to_the_group_and_not_to_the_driver() -> None:
    _, checks = judged("no-access")

    assert "Permission denied" in checks["gpus"].seen
    assert "--group-add" in (checks["gpus"].fix or "")


def test_variables_count_only_where_an_environment_was_recorded() -> None:
    _, without = judged("two-mi300x")
    _, recorded = judged("core-10-beside-7-2-as-files")

    assert without["visible-devices"].seen == without["gfx-override"].seen == "no environment was recorded"
    assert recorded["visible-devices"].status is recorded["gfx-override"].status is Verdict.PASS
