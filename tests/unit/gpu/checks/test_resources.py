from __future__ import annotations

from rocm_ci.gpu.checks import resources
from rocm_ci.gpu.checks.machine import Machine, Needs
from rocm_ci.model.facts import Facts, Host
from rocm_ci.model.verdict import Verdict

GB = resources.GB


def test_the_fullest_disk_decides() -> None:
    def check(**free: int) -> Verdict:
        return resources.disk(Machine(facts=Facts(), free_bytes=free), Needs()).status

    assert check(results=50 * GB) is Verdict.PASS
    assert check(results=50 * GB, scratch=3 * GB) is Verdict.NEUTRAL
    assert check(results=50 * GB, scratch=1 * GB) is Verdict.ERROR
    assert check() is Verdict.SKIPPED


def test_the_limit_of_the_control_group_counts_as_the_memory() -> None:
    host = Host(memory_bytes=500 * GB, memory_limit_bytes=GB // 2)

    check = resources.memory(Machine(facts=Facts(host=host)), Needs())

    assert check.status is Verdict.ERROR
    assert check.seen == "0.5 GB by the limit of the control group"


def test_enough_memory_passes_and_unknown_memory_is_skipped() -> None:
    assert (
        resources.memory(Machine(facts=Facts(host=Host(memory_bytes=8 * GB))), Needs()).status is Verdict.PASS
    )
    assert resources.memory(Machine(facts=Facts()), Needs()).status is Verdict.SKIPPED
