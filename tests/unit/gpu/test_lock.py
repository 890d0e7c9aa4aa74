"""Locks of the kernel: one holder, no link followed, no file left under our feet."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from rocm_ci.gpu.lock import Mode, take


def test_one_holds_it_alone_until_it_lets_go(tmp_path: Path) -> None:
    path = tmp_path / "gpu"
    first = take(path, Mode.ALONE)
    assert first is not None
    assert take(path, Mode.ALONE) is None
    assert take(path, Mode.SHARED) is None

    first.release()
    first.release()

    again = take(path, Mode.ALONE)
    assert again is not None
    again.release()


def test_it_is_free_though_a_child_that_was_forked_meanwhile_has_it_open(tmp_path: Path) -> None:
    path = tmp_path / "gpu"
    one = take(path, Mode.ALONE)
    assert one is not None
    links = Path("/proc/self/fd").iterdir()
    opened = [int(link.name) for link in links if os.path.realpath(link) == str(path.resolve())]
    # What a fork leaves in the child is the same open file.
    kept = os.dup(opened[0])

    one.release()

    again = take(path, Mode.ALONE)
    os.close(kept)
    assert again is not None
    again.release()


def test_several_share_and_none_is_alone_meanwhile(tmp_path: Path) -> None:
    shared = [take(tmp_path / "card", Mode.SHARED) for _ in range(3)]

    assert None not in shared
    assert take(tmp_path / "card", Mode.ALONE) is None
    for one in shared:
        assert one is not None
        one.release()
    assert take(tmp_path / "card", Mode.ALONE) is not None


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("precious")
    (tmp_path / "gpu").symlink_to(target)

    with pytest.raises(OSError, match=r"."):
        take(tmp_path / "gpu", Mode.ALONE)
    assert target.read_text() == "precious"


def test_a_pipe_is_neither_waited_for_nor_locked(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "gpu")

    with pytest.raises(OSError, match="no regular file"):
        take(tmp_path / "gpu", Mode.ALONE)


def test_a_file_that_is_replaced_before_it_is_locked_is_not_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "gpu"
    path.touch()
    real = os.open
    calls: list[object] = []

    def swapped(name: object, *rest: int) -> int:
        descriptor = real(name, *rest)  # type: ignore[arg-type]
        calls.append(name)
        if len(calls) == 1:
            path.unlink()
            os.close(real(path, os.O_CREAT | os.O_WRONLY))
        return descriptor

    monkeypatch.setattr(os, "open", swapped)

    held = take(path, Mode.ALONE)

    assert held is not None
    assert len(calls) == 2, "the lock must be on the file that has the name"
    assert take(path, Mode.ALONE) is None


def test_other_users_can_open_it_whatever_our_umask_is(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        held = take(tmp_path / "gpu", Mode.ALONE)
    finally:
        os.umask(before)

    assert held is not None
    assert (tmp_path / "gpu").stat().st_mode & 0o777 == 0o644


def test_programs_that_are_started_do_not_inherit_it(tmp_path: Path) -> None:
    held = take(tmp_path / "gpu", Mode.ALONE)
    assert held is not None

    descriptors = [
        int(entry.name)
        for entry in Path("/proc/self/fd").iterdir()
        if entry.resolve() == (tmp_path / "gpu").resolve()
    ]

    assert descriptors
    assert not any(os.get_inheritable(number) for number in descriptors)


def test_of_many_threads_one_gets_it(tmp_path: Path) -> None:
    got: list[object] = []
    start = threading.Barrier(16)

    def want() -> None:
        start.wait()
        held = take(tmp_path / "gpu", Mode.ALONE)
        if held is not None:
            got.append(held)

    threads = [threading.Thread(target=want) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(got) == 1
