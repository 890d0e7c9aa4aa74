"""What the runs of a host share, as far as a container gets of it: locks of GPUs, the ledger, recorded times.

The change's code runs in there and may be anybody's. So locks and ledger are mounted for reading only: a
kernel's lock needs no more, and nobody in there can leave a trap, forge a quarantine or end one. Times go in
and out as a copy, of this repository alone.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import stat
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rocm_ci.launch.machine import tell

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rocm_ci.launch.machine import Machine

# As `rocm_ci.gpu.lock_folder`; a test holds the two together.
SHARED = ("/run/lock/rocm-ci", "/var/tmp/rocm-ci-locks")  # noqa: S108 - checked before it is used
_NODES = "sys/class/kfd/kfd/topology/nodes"
_OWNERS = "owners"
_MAX_TIMES = 64_000_000
_OLD_S = 7 * 24 * 3600


class Shared(NamedTuple):
    """Values of `--mount` and `--env` of `docker run`."""

    mounts: tuple[str, ...] = ()
    told: tuple[str, ...] = ()


def state_folder(env: Mapping[str, str]) -> Path:
    """As `rocm_ci.cli.wiring.state_folder`."""
    if env.get("ROCM_CI_STATE"):
        return Path(env["ROCM_CI_STATE"])
    home = env.get("XDG_STATE_HOME") or str(Path(env.get("HOME") or "/var/tmp") / ".local" / "state")  # noqa: S108
    return Path(home) / "rocm-ci"


@contextlib.contextmanager
def opened(machine: Machine, env: Mapping[str, str], name: str) -> Iterator[Shared]:
    """While a container of that name runs. What cannot be shared is told, and does not go in."""
    state, mounts, told = state_folder(env), [], [f"ROCM_CI_HOST_ID={host_id(machine.root)}"]
    locks = _locks(machine, env, state)
    if locks:
        mounts.append(_mount(locks, locks, readonly=True))
        told.append(f"ROCM_CI_LOCKS={locks}")
    ledger = state / "ledger"
    if _is_made(ledger):
        mounts.append(_mount(ledger, ledger, readonly=True))
    scratch = Path(tempfile.mkdtemp(prefix="rocm-ci-times-", dir=env.get("RUNNER_TEMP") or None))
    kept = state / "times"
    if _can_be_mounted(kept):
        mounts.append(_mount(scratch, kept, readonly=False))
        told.append(f"ROCM_CI_STATE={state}")
    note = _note(locks, env, name) if locks else None
    try:
        _copy(kept, scratch, times_name(env))
        yield Shared(tuple(mounts), tuple(told))
        _copy(scratch, kept, times_name(env))
    finally:
        if note is not None and locks is not None:
            with contextlib.suppress(OSError), _owners(locks) as folder:
                (folder / note.name).unlink()
        shutil.rmtree(str(scratch), ignore_errors=True)


def host_id(root: Path) -> str:
    """As `rocm_ci.gpu.ledger.host_id`, which sees the container's own name in there."""
    for name in ("etc/machine-id", "proc/sys/kernel/hostname"):
        with contextlib.suppress(OSError):
            said = (root / name).read_bytes().decode("utf-8", "replace").strip()
            if said:
                return hashlib.sha256(b"rocm-ci ledger " + said[:256].encode()).hexdigest()[:12]
    return ""


def lock_names(root: Path) -> list[str]:
    """Of all locks that a run may want to take: in there it can make none. As `rocm_ci.gpu.locker`."""
    every = addresses(root)
    names = {"gate.lock"}
    for address in every:
        slot = address.rsplit(".", 1)[0]
        same = [one for one in every if one.rsplit(".", 1)[0] == slot]
        names |= {_lock("gpu", address), _lock("card", address), _lock("card", f"{slot}.0")}
        if len(same) > 1:
            names |= {_lock("gpu", f"{slot}.0/{number}") for number in range(len(same))}
    return sorted(names)


def _lock(kind: str, device: str) -> str:
    return f"{kind}-{re.sub('[^A-Za-z0-9.]+', '-', device)}.lock"


def addresses(root: Path) -> list[str]:
    """One for each GPU or partition, by the driver's topology."""
    found = []
    for properties in (root / _NODES).glob("*/properties"):
        with contextlib.suppress(OSError, ValueError, KeyError):
            said = dict(line.split(None, 1) for line in properties.read_text().splitlines() if " " in line)
            where, domain = int(said["location_id"]), int(said.get("domain", "0"))
            if int(said.get("simd_count", "0")):
                found.append(f"{domain:04x}:{where >> 8 & 0xFF:02x}:{where >> 3 & 0x1F:02x}.{where & 7}")
    return found


