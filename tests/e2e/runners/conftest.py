"""Suites run for real: pytest, ctest and GoogleTest programs made in a temporary project."""

from __future__ import annotations

import io
import os
import shlex
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from rocm_ci.config.options import Config
from rocm_ci.context import Context, Job
from rocm_ci.log import Log
from rocm_ci.model.changes import Changes
from rocm_ci.model.event import Event, EventKind
from rocm_ci.model.facts import Facts, Gpu
from rocm_ci.model.plan import Plan
from rocm_ci.stages import test as stage
from rocm_ci.tools.process import ProcessRunner
from tests.fakes import FakeClock, FakeGpus

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rocm_ci.model.result import Suite, TestResult

PYTEST = f"{shlex.quote(sys.executable)} -m pytest -p no:randomly"


@dataclass
class Project:
    """A checkout and the stage run on it. `messages` collects what the log said."""

    root: Path
    out: Path
    messages: io.StringIO

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def stage(self, *suites: dict[str, Any], gpus: int = 0, **config: Any) -> TestResult:
        """Run the stage over suites given as in the configuration file."""
        tree = {"version": 1, "test": list(suites), **config}
        environment = {
            k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "ROCM_CI", "GTEST_"))
        }
        ctx = Context(
            run=ProcessRunner(),
            log=Log(out=io.StringIO(), err=self.messages, verbose=True),
            clock=FakeClock(),
            gpus=FakeGpus(total=8),
            root=self.root,
            out=self.out,
            work=self.out / "work",
            state=self.out / "state",
            environment={**environment, "HIP_PLATFORM": "amd"},
        )
        job = Job(
            event=Event(kind=EventKind.LOCAL, head="0" * 40),
            config=msgspec.convert(tree, Config),
            changes=Changes(whole_tree=True),
            facts=Facts(gpus=tuple(Gpu(index=n, gfx="gfx90a") for n in range(gpus))),
            plan=Plan(steps=()),
            done={},
        )
        return stage.run(ctx, job)

    def suite(self, run: str, **options: Any) -> Suite:
        """Run one suite called «unit»."""
        (only,) = self.stage({"name": "unit", "run": run, **options}).suites
        return only


@pytest.fixture
def project(tmp_path: Path) -> Project:
    root = tmp_path / "check out"
    root.mkdir()
    return Project(root, tmp_path / "out", io.StringIO())


@pytest.fixture
def cases() -> Callable[[Suite], dict[str, str]]:
    """Status of every case by its id."""
    return lambda suite: {case.id: case.status.value for case in suite.cases}
