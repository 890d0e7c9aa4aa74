"""What each GPU of a host is doing, as `rocm-ci lease --list` shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.gpu.ledger import Entry, Ledger
from rocm_ci.gpu.standing import Standings, standings
from tests.fakes import FakeClock
from tests.unit.gpu.hosts import facts
from tests.unit.gpu.test_pool import NOW, leased, pool
from tools import pretend

if TYPE_CHECKING:
    from pathlib import Path


def look(where: Path, count: int = 4, **environment: str) -> Standings:
    return standings(facts(count), environment, state=where / "state", host=where, clock=FakeClock())


def test_each_gpu_is_in_one_state_and_it_says_why(tmp_path: Path) -> None:
    pretend.machine(tmp_path, 5)
    for step in ("a", "b", "c"):
        Ledger(tmp_path / "state", {}, host=tmp_path).add(
            Entry(time=NOW, gpu=pretend.address(1), kind="ecc", run="r", step=step)
        )
    leased(pool(tmp_path, owner="jane"), 1)

    found = look(tmp_path, 4, ROCR_VISIBLE_DEVICES="0,1,3")

    assert [one.state for one in found.gpus] == ["leased", "quarantine", "hidden", "free"]
    assert found.gpus[0].why == f"by jane, step unit, since {NOW}"
    assert "the last ecc" in found.gpus[1].why
    assert "VISIBLE_DEVICES" in found.gpus[2].why
    assert found.gpus[3].why == ""
    assert found.locks == str(tmp_path / "state" / "locks")
    assert found.problems == ()


def test_looking_holds_nothing_afterwards(tmp_path: Path) -> None:
    look(tmp_path)

    assert len(leased(pool(tmp_path), 4).devices) == 4


def test_a_host_without_gpus_has_no_locks(tmp_path: Path) -> None:
    assert look(tmp_path, 0) == Standings(gpus=(), locks="")
    assert not (tmp_path / "state").exists()


def test_what_is_wrong_with_locks_and_offer_is_told(tmp_path: Path) -> None:
    (tmp_path / "nofolder").touch()

    found = look(tmp_path, 1, ROCM_CI_LOCKS=str(tmp_path / "nofolder"), HIP_VISIBLE_DEVICES="7")

    assert any("HIP_VISIBLE_DEVICES names no GPU" in text for text in found.problems)
    assert any("no folder for locks" in text for text in found.problems)
    assert found.gpus[0].state == "hidden"
