"""A Python with this very rocm-ci: one that is there, or a fresh environment from the locked list."""

from __future__ import annotations

import hashlib
import re
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from rocm_ci.launch.machine import LaunchError, Machine, say

if TYPE_CHECKING:
    from collections.abc import Mapping

OURS = "/opt/rocm-ci/bin/python"  # where our Dockerfile puts it
OLDEST = (3, 10)
_PYTHONS = ("python3", "python", "python3.13", "python3.12", "python3.11", "python3.10")
# -I: neither the current folder, which the pull request owns, nor PYTHONPATH can bring a module in.
_PROBE = """import sys
try:
    import click, msgspec, yaml, rocm_ci
except ImportError:
    sys.exit(1)
print(rocm_ci.__version__)"""
_VERSION = "import sys; print('%d.%d' % sys.version_info[:2])"


def version(action: Path) -> str:
    """The version of the action itself, read without importing it."""
    found = re.search(r'__version__ = "([^"]+)"', (action / "rocm_ci" / "__init__.py").read_text())
    return found.group(1) if found else "unknown"


def interpreter(machine: Machine, env: Mapping[str, str], action: Path) -> str:
    """A Python that can run `-I -m rocm_ci`, of the same version as the action."""
    ours = version(action)
    for python in (OURS, sys.executable, *filter(None, map(machine.which, _PYTHONS[:2]))):
        code, text = machine.capture(python, "-I", "-c", _PROBE)
        if code == 0 and text.strip() == ours:
            return python
    return _fresh(machine, env, action)


def _fresh(machine: Machine, env: Mapping[str, str], action: Path) -> str:
    """Make (or find, later in the same job) an environment from `requirements.lock`.

    It lies in the job's own temporary folder and not in the tool cache: what a pull request can
    write must not be there when the next job starts.
    """
    lock = action / "requirements.lock"
    name = hashlib.sha256(lock.read_bytes() + str(action).encode()).hexdigest()[:16]
    home = Path(env.get("RUNNER_TEMP") or tempfile.gettempdir()) / f"rocm-ci-{machine.user()}-{name}".replace(
        ":", "-"
    )
    python = home / "bin" / "python"
    if (home / "ready").is_file():
        return str(python)
    say(f"installing rocm-ci {version(action)} into {home}")
    if machine.supervise([_recent(machine), "-I", "-m", "venv", "--clear", str(home)], env, action):
        hint = "apt-get install python3-venv, or put actions/setup-python before this step"
        raise LaunchError(f"a virtual environment could not be made in {home}", hint)
    install = (
        "-I",
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-compile",
        "--disable-pip-version-check",
        "--no-deps",
        "--require-hashes",
    )
    if machine.supervise([str(python), *install, "--requirement", str(lock)], env, action):
        raise LaunchError("the dependencies of rocm-ci could not be installed", "see pip's words above")
    # A path entry instead of an installation: building a wheel would fetch a build tool without a hash.
    for packages in home.glob("lib/python3*/site-packages"):
        (packages / "rocm_ci.pth").write_text(f"{action}\n")
    (home / "ready").touch()
    return str(python)


def _recent(machine: Machine) -> str:
    """A Python that is new enough for rocm-ci; the launcher itself is content with an older one."""
    for python in (sys.executable, *filter(None, map(machine.which, _PYTHONS))):
        code, text = machine.capture(python, "-I", "-c", _VERSION)
        if code == 0 and tuple(int(part) for part in text.split(".")) >= OLDEST:
            return python
    wanted = ".".join(map(str, OLDEST))
    raise LaunchError(f"rocm-ci needs Python {wanted} or newer", "put actions/setup-python before this step")
