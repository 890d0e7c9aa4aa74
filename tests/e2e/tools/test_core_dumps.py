"""Core dumps of real crashes: kept beside the log when the runner wants them, else as the host has it."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest

from rocm_ci.tools.process import ProcessRunner
from tests import require

PATH = {"PATH": os.environ["PATH"]}
PATTERN = Path("/proc/sys/kernel/core_pattern")


@pytest.fixture(autouse=True)
def dumped() -> None:
    """Only where the kernel writes core dumps into the folder of what crashed; that is the host's to say."""
    if PATTERN.read_text()[:1] in ("|", "/", "\n") or not resource.getrlimit(resource.RLIMIT_CORE)[1]:
        require.missing("core dump", "a kernel.core_pattern without | and /, and a hard limit above 0")


def test_a_wanted_core_dump_lies_beside_the_log_and_not_in_the_project(tmp_path: Path) -> None:
    (tmp_path / "project" / "build").mkdir(parents=True)
    done = ProcessRunner(keeps_cores=True).stream(
        ["bash", "-c", "cd build; kill -ABRT $$"],
        cwd=tmp_path / "project",
        env=PATH,
        timeout_s=60,
        log=tmp_path / "out" / "unit.log",
    )

    assert (done.exit_code, done.cores) == (-6, (tmp_path / "out" / "unit.core-1",))
    assert done.cores[0].read_bytes()[:4] == b"\x7fELF"
    assert not [path for path in (tmp_path / "project").rglob("*") if path.is_file()]


def test_without_that_wish_the_limit_stays_as_the_runner_set_it(tmp_path: Path) -> None:
    done = ProcessRunner().stream(
        ["bash", "-c", "ulimit -S -c; kill -ABRT $$"],
        cwd=tmp_path,
        env=PATH,
        timeout_s=60,
        log=tmp_path / "log",
    )

    soft = resource.getrlimit(resource.RLIMIT_CORE)[0]
    told = {0: "0", resource.RLIM_INFINITY: "unlimited"}.get(soft, str(soft // 1024))
    assert done.tail.splitlines()[0] == told
    assert bool(done.cores) == bool(soft)


def test_a_core_dump_has_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rocm_ci.tools.cores.MAX_BYTES", 64 * 1024)
    done = ProcessRunner(keeps_cores=True).stream(
        ["bash", "-c", "ulimit -S -c"], cwd=tmp_path, env=PATH, timeout_s=60, log=tmp_path / "log"
    )

    assert done.tail == "64"
