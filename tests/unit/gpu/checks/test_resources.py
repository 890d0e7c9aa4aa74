from __future__ import annotations

from pathlib import Path

from rocm_ci.gpu.checks import resources
from rocm_ci.gpu.checks.machine import Machine, Needs
from rocm_ci.gpu.checks.outcome import GB
from rocm_ci.gpu.checks.resources import Folder
from rocm_ci.model.facts import Facts, Host
from rocm_ci.model.result import Check
from rocm_ci.model.verdict import Verdict
from tests.fakes import MemoryReader


def disk(*folders: Folder) -> Check:
    return resources.disk(Machine(facts=Facts(), folders=folders), Needs())


def test_the_fullest_disk_decides_and_is_named() -> None:
    big, small = Folder(name="results", free_bytes=50 * GB), Folder(name="scratch", free_bytes=3 * GB)

    assert disk(big).status is Verdict.PASS
    assert (disk(big, small).status, disk(big, small).seen) == (Verdict.NEUTRAL, "3 GB free for scratch")
    assert disk(big, Folder(name="scratch", free_bytes=1 * GB)).status is Verdict.ERROR
    assert disk(Folder(name="gone")).status is Verdict.SKIPPED
    assert disk().status is Verdict.SKIPPED


def test_folders_of_one_file_system_are_told_together() -> None:
    check = disk(
        Folder(name="a", free_bytes=9 * GB, file_system=1),
        Folder(name="b", free_bytes=9 * GB, file_system=1),
        Folder(name="c", free_bytes=7 * GB, file_system=2),
    )

    assert check.seen == "7 GB free for c; 9 GB free for a, b"


def test_a_disk_that_has_room_and_takes_no_file_is_found() -> None:
    locked = disk(Folder(name="results", free_bytes=50 * GB, writable=False))
    scarce = disk(Folder(name="results", free_bytes=50 * GB, free_files=12))

    assert (locked.status, locked.seen) == (Verdict.ERROR, "cannot write to results")
    assert scarce.status is Verdict.NEUTRAL
    assert "df -i" in (scarce.fix or "")


def test_free_space_is_that_of_the_nearest_folder_that_exists(tmp_path: Path) -> None:
    (found,) = resources.folders({"results": tmp_path / "not" / "yet"})

    assert found.name == "results"
    assert (found.free_bytes or 0) > 0
    assert found.writable


def test_the_limit_of_the_control_group_counts_as_the_memory() -> None:
    host = Host(memory_bytes=500 * GB, memory_limit_bytes=GB // 2)

    check = resources.memory(Machine(facts=Facts(host=host)), Needs())

    assert check.status is Verdict.ERROR
    assert check.seen == "0.5 GB by the limit of the control group"
    assert "--memory" in (check.fix or "")


def test_enough_memory_passes_unless_others_have_it() -> None:
    facts = Facts(host=Host(memory_bytes=8 * GB))

    def check(available: int | None) -> Verdict:
        return resources.memory(Machine(facts=facts, memory_available=available), Needs()).status

    assert check(None) is Verdict.PASS
    assert check(6 * GB) is Verdict.PASS
    assert check(GB // 2) is Verdict.NEUTRAL
    assert resources.memory(Machine(facts=Facts()), Needs()).status is Verdict.SKIPPED


def test_available_memory_is_read_from_meminfo() -> None:
    reader = MemoryReader(files={"/proc/meminfo": "MemTotal: 9 kB\nMemAvailable:    4 kB\n"})

    assert resources.memory_available(reader) == 4096
    assert resources.memory_available(MemoryReader()) is None


def test_a_quota_on_processors_is_told() -> None:
    def check(cpus: int | None, total: int | None, *, builds: bool = True) -> Check:
        facts = Facts(host=Host(cpus=cpus, cpus_total=total))
        return resources.cpus(Machine(facts=facts), Needs(builds=builds))

    assert check(16, 192).seen == "16 of 192, by the container's quota or affinity"
    assert check(16, 192).status is Verdict.PASS
    assert check(1, 192).status is Verdict.NEUTRAL
    assert "--cpus" in (check(1, 192).fix or "")
    assert check(1, 1, builds=False).status is Verdict.PASS
    assert check(None, None).status is Verdict.SKIPPED
