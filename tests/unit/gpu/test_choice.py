"""Which of the free GPUs a lease gets."""

from __future__ import annotations

from pathlib import Path

from rocm_ci.gpu.choice import choose
from rocm_ci.gpu.device import Device, devices
from rocm_ci.model.facts import Gpu


def host(*nodes: int, integrated: int = 0, gfx: str = "gfx942") -> tuple[Device, ...]:
    """One card per entry, which is its NUMA node; then so many processors with graphics."""
    gpus = [
        Gpu(index=n, bus=f"0000:{n + 16:02x}:00.0", gfx=gfx, numa_node=node) for n, node in enumerate(nodes)
    ]
    gpus += [
        Gpu(index=len(nodes) + n, bus=f"0000:f{n}:00.0", gfx="gfx1151", integrated=True)
        for n in range(integrated)
    ]
    return devices(gpus, Path("/nowhere"))


def picked(free: tuple[Device, ...], count: int, *, cards: int | None = None) -> list[int] | None:
    total = sum(1 for d in free if not d.is_integrated) if cards is None else cards
    found = choose(free, count, cards=total)
    return None if found is None else [device.gpu.index for device in found]


def test_gpus_of_one_lease_are_of_one_numa_node() -> None:
    assert picked(host(0, 1, 0, 1, 1), 3) == [1, 3, 4]


def test_a_small_lease_takes_the_fuller_node_so_that_a_large_one_finds_room() -> None:
    assert picked(host(0, 0, 0, 0, 1), 1) == [4]


def test_a_lease_that_no_node_holds_takes_gpus_of_one_kind() -> None:
    mixed = devices(
        [
            Gpu(index=0, bus="0000:01:00.0", gfx="gfx90a", numa_node=0),
            Gpu(index=1, bus="0000:02:00.0", gfx="gfx942", numa_node=0),
            Gpu(index=2, bus="0000:03:00.0", gfx="gfx942", numa_node=1),
        ],
        Path("/nowhere"),
    )

    assert picked(mixed, 2) == [1, 2]
    assert picked(mixed, 3) == [0, 1, 2]


def test_integrated_graphics_is_only_for_who_wants_more_than_the_cards() -> None:
    assert picked(host(0, integrated=1), 1) == [0]
    assert picked(host(0, integrated=1), 2) == [0, 1]
    assert picked(host(integrated=1), 1, cards=1) is None, "the card is busy: what is built for it waits"
    assert picked(host(integrated=1), 1) == [0]


def test_too_few_are_none() -> None:
    assert picked(host(0, 0), 3) is None
