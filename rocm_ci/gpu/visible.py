"""Which GPUs a suite or benchmark may see, said in every variable that the ROCm stack reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.gpu.visibility import HIP as HIP_VARIABLES
from rocm_ci.gpu.visibility import RUNTIME, usable_gpus
from rocm_ci.model.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rocm_ci.model.facts import Facts

HIP = HIP_VARIABLES[0]
ROCR = RUNTIME
# Not the empty text: ROCr takes that for none, but HIP takes it for not set and looks at
# CUDA_VISIBLE_DEVICES next (ROCR-Runtime `amd_filter_device.cpp`, clr `rocdevice.cpp`).
NONE = "-1"


def usable(facts: Facts, environment: Mapping[str, str]) -> int:
    """How many GPUs there are for us: those of the machine, less what the environment hides."""
    return usable_gpus(facts, environment)


def lacking(wanted: int, seen: int, *, required: bool) -> tuple[Verdict, str] | None:
    """Why something that wants GPUs cannot run here, and how bad that is; None when it can."""
    if wanted <= seen:
        return None
    reason = f"needs {wanted} GPU(s), {seen} seen"
    if required:
        return Verdict.ERROR, f"machine unusable: {reason}"
    return Verdict.SKIPPED, f"{reason} (`require-gpu: false`)"


def variables(ordinals: Sequence[int], environment: Mapping[str, str]) -> dict[str, str]:
    """What shows exactly the GPUs with these ordinals, as ROCr counts all of them; none hides all.

    ROCR_VISIBLE_DEVICES chooses below HIP, which then counts the chosen ones from 0. The other variables
    would narrow that further, so where they are set, they say the same.
    """
    chosen = ",".join(map(str, ordinals)) or NONE
    inner = ",".join(map(str, range(len(ordinals)))) or NONE
    others = {name: inner for name in HIP_VARIABLES[1:] if name in environment}
    return {ROCR: chosen, HIP: inner, **others}