def _locks(machine: Machine, env: Mapping[str, str], state: Path) -> Path | None:
    """The folder with all locks in it; None, and told, when there is none that runs can share."""
    names, problem = lock_names(machine.root), ""
    for folder, is_for_all in _candidates(env, state):
        lack = _lack(folder, names, is_for_all=is_for_all)
        if not lack:
            return folder
        problem = problem or f"{folder}: {lack}"
    hint = "other runs of this host are not kept off the container's GPUs; name a folder in ROCM_CI_LOCKS"
    tell("warning", f"locks cannot be shared ({problem}): {hint}")
    return None


def _candidates(env: Mapping[str, str], state: Path) -> list[tuple[Path, bool]]:
    if env.get("ROCM_CI_LOCKS"):
        return [(Path(env["ROCM_CI_LOCKS"]), False)]
    if env.get("ROCM_CI_STATE"):
        return [(state / "locks", False)]
    return [(path, True) for path in sorted(map(Path, SHARED), key=lambda path: not path.is_dir())]


def _lack(folder: Path, names: list[str], *, is_for_all: bool) -> str:
    """Why it does not serve; empty when it does, and then all locks are in it."""
    try:
        try:
            folder.mkdir(parents=not is_for_all)
        except FileExistsError:
            pass
        else:
            folder.chmod(0o1777 if is_for_all else 0o755)
        status = folder.lstat() if is_for_all else folder.stat()
        if not stat.S_ISDIR(status.st_mode):
            return "it is no folder"
        for name in names:
            with contextlib.suppress(FileExistsError):
                os.close(os.open(str(folder / name), os.O_CREAT | os.O_EXCL | os.O_RDONLY, 0o644))
                (folder / name).chmod(0o644)  # whatever our umask is
    except OSError as error:
        return error.strerror or str(error)
    if is_for_all and status.st_mode & stat.S_IWOTH and not status.st_mode & stat.S_ISVTX:
        return "everybody may remove the locks of others there (the sticky bit is missing)"
    return "" if _can_be_mounted(folder) else "such a name cannot be mounted"


def _can_be_mounted(folder: Path) -> bool:
    return folder.is_absolute() and "," not in str(folder)


def _is_made(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return _can_be_mounted(folder)


def _mount(source: Path, target: Path, *, readonly: bool) -> str:
    return f"type=bind,source={source},target={target}{',readonly' if readonly else ''}"


def _note(locks: Path, env: Mapping[str, str], name: str) -> Path | None:
    """Who is in the container: in there nobody can write beside the locks."""
    owner = f"{env.get('GITHUB_REPOSITORY', 'a local run')} run {env.get('GITHUB_RUN_ID', '')}".strip()
    said = {
        "owner": owner,
        "step": f"container {name}",
        "since": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "pid": os.getpid(),
        "boot": "",
    }
    path = locks / _OWNERS / f"run.{name}"
    try:
        with _owners(locks) as folder:
            _sweep(folder)
            with (folder / path.name).open("x") as file:
                file.write(json.dumps(said) + "\n")
    except OSError:
        return None
    return path


@contextlib.contextmanager
def _owners(locks: Path) -> Iterator[Path]:
    """The folder of notes, whatever is put in its place meanwhile: any user of the host may have made it.

    Raises OSError for a link, which would lead us to a folder that is not theirs to write into.
    """
    path = locks / _OWNERS
    with contextlib.suppress(FileExistsError):
        path.mkdir()
        path.chmod(locks.stat().st_mode & 0o7777)
    descriptor = os.open(str(path), os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        yield Path(f"/proc/self/fd/{descriptor}")
    finally:
        os.close(descriptor)


def _sweep(owners: Path) -> None:
    """Away with what launchers left that were killed."""
    for old in owners.glob("run.*"):
        with contextlib.suppress(OSError):
            if old.lstat().st_mtime < time.time() - _OLD_S:
                old.unlink()


def times_name(env: Mapping[str, str]) -> str:
    """The file of this repository, as `rocm_ci.schedule.times` calls it."""
    repository = env.get("GITHUB_REPOSITORY", "").casefold()
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", repository).strip("-.")[:60]
    key = hashlib.sha256(repository.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{plain or 'local'}-{key}.json"


def _copy(source: Path, target: Path, name: str) -> None:
    """A file of a sane size: neither a link is followed nor a pipe waited for."""
    with contextlib.suppress(OSError):
        descriptor = os.open(str(source / name), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            is_plain = stat.S_ISREG(os.fstat(descriptor).st_mode)
            data = file.read(_MAX_TIMES + 1) if is_plain else b""
        if data and len(data) <= _MAX_TIMES:
            target.mkdir(parents=True, exist_ok=True)
            half = target / f".{name}.{os.getpid()}"
            half.write_bytes(data)
            half.replace(target / name)
