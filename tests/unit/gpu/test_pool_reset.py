"""A reset by us beside other runs: nobody leases a GPU of the host meanwhile, and it is written down."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from rocm_ci.gpu.ledger import Entry, Ledger
from rocm_ci.gpu.pool import Pool
from rocm_ci.log import Log
from rocm_ci.model.incident import Incident, IncidentKind
from rocm_ci.tools.process import Captured
from tests.fakes import FakeClock
from tests.unit.gpu.hosts import Rocminfo, facts
from tests.unit.gpu.ill_host import Host
from tools import pretend

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from rocm_ci.context import Lease

LISTED = "".join(f"GPU: {n}\n    BDF: {pretend.address(n)}\n" for n in range(4))

HUNG = f"amdgpu {pretend.address(0)}: amdgpu: MES failed to respond to msg=REMOVE_QUEUE"


@dataclass
class Tools(Rocminfo):
    """With an amd-smi that ends with `code`; `meanwhile` happens while it resets."""

    code: int = 0
    meanwhile: Callable[[], object] = lambda: None
    resets: list[str] = field(default_factory=list)

    def capture(
        self,
        argv: Sequence[str],
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        timeout_s: float = 60.0,
        stdin: bytes = b"",
        limit: int | None = None,
    ) -> Captured:
        if argv[0] != "amd-smi":
            return super().capture(argv, cwd=cwd, env=env, timeout_s=timeout_s, stdin=stdin, limit=limit)
        if "--gpureset" in argv:
            self.resets.append(argv[-1])
            self.meanwhile()
            return Captured(argv=tuple(argv), exit_code=self.code)
        return Captured(argv=tuple(argv), exit_code=0, stdout=LISTED.encode())


class Shared:
    """A host that allows resets, and its runs."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.host = Host(root)
        self.tools = Tools()
        self.mine = self.run("org/repo run 12")
        self.others = self.run("org/other run 7")

    def run(self, owner: str) -> Pool:
        return Pool(
            facts(4),
            {"ROCM_CI_GPU_RESET": "when-free"},
            run=self.tools,
            clock=FakeClock(),
            state=self.root / "state",
            host=self.root,
            log=Log(out=io.StringIO(), err=io.StringIO()),
            owner=owner,
        )

    def hung(self, *, beside: int = 0) -> tuple[Lease, list[Incident]]:
        """A step on GPU 0, which hangs, while others hold so many; what it is told of resets."""
        (self.root / "dev/kmsg").touch()
        lease = self.mine.lease(1, step="unit")
        assert lease is not None
        self.theirs = self.others.lease(beside, step="theirs")
        self.host.says(HUNG)
        found = self.mine.incidents(lease)
        return lease, [one for one in found if one.kind is IncidentKind.GPU_RESET]

    @property
    def entries(self) -> tuple[Entry, ...]:
        return Ledger(self.root / "state", {}, host=self.root).entries()


@pytest.fixture
def shared(tmp_path: Path) -> Shared:
    return Shared(tmp_path)


@pytest.mark.attack("5", "a GPU leased while a reset of its neighbour takes it along")
def test_nobody_leases_a_gpu_of_the_host_while_one_is_reset(shared: Shared) -> None:
    leased: list[Lease | None] = []
    told: list[str] = []

    def others_try() -> None:
        leased.extend((shared.others.lease(1, step="theirs"), shared.mine.lease(1, step="ours")))
        told.append(shared.others.busy())

    shared.tools.meanwhile = others_try
    shared.hung()

    assert leased == [None, None]
    assert "by org/repo run 12, step reset of GPU 0 (" in told[0]
    assert shared.others.lease(3, step="theirs") is not None, "all of them are free again"


def test_a_gpu_that_another_run_holds_forbids_it_and_keeps_nothing_locked(shared: Shared) -> None:
    _, (told,) = shared.hung(beside=1)
    theirs = shared.theirs

    assert theirs is not None
    assert shared.tools.resets == []
    assert "was not reset: another GPU of this host is in use" in told.text
    assert f"{theirs.labels[0]} by org/other run 7, step theirs" in told.text
    assert shared.others.lease(2, step="theirs") is not None


def test_locks_that_nobody_else_honours_forbid_it(shared: Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared.mine._locker, "unshared", "no folder for locks that all runs share")
    _, (told,) = shared.hung()

    assert shared.tools.resets == []
    assert told.text.endswith("was not reset: no folder for locks that all runs share")


def test_what_we_did_to_a_gpu_is_written_down_and_counts_for_nothing(shared: Shared) -> None:
    lease, (told,) = shared.hung()

    (entry,) = shared.entries
    assert (entry.kind, entry.gpu, entry.run, entry.step) == (
        "gpu-reset",
        pretend.address(0),
        "org/repo run 12",
        "unit",
    )
    assert entry.note
    assert entry.text == told.text
    assert shared.mine.blame(lease, told) == ""
    assert len(shared.entries) == 1


def test_a_refusal_is_written_down_once_a_lease(shared: Shared) -> None:
    lease, _ = shared.hung(beside=1)
    shared.host.says(HUNG)
    shared.mine.incidents(lease)

    (entry,) = shared.entries
    assert entry.note
    assert "was not reset" in entry.text


def test_a_reset_that_fails_is_the_gpus_fault_and_written_by_whoever_blames(shared: Shared) -> None:
    shared.tools.code = 1
    lease, (told,) = shared.hung()

    assert not shared.entries
    shared.mine.blame(lease, told)
    assert [entry.note for entry in shared.entries] == [False]
