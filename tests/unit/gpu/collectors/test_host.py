from __future__ import annotations

from rocm_ci.gpu.collectors.host import collect
from tests.fakes import MemoryReader

LIVE = {
    "/etc/os-release": 'PRETTY_NAME="Ubuntu 24.04.2 LTS"\nVERSION_ID="24.04"\n',
    "/proc/sys/kernel/osrelease": "6.8.0-60-generic\n",
    "/proc/sys/kernel/arch": "x86_64\n",
    "/proc/cpuinfo": "processor\t: 0\nmodel name\t: AMD EPYC\nprocessor\t: 1\nmodel name\t: AMD EPYC\n",
    "/proc/meminfo": "MemTotal:       1024 kB\n",
    "/sys/fs/cgroup/cpu.max": "100000 100000\n",
}


def test_a_host_is_described_from_its_files() -> None:
    assert collect(MemoryReader(files=LIVE)).host == {
        "os": "Ubuntu 24.04.2 LTS",
        "kernel": "6.8.0-60-generic",
        "architecture": "x86_64",
        "cpu": "AMD EPYC",
        "cpus_total": 2,
        "cpus": 1,
        "memory_bytes": 1024 * 1024,
    }


def test_recordings_are_recognised_whatever_they_are_called() -> None:
    found = collect(
        MemoryReader(
            recordings=(
                "Linux build-host-7 5.14.0-427.el9.x86_64 #1 SMP Fri Feb 2 x86_64 x86_64 x86_64 GNU/Linux\n",
                'NAME="Rocky Linux"\nVERSION_ID="9.4"\nPRETTY_NAME="Rocky Linux 9.4"\n',
                "Architecture:        x86_64\nCPU(s):              96\nModel name:          AMD EPYC 7543\n",
                "MemTotal:       527935000 kB\n",
            )
        )
    ).host

    assert found["kernel"] == "5.14.0-427.el9.x86_64"
    assert found["os"] == "Rocky Linux 9.4"
    assert (found["cpu"], found["cpus"]) == ("AMD EPYC 7543", 96)
    assert "build-host-7" not in repr(found)


def test_containers_are_told_apart() -> None:
    def kind(files: dict[str, str], **environment: str) -> object:
        return collect(MemoryReader(files=files, environment=environment)).host.get("container")

    assert kind({"/.dockerenv": ""}) == "docker"
    assert kind({"/run/.containerenv": ""}) == "podman"
    assert kind({"/proc/1/cgroup": "0::/kubepods.slice/x\n"}) == "kubernetes"
    assert kind({"/.dockerenv": ""}, KUBERNETES_SERVICE_HOST="10.0.0.1") == "kubernetes"
    assert kind({}) is None
