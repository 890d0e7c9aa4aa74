"""A slot for runners under test."""

from __future__ import annotations

from pathlib import Path

from rocm_ci.runners.base import Slot
from rocm_ci.runners.events import Events
from tests.fakes import FakeRunner

OPEN: list[Events] = []


def slot(
    *,
    named: bool = False,
    deaf: bool = False,
    ctest: str = "3.25.1",
    out: Path = Path("/out"),
    answers: dict[str, tuple[int, str]] | None = None,
    test_timeout_s: float | None = None,
    **environment: str,
) -> Slot:
    """Where an attempt reports; `ctest` is the version its ctest tells, `answers` what else is started says."""
    return Slot(
        root=Path("/src"),
        xml=out / "junit/unit.xml",
        folder=out / "junit/unit.d",
        is_named=named,
        is_deaf=deaf,
        environment=environment,
        test_timeout_s=test_timeout_s,
        run=FakeRunner({"ctest": (0, f"ctest version {ctest}\n"), **(answers or {})}),
    )


def events(path: Path) -> Events:
    """Events that are closed when the test ends."""
    OPEN.append(Events(path))
    return OPEN[-1]
