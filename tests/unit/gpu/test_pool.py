"""The pool over a host that is not there: who gets what, what is asserted, and what is told when it fails."""

from __future__ import annotations

import io
import json
import os
import shutil
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from rocm_ci.errors import MachineError
from rocm_ci.gpu.ledger import Entry, Ledger
from rocm_ci.gpu.pool import Pool
from rocm_ci.log import Log
from rocm_ci.model.incident import Incident, IncidentKind
from tests.fakes import FakeClock
from tests.unit.gpu.hosts import Rocminfo, facts, partitions
from tools import pretend

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rocm_ci.context import Lease
    from rocm_ci.model.facts import Facts

NOW = FakeClock().now()


def pool(
    where: Path,
    known: Facts | None = None,
    *,
    run: Rocminfo | None = None,
    environment: Mapping[str, str] | None = None,
    owner: str = "org/repo run 12",
    said: io.StringIO | None = None,
) -> Pool:
    """One of a host whose files lie below `where`."""
    return Pool(
        facts(4) if known is None else known,
        environment or {},
        run=run or Rocminfo(),
        clock=FakeClock(),
        state=where / "state",
        host=where,
        log=Log(out=io.StringIO(), err=said or io.StringIO()),
        owner=owner,
    )


def leased(one: Pool, count: int, *, step: str = "unit", whole_card: bool = False) -> Lease:
    found = one.lease(count, step=step, whole_card=whole_card)
    assert found is not None
    return found


def test_a_lease_names_its_devices_and_makes_exactly_these_visible(tmp_path: Path) -> None:
    one = pool(tmp_path)
    leased(one, 1)

    second = leased(one, 2)

    assert second.devices == (pretend.address(1), pretend.address(2))
    assert second.labels[0] == f"GPU 1 (MI300X, {pretend.address(1)})"
    assert second.environment == {
        "ROCR_VISIBLE_DEVICES": "1,2",
        "HIP_VISIBLE_DEVICES": "0,1",
        "ROCM_CI_GPUS": "2",
        "ROCM_CI_GPU_IDS": f"{pretend.address(1)},{pretend.address(2)}",
    }


def test_no_gpu_is_a_lease_too_and_hides_all(tmp_path: Path) -> None:
    lease = leased(pool(tmp_path), 0)

    assert lease.devices == ()
    assert lease.environment["ROCR_VISIBLE_DEVICES"] == lease.environment["HIP_VISIBLE_DEVICES"] == "-1"


def test_variables_of_the_runner_that_would_narrow_further_say_the_same(tmp_path: Path) -> None:
    environment = {"ROCR_VISIBLE_DEVICES": "2,3", "CUDA_VISIBLE_DEVICES": "0,1", "GPU_DEVICE_ORDINAL": "0,1"}

    lease = leased(pool(tmp_path, environment=environment), 1)

    assert lease.devices == (pretend.address(2),)
    assert lease.environment["ROCR_VISIBLE_DEVICES"] == "2"
    assert {lease.environment[name] for name in environment if name != "ROCR_VISIBLE_DEVICES"} == {"0"}


def test_two_runs_never_get_the_same_gpu_and_one_hears_of_the_other(tmp_path: Path) -> None:
    mine, others = pool(tmp_path), pool(tmp_path, owner="org/other run 7")
    theirs = leased(others, 3, step="bench")

    assert mine.lease(2, step="unit") is None
    assert mine.busy().startswith(f"{theirs.labels[0]} by org/other run 7, step bench, since {NOW}; ")
    assert leased(mine, 1).devices == (pretend.address(3),)

    others.give_back(theirs)
    others.give_back(theirs)

    assert mine.busy() == ""
    assert mine.lease(3, step="unit") is not None


def test_what_is_avoided_is_not_leased(tmp_path: Path) -> None:
    one = pool(tmp_path)
    avoided = [pretend.address(n) for n in range(3)]

    found = one.lease(1, step="again", avoid=avoided)

    assert found is not None
    assert found.devices == (pretend.address(3),)
    assert one.lease(1, step="again", avoid=avoided) is None


def test_more_than_there_are_is_an_error_and_no_endless_wait(tmp_path: Path) -> None:
    with pytest.raises(MachineError, match=r"5 GPU\(s\) are asked for, and 4 can be leased") as error:
        pool(tmp_path).lease(5, step="unit")
    assert "fewer" in error.value.hint
    assert error.value.exit_code == 3


def test_who_wants_several_holds_none_while_waiting(tmp_path: Path) -> None:
    mine, others = pool(tmp_path), pool(tmp_path)
    leased(others, 3)

    assert mine.lease(2, step="big") is None

    assert leased(others, 1).devices == (pretend.address(3),)


