"""Unit tests touch nothing: no process, no network, no sleep."""

from __future__ import annotations

import socket
import subprocess
import time
from typing import TYPE_CHECKING, NoReturn

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture(autouse=True)
def _world_is_out_of_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbid(what: str) -> Callable[..., NoReturn]:
        def refuse(*_args: object, **_kwargs: object) -> NoReturn:
            message = f"a unit test tried to {what}"
            raise AssertionError(message)

        return refuse

    monkeypatch.setattr(subprocess, "Popen", forbid("start a process"))
    monkeypatch.setattr(socket.socket, "connect", forbid("open a connection"))
    monkeypatch.setattr(time, "sleep", forbid("sleep"))
