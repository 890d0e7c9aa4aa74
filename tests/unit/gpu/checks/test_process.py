from __future__ import annotations

from rocm_ci.gpu.checks import process
from rocm_ci.gpu.checks.machine import Machine, Needs
from rocm_ci.gpu.checks.process import UNLIMITED, Process
from rocm_ci.model.facts import Facts, Gpu, Host
from rocm_ci.model.verdict import Verdict
from tests.fakes import MemoryReader

GB = 1_000_000_000
ONE = Facts(gpus=(Gpu(index=0),))
TWO = Facts(gpus=(Gpu(index=0), Gpu(index=1)), host=Host(container="docker"))
STATUS = "Uid:\t1001\t1001\t1001\t1001\nGid:\t1001\t1001\t1001\t1001\nGroups:\t27 44 992 \nCapEff:\t0000004000004000\n"
LIMITS = """\
Limit                     Soft Limit           Hard Limit           Units
Max open files            1024                 524288               files
Max locked memory         unlimited            unlimited            bytes
"""


def test_ids_capabilities_and_limits_are_read_from_proc() -> None:
    reader = MemoryReader(
        files={
            "/proc/self/status": STATUS,
            "/proc/self/limits": LIMITS,
            "/proc/self/mounts": "shm /dev/shm tmpfs rw,nosuid,size=65536k 0 0\n",
        }
    )

    found = process.look(reader)

    assert found.uid == 1001
    assert found.gids == {27, 44, 992, 1001}
    assert found.may_lock
    assert found.may_profile
    assert (found.files, found.memlock) == ((1024, 524288), (UNLIMITED, UNLIMITED))
    assert (found.shm_mounted, found.shm_bytes) == (True, 64 << 20)


def test_files_that_cannot_be_read_leave_everything_unknown() -> None:
    for reader in (
        MemoryReader(),
        MemoryReader(files={"/proc/self/status": "\x00\xff", "/proc/self/limits": "?"}),
    ):
        found = process.look(reader)

        assert found == Process()
        assert not found.may_lock


def test_shared_memory_without_a_size_is_half_of_the_memory() -> None:
    def size(options: str, kind: str = "tmpfs") -> int | None:
        files = {
            "/proc/self/mounts": f"x /dev/shm {kind} {options} 0 0\n",
            "/proc/meminfo": "MemTotal:       1000 kB\n",
        }
        return process.look(MemoryReader(files=files)).shm_bytes

    assert size("rw,relatime") == 512_000
    assert size("rw,size=8g") == 8 << 30
    assert size("rw,size=50%") is None
    assert size("rw", kind="ext4") is None
    assert (
        process.look(MemoryReader(files={"/proc/self/mounts": "/dev/vda / ext4 rw 0 0\n"})).shm_mounted
        is False
    )


def test_of_two_mounts_over_each_other_the_last_one_counts() -> None:
    mounts = "tmpfs /dev/shm tmpfs rw,size=65536k 0 0\nshm /dev/shm tmpfs rw,size=16777216k 0 0\n"

    assert process.look(MemoryReader(files={"/proc/self/mounts": mounts})).shm_bytes == 16 << 30


def test_several_gpus_want_much_shared_memory_and_dockers_default_is_an_error() -> None:
    def check(size: int | None, facts: Facts, wanted: int = 0, *, mounted: bool | None = True) -> Verdict:
        found = Process(shm_mounted=mounted, shm_bytes=size)
        needs = Needs(wanted={"suite": wanted} if wanted else {})
        return process.shm(Machine(facts=facts, process=found), needs).status

    assert check(64 << 20, TWO, 2) is Verdict.ERROR
    assert check(64 << 20, TWO, 1) is Verdict.NEUTRAL
    assert check(8 * GB, TWO, 2) is Verdict.NEUTRAL
    assert check(16 * GB, TWO, 2) is Verdict.PASS
    assert check(2 * GB, ONE, 1) is Verdict.PASS
    assert check(64 << 20, ONE, 1) is Verdict.NEUTRAL
    assert check(None, TWO, 2, mounted=False) is Verdict.ERROR
    assert check(None, TWO, 2) is Verdict.SKIPPED
    assert check(None, TWO, 2, mounted=None) is Verdict.SKIPPED


def test_the_fix_for_shared_memory_fits_where_we_are() -> None:
    small = Process(shm_mounted=True, shm_bytes=64 << 20)

    inside = process.shm(Machine(facts=TWO, process=small), Needs(wanted={"suite": 2}))
    outside = process.shm(Machine(facts=ONE, process=small), Needs())

    assert "--shm-size=16g" in (inside.fix or "")
    assert "mount -o remount,size=1G /dev/shm" in (outside.fix or "")


def test_a_limit_on_locked_memory_matters_with_gpus_and_without_the_capability() -> None:
    def check(limit: tuple[int, int] | None, facts: Facts = ONE, capabilities: int = 0) -> Verdict:
        found = Process(memlock=limit, capabilities=capabilities)
        return process.memlock(Machine(facts=facts, process=found), Needs()).status

    assert check((65536, 65536)) is Verdict.NEUTRAL
    assert check((UNLIMITED, UNLIMITED)) is Verdict.PASS
    assert check((65536, 65536), capabilities=1 << 14) is Verdict.PASS
    assert check((65536, 65536), Facts()) is Verdict.PASS
    assert check(None) is Verdict.SKIPPED


def test_the_fix_for_locked_memory_fits_where_we_are() -> None:
    low = Process(memlock=(65536, 65536), capabilities=0)

    inside = process.memlock(Machine(facts=TWO, process=low), Needs())
    outside = process.memlock(Machine(facts=ONE, process=low), Needs())

    assert "--ulimit memlock=-1" in (inside.fix or "")
    assert "limits.conf" in (outside.fix or "")


def test_few_open_files_are_raised_in_place_where_the_hard_limit_lets_us() -> None:
    def fix(soft: int, hard: int, facts: Facts = TWO) -> str | None:
        return process.nofile(Machine(facts=facts, process=Process(files=(soft, hard))), Needs()).fix

    assert "ulimit -n 65536" in (fix(1024, 524288) or "")
    assert "--ulimit nofile=" in (fix(1024, 4096) or "")
    assert fix(65536, 65536) is None
    assert fix(UNLIMITED, UNLIMITED) is None
    assert fix(4096, 4096, ONE) is None
    assert process.nofile(Machine(facts=ONE), Needs()).status is Verdict.SKIPPED