def test_partitions_are_leased_singly_unless_a_whole_card_is_wanted(tmp_path: Path) -> None:
    known = partitions(2, 4)
    mine = pool(tmp_path, known, run=Rocminfo(is_there=False))
    others = pool(tmp_path, known, run=Rocminfo(is_there=False))
    first = leased(others, 1)
    assert first.devices == (f"{pretend.address(0)}/0",)
    assert leased(mine, 1).devices == (f"{pretend.address(0)}/1",)

    whole = leased(mine, 4, step="perf", whole_card=True)

    assert {device.partition("/")[0] for device in whole.devices} == {pretend.address(1)}
    assert mine.lease(1, step="perf", whole_card=True) is None
    assert leased(others, 2).devices == (f"{pretend.address(0)}/2", f"{pretend.address(0)}/3")
    assert others.lease(1, step="unit") is None


@pytest.mark.parametrize("sees", [(), (0, 1), (3,)])
def test_a_runtime_that_sees_something_else_than_was_allocated_ends_the_lease(
    tmp_path: Path, sees: tuple[int, ...]
) -> None:
    one = pool(tmp_path, run=Rocminfo(sees=sees))

    with pytest.raises(MachineError, match="allocated") as error:
        one.lease(1, step="unit")

    assert "doctor" in error.value.hint
    assert one.busy() == "", "the GPU is free again"
    assert len(leased(pool(tmp_path), 4).devices) == 4


def test_what_was_asserted_once_is_not_asked_again(tmp_path: Path) -> None:
    run = Rocminfo()
    one = pool(tmp_path, run=run)

    for _ in range(5):
        one.give_back(leased(one, 1))

    assert run.asked == ["0"]


def test_a_machine_on_which_nothing_can_be_asserted_says_so_once(tmp_path: Path) -> None:
    said = io.StringIO()
    one = pool(tmp_path, run=Rocminfo(is_there=False), said=said)

    leased(one, 1)
    leased(one, 2)

    assert said.getvalue().count("is not asserted") == 1


def test_three_faults_in_three_steps_put_a_gpu_into_quarantine(tmp_path: Path) -> None:
    said = io.StringIO()
    one = pool(tmp_path, said=said)
    told = []
    for step in ("a", "b", "c"):
        lease = leased(one, 1, step=step)
        hang = Incident(
            kind=IncidentKind.GPU_HANG, text="ring timeout", source="dmesg", gpu=lease.labels[0], is_gpu=True
        )
        told.append(one.blame(lease, hang))
        one.give_back(lease)

    assert told[:2] == ["", ""]
    assert f"GPU 0 (MI300X, {pretend.address(0)}) is in quarantine" in told[2]
    assert said.getvalue().count("is in quarantine") == 1
    assert one.total == 3
    assert leased(one, 1).devices == (pretend.address(1),)
    assert "in quarantine" in pool(tmp_path).busy()
    with pytest.raises(MachineError, match="in quarantine") as error:
        pool(tmp_path).lease(4, step="unit")
    assert "rocm-ci ledger" in error.value.hint


def test_a_gpu_is_blamed_after_its_lease_has_ended(tmp_path: Path) -> None:
    one = pool(tmp_path)
    lease = leased(one, 1, step="my-suite")
    one.give_back(lease)

    one.blame(lease, Incident(kind=IncidentKind.ECC, text="", source="", gpu=lease.labels[0], is_gpu=True))

    (entry,) = Ledger(tmp_path / "state", {}, host=tmp_path).entries()
    assert (entry.gpu, entry.step, entry.run, entry.kind) == (
        pretend.address(0),
        "my-suite",
        "org/repo run 12",
        "ecc",
    )


def test_only_what_a_gpu_of_the_lease_did_is_held_against_it(tmp_path: Path) -> None:
    one = pool(tmp_path)
    lease = leased(one, 1)
    label = lease.labels[0]
    others = f"GPU 3 (MI300X, {pretend.address(3)})"

    for incident in (
        Incident(kind=IncidentKind.DISK_FULL, text="", source="", gpu=label),
        Incident(kind=IncidentKind.GPU_RESET, text="", source="", gpu=label, is_gpu=True, is_note=True),
        Incident(kind=IncidentKind.GPU_HANG, text="", source="", gpu=others, is_gpu=True),
        Incident(kind=IncidentKind.GPU_HANG, text="", source="", gpu=None, is_gpu=True),
    ):
        assert one.blame(lease, incident) == ""

    assert Ledger(tmp_path / "state", {}, host=tmp_path).entries() == ()


def test_a_ledger_that_cannot_be_written_counts_for_this_run_and_is_told(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "ledger").touch()
    said = io.StringIO()
    one = pool(tmp_path, said=said, environment={"ROCM_CI_QUARANTINE": "1/7"})
    lease = leased(one, 1)

    told = one.blame(
        lease, Incident(kind=IncidentKind.ECC, text="", source="", gpu=lease.labels[0], is_gpu=True)
    )

    assert "in quarantine" in told
    assert "not kept for other runs" in said.getvalue()
    assert one.total == 3


def test_a_gpu_that_fell_off_the_bus_is_told_and_not_leased(tmp_path: Path) -> None:
    pretend.machine(tmp_path, 2)
    said = io.StringIO()
    one = pool(tmp_path, facts(2), said=said)
    (tmp_path / "sys/bus/pci/devices" / pretend.address(0)).rename(tmp_path / "gone")

    assert leased(one, 1).devices == (pretend.address(1),)
    assert "GPU 0" in said.getvalue()
    assert "is not there any more" in one.busy()


