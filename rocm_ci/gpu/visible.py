"""Which GPUs a suite or benchmark may see, said in both variables that the ROCm stack reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.gpu.visibility import usable_gpus
from rocm_ci.model.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocm_ci.model.facts import Facts

HIP = "HIP_VISIBLE_DEVICES"
ROCR = "ROCR_VISIBLE_DEVICES"


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


def variables(facts: Facts, environment: Mapping[str, str], wanted: int) -> dict[str, str]:
    """The first `wanted` GPUs, integrated ones last; empty when none is asked for.

    ROCR_VISIBLE_DEVICES chooses below HIP, which then counts the chosen ones from 0. Where the
    environment chooses already (a runner that owns part of a host), the choice is made from that.
    """
    if wanted <= 0:
        return {}
    if ROCR not in environment and HIP in environment:
        return {HIP: ",".join(_listed(environment[HIP])[:wanted])}
    if ROCR in environment:
        chosen = _listed(environment[ROCR])[:wanted]
    else:
        # The runtime counts only what our control group lets it see.
        seen = enumerate(gpu for gpu in facts.gpus if gpu.visible is not False)
        ordered = sorted(seen, key=lambda item: (item[1].integrated is True, item[0]))
        chosen = [str(position) for position, _ in ordered[:wanted]]
    inner = [str(number) for number in range(len(chosen))]
    if ROCR in environment and HIP in environment:
        inner = _listed(environment[HIP])[:wanted]
        chosen = _listed(environment[ROCR])
    return {ROCR: ",".join(chosen), HIP: ",".join(inner)}


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]
