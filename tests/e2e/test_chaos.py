"""A small chaos run: misbehaving tests of three runners on four pretended GPUs, each called what it is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests import require

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_whatever_tests_do_nothing_is_lost_misjudged_or_left_behind(tmp_path: Path) -> None:
    require.program("cmake", "apt-get install cmake")
    require.program("g++", "apt-get install g++")
    if not Path("/usr/include/gtest/gtest.h").is_file():
        require.missing("libgtest-dev", "apt-get install libgtest-dev")

    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "tools.chaos",
            "--tests",
            "40",
            "--seed",
            "3",
            "--keep",
            str(tmp_path / "run"),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr + done.stdout
    assert "| processes that outlived the run | 0 |" in done.stdout