def test_locks_that_nobody_else_sees_are_told_with_a_way_out(tmp_path: Path) -> None:
    (tmp_path / "nofolder").touch()
    said = io.StringIO()
    one = pool(tmp_path, said=said, environment={"ROCM_CI_LOCKS": str(tmp_path / "nofolder")})

    lease = leased(one, 1)

    assert "GPUs are leased within this run only" in said.getvalue()
    assert "name one in ROCM_CI_LOCKS" in said.getvalue()
    assert one.lease(4, step="unit") is None
    assert "no folder for locks" in one.hand_on(lease)
    one.close()


@pytest.mark.parametrize("trap", ["link", "pipe", "folder"])
def test_a_hostile_lock_file_is_told_and_neither_followed_nor_waited_for(tmp_path: Path, trap: str) -> None:
    folder = tmp_path / "state" / "locks"
    folder.mkdir(parents=True)
    path = folder / f"gpu-{pretend.address(0).replace(':', '-')}.lock"
    precious = tmp_path / "precious"
    precious.write_text("x")
    if trap == "link":
        path.symlink_to(precious)
    elif trap == "pipe":
        os.mkfifo(path)
    else:
        path.mkdir()
    said = io.StringIO()
    one = pool(tmp_path, said=said)

    assert leased(one, 1).devices == (pretend.address(0),)

    assert f"{path} cannot be locked" in said.getvalue()
    assert "other runs are not kept off" in said.getvalue()
    assert precious.read_text() == "x"
    one.close()


def test_a_note_of_a_dead_run_holds_nothing(tmp_path: Path) -> None:
    owners = tmp_path / "state" / "locks" / "owners"
    owners.mkdir(parents=True)
    for number in range(4):
        note = owners / f"gpu-{pretend.address(number).replace(':', '-')}.lock.0"
        note.write_text(json.dumps({"owner": "dead", "step": "", "since": "2031", "pid": 1, "boot": "x"}))
    one = pool(tmp_path)

    assert one.busy() == ""
    assert len(leased(one, 4).devices) == 4


def test_a_run_that_is_over_gives_everything_back(tmp_path: Path) -> None:
    one = pool(tmp_path)
    leased(one, 4)

    one.close()

    assert len(leased(pool(tmp_path), 4).devices) == 4


def test_a_quarantine_of_a_whole_card_is_one_of_its_partitions(tmp_path: Path) -> None:
    known = partitions(2, 2)
    for step in ("a", "b", "c"):
        Ledger(tmp_path / "state", {}, host=tmp_path).add(
            Entry(time=NOW, gpu=pretend.address(0), kind="gpu-hang", run="r", step=step)
        )

    one = pool(tmp_path, known, run=Rocminfo(is_there=False))

    assert one.total == 2
    assert f"--release {pretend.address(0)}`" in one.busy()
    assert leased(one, 1).devices == (f"{pretend.address(1)}/0",)


def test_a_run_within_a_lease_is_told_for_what_it_waits(tmp_path: Path) -> None:
    lease = leased(pool(tmp_path), 2)
    inner = pool(tmp_path, environment=lease.environment)

    assert inner.lease(1, step="unit") is None
    assert inner.busy().startswith(f"{lease.labels[0]} by the lease that this runs within; ")


def test_what_is_left_is_counted_as_the_runtime_counts_after_a_gpu_fell_off(tmp_path: Path) -> None:
    pretend.machine(tmp_path, 3)
    nodes = tmp_path / "sys/class/kfd/kfd/topology/nodes"
    ids = {int(path.parent.name): int(path.read_text()) for path in nodes.glob("*/gpu_id")}
    known = facts(3)
    gpus = tuple(replace(gpu, kfd_id=ids[gpu.node or 0]) for gpu in known.gpus)
    # The runtime of today sees two, and calls the last one 1.
    one = pool(tmp_path, replace(known, gpus=gpus), run=Rocminfo(sees=(2,)))
    (tmp_path / "sys/bus/pci/devices" / pretend.address(0)).rename(tmp_path / "gone")
    shutil.rmtree(nodes / str(gpus[0].node))
    busy = one.lease(1, step="other", avoid=(pretend.address(1),))

    assert busy is not None
    assert busy.devices == (pretend.address(2),)
    assert busy.environment["ROCR_VISIBLE_DEVICES"] == "1"


def test_why_nothing_is_ours_is_the_error_and_no_mere_count(tmp_path: Path) -> None:
    given = tmp_path / "etc/podinfo/gha-render-devices"
    given.parent.mkdir(parents=True)
    given.write_text("")

    with pytest.raises(MachineError, match="gha-render-devices allots no GPU") as caught:
        pool(tmp_path).lease(1, step="unit")
    assert "allocation of the runner's pod" in caught.value.hint
