"""What a test needs of the machine: absent means skip with the reason, or failure in CI."""

from __future__ import annotations

import os
import shutil
from typing import NoReturn

import pytest


def missing(what: str, how: str) -> NoReturn:
    """End the test: it fails when `ROCM_CI_REQUIRE` names it (or says `all`), else it is skipped."""
    wanted = os.environ.get("ROCM_CI_REQUIRE", "").replace(",", " ").split()
    message = f"{what} is not here: {how}"
    if "all" in wanted or what in wanted:
        pytest.fail(message)
    pytest.skip(message)


def program(name: str, how: str) -> str:
    """The path of a program on PATH."""
    found = shutil.which(name)
    if found is None:
        missing(name, how)
    return found


def hipcc() -> str:
    """hipcc, which tests always run with HIP_PLATFORM=amd."""
    return program("hipcc", "apt-get install hipcc libamdhip64-dev rocm-device-libs")
