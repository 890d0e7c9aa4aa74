"""A slot for runners under test."""

from __future__ import annotations

from pathlib import Path

from rocm_ci.runners.base import Slot
from tests.fakes import FakeRunner


def slot(*, named: bool = False, ctest: str = "3.25.1", **environment: str) -> Slot:
    """Where an attempt reports; `ctest` is the version its ctest tells."""
    return Slot(
        root=Path("/src"),
        xml=Path("/out/junit/unit.xml"),
        folder=Path("/out/junit/unit.d"),
        is_named=named,
        environment=environment,
        run=FakeRunner({"ctest": (0, f"ctest version {ctest}\n")}),
    )
