"""Tests that start the real HIP compiler."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests import require
from tests.build.project import Project

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def project(tmp_path: Path) -> Project:
    require.hipcc()
    root = tmp_path / "checkout"
    root.mkdir()
    return Project(root=root, scratch=tmp_path / "scratch")
