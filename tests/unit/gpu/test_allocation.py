"""Visible = allocated: asserted after each lease, by whatever tool can tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec import structs

from rocm_ci.gpu.allocation import Allocation, AllocationError
from rocm_ci.gpu.device import devices
from rocm_ci.gpu.visible import variables
from rocm_ci.model.incident import IncidentKind
from tests.fakes import FakeRunner
from tests.unit.gpu.hosts import Rocminfo, facts, partitions
from tools import pretend

if TYPE_CHECKING:
    from pathlib import Path


def check(run: FakeRunner, where: Path, wanted: list[int], *, count: int = 4) -> Allocation:
    known = devices(facts(count).gpus, where)
    asked = Allocation(run, {}, where)
    asked.check([known[n] for n in wanted], variables(wanted, {}), count - len(wanted))
    return asked


def test_a_runtime_that_sees_exactly_what_was_leased_is_right(tmp_path: Path) -> None:
    assert check(Rocminfo(), tmp_path, [1, 3]).problem == ""


@pytest.mark.parametrize(
    ("sees", "words"),
    [
        ((), "the runtime sees 0"),
        ((0, 1, 2, 3), "the runtime sees 4"),
        ((2,), f"the runtime sees the GPU at {pretend.address(2)}"),
    ],
)
def test_fewer_more_or_others_are_the_machines_fault(
    tmp_path: Path, sees: tuple[int, ...], words: str
) -> None:
    with pytest.raises(AllocationError) as error:
        check(Rocminfo(sees=sees), tmp_path, [1])

    assert words in str(error.value)
    assert "GPU 1" in str(error.value)
    assert error.value.exit_code == 3
    assert error.value.incident.kind is IncidentKind.ALLOCATION
    assert error.value.incident.source == "rocminfo"


def test_a_tool_that_fails_is_no_proof(tmp_path: Path) -> None:
    run = FakeRunner(answers={"rocminfo": (1, "hsa api call failure at: rocminfo.cc:1282")})

    with pytest.raises(AllocationError, match="the runtime sees 0"):
        check(run, tmp_path, [0])


def test_without_rocminfo_the_enumerator_is_counted(tmp_path: Path) -> None:
    one = FakeRunner(answers={"rocm_agent_enumerator": (0, "gfx000\ngfx942\n")})
    three = FakeRunner(answers={"rocm_agent_enumerator": (0, "gfx000\ngfx942\ngfx942\ngfx942\n")})

    check(one, tmp_path, [2])
    with pytest.raises(AllocationError, match="the runtime sees 3"):
        check(three, tmp_path, [2])


def test_an_enumerator_that_reads_the_drivers_files_sees_all_and_says_nothing(tmp_path: Path) -> None:
    four = FakeRunner(answers={"rocm_agent_enumerator": (0, "gfx942\n" * 4)})

    check(four, tmp_path, [2])


def test_without_any_tool_it_is_said_that_nothing_is_asserted(tmp_path: Path) -> None:
    assert "not asserted" in check(FakeRunner(), tmp_path, [0]).problem


def test_what_was_wrong_is_asked_again(tmp_path: Path) -> None:
    known = devices(facts(4).gpus, tmp_path)
    run = Rocminfo(sees=())
    asked = Allocation(run, {}, tmp_path)
    for _ in range(2):
        with pytest.raises(AllocationError):
            asked.check(known[:1], variables([0], {}), 3)

    run.sees = None
    asked.check(known[:1], variables([0], {}), 3)

    assert len(run.asked) == 3


def test_partitions_share_an_address(tmp_path: Path) -> None:
    known = devices(partitions(1, 2).gpus, tmp_path)

    Allocation(Rocminfo(sees=(0,)), {}, tmp_path).check(known[1:2], variables([1], {}), 1)


def test_a_partition_that_the_driver_gives_a_function_of_its_own_is_of_the_same_card(tmp_path: Path) -> None:
    gpus = tuple(
        structs.replace(gpu, bus=f"{pretend.address(0)[:-1]}{number}")
        for number, gpu in enumerate(partitions(1, 2).gpus)
    )
    known = devices(gpus, tmp_path)

    Allocation(Rocminfo(sees=(0,)), {}, tmp_path).check(known[1:2], variables([1], {}), 1)
    with pytest.raises(AllocationError, match="the runtime sees the GPU at"):
        Allocation(Rocminfo(sees=(1,)), {}, tmp_path).check(known[1:2], variables([1], {}), 1)


def test_that_one_lease_was_right_says_nothing_of_the_next(tmp_path: Path) -> None:
    known, run = devices(facts(4).gpus, tmp_path), Rocminfo()
    asked = Allocation(run, {}, tmp_path)
    asked.check(known[:1], variables([0], {}), 3)
    run.sees = ()

    asked.check(known[:1], variables([0], {}), 3)
    with pytest.raises(AllocationError, match="the runtime sees 0"):
        asked.check(known[1:2], variables([1], {}), 3)
