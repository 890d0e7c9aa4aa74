"""What most commands need from the outside world, read once: environment, log, clock, files."""

from __future__ import annotations

import contextlib
import datetime as dt
import os
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from rocm_ci.errors import UsageError
from rocm_ci.log import Log

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rocm_ci.report.links import Links

# What the pull request's code must never see: tokens, and the files through which a step can
# steer later steps of the job.
_WITHHELD_NAMES = {
    "GITHUB_TOKEN", "GH_TOKEN", "GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STATE",
    "GITHUB_STEP_SUMMARY", "ACTIONS_RUNTIME_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
    "ACTIONS_ID_TOKEN_REQUEST_URL", "ACTIONS_CACHE_URL", "ACTIONS_RESULTS_URL", "ACTIONS_RUNTIME_URL",
}  # fmt: skip
_WITHHELD_PARTS = ("TOKEN", "SECRET", "PASSWORD", "CREDENTIAL", "PRIVATE_KEY", "API_KEY")


class SystemClock:
    """The real `Clock`."""

    def monotonic(self) -> float:
        """Seconds that only ever grow."""
        return time.monotonic()

    def now(self) -> str:
        """UTC now, ISO 8601 to the second."""
        return dt.datetime.now(dt.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")

    def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)


def environment() -> dict[str, str]:
    """A copy of our environment."""
    return dict(os.environ)


def child_environment(env: dict[str, str]) -> dict[str, str]:
    """What the pull request's commands get: no tokens, no step files, the AMD platform of HIP."""
    kept = {name: value for name, value in env.items() if name not in _WITHHELD_NAMES and not is_secret(name)}
    # Where nvcc is on the machine, hipcc picks the NVIDIA platform on its own. ROCM_CI_PYTHON is for
    # commands that want the interpreter which is surely there, e.g. to run pytest.
    return kept | {"HIP_PLATFORM": "amd", "ROCM_CI_PYTHON": sys.executable}


def state_folder(env: Mapping[str, str]) -> Path:
    """What stays on this host between runs: locks, the ledger of GPU faults, recorded times."""
    if env.get("ROCM_CI_STATE"):
        return Path(env["ROCM_CI_STATE"])
    home = env.get("XDG_STATE_HOME") or str(Path(env.get("HOME") or "/var/tmp") / ".local" / "state")  # noqa: S108
    return Path(home) / "rocm-ci"


def run_name(env: Mapping[str, str]) -> str:
    """What other runs of this host are told of this one: `owner/repo run 123`, `local run in FOLDER`."""
    if env.get("GITHUB_REPOSITORY") and env.get("GITHUB_RUN_ID"):
        return f"{env['GITHUB_REPOSITORY']} run {env['GITHUB_RUN_ID']}"
    return f"local run in {Path.cwd().name}"


def sysroot(env: Mapping[str, str]) -> Path:
    """Where the machine's own files (`sys`, `proc`, `dev`) lie: elsewhere only for a pretended machine."""
    return Path(env.get("ROCM_CI_SYSROOT") or "/")


def is_secret(name: str) -> bool:
    """Whether a variable is one that holds a secret, by its name."""
    return any(part in name.upper() for part in _WITHHELD_PARTS)


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Inside, SIGINT and SIGTERM wait: a report is written whole or not at all."""
    held = {signal.SIGINT, signal.SIGTERM}
    signal.pthread_sigmask(signal.SIG_BLOCK, held)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, held)


def make_log(env: dict[str, str], *, verbose: bool = False) -> Log:
    """The log of this process."""
    return Log(
        actions=env.get("GITHUB_ACTIONS") == "true",
        colour=sys.stderr.isatty() and "NO_COLOR" not in env,
        verbose=verbose,
        live=sys.stderr.isatty() and env.get("TERM") != "dumb",
    )


def read_bytes(path: Path, what: str, *, limit: int = 200_000_000) -> bytes:
    """A file named by the user; a missing, unreadable or huge one is a clear usage error."""
    try:
        with path.open("rb") as file:
            # Bounded by what is read, not by what the file says of itself: a device has no size.
            data = file.read(limit + 1)
    except OSError as error:
        message = f"{what} {path} cannot be read: {error.strerror}"
        raise UsageError(message, hint="check the path and its permissions") from error
    if len(data) > limit:
        message = f"{what} {path} is over the limit of {limit} bytes"
        raise UsageError(message, hint="name a smaller file")
    return data


def links_of(env: Mapping[str, str]) -> Links:
    """Addresses of the run, from the runner's own environment."""
    from rocm_ci.report.links import Links  # noqa: PLC0415 - the scanner shows none

    server, repository, run_id = (env.get(f"GITHUB_{n}") for n in ("SERVER_URL", "REPOSITORY", "RUN_ID"))
    if not server or not repository:
        return Links()
    home = f"{server.rstrip('/')}/{repository}"
    return Links(repository=home, run=f"{home}/actions/runs/{run_id}" if run_id else None)


def as_json(value: object) -> str:
    """Indented JSON of any boundary type."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
