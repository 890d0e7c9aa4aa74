"""What went wrong with each GPU of this host, from run to run: JSON lines in the state folder.

Bounded, written whole or not at all, under a lock; lines that cannot be read are passed over. Times are only
compared by the day, and the order is that of the file: a clock that jumps loses nothing.
"""

from __future__ import annotations

import errno
import hashlib
import stat
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from rocm_ci.gpu import lock
from rocm_ci.gpu.quarantine import Quarantine, Rule
from rocm_ci.gpu.quarantine import quarantined as _quarantined
from rocm_ci.log import printable
from rocm_ci.tools import file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

HOST_VARIABLE = "ROCM_CI_HOST_ID"
MAX_ENTRIES = 1_000
# One bad card must not push out what is known of the others.
MAX_PER_GPU = 100
# Nor a GPU that is reset all the time its own faults.
MAX_NOTES = 20
_MAX_BYTES = 4_000_000
_MAX_TEXT = 300
_WAIT_S = 5.0
_LOOK_S = 0.01


class Entry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One fault, or a release (`released` says by whom). `host` is a hash; `time` is UTC.

    A `note` is worth knowing and counts for nothing: the GPU was reset, or could not be.
    """

    time: str
    gpu: str
    host: str = ""
    label: str = ""
    kind: str = ""
    run: str = ""
    step: str = ""
    text: str = ""
    released: str = ""
    note: bool = False


class Ledger:
    """That of one host in a state folder, which a shared home may hold for several hosts."""

    def __init__(self, state: Path, environment: Mapping[str, str], *, host: Path = Path("/")) -> None:
        self.path = state / "ledger" / "gpus.jsonl"
        # A container has a name of its own: the launcher says on which host it stands.
        self._host = environment.get(HOST_VARIABLE) or host_id(host)

    def entries(self) -> tuple[Entry, ...]:
        """All of this host, oldest first. An unreadable file is an empty one; see `problem`."""
        return tuple(entry for entry in self._all() if entry.host in ("", self._host))

    @property
    def problem(self) -> str:
        """Why what stands there is not believed, all of it or some lines; empty when all is well."""
        try:
            status = self.path.lstat()
        except FileNotFoundError:
            return ""
        except OSError as error:
            return f"{self.path}: {error.strerror or error}"
        if not stat.S_ISREG(status.st_mode):
            return f"{self.path} is no regular file"
        raw = self._raw()
        if raw is None:
            return f"{self.path} cannot be read: check its owner and permissions"
        lost = sum(1 for line in raw.splitlines() if _entry(line) is None)
        return f"{lost} line(s) of {self.path} are damaged and passed over" if lost else ""

    def add(self, entry: Entry) -> None:
        """Write one more. Raises OSError when that cannot be, or would wipe what cannot be read."""
        texts = {
            name: printable(str(getattr(entry, name)))[:_MAX_TEXT]
            for name in ("label", "kind", "run", "step", "text", "released")
        }
        mine = msgspec.structs.replace(entry, host=self._host, **texts)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self._locked():
            if self._raw() is None and self.path.is_file() and not self.path.is_symlink():
                raise PermissionError(errno.EACCES, "it cannot be read")
            kept = _bounded([*self._all(), mine])
            file.write(self.path, b"".join(msgspec.json.encode(one) + b"\n" for one in kept))
            # Whatever our umask is: other users of the host want to see it, and only we write it.
            self.path.chmod(0o644)

    def _all(self) -> list[Entry]:
        return [entry for line in (self._raw() or b"").splitlines() if (entry := _entry(line))]

    def _raw(self) -> bytes | None:
        opened = file.read(self.path)
        if opened is None:
            return None
        with opened:
            return opened.read(_MAX_BYTES)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        end = time.monotonic() + _WAIT_S
        held = lock.take(self.path.with_name("lock"), lock.Mode.ALONE)
        while held is None:
            if time.monotonic() > end:
                message = "another process keeps the ledger locked"
                raise OSError(message)
            time.sleep(_LOOK_S)
            held = lock.take(self.path.with_name("lock"), lock.Mode.ALONE)
        try:
            yield
        finally:
            held.release()


def _bounded(entries: list[Entry]) -> list[Entry]:
    """The newest, in their order."""
    kept: list[Entry] = []
    counts: Counter[tuple[str, str, bool]] = Counter()
    for entry in reversed(entries):
        counts[entry.host, entry.gpu, entry.note] += 1
        if counts[entry.host, entry.gpu, entry.note] <= (MAX_NOTES if entry.note else MAX_PER_GPU):
            kept.append(entry)
    return kept[:MAX_ENTRIES][::-1]


def _entry(line: bytes) -> Entry | None:
    try:
        return msgspec.json.decode(line, type=Entry)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def host_id(host: Path = Path("/")) -> str:
    """Tells hosts apart that share a folder, and tells nobody else which machine this is."""
    for name in ("etc/machine-id", "proc/sys/kernel/hostname"):
        try:
            said = (host / name).read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            continue
        if said:
            return hashlib.sha256(b"rocm-ci ledger " + said[:256].encode()).hexdigest()[:12]
    return ""


def quarantined(
    state: Path, environment: Mapping[str, str], now: str, *, host: Path = Path("/")
) -> dict[str, Quarantine]:
    """GPU id (its PCI address, with `/N` for a partition) → why it is not leased."""
    return _quarantined(Ledger(state, environment, host=host).entries(), Rule.of(environment), now)


def release(
    state: Path, environment: Mapping[str, str], gpu: str, now: str, *, by: str, host: Path = Path("/")
) -> None:
    """End the quarantine of a GPU: its faults so far count no more. Raises OSError."""
    Ledger(state, environment, host=host).add(Entry(time=now, gpu=gpu, released=by or "somebody"))
