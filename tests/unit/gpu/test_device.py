"""What a GPU is called: stable for locks and ledger, readable for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.gpu.device import counted, devices
from rocm_ci.model.facts import Gpu

if TYPE_CHECKING:
    from pathlib import Path

NAME = "AMD Instinct MI300X"


def test_a_card_is_called_by_its_address(tmp_path: Path) -> None:
    (one,) = devices([Gpu(index=3, name=NAME, bus="0000:c1:00.0")], tmp_path)

    assert (one.id, one.card) == ("0000:c1:00.0", "0000:c1:00.0")
    assert one.label == "GPU 3 (AMD Instinct MI300X, 0000:c1:00.0)"


def test_partitions_share_a_card_and_are_numbered(tmp_path: Path) -> None:
    gpus = [Gpu(index=n, name=NAME, bus="0000:c1:00.0", partition=n) for n in range(8)]

    found = devices(gpus, tmp_path)

    assert [d.id for d in found] == [f"0000:c1:00.0/{n}" for n in range(8)]
    assert {d.card for d in found} == {"0000:c1:00.0"}
    assert found[5].label == "GPU 5 (AMD Instinct MI300X, 0000:c1:00.0, partition 5)"
    assert found[5].watched.is_partition


def test_partitions_that_differ_in_the_function_are_of_one_card(tmp_path: Path) -> None:
    found = devices([Gpu(index=n, bus=f"0000:c1:00.{n}") for n in range(4)], tmp_path)

    assert [d.id for d in found] == [f"0000:c1:00.0/{n}" for n in range(4)]
    assert found[3].watched.bus == "0000:c1:00.0"


def test_virtual_functions_are_cards_of_their_own(tmp_path: Path) -> None:
    gpus = [Gpu(index=n, bus=f"0000:85:02.{n}", virtual_function=True) for n in range(2)]

    found = devices(gpus, tmp_path)

    assert [d.card for d in found] == ["0000:85:02.0", "0000:85:02.1"]


def test_a_gpu_without_an_address_is_called_by_its_node(tmp_path: Path) -> None:
    found = devices([Gpu(index=0, node=1, gfx="gfx942"), Gpu(index=1)], tmp_path)

    assert [d.id for d in found] == ["node-1", "gpu-1"]
    assert [d.label for d in found] == ["GPU 0 (gfx942)", "GPU 1 (AMD)"]


def test_the_runtime_counts_by_the_nodes_of_the_driver(tmp_path: Path) -> None:
    found = devices([Gpu(index=0, node=9), Gpu(index=1, node=2)], tmp_path)

    assert [d.gpu.index for d in counted(found)] == [1, 0]


def test_a_device_is_gone_when_what_showed_it_vanishes(tmp_path: Path) -> None:
    place = tmp_path / "sys/bus/pci/devices/0000:c1:00.0"
    place.mkdir(parents=True)
    gpu = Gpu(index=0, bus="0000:c1:00.0", render="renderD128")
    (one,) = devices([gpu], tmp_path)
    before = one.is_gone

    place.rmdir()

    assert (before, one.is_gone) == (False, True)
    assert not devices([gpu], tmp_path)[0].is_gone, "what was never seen cannot vanish"
