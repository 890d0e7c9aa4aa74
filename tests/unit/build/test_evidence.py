"""Signs that the machine is at fault, and calls of hipcc that name no target."""

from __future__ import annotations

import pytest

from rocm_ci.build.evidence import Evidence, Fault, untargeted


def fed(*lines: str) -> Evidence:
    evidence = Evidence()
    for number, line in enumerate(lines, 1):
        evidence.feed(line, number)
    return evidence


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("/usr/bin/ld: final link failed: No space left on device", Fault.DISK),
        ("c++: fatal error: Killed signal terminated program cc1plus", Fault.MEMORY),
        ("clang: error: unable to execute command: Killed", Fault.MEMORY),
        ("LLVM ERROR: out of memory", Fault.MEMORY),
        ("bash: line 1: 4711 Killed                  hipcc -c a.hip", Fault.MEMORY),
        ("make: *** [Makefile:2: all] Error 137", Fault.MEMORY),
        ("fatal: unable to access 'https://x/': Could not resolve host: x", Fault.NETWORK),
        ("  [Errno -3] Temporary failure in name resolution", Fault.NETWORK),
        ("urllib3.exceptions.NewConnectionError: <...>: Failed to establish a new connection", Fault.NETWORK),
        ('    status_string: "Couldn\'t resolve host name"', Fault.NETWORK),
        ("error: RPC failed; curl 92 HTTP/2 stream 5 was not closed cleanly", Fault.NETWORK),
        ("bash: line 1: hipcc: command not found", Fault.TOOL),
        ("/bin/sh: 1: ninja: not found", Fault.TOOL),
        ('CMake was unable to find a build program corresponding to "Ninja".', Fault.TOOL),
        ("clang: error: cannot find ROCm device library; provide its path via '--rocm-path'", Fault.ROCM),
        ("a.hip:1:10: fatal error: 'hip/hip_runtime.h' file not found", Fault.ROCM),
        ("nvcc fatal   : Unknown option '--offload-arch=gfx90a'", Fault.PLATFORM),
        ("ccache: error: Failed to create directory /var/cache: Permission denied", Fault.CACHE),
    ],
)
def test_a_fault_of_the_machine_is_recognised(line: str, fault: Fault) -> None:
    assert list(fed("before", line).faults) == [fault]


@pytest.mark.parametrize(
    "line",
    [
        "a.hip:1:10: fatal error: 'cuda_runtime.h' file not found",
        "bash: line 1: my-tool: command not found",
        "make: *** [Makefile:2: all] Error 1",
        "Downloading torch (137 MB)",
        "src/memory.cpp compiled, out of memory.cpp and disk.cpp",
    ],
)
def test_other_lines_accuse_no_machine(line: str) -> None:
    assert fed(line).faults == {}


@pytest.mark.parametrize(
    ("line", "arch"),
    [
        (
            "clang: error: cannot find ROCm device library for gfx1100; provide its path via '--rocm-path'",
            "gfx1100",
        ),
        ("clang: error: invalid target ID 'gfx942'; format is a processor name", "gfx942"),
        ("clang++: error: unsupported HIP gpu architecture: gfx950", "gfx950"),
    ],
)
def test_a_refused_target_is_named(line: str, arch: str) -> None:
    assert list(fed(line).refused) == [arch]


@pytest.mark.parametrize(
    "command",
    [
        "hipcc -c a.hip -o a.o",
        "mkdir -p out && /opt/rocm/bin/hipcc -O2 a.cpp -o out/a",
        "cmake --version; hipcc src/a.cu",
        "ccache hipcc -c 'a.hip'",
    ],
)
def test_a_compiling_call_without_a_target_is_found(command: str) -> None:
    assert untargeted(command) is not None


@pytest.mark.parametrize(
    "command",
    [
        "hipcc --offload-arch=gfx90a -c a.hip",
        "hipcc --amdgpu-target=gfx90a -c a.hip",
        "hipcc $FLAGS -c a.hip",
        "hipcc @flags.txt -c a.hip",
        "HCC_AMDGPU_TARGET=gfx90a hipcc -c a.hip",
        "hipcc --version",
        "hipcc a.o b.o -o prog",
        "hipcc -E a.hip",
        "echo hipcc-wrapper a.hip",
        "cmake -DCMAKE_CXX_COMPILER=hipcc -S . -B build",
    ],
)
def test_other_calls_are_left_alone(command: str) -> None:
    assert untargeted(command) is None


def test_a_call_that_make_printed_is_found_but_talk_about_it_is_not() -> None:
    assert fed("hipcc -c a.hip -o a.o").untargeted == "hipcc -c a.hip -o a.o (log line 1)"
    assert fed("-- Check for working HIP compiler: /usr/bin/hipcc a.cpp - skipped").untargeted is None
