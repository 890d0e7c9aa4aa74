"""A Docker daemon of the tests' own: its folders, its bridge, and the machine's firewall put back afterwards."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests import require

if TYPE_CHECKING:
    from collections.abc import Iterator

START_S = 60
_FORWARDING = Path("/proc/sys/net/ipv4/ip_forward")


@dataclass(frozen=True)
class Docker:
    """The command line client, pointed at one daemon."""

    socket: Path

    @property
    def env(self) -> dict[str, str]:
        """`DOCKER_BUILDKIT=0`: Debian's docker.io has the classic builder only."""
        return {"DOCKER_HOST": f"unix://{self.socket}", "DOCKER_BUILDKIT": "0"}

    def __call__(self, *args: str, cwd: Path | None = None) -> str:
        """Run one command; a failure shows what Docker said."""
        done = subprocess.run(
            ["docker", *args], cwd=cwd, env={**os.environ, **self.env}, text=True, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-4000:]
        return done.stdout.strip()


@contextlib.contextmanager
def running() -> Iterator[Docker]:
    """Start dockerd on a bridge of its own, and leave nothing of it."""
    for program, package in (("docker", "docker.io"), ("dockerd", "docker.io"), ("ip", "iproute2")):
        require.program(program, f"apt-get install {package}")
    if os.geteuid() != 0:
        require.missing("docker", "run as root, a daemon is started")
    # Not below /tmp: that may be held in memory, and the images would fill it.
    folder = Path(tempfile.mkdtemp(prefix="rocm-ci-docker-", dir="/var/tmp"))
    try:
        with _firewall_kept(), _bridge() as bridge, _daemon(folder, bridge):
            yield Docker(folder / "socket")
    finally:
        _remove(folder)


@contextlib.contextmanager
def _daemon(folder: Path, bridge: str) -> Iterator[None]:
    with (folder / "log").open("wb") as log:
        daemon = subprocess.Popen(
            [
                "dockerd", "--data-root", folder / "data", "--exec-root", folder / "exec",
                "--host", f"unix://{folder / 'socket'}", "--pidfile", folder / "pid", "--bridge", bridge,
            ],
            stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        try:
            _wait(daemon, folder)
            yield
        finally:
            daemon.terminate()
            try:
                daemon.wait(30)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()


def _wait(daemon: subprocess.Popen[bytes], folder: Path) -> None:
    ready = ["docker", "--host", f"unix://{folder / 'socket'}", "version"]
    deadline = time.monotonic() + START_S
    while subprocess.run(ready, capture_output=True, check=False).returncode:
        if daemon.poll() is not None or time.monotonic() > deadline:
            said = (folder / "log").read_text()[-3000:]
            raise AssertionError(f"dockerd did not start:\n{said}")
        time.sleep(0.2)


@contextlib.contextmanager
def _bridge() -> Iterator[str]:
    """A bridge that no other daemon of the machine uses."""
    name, subnet = f"rci{os.getpid()}", f"172.30.{os.getpid() % 250}.1/24"
    subprocess.run(["ip", "link", "add", name, "type", "bridge"], check=True)
    try:
        subprocess.run(["ip", "addr", "add", subnet, "dev", name], check=True)
        subprocess.run(["ip", "link", "set", name, "up"], check=True)
        yield name
    finally:
        subprocess.run(["ip", "link", "delete", name], check=False)


@contextlib.contextmanager
def _firewall_kept() -> Iterator[None]:
    """dockerd adds chains and sets the forward policy; put back what was, unless another daemon lives by it."""
    forwarding = _FORWARDING.read_text()
    before = subprocess.run(["iptables-save"], capture_output=True, check=True).stdout
    try:
        yield
    finally:
        if b":DOCKER " not in before:
            _FORWARDING.write_text(forwarding)
            for table in (b"filter", b"nat"):
                if b"*" + table not in before:
                    before += b"*" + table + b"\nCOMMIT\n"
            subprocess.run(["iptables-restore"], input=before, check=False)


def _remove(folder: Path) -> None:
    for line in reversed(Path("/proc/mounts").read_text().splitlines()):
        target = line.split()[1]
        if target.startswith(f"{folder}/"):
            subprocess.run(["umount", "--lazy", target], check=False)
    shutil.rmtree(folder, ignore_errors=True)
