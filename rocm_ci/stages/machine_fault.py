"""When what a log says of the machine makes a FAIL an ERROR. Pure.

Whatever a command prints can be forged by the change: nothing here makes anything green. An ERROR is as red
as a FAIL, it only sends the reader elsewhere, and says «perhaps».
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec.structs import replace

from rocm_ci.model.diagnostic import Blame
from rocm_ci.model.finding import Severity
from rocm_ci.model.verdict import Verdict
from rocm_ci.runners import signs
from rocm_ci.runners.endings import BAD

if TYPE_CHECKING:
    from rocm_ci.model.diagnostic import Diagnosis
    from rocm_ci.model.result import BuildStep, Suite

SURE = 0.8
_COMPILERS = ("clang", "gcc", "nvcc")
_OF_GPU = re.compile(r"/dev/(?:kfd|dri)|\bGPU|\bgpu\b|amdgpu|\bROCm?|\bHIP\b|\bhip[A-Z]|\bHSA")


def culprit(diagnoses: tuple[Diagnosis, ...]) -> Diagnosis | None:
    """The root cause, where it is the machine's without much doubt."""
    first = diagnoses[0] if diagnoses else None
    if first is None or first.follows or first.confidence < SURE:
        return None
    is_machine = first.blame is Blame.MACHINE and first.severity is Severity.ERROR
    return first if is_machine else None


def of_step(step: BuildStep) -> BuildStep:
    """A build command. One error that stands on a line of the checkout is the change's, and FAIL stands."""
    found = culprit(step.diagnoses)
    if step.verdict is not Verdict.FAIL or found is None or not step.exit_code:
        return step
    for one in step.diagnostics:
        is_located = one.path is not None and one.line is not None and one.tool in _COMPILERS
        if one.severity is Severity.ERROR and is_located and one.log_line != found.line:
            return step
    return replace(step, verdict=Verdict.ERROR, reason=_told(found, step.reason))


def of_suite(suite: Suite) -> Suite:
    """A suite that is red, although none of its tests is.

    The rules of `runners.blame` stay the judge: what they know of the sign, or have repeated, is decided. So
    is what speaks of a GPU in a suite that asks for none.
    """
    found = culprit(suite.diagnoses)
    if suite.verdict is not Verdict.FAIL or found is None or suite.timed_out or len(suite.tries) > 1:
        return suite
    if any(case.status in BAD for case in suite.cases) or signs.in_text(found.said):
        return suite
    if not suite.gpus and _OF_GPU.search(f"{found.said} {found.title}"):
        return suite
    return replace(suite, verdict=Verdict.ERROR, reason=_told(found, suite.reason))


def _told(found: Diagnosis, reason: str) -> str:
    said = f"perhaps the machine: {found.title}"
    return f"{said}; {reason}" if reason else said
