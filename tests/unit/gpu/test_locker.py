"""Locks of several devices at once: all or none, and a folder that does not serve is told."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import pytest

from rocm_ci.gpu import lock, locker
from rocm_ci.gpu.device import devices
from rocm_ci.gpu.holder_note import Note
from rocm_ci.gpu.locker import Locker
from tests.fakes import FakeClock
from tests.unit.gpu.hosts import facts, partitions

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rocm_ci.gpu.device import Device
    from rocm_ci.gpu.lock import Lock, Mode


def first(count: int) -> locker.Chooser:
    """Takes the first so many, or none."""

    def choose(free: Sequence[Device]) -> tuple[Device, ...] | None:
        return tuple(free[:count]) if len(free) >= count else None

    return choose


def locks(where: Path) -> Locker:
    return Locker({"ROCM_CI_LOCKS": str(where / "locks")}, where, host=where, clock=FakeClock())


def test_what_was_tried_and_not_chosen_is_free_again(tmp_path: Path) -> None:
    known = devices(facts(4).gpus, tmp_path)
    mine, others = locks(tmp_path), locks(tmp_path)

    assert mine.take(known, first(5), whole_card=False) is None
    hold = mine.take(known, first(1), whole_card=False)

    assert hold is not None
    assert [device for device, _ in others.holders(known)] == [known[0]]
    rest = others.take(known, first(3), whole_card=False)
    assert rest is not None
    assert rest.devices == known[1:]


def test_a_chooser_that_fails_leaves_nothing_locked(tmp_path: Path) -> None:
    known = devices(facts(2).gpus, tmp_path)

    def fail(_free: Sequence[Device]) -> None:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        locks(tmp_path).take(known, fail, whole_card=False)

    assert locks(tmp_path).holders(known) == []


def test_a_card_that_is_wanted_whole_has_no_other_holder(tmp_path: Path) -> None:
    known = devices(partitions(1, 4).gpus, tmp_path)
    whole = locks(tmp_path).take(known, first(1), whole_card=True)
    assert whole is not None

    assert locks(tmp_path).take(known, first(1), whole_card=False) is None
    assert len(locks(tmp_path).holders(known)) == 4
    whole.release()

    part = locks(tmp_path).take(known, first(1), whole_card=False)
    assert part is not None
    assert locks(tmp_path).take(known, first(1), whole_card=True) is None
    assert locks(tmp_path).take(known, first(3), whole_card=False) is not None


def test_who_holds_is_told_by_its_note_and_only_while_it_holds(tmp_path: Path) -> None:
    known = devices(facts(1).gpus, tmp_path)
    hold = locks(tmp_path).take(known, first(1), whole_card=False)
    assert hold is not None
    assert locks(tmp_path).holders(known)[0][1] == "somebody who left no note"

    hold.sign(Note(owner="jane", step="", since="2026-11-30T12:00:00Z", pid=1))

    assert locks(tmp_path).holders(known)[0][1] == "jane, since 2026-11-30T12:00:00Z"
    hold.release()
    assert locks(tmp_path).holders(known) == []
    # Nor is the next holder taken for the last one.
    again = locks(tmp_path).take(known, first(1), whole_card=False)
    assert again is not None
    assert locks(tmp_path).holders(known)[0][1] == "somebody who left no note"
    again.release()


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "No space left on device"),
        (errno.EACCES, "Permission denied"),
        (errno.EROFS, "Read-only file system"),
        (errno.ENOLCK, "No locks available"),
        (errno.EMFILE, "Too many open files"),
    ],
)
def test_a_folder_in_which_nothing_can_be_locked_is_told_and_the_run_keeps_its_own_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, words: str
) -> None:
    real = lock.take

    def refused(path: Path, mode: Mode) -> Lock | None:
        if path.is_relative_to(tmp_path):
            raise OSError(number, os.strerror(number))
        return real(path, mode)

    monkeypatch.setattr(lock, "take", refused)
    known = devices(facts(2).gpus, tmp_path)
    mine = locks(tmp_path)

    hold = mine.take(known, first(1), whole_card=False)
    second = mine.take(known, first(1), whole_card=False)

    assert hold is not None
    assert second is not None
    assert hold.devices != second.devices, "within a run no GPU is leased twice all the same"
    assert any(words in text and "other runs are not kept off" in text for text in mine.problems())
    assert words in mine.unshared
    assert mine.problems() == (), "each is told once"
    mine.close()


def test_names_of_locks_hold_nothing_that_a_file_system_minds(tmp_path: Path) -> None:
    (one, *_) = devices(partitions(1, 2).gpus, tmp_path)

    assert one.id == "0000:0c:00.0/0"
    assert locker.name_of(one) == "gpu-0000-0c-00.0-0.lock"


def test_a_gate_that_somebody_keeps_is_not_waited_for_long(tmp_path: Path) -> None:
    known = devices(facts(1).gpus, tmp_path)
    mine = locks(tmp_path)
    assert lock.take(mine.folder / "gate.lock", lock.Mode.ALONE) is not None

    assert mine.take(known, first(1), whole_card=False) is not None


def test_a_hold_that_is_handed_on_is_inherited_by_the_program_that_follows(tmp_path: Path) -> None:
    hold = locks(tmp_path).take(devices(facts(1).gpus, tmp_path), first(1), whole_card=False)
    assert hold is not None
    numbers = [one._descriptor for one in hold._locks]
    assert not any(os.get_inheritable(number) for number in numbers if number is not None)

    hold.hand_on()

    assert all(os.get_inheritable(number) for number in numbers if number is not None)
    hold.release()
    hold.hand_on()
