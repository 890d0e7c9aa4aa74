"""What all tests share: expected output kept as files, renewed by `pytest --update-golden`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests import attacks

if TYPE_CHECKING:
    from collections.abc import Callable

GOLDEN = Path(__file__).parent / "data" / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="write the golden files anew; look at the difference"
    )
    parser.addoption(
        "--write-attacks", action="store_true", help="with `-m attack`: write docs/evidence/security.md anew"
    )


def pytest_configure(config: pytest.Config) -> None:
    # The workers of xdist only run tests; what came of them is collected by whoever started them.
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(attacks.Evidence(config))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        mark = item.get_closest_marker("attack")
        if mark is not None:
            point, what = mark.args
            item.user_properties.append(("attack", f"{point}\t{what}"))


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """`golden(name, text)`: the text must be what the file of that name holds."""
    update = bool(request.config.getoption("--update-golden"))

    def check(name: str, text: str) -> None:
        path = GOLDEN / name
        if update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.is_file(), f"{name} is not there: run `pytest --update-golden` and look at it"
        assert text == path.read_text(encoding="utf-8"), "run `pytest --update-golden` if this is meant"

    return check
