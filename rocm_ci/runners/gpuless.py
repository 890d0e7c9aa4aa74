"""Tests that missed a GPU: skipped for want of one, or failed in a suite that asks for none. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.model.case import CaseStatus
from rocm_ci.model.verdict import Verdict
from rocm_ci.runners.judge import Fault, named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocm_ci.model.case import Case

_KIND = r"(?:(?:hip|rocm|cuda|amd|nvidia|compatible|capable|available|physical)[- ]?)*"
_DEVICE = rf"{_KIND}(?:gpus?|devices?|accelerators?)"
# «needs 2 GPUs» and «needs a gfx950 GPU» speak of another machine, not of a missing one.
_WANT = re.compile(
    rf"\bno {_DEVICE}\b"
    r"|\b(?:requires?|needs?|wants?)(?: an?| any)? (?:(?:hip|rocm|cuda|amd) )?(?:gpu|device)\b(?! with| of)"
    r"|\b(?:gpu|hip|rocm|cuda)(?: device| runtime| gpu| support)?s? (?:is |are |was )?"
    r"(?:not|un)[- ]?(?:available|found|detected|present)"
    rf"|\bnot (?:torch\.)?cuda\.is_available\(\)|\b(?:without|missing|lacks?) (?:a |any )?{_DEVICE}\b",
    re.IGNORECASE,
)


def is_want(message: str | None) -> bool:
    """Whether a skip's reason says that there is no GPU."""
    return bool(message and _WANT.search(message[:2_000]))


def remarks(cases: Sequence[Case], labels: Sequence[str]) -> tuple[list[Fault], list[str]]:
    """A fault when a suite with GPUs checked nothing on them, and what to tell of skipped tests."""
    skipped = [case for case in cases if case.status is CaseStatus.SKIPPED]
    wanting = [case.id for case in skipped if is_want(case.message)]
    if not wanting:
        return [], []
    count = f"{len(wanting)} test(s) were skipped for want of a GPU"
    if not labels:
        return [], [f"{count}, and the suite asks for none (`gpus: 1` gives it one): {named(wanting)}"]
    had = " and ".join(labels)
    if len(wanting) == len(cases):
        text = (
            f"machine: all {len(cases)} test(s) were skipped for want of a GPU although {had} was allocated"
        )
        return [Fault(Verdict.ERROR, text)], []
    return [], [f"{count} although the suite had {had}: {named(wanting)}"]


def wanted(names: Sequence[str]) -> str:
    """What to tell of tests that failed for want of a GPU that their suite never asked for."""
    tests = [name for name in names if name]
    which = f" ({named(tests)})" if tests else ""
    return f"failed for want of a GPU{which}: the suite asks for none (`gpus: 1` gives it one)"
