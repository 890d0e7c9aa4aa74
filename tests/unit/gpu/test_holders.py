"""Who uses a GPU: living processes by their open files, contexts by what the driver keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.gpu import holders
from tests.unit.gpu.ill_host import GIB, OURS, Host, kfd_id

if TYPE_CHECKING:
    from pathlib import Path


def test_a_process_counts_by_what_it_has_open(tmp_path: Path) -> None:
    host = Host(tmp_path)
    host.process(7, "python3", "/dev/kfd", "/dev/dri/renderD128", environ=OURS)
    host.process(8, "bash", "/dev/dri/card1", "socket:[5]")
    host.process(9, "gone", "/dev/dri/renderD136 (deleted)")
    host.context(7, 0, 3 * GIB)

    found = holders.holders(tmp_path)

    assert [(h.pid, h.devices, h.vram_bytes, h.ours) for h in found] == [
        (7, ("/dev/dri/renderD128", "/dev/kfd"), 3 * GIB, True),
        (9, ("/dev/dri/renderD136",), None, False),
    ]
    assert found[0].shown == "python3 (process 7)"


def test_names_of_programs_are_cut_and_harmless(tmp_path: Path) -> None:
    Host(tmp_path).process(7, "\x1b[31m" + "x" * 500, "/dev/kfd")

    (holder,) = holders.holders(tmp_path)

    assert "\x1b" not in holder.command
    assert len(holder.command) <= 40


def test_the_context_of_an_ended_process_is_dead_and_so_is_that_of_a_zombie(tmp_path: Path) -> None:
    host = Host(tmp_path)
    host.context(4, 0, GIB)
    host.context(5, 1, 0, queue=True)
    host.context(6, 2, 0)
    host.process(5, "a b) Z (c", "/dev/kfd")
    host.process(6, "python3", state="Z")

    found = {context.pid: context for context in holders.contexts(tmp_path)}

    assert {pid: context.is_alive for pid, context in found.items()} == {4: False, 5: True, 6: False}
    assert found[4].uses(kfd_id(0))
    assert not found[4].uses(kfd_id(1))
    assert found[5].uses(kfd_id(1))
    assert not found[6].uses(kfd_id(2)), "to have opened the driver is to hold nothing"


def test_in_a_container_nobody_is_declared_dead(tmp_path: Path) -> None:
    host = Host(tmp_path)
    host.context(4, 0, GIB)
    (tmp_path / "proc/self/ns/pid").unlink()
    (tmp_path / "proc/self/ns/pid").symlink_to("pid:[4026532999]")

    assert [context.is_alive for context in holders.contexts(tmp_path)] == [None]
    assert not holders.sees_all(tmp_path)


def test_all_is_seen_outside_of_containers_only_with_every_process_readable(tmp_path: Path) -> None:
    host = Host(tmp_path)
    host.process(7, "python3")
    assert holders.sees_all(tmp_path)

    fd = tmp_path / "proc/8/fd"
    fd.parent.mkdir()
    fd.write_text("no folder")  # as one that may not be listed
    assert not holders.sees_all(tmp_path)


def test_damaged_files_of_the_driver_tell_nothing(tmp_path: Path) -> None:
    host = Host(tmp_path)
    folder = host.context(4, 0, 0)
    (folder / f"vram_{kfd_id(0)}").write_text("lots\n")
    (folder / "vram_").write_text("1\n")
    (folder / "vram_x").write_text("1\n")
    (folder.parent / "self").mkdir()

    (context,) = holders.contexts(tmp_path)

    assert dict(context.vram_bytes) == {kfd_id(0): 0}
