"""What the tests of processes share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.e2e.tools.processes import Processes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[Processes]:
    """Those of this test. What it left is ended, also when it failed."""
    here = Processes(tmp_path)
    yield here
    here.kill()


@pytest.fixture
def short_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not five seconds for everything that ignores SIGTERM."""
    for module in ("supervised", "tree"):
        monkeypatch.setattr(f"rocm_ci.tools.{module}.GRACE_S", 0.5)
