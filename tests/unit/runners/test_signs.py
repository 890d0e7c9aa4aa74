"""Lines that put a failure at the machine's door, or at least in doubt."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from rocm_ci.model.incident import IncidentKind as Kind
from rocm_ci.runners import signs

if TYPE_CHECKING:
    from pathlib import Path

SAMPLES = [(meaning, sample) for meaning in signs.table() for sample in meaning.sample]


@pytest.mark.parametrize(("meaning", "sample"), SAMPLES)
def test_a_sample_is_found_with_its_line_and_means_its_own_row(
    tmp_path: Path, meaning: signs.Meaning, sample: str
) -> None:
    log = tmp_path / "log"
    log.write_text(f"one\ntwo\n{sample}\nfour")

    scanned = signs.in_log(log)

    assert [(sign.meaning.text, sign.line, sign.source) for sign in scanned.signs] == [
        (meaning.text, 3, "log line 3")
    ]
    assert scanned.lines == 4
    assert [sign.meaning.text for sign in signs.in_text(sample)] == [meaning.text]


@pytest.mark.parametrize("meaning", signs.table(), ids=lambda meaning: meaning.text)
def test_a_row_has_a_sample_and_its_source_and_may_be_either_s_fault_or_has_a_kind(
    meaning: signs.Meaning,
) -> None:
    assert meaning.sample
    assert meaning.sources
    assert not (meaning.kind and meaning.explained_by)
    assert meaning.kind or not meaning.device, "whom a GPU is to blame for is a kind of its own"


@pytest.mark.parametrize(
    "line",
    [
        "a.cc:3: Failure: Permission denied",
        "error while loading shared libraries: libmine.so: cannot open",
        "assert device in ('/dev/kfd',)",
        "the shared memory of a block is too large",
        "an uncorrectable mistake",
        "0 uncorrectable errors",
        "HW Exception by the user",
        "handled a GPU hang in 3 ms",
        "test_gpu_reset_begins PASSED",
        "MES answered",
        "the driver's device /dev/kfd is there",
        "there is no ROCm-capable test",
        "hipErrorNoDeviceFound is not one of HIP's",
        "space left on device: 4 GB",
        "Killed the process",
        "__shared__ memory: 64 KB",
        "RESOURCE_EXHAUSTED: Shared memory size limit exceeded: requested 73728, available: 65536",
        "rocBLAS error: wrong argument",
        "Missing iommu in the list",
        "a file could not be locked",
        "the network was trained",
        "received a shutdown notice",
        "hipErrorOutOfMe",
        "mask must be 64",
        "W: gpu architecture gfx942",
        "WARNING: CPU: 3 PID: 4711 at kfd_migrate.c:512",
        "Missing system database file: gfx942_304.db",
        "Attempting to use hipBLASLt on an unsupported architecture!",
        "assert nan == 1.0",
    ],
)
def test_other_faults_are_no_signs(tmp_path: Path, line: str) -> None:
    log = tmp_path / "log"
    log.write_text(line)

    assert signs.in_log(log).signs == ()
    assert signs.in_text(line) == ()


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("Memory access fault by GPU node-1 on address 0x7f", None),
        ("HSA_STATUS_ERROR_OUT_OF_RESOURCES", None),
        ("hipErrorOutOfMemory", None),
        ("HW Exception by GPU node-1 (Agent handle: 0x1) reason :GPU Hang", Kind.GPU_HANG),
    ],
)
def test_what_may_be_either_s_fault_has_no_kind(line: str, kind: Kind | None) -> None:
    (sign,) = signs.in_text(line)

    assert sign.meaning.kind is kind


def test_a_sign_in_an_endless_line_is_found_and_told_short(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"\xff" * 10_000 + b" No space left on device " + b"x" * 10_000 + b"\n")

    (sign,) = signs.in_log(log).signs

    assert sign.line == 1
    assert len(sign.text) <= 200


def test_line_numbers_hold_over_pieces_of_a_large_log(tmp_path: Path) -> None:
    log = tmp_path / "log"
    line = b"y" * 1_023 + b"\n"
    log.write_bytes(line * 2_500 + b"No space left on device\n" + line * 10)

    scanned = signs.in_log(log)

    assert [sign.line for sign in scanned.signs] == [2_501]
    assert scanned.lines == 2_511
    assert scanned.between(2_501, 2_501)
    assert not scanned.between(1, 2_500)


def test_terminal_escapes_of_a_line_are_not_shown(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"\x1b[31mNo space left on device\x1b[0m\r\n")

    (sign,) = signs.in_log(log).signs

    assert sign.text == "No space left on device"


def test_a_million_forged_lines_are_bounded(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("No space left on device\n" * 5_000)

    assert len(signs.in_log(log).signs) == 1_000


def test_a_log_that_the_command_took_away_says_nothing(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    assert signs.in_log(tmp_path / "gone.log") == signs.Scanned()
    assert signs.in_log(tmp_path / "pipe") == signs.Scanned()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("RuntimeError: HIP error: unspecified launch failure (719)", True),
        ("HW Exception by GPU node-2", True),
        ("hipErrorNotReady", True),
        ("OSError: [Errno 28] No space left on device", False),
        ("assert 1 == 2", False),
        ("the tip of a hippo", False),
        (None, False),
    ],
)
def test_a_failure_reads_like_one_of_the_gpu_or_not(text: str | None, expected: bool) -> None:
    assert signs.is_symptom(text) is expected
