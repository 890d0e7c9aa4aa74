"""The files of a device below /sys, whatever state they are in."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from rocm_ci.gpu import vram
from rocm_ci.gpu.watched import Watched
from tests.unit.gpu.ill_host import Host, kfd_id
from tools import pretend

if TYPE_CHECKING:
    from pathlib import Path


def test_a_healthy_device_is_there_in_every_place(tmp_path: Path) -> None:
    host = Host(tmp_path)
    (host.device(1) / "config").write_bytes(b"\x02\x10\xa1\x74" + bytes(60))

    now = vram.state(host.watched(1), tmp_path)

    assert now.used_bytes == 297_627_648
    assert now.total_bytes == 206_141_652_992
    assert now.answers is True
    assert len(now.present) == 4
    assert {"dev/dri/renderD136", f"kfd gpu {kfd_id(1)}"} < now.present


def test_a_device_that_reads_as_all_ones_does_not_answer(tmp_path: Path) -> None:
    host = Host(tmp_path)
    (host.device(0) / "config").write_bytes(b"\xff" * 64)

    assert vram.state(host.watched(0), tmp_path).answers is False


def test_a_device_that_went_away_is_nowhere_and_nothing_is_known_of_it(tmp_path: Path) -> None:
    host = Host(tmp_path)
    host.vanish(2)

    now = vram.state(host.watched(2), tmp_path)

    assert (now.present, now.used_bytes, now.answers, dict(now.errors)) == (frozenset(), None, None, {})


def test_only_uncorrectable_errors_count(tmp_path: Path) -> None:
    host = Host(tmp_path)
    host.ras(0, "umc", 2, correctable=900)
    host.ras(0, "gfx", 0)
    (host.device(0) / "aer_dev_fatal").write_text("DLP 0\nTLP 1\nTOTAL_ERR_FATAL 1\n")
    (host.device(0) / "aer_dev_nonfatal").write_text("TOTAL_ERR_NONFATAL 0\n")
    (host.device(0) / "aer_dev_correctable").write_text("TOTAL_ERR_COR 77\n")

    errors = vram.state(host.watched(0), tmp_path).errors

    assert errors == {"ECC umc": 2, "ECC gfx": 0, "PCIe fatal": 1, "PCIe nonfatal": 0}


@pytest.mark.parametrize(
    "text", ["", "ue: \n", "ue: many\n", "ue 3\n", "ce: 3\n", "ue: -1\n", "\0\0", "ue: 1" + "0" * 90_000]
)
def test_a_counter_that_cannot_be_read_is_no_error(tmp_path: Path, text: str) -> None:
    host = Host(tmp_path)
    host.ras(0, "umc", 0)
    (host.device(0) / "ras/umc_err_count").write_text(text)

    assert vram.state(host.watched(0), tmp_path).errors.get("ECC umc", 0) == 0


def test_the_bridges_above_a_device_are_known_and_it_is_none_of_them(tmp_path: Path) -> None:
    host = Host(tmp_path, gpus=1)
    real = tmp_path / "sys/devices/pci0000:00/0000:00:01.1/0000:0b:00.0" / pretend.address(0)
    real.parent.mkdir(parents=True)
    host.device(0).rename(real)
    host.device(0).symlink_to(real)

    assert vram.state(host.watched(0), tmp_path).ancestors == {"0000:00:01.1", "0000:0b:00.0"}


@pytest.mark.attack("5", "a pipe in place of a file of the host")
def test_a_pipe_in_place_of_a_file_is_not_waited_for(tmp_path: Path) -> None:
    host = Host(tmp_path, gpus=1)
    pretend.vram_used(tmp_path, 0).unlink()
    os.mkfifo(pretend.vram_used(tmp_path, 0))

    assert vram.used(host.watched(0), tmp_path) == (None, None)


def test_a_device_without_any_place_is_unknown_and_no_fault(tmp_path: Path) -> None:
    now = vram.state(Watched(id="?", label="GPU ?"), tmp_path)

    assert (now.present, now.answers, now.used_bytes) == (frozenset(), None, None)


def test_cards_are_counted_by_what_the_driver_holds(tmp_path: Path) -> None:
    host = Host(tmp_path)
    assert vram.cards(tmp_path) == host.gpus

    bound = tmp_path / "sys/bus/pci/drivers/amdgpu"
    for name in ("0000:0c:00.0", "0000:22:00.0", "bind", "module"):
        (bound / name).mkdir(parents=True)
    assert vram.cards(tmp_path) == 2
