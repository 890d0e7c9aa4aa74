"""Locks for several devices at once: all that are wanted, or none.

Two locks per device: its own, held alone, and its card's, shared by the partitions of that card (or held
alone where the whole card is wanted).
"""

from __future__ import annotations

import contextlib
import re
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from rocm_ci.gpu import holder_note, lock, lock_folder
from rocm_ci.gpu.lock import Mode

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rocm_ci.context import Clock
    from rocm_ci.gpu.device import Device
    from rocm_ci.gpu.holder_note import Note
    from rocm_ci.gpu.lock import Lock

    Chooser = Callable[[Sequence[Device]], tuple[Device, ...] | None]

# Who is in here tries all locks, which takes a few milliseconds: two that try at once would take each
# other's devices away and both go without.
_GATE = "gate.lock"
_GATE_WAIT_S = 0.2
_GATE_LOOK_S = 0.002


class Hold:
    """The locks of some devices."""

    def __init__(self, devices: tuple[Device, ...], locks: list[Lock], folder: Path) -> None:
        self.devices = devices
        self._locks = locks
        self._folder = folder

    def sign(self, note: Note) -> None:
        """Say who holds them."""
        for device in self.devices:
            holder_note.write(self._folder, name_of(device), note)

    def hand_on(self) -> None:
        """To the program that this process is about to become."""
        for one in self._locks:
            one.hand_on()

    def release(self) -> None:
        """Let go of all. Twice is no fault."""
        locks, self._locks = self._locks, []
        if locks:
            for device in self.devices:
                holder_note.remove(self._folder, name_of(device))
        for one in locks:
            one.release()


class Locker:
    """Finds the folder when it is first needed: a run without GPUs makes none."""

    def __init__(self, environment: Mapping[str, str], state: Path, *, host: Path, clock: Clock) -> None:
        self._environment = environment
        self._state = state
        self._host = host
        self._clock = clock
        self._found: lock_folder.Folder | None = None
        self._own: Path | None = None
        self._problems: list[str] = []
        # Why other runs may use a GPU that we hold; empty as long as they are kept off.
        self.unshared = ""

    @property
    def folder(self) -> Path:
        """Where the locks lie."""
        if self._found is None:
            self._found = lock_folder.find(self._environment, self._state, host=self._host)
            if self._found.problem:
                self._own = self._found.path
                self._unshared(
                    "no folder for locks that all runs of this host share: GPUs are leased within this run"
                    f" only ({self._found.problem}); name one in {lock_folder.VARIABLE}"
                )
        return self._found.path

    def problems(self) -> tuple[str, ...]:
        """What was not told yet."""
        told, self._problems = tuple(self._problems), []
        return told

    def take(self, devices: Sequence[Device], chooser: Chooser, *, whole_card: bool) -> Hold | None:
        """Locks on what `chooser` picks of the devices that are free; None when it picks nothing."""
        gate = self._gate()
        cards: dict[str, Lock] = {}
        free: dict[str, Lock] = {}
        chosen: tuple[Device, ...] | None = None
        try:
            blocked: set[str] = set()
            usable = []
            for device in devices:
                own = None if device.card in blocked else self._try(name_of(device), Mode.ALONE)
                if own is None:
                    continue
                free[device.id] = own
                if device.card not in cards:
                    card = self._try(_card(device), Mode.ALONE if whole_card else Mode.SHARED)
                    if card is None:
                        blocked.add(device.card)
                        continue
                    cards[device.card] = card
                usable.append(device)
            chosen = chooser(usable)
        finally:
            kept = chosen or ()
            wanted = {device.id for device in kept}
            used = {device.card for device in kept}
            for name, one in free.items():
                if name not in wanted:
                    one.release()
            for name, one in cards.items():
                if name not in used:
                    one.release()
            if gate is not None:
                gate.release()
        if chosen is None:
            return None
        locks = [free[device.id] for device in chosen] + [cards[name] for name in sorted(used)]
        return Hold(chosen, locks, self.folder)

    def holders(self, devices: Sequence[Device]) -> list[tuple[Device, str]]:
        """Those that somebody holds (by itself, or with its whole card), and who that is."""
        if not devices:
            return []
        gate = self._gate()
        found = []
        try:
            for device in devices:
                names = [name for name in (name_of(device), _card(device)) if self._is_held(name)]
                if names:
                    note = holder_note.read(self.folder, name_of(device))
                    found.append((device, note.shown if note else "somebody who left no note"))
        finally:
            if gate is not None:
                gate.release()
        return found

    def close(self) -> None:
        """Away with a folder that only we used."""
        if self._own is not None:
            shutil.rmtree(self._own, ignore_errors=True)

    def _unshared(self, why: str) -> None:
        self._problems.append(why)
        self.unshared = self.unshared or why

    def _is_held(self, name: str) -> bool:
        one = self._try(name, Mode.SHARED)
        if one is not None:
            one.release()
        return one is None

    def _gate(self) -> Lock | None:
        """One at a time. Whoever keeps it for long is not waited for: it only makes trying fair."""
        end = self._clock.monotonic() + _GATE_WAIT_S
        while True:
            gate = self._try(_GATE, Mode.ALONE)
            if gate is not None or self._clock.monotonic() > end:
                return gate
            self._clock.sleep(_GATE_LOOK_S)

    def _try(self, name: str, mode: Mode) -> Lock | None:
        path = self.folder / name
        try:
            return lock.take(path, mode)
        except OSError as error:
            self._unshared(
                f"{path} cannot be locked ({error.strerror or error}): other runs are not kept off that GPU"
            )
        if self._own is None:
            self._own = Path(tempfile.mkdtemp(prefix="rocm-ci-locks-"))
        with contextlib.suppress(OSError):
            return lock.take(self._own / name, mode)
        return None


def name_of(device: Device) -> str:
    """The lock's file name: no colon or slash, which some tools and file systems do not like."""
    return f"gpu-{_plain(device.id)}.lock"


def _card(device: Device) -> str:
    return f"card-{_plain(device.card)}.lock"


def _plain(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9.]+", "-", text)
