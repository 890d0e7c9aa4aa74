"""What must not be shown on this machine: its names, and the secrets of our own environment."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING

from rocm_ci.cli import wiring
from rocm_ci.tools import file
from rocm_ci.tools.mask import Mask

if TYPE_CHECKING:
    from pathlib import Path

_HOSTS = ("HOSTNAME", "RUNNER_NAME", "NODE_NAME", "SLURMD_NODENAME", "COMPUTERNAME")
# Result files of test programs; a larger one is no file that anybody would read.
_MOST_BYTES = 100_000_000


def hosts(env: dict[str, str]) -> tuple[str, ...]:
    """What this machine and this runner are called."""
    return (platform.node(), *(env[name] for name in _HOSTS if name in env))


def secrets(env: dict[str, str]) -> tuple[str, ...]:
    """What is kept from the commands of the change, and must not come out on another way either."""
    children = wiring.child_environment(env)
    return tuple(value for name, value in env.items() if name not in children and wiring.is_secret(name))


def mask(env: dict[str, str]) -> Mask:
    """The mask of this machine."""
    return Mask(hosts=hosts(env), secrets=secrets(env))


def result_files(out: Path, veil: Mask) -> None:
    """Hide it in the result files that test programs wrote themselves: they leave the machine, too."""
    for path in sorted((out / "junit").rglob("*.xml")):
        opened = file.read(path)
        if opened is None:
            continue
        with opened:
            data = opened.read(_MOST_BYTES + 1)
        text = data.decode("utf-8", "surrogateescape")
        hidden = veil.text(text) if len(data) <= _MOST_BYTES else text
        if hidden is not text:
            file.write(path, hidden.encode("utf-8", "surrogateescape"))
