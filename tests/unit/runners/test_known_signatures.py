"""The 35 signatures of reference amd_ci.md §2, each with a line as a test would print it, and whose fault it is."""

from __future__ import annotations

import re

import pytest

from rocm_ci.model.incident import IncidentKind as Kind
from rocm_ci.runners import signs

MACHINE, EITHER, CHANGE = "machine", "either", "change"

# Number of the signature: whose fault, its kind, and twins of the line. Those that are missing here are told
# by no line of a suite; see below.
KNOWN: dict[int, tuple[str, Kind | None, tuple[str, ...]]] = {
    1: (MACHINE, Kind.GPU_HANG, (":0:rocdevice.cpp: HW Exception by GPU node-4 (Agent handle: 0x7f12) reason :GPU Hang",)),
    2: (
        EITHER,
        None,
        (
            "Memory access fault by GPU node-1 (Agent handle: 0x55) on address 0x7f2000. Reason: Page not present.",
            "Memory access fault by GPU node-9 on address (nil). Reason: Write access to a read-only page.",
        ),
    ),
    3: (EITHER, None, ("HSA Error: HSA_STATUS_ERROR_OUT_OF_RESOURCES: The runtime failed to allocate",)),
    4: (
        MACHINE,
        Kind.NO_GPU,
        (
            "hip error: no ROCm-capable device is detected (100)",
            "RuntimeError: No HIP GPUs are available",
        ),
    ),
    5: (MACHINE, Kind.PERMISSION, ("Unable to open /dev/kfd read-write: Permission denied",)),
    6: (
        MACHINE,
        Kind.DRIVER,
        (
            "Unable to open /dev/kfd read-write: No such file or directory",
            "Unable to open /dev/kfd read-write: Invalid argument",
        ),
    ),
    7: (MACHINE, Kind.DRIVER, ("Driver not initialized (amdgpu not found in modules)",)),
    8: (MACHINE, Kind.DRIVER, ("[ 7.02] kfd kfd: amdgpu: skipped device 1002:67df, PCI rejects atomics",)),
    9: (
        CHANGE,
        None,
        (
            'hipErrorNoBinaryForGpu: "Unable to find code object for all current devices!"',
            "CUDA-style error 209: no kernel image is available for execution on the device",
        ),
    ),
    10: (CHANGE, None, ("RuntimeError: HIP error: invalid device function",)),
    11: (CHANGE, None, ("clang: error: unsupported HIP gpu architecture: native",)),
    12: (CHANGE, None, ("hipErrorInvalidImage", "HIP error: device kernel image is invalid")),
    14: (MACHINE, Kind.LIBRARY, ("rocBLAS error: Cannot read /opt/rocm/lib/library/TensileLibrary_lazy_gfx90c.dat",)),
    15: (EITHER, None, ('NCCL WARN Missing "iommu=pt" from kernel command line',)),
    16: (
        MACHINE,
        Kind.SHARED_MEMORY,
        ("NCCL WARN Error while creating shared memory segment /dev/shm/nccl-a1 (size 33030528)",),
    ),
    17: (EITHER, None, ("hipErrorOutOfMemory", "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 96.00 MiB")),
    18: (EITHER, None, ("RESOURCE_EXHAUSTED: Out of memory while trying to allocate 6291456 bytes.",)),
    19: (MACHINE, Kind.ECC, ("amdgpu: uncorrectable hardware error(ERREVENT_ATHUB_INTERRUPT) detected!",)),
    20: (
        MACHINE,
        None,  # three lines of three kinds
        (
            "amdgpu: MES failed to respond to msg=REMOVE_QUEUE",
            "amdgpu 0000:c5:00.0: amdgpu: GPU reset begin!",
            "amdgpu 0000:03:00.0: amdgpu: device lost from bus!",
        ),
    ),
    21: (
        MACHINE,
        Kind.LIBRARY,
        ("OSError: libamdhip64.so.5: cannot open shared object file: No such file or directory",),
    ),
    22: (CHANGE, None, ("static assertion failed: The mask must be a 64-bit integer.",)),
    26: (MACHINE, Kind.DISK_FULL, ("write /var/lib/docker/tmp/x: No space left on device",)),
    28: (MACHINE, Kind.RUNNER, ("The runner has received a shutdown signal.",)),
    29: (EITHER, None, ("ioctl.cpp:68] Device 1 could not be locked for profiling due to lack of permissions",)),
}  # fmt: skip

# What no line of a suite decides, and what does.
ELSEWHERE = {
    13: "information only, nothing fails",
    23: "a wrong number is the change's, until proven otherwise",
    24: "as 23",
    25: "information only, nothing fails",
    27: "after each lease: visible = allocated",
    30: "facts: the partition",
    31: "warm-up has a budget of its own",
    32: "times are told per shard",
    33: "as 23",
    34: "kernel-log.yaml: a note",
    35: "facts: memory is read from /sys",
}
LINES = [(number, line) for number, (_, _, lines) in KNOWN.items() for line in lines]


def whose(meaning: signs.Meaning) -> str:
    return MACHINE if meaning.kind else EITHER if meaning.is_doubtful else CHANGE


def test_every_known_signature_is_classified_once() -> None:
    assert sorted([*KNOWN, *ELSEWHERE]) == list(range(1, 36))


@pytest.mark.parametrize(("number", "line"), LINES, ids=[f"{n}: {line[:40]}" for n, line in LINES])
def test_a_known_signature_is_the_machine_s_or_the_change_s_or_either_s(number: int, line: str) -> None:
    fault, kind, _ = KNOWN[number]

    (sign,) = signs.in_text(f"E   {line}\nE   and more")

    assert whose(sign.meaning) == fault
    assert kind is None or sign.meaning.kind is kind


@pytest.mark.parametrize("meaning", signs.table(), ids=lambda meaning: meaning.text)
def test_a_pattern_has_no_unbounded_wildcard(meaning: signs.Meaning) -> None:
    """A line is hostile: what may stand between two words is counted, so that no search is quadratic."""
    assert not re.search(r"\.[*+]|\)[*+]|\{\d*,\}", meaning.pattern)


@pytest.mark.parametrize("meaning", signs.table(), ids=lambda meaning: meaning.text)
def test_every_way_in_which_a_pattern_fits_has_one_of_its_words(meaning: signs.Meaning) -> None:
    """Otherwise a log's line is passed over before the pattern sees it."""
    for line in (*meaning.sample, *(line for _, line in LINES)):
        if re.search(meaning.pattern, line):
            assert any(word in line for word in meaning.words), line
