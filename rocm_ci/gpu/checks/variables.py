"""Environment variables that hide devices or tell the runtime a wrong target."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.gpu import names
from rocm_ci.gpu.checks.outcome import advice, fine, unknown, wrong
from rocm_ci.gpu.visibility import RUNTIME, chosen, selected, usable_gpus

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocm_ci.gpu.checks.machine import Machine
    from rocm_ci.gpu.checks.needs import Needs
    from rocm_ci.model.result import Check

OVERRIDE = "HSA_OVERRIDE_GFX_VERSION"


def visible_devices(machine: Machine, needs: Needs) -> Check:
    """Do the variables that hide devices contradict each other, or hide everything?"""
    if "environment" in machine.unseen:
        return _unseen("visible-devices", machine, "visible-device variables that agree, and leave a GPU")
    found = chosen(machine.environment)
    seen = ", ".join(f"{name}={value or '(empty)'}" for name, value in found.items()) or "none set"
    needed = "visible-device variables that agree, and leave a GPU"
    total = len(machine.facts.gpus)
    if total and found and not usable_gpus(machine.facts, machine.environment):
        fix = f"`unset {' '.join(found)}`: together they hide every GPU"
        return wrong("visible-devices", seen, needed, fix, fatal=needs.must_have_gpu)
    hip = {name: machine.environment[name] for name in found if name != RUNTIME}
    if len({value.replace(" ", "") for value in hip.values()}) > 1:
        kept = "HIP_VISIBLE_DEVICES" if "HIP_VISIBLE_DEVICES" in hip else next(iter(hip))
        drop = " ".join(name for name in hip if name != kept)
        return advice(
            "visible-devices", seen, needed, f"`unset {drop}`: programs read different ones of them"
        )
    inner = next(iter(hip.values()), None)
    if RUNTIME in found and inner is not None and not _fits(machine.environment[RUNTIME], inner):
        fix = f"`unset {' '.join(hip)}`: it counts within what {RUNTIME} leaves, starting at 0 again"
        return advice("visible-devices", seen, needed, fix)
    return fine("visible-devices", seen, needed)


def _unseen(name: str, machine: Machine, needed: str) -> Check:
    ask = "record `env | grep -E 'VISIBLE_DEVICES|HSA_|GPU_DEVICE_ORDINAL'` of the job"
    return unknown(name, machine.unseen["environment"], needed, ask)


def _fits(outer: str, inner: str) -> bool:
    """Whether every device of `inner` is one of the ordinals that `outer` leaves."""
    left = len([part for part in outer.split(",") if part.strip()])
    return selected(inner, left) == len([part for part in inner.split(",") if part.strip()])


def gfx_override(machine: Machine, needs: Needs) -> Check:
    """Is the runtime told another target than the card's? Across families that never works."""
    needed = f"{OVERRIDE} not set"
    if "environment" in machine.unseen:
        return _unseen("gfx-override", machine, needed)
    told = overrides(machine.environment)
    if not told:
        return fine("gfx-override", "not set", needed)
    targets = [gpu.gfx for gpu in machine.facts.gpus if gpu.gfx]
    name, value = next(iter(told.items()))
    seen = f"{name}={value}" + (f" on {', '.join(sorted(set(targets)))}" if targets else "")
    pretended = as_target(value)
    fix = f"`unset {' '.join(told)}`"
    if pretended is None:
        fatal = needs.must_have_gpu
        return wrong("gfx-override", f"{seen}: no version like 11.0.0", needed, fix, fatal=fatal)
    far = [t for t in targets if t != pretended and (names.is_instinct(t) or family(t) != family(pretended))]
    if far:
        fix += f": code for {pretended} fails on {far[0]} as «invalid device function», or computes nonsense"
        return wrong("gfx-override", seen, needed, fix, fatal=needs.must_have_gpu)
    return advice("gfx-override", seen, needed, f"{fix}: build for the card's own target instead")


def overrides(environment: Mapping[str, str]) -> dict[str, str]:
    """The variable and its forms for one device (`…_0`), where they say something."""
    return {
        name: value[:40]
        for name, value in sorted(environment.items())
        if re.fullmatch(rf"{OVERRIDE}(?:_\d{{1,4}})?", name) and value
    }


def as_target(value: str) -> str | None:
    """`9.4.2` → gfx942, `9.0.10` → gfx90a, `10.3.0` → gfx1030; None when it is no such version."""
    found = re.fullmatch(r"\s*(\d{1,2})\.(\d{1,2})\.(\d{1,2})\s*", value)
    if found is None:
        return None
    major, minor, step = (int(part) for part in found.groups())
    return f"gfx{major}{minor:x}{step:x}"


def family(target: str) -> str:
    """What shares its instruction set: gfx1030 and gfx1036 are one family, gfx1100 is another."""
    return target[:-1]
