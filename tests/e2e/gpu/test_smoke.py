"""The small program, really started: by the real compiler, by a fake one, and through PyTorch where it is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rocm_ci.gpu import smoke
from rocm_ci.gpu.smoke import Smoke
from rocm_ci.gpu.smoke_ending import Ending
from rocm_ci.model.facts import Facts, Gpu
from rocm_ci.tools.process import ProcessRunner
from tests import require
from tests.fakes import FakeGpus

ROOT = Path(__file__).parents[3]
RUN = ProcessRunner()
ONE = (
    '{"rocm_ci_smoke": 1, "devices": 1, "target": "gfx90a", "values": 9, "wrong_sums": 0, "wrong_copies": 0}'
)


def environment(*first: Path) -> dict[str, str]:
    return os.environ | {"PATH": ":".join([*map(str, first), os.environ["PATH"]])}


def with_program(folder: Path, body: str, *, gpus: int = 1, run_s: float = 30) -> Smoke:
    """A compiler that leaves this shell script as the program."""
    program, hipcc = folder / "program", folder / "hipcc"
    program.write_text(f"#!/bin/sh\n{body}\n")
    hipcc.write_text(f'#!/bin/sh\nfor last; do :; done\ncp {program} "$last"; chmod +x "$last"\n')
    hipcc.chmod(0o755)
    facts = Facts(gpus=tuple(Gpu(index=n, gfx="gfx90a") for n in range(gpus)))
    return smoke.smoke(facts, FakeGpus(total=gpus), RUN, environment(folder), run_s=run_s)


def is_running(pid: int) -> bool:
    """An ended process whose parent has not asked yet does not run."""
    try:
        about = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return about.rpartition(")")[2].split()[0] not in ("Z", "X")


@pytest.mark.skipif(Path("/dev/kfd").exists(), reason="here is an AMD GPU")
def test_what_the_real_compiler_builds_really_runs_and_finds_no_device() -> None:
    require.hipcc()

    found = smoke.smoke(Facts(gpus=(Gpu(index=0, gfx="gfx90a"),)), FakeGpus(total=1), RUN, environment())

    assert [result.ending for result in found.results] == [Ending.NO_DEVICE], found
    assert "hipErrorNoDevice" in found.results[0].detail


def test_a_target_that_the_real_compiler_does_not_know_is_said() -> None:
    require.hipcc()

    found = smoke.smoke(Facts(gpus=(Gpu(index=0, gfx="gfx999"),)), FakeGpus(total=1), RUN, environment())

    assert found.is_broken
    assert "hipcc cannot compile for gfx999" in found.reason


def test_a_crash_is_told_by_its_signal(tmp_path: Path) -> None:
    (result,) = with_program(tmp_path, "kill -SEGV $$").results

    assert (result.ending, result.detail) == (Ending.CRASHED, "ended by SIGSEGV")


def test_a_program_that_hangs_is_ended_with_its_children_and_the_other_gpu_goes_on(tmp_path: Path) -> None:
    body = f"""
echo "rocm-ci smoke: running the kernel" >&2
if [ "$ROCR_VISIBLE_DEVICES" = 0 ]; then sleep 600 & echo $! > {tmp_path}/child; wait; fi
echo '{ONE}'"""

    hung, right = with_program(tmp_path, body, gpus=2, run_s=2).results

    assert (hung.ending, right.ending) == (Ending.HUNG, Ending.RIGHT)
    assert hung.detail.startswith("did not end within 2 s, stuck when running the kernel")
    assert not is_running(int((tmp_path / "child").read_text()))


def test_a_flood_of_output_without_an_answer_is_a_crash(tmp_path: Path) -> None:
    (result,) = with_program(tmp_path, "head -c 3000000 /dev/zero; exit 3").results

    assert result.ending is Ending.CRASHED
    assert len(result.detail) <= 300


def test_the_torch_program_stands_alone() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "rocm_ci.gpu.smoke_torch"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=300,
        check=False,
    )

    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(line["rocm_ci_smoke"] == 1 for line in lines)
    assert done.returncode == (2 if "error" in lines[0] else 0), done.stderr
