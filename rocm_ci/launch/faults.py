"""GPU faults while a container ran, from the host's own kernel log into the ledger of this host.

What is said in the container could be the change's own words, so none of it counts. And only such faults do
as no program can bring about: uncorrectable memory errors, and a GPU that fell off the bus. (A kernel that
never ends makes the driver reset a sound GPU, too.)
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import time
from typing import TYPE_CHECKING, NamedTuple

from rocm_ci.launch import shared
from rocm_ci.launch.machine import say, tell

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from rocm_ci.launch.machine import Machine

_LOGS = (
    ("dmesg", "--kernel"),
    ("journalctl", "--dmesg", "--boot", "--output=short-monotonic", "--no-pager", "--lines=5000"),
)
_LINE = re.compile(
    r"\[ *(\d+\.\d+)\] (?:\S+ kernel: )?(amdgpu ([0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]): .*)"
)
_STAMP = re.compile(r"\[ *\d+\.\d+\] ")
# From `rules/tables/kernel-log.yaml`, which a test holds this against. Longer than the name of a process
# can be, which is all of a line that a program chooses.
_SIGNS = (
    ("gpu-lost", r"device lost from bus"),
    ("ecc", r"(?i:uncorrectable hardware error ?\(ERREVENT_ATHUB_INTERRUPT\))"),
    ("ecc", r"(?<!\d)[1-9]\d* (?:new )?uncorrectable hardware errors? detected in (?!total)\S+"),
    ("ecc", r"[Pp]oison is (?:consumed by client|created)|RAS poison consumption"),
)
_MAX_ENTRIES = 1_000
_MAX_BYTES = 4_000_000
_MAX_TEXT = 300
_WAIT_S = 5.0


class Fault(NamedTuple):
    """`text` begins with the kernel's own time, so that runs that both see it write it once."""

    gpu: str
    kind: str
    text: str


@contextlib.contextmanager
def kept(machine: Machine, env: Mapping[str, str], name: str) -> Iterator[None]:
    """While a container of that name runs; what cannot be written afterwards is told."""
    began = _uptime(machine.root)
    try:
        yield
    finally:
        found = since(machine, began)
        if found:
            try:
                _write(shared.state_folder(env) / "ledger", found, machine, env, name)
            except OSError as error:
                tell("warning", f"GPU faults are not kept for other runs: {error.strerror or error}")


def since(machine: Machine, began: float) -> list[Fault]:
    """Of the GPUs of this host; one for each kind and GPU."""
    gpus = set(shared.addresses(machine.root))
    if not gpus:
        return []
    text = None
    for argv in _LOGS:
        code, said = machine.capture(*argv)
        if code == 0:
            text = said
            break
    if text is None:
        say("the kernel log cannot be read here: GPU faults are not kept for other runs")
        return []
    found: dict[tuple[str, str], Fault] = {}
    before = ""
    for line in text.split("\n"):
        # A message holds names of files that a program chose, and line ends in them: `dmesg` may give each
        # line the stamp of the first. Python's `splitlines` would also cut where the kernel does not.
        stamp = _STAMP.match(line)
        is_new, before = stamp is not None and stamp.group() != before, stamp.group() if stamp else before
        match = _LINE.match(line)
        if not is_new or match is None or float(match.group(1)) < began or match.group(3) not in gpus:
            continue
        kind = next((kind for kind, sign in _SIGNS if re.search(sign, match.group(2))), None)
        if kind is not None:
            shown = "".join(c for c in match.group(2) if c.isprintable())
            fault = Fault(match.group(3), kind, f"[{match.group(1)}] {shown}"[:_MAX_TEXT])
            found.setdefault((fault.gpu, kind), fault)
    return list(found.values())


def _write(folder: Path, faults: list[Fault], machine: Machine, env: Mapping[str, str], name: str) -> None:
    """As `rocm_ci.gpu.ledger` does: under its lock, whole or not at all."""
    path = folder / "gpus.jsonl"
    folder.mkdir(parents=True, exist_ok=True)
    lock = os.open(str(folder / "lock"), os.O_RDONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o644)
    try:
        _locked(lock)
        lines = []
        if path.is_file() and not path.is_symlink():
            with path.open("rb") as file:
                lines = file.read(_MAX_BYTES).splitlines()
        there = {(said.get("gpu"), said.get("text")) for said in map(_entry, lines)}
        owner = f"{env.get('GITHUB_REPOSITORY', 'a local run')} run {env.get('GITHUB_RUN_ID', '')}".strip()
        new = [
            {
                "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
                "gpu": fault.gpu,
                "host": shared.host_id(machine.root),
                "label": f"GPU {fault.gpu}",
                "kind": fault.kind,
                "run": owner,
                "step": f"container {name}",
                "text": fault.text,
            }
            for fault in faults
            if (fault.gpu, fault.text) not in there
        ]
        lines += [json.dumps(one).encode() for one in new]
        half = path.with_name(f".{path.name}.launcher")
        half.write_bytes(b"".join(line + b"\n" for line in lines[-_MAX_ENTRIES:]))
        half.chmod(0o644)
        half.replace(path)
    finally:
        os.close(lock)
    for one in new:
        tell("warning", f"{one['label']} had a fault of its own ({one['kind']}): {one['text']}")


def _locked(descriptor: int) -> None:
    end = time.monotonic() + _WAIT_S
    while not _is_ours(descriptor):
        if time.monotonic() > end:
            raise OSError("another process keeps the ledger locked")
        time.sleep(0.01)


def _is_ours(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _entry(line: bytes) -> dict[str, object]:
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


def _uptime(root: Path) -> float:
    """Seconds since the host started, which the kernel's log counts in."""
    try:
        return float((root / "proc/uptime").read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return float("inf")  # nothing can be said to be new
