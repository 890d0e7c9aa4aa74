"""What every test of the runners leaves behind is closed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.runners.slots import OPEN

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    while OPEN:
        OPEN.pop().close()
