from __future__ import annotations

import errno

import pytest

from rocm_ci.errors import of_machine


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(errno.ENOSPC, "No space left on device", "out/report.json"), "no space is left on a disk (out/report.json)"),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), "the quota of a disk is used up"),
        (BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable"), "no further process or thread can be started"),
        (RuntimeError("can't start new thread"), "no further process or thread can be started"),
        (MemoryError(), "memory ran out"),
    ],
)  # fmt: skip
def test_what_the_machine_lacks_is_no_defect_of_ours(error: Exception, said: str) -> None:
    known = of_machine(error)

    assert known is not None
    assert (str(known), known.exit_code) == (said, 3)
    assert known.hint


@pytest.mark.parametrize(
    "error", [FileNotFoundError(errno.ENOENT, "x"), RuntimeError("dictionary changed size"), KeyError("a")]
)
def test_a_defect_stays_one(error: Exception) -> None:
    assert of_machine(error) is None
