"""The real command line in a scrubbed environment, on a real repository."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from rocm_ci.model.report import Report

# What a surrounding CI or shell could lend a test without being asked.
_SCRUBBED = ("CI", "GITHUB_", "RUNNER_", "ACTIONS_", "ROCM_", "HIP_", "ROCR_", "HSA_", "NO_COLOR", "PYTEST_")


def scrubbed(**more: str) -> dict[str, str]:
    """Our environment without anything that changes what rocm-ci does."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(_SCRUBBED)}
    return kept | more


@dataclass(frozen=True)
class Outcome:
    """What one call of the command line did."""

    code: int
    out: str
    err: str
    folder: Path

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def report(self) -> Report:
        from rocm_ci.report import codec

        return codec.decode((self.folder / "rocm-ci-out" / "report.json").read_bytes())


def rocm_ci(*args: str, cwd: Path, **environment: str) -> Outcome:
    """Run `rocm-ci ARGS` in `cwd` and wait."""
    done = subprocess.run(
        [sys.executable, "-m", "rocm_ci", *args],
        cwd=cwd,
        env=scrubbed(**environment),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert "Traceback (most recent call last)" not in done.stderr, done.stderr
    return Outcome(code=done.returncode, out=done.stdout, err=done.stderr, folder=cwd)
