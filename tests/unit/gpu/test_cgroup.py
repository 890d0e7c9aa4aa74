from __future__ import annotations

from rocm_ci.gpu import cgroup
from tests.fakes import MemoryReader


def test_the_quota_of_version_2_limits_the_cpus() -> None:
    reader = MemoryReader(files={"/sys/fs/cgroup/cpu.max": "350000 100000\n"})

    assert cgroup.cpus(reader) == 4


def test_an_outer_group_limits_a_nested_one() -> None:
    reader = MemoryReader(
        files={
            "/proc/self/cgroup": "0::/pod/inner\n",
            "/sys/fs/cgroup/pod/cpu.max": "800000 100000\n",
            "/sys/fs/cgroup/pod/inner/cpu.max": "max 100000\n",
            "/sys/fs/cgroup/pod/memory.max": "34359738368\n",
        }
    )

    assert cgroup.cpus(reader) == 8
    assert cgroup.memory_bytes(reader) == 34359738368


def test_version_1_files_are_read_below_our_own_group() -> None:
    reader = MemoryReader(
        files={
            "/proc/self/cgroup": "4:memory:/job\n1:cpu:/job\n",
            "/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us": "200000\n",
            "/sys/fs/cgroup/cpu/job/cpu.cfs_period_us": "100000\n",
            "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
            "/sys/fs/cgroup/memory/job/memory.limit_in_bytes": "1073741824\n",
        }
    )

    assert cgroup.cpus(reader) == 2
    assert cgroup.memory_bytes(reader) == 1 << 30


def test_no_limit_is_none_and_not_a_huge_number() -> None:
    reader = MemoryReader(
        files={
            "/sys/fs/cgroup/cpu.max": "max 100000\n",
            "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
        }
    )

    assert cgroup.cpus(reader) is None
    assert cgroup.memory_bytes(reader) is None


def test_affinity_and_the_request_of_a_pod_count_too() -> None:
    status = {"/proc/self/status": "Name:\tx\nCpus_allowed_list:\t0-7,16\n"}

    assert cgroup.cpus(MemoryReader(files=status)) == 9
    assert cgroup.cpus(MemoryReader(files=status, environment={"KUBE_CPU_REQUEST": "6"})) == 6


def test_a_group_path_cannot_climb_out() -> None:
    reader = MemoryReader(
        files={"/proc/self/cgroup": "0::/../../etc\n", "/sys/fs/cgroup/../../etc/cpu.max": "100000 100000\n"}
    )

    assert cgroup.cpus(reader) is None


def test_a_set_of_processors_limits_in_both_versions() -> None:
    second = {"/sys/fs/cgroup/cpuset.cpus.effective": "0-3,8\n"}
    first = {"/proc/self/cgroup": "3:cpuset:/job\n", "/sys/fs/cgroup/cpuset/job/cpuset.cpus": "4-6\n"}

    assert cgroup.cpus(MemoryReader(files=second)) == 5
    assert cgroup.cpus(MemoryReader(files=first)) == 3


def test_the_narrowest_of_set_quota_and_affinity_counts() -> None:
    files = {
        "/sys/fs/cgroup/cpuset.cpus.effective": "0-31\n",
        "/sys/fs/cgroup/cpu.max": "1600000 100000\n",
        "/proc/self/status": "Cpus_allowed_list:\t0-191\n",
    }

    assert cgroup.cpus(MemoryReader(files=files)) == 16
