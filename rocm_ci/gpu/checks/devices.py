"""Checks of the GPUs: how many, reachable, not hidden, of a configured target, seen alike by all sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.gpu import names
from rocm_ci.gpu.visibility import RUNTIME, chosen, usable_gpus
from rocm_ci.model.result import Check
from rocm_ci.model.verdict import Verdict

if TYPE_CHECKING:
    from rocm_ci.gpu.checks.machine import Machine, Needs, Node

_OVERRIDE = "HSA_OVERRIDE_GFX_VERSION"


def gpus(machine: Machine, needs: Needs) -> Check:
    """Are there as many usable GPUs as the greediest suite or benchmark asks for?"""
    facts = machine.facts
    usable, total = usable_gpus(facts, machine.environment), len(facts.gpus)
    reason = next((u.reason for u in facts.unknown if u.name == "gpus"), "")
    seen = f"{usable} GPU(s)" if usable == total else f"{usable} of {total} GPU(s) usable"
    if not total and reason:
        seen = f"no GPU: {reason}"
    if not needs.gpus:
        needed = "none: no suite or benchmark asks for a GPU"
        return Check(id="gpus", status=Verdict.PASS, seen=seen, needed=needed)
    asking = ", ".join(f"{who} wants {count}" for who, count in needs.wanted.items() if count > usable)
    needed = f"{needs.gpus} GPU(s)" + (f": {asking}" if asking else "")
    if usable >= needs.gpus:
        return Check(id="gpus", status=Verdict.PASS, seen=seen, needed=needed)
    if not needs.require_gpu:
        fix = "skipped, because the configuration says `require-gpu: false`; a GPU machine would run them"
        return Check(id="gpus", status=Verdict.NEUTRAL, seen=seen, needed=needed, fix=fix)
    fix = _fix_gpus(machine, usable)
    return Check(id="gpus", status=Verdict.ERROR, seen=seen, needed=needed, fix=fix)


def _fix_gpus(machine: Machine, usable: int) -> str:
    if usable < len(machine.facts.gpus):
        variables = ", ".join(chosen(machine.environment)) or "the container's devices or the user's groups"
        return f"some GPUs are hidden: look at {variables}"
    if machine.facts.driver.loaded is False:
        return "load the driver on the host (`modprobe amdgpu`, see `dmesg`), or choose another runner"
    return "run on a runner that has them, or set `require-gpu: false` to skip these suites visibly"


def device_nodes(machine: Machine, needs: Needs) -> Check:
    """May this process open the device files of the GPUs that the kernel shows?"""
    if not machine.nodes:
        return Check(
            id="device-nodes", status=Verdict.SKIPPED, seen="no GPU in /sys", needed="nothing without a GPU"
        )
    bad = [node for node in machine.nodes if not node.usable]
    needed = "read and write access to /dev/kfd and the render nodes"
    if not bad:
        return Check(
            id="device-nodes", status=Verdict.PASS, seen=f"{len(machine.nodes)} accessible", needed=needed
        )
    seen = ", ".join(_state(node) for node in bad[:8])
    groups = sorted({node.gid for node in machine.nodes if node.gid})
    status = Verdict.ERROR if needs.gpus and needs.require_gpu else Verdict.NEUTRAL
    # Group names differ between host and image; only the numbers of the host's nodes are right everywhere.
    adds = " ".join(f"--group-add {gid}" for gid in groups)
    adds = adds or "--group-add N for each N that `stat -c %g /dev/kfd /dev/dri/*` prints on the host"
    fix = f"start the container with --device=/dev/kfd --device=/dev/dri {adds}"
    return Check(id="device-nodes", status=status, seen=seen, needed=needed, fix=fix)


def _state(node: Node) -> str:
    return f"{node.path} belongs to group {node.gid}" if node.exists else f"{node.path} is not there"


def visible_devices(machine: Machine, _needs: Needs) -> Check:
    """Do the variables that hide devices contradict each other?"""
    found = chosen(machine.environment)
    seen = ", ".join(f"{name}={value or '(empty)'}" for name, value in found.items()) or "none set"
    needed = "at most one of the visible-device variables, and one that leaves a GPU"
    hip = {name: value for name, value in found.items() if name != RUNTIME}
    fix = None
    if machine.facts.gpus and found and not usable_gpus(machine.facts, machine.environment):
        fix = "the variables hide every GPU: unset them, or name devices that exist"
    elif RUNTIME in found and hip:
        fix = f"the others count within what {RUNTIME} leaves, starting at 0 again: set only one of them"
    elif len(set(hip.values())) > 1:
        fix = f"programs read different ones of {', '.join(hip)}: set them alike, or only HIP_VISIBLE_DEVICES"
    status = Verdict.NEUTRAL if fix else Verdict.PASS
    return Check(id="visible-devices", status=status, seen=seen, needed=needed, fix=fix)


def gfx_override(machine: Machine, needs: Needs) -> Check:
    """Is the runtime told a wrong target? On an Instinct card that is never right."""
    value = machine.environment.get(_OVERRIDE, "")[:40]
    needed = f"{_OVERRIDE} not set"
    if not value:
        return Check(id="gfx-override", status=Verdict.PASS, seen="not set", needed=needed)
    cards = [gpu for gpu in machine.facts.gpus if names.is_instinct(gpu.gfx)]
    seen = f"{_OVERRIDE}={value}" + (f" on {cards[0].gfx}" if cards else "")
    fix = f"unset {_OVERRIDE}: code for another target fails as «invalid device function» or worse"
    status = Verdict.ERROR if cards and needs.gpus and needs.require_gpu else Verdict.NEUTRAL
    return Check(id="gfx-override", status=status, seen=seen, needed=needed, fix=fix)


def arch(machine: Machine, needs: Needs) -> Check:
    """Will the build hold code for the GPUs it is tested on?"""
    targets = sorted({gpu.gfx for gpu in machine.facts.gpus if gpu.gfx and gpu.visible is not False})
    if not targets or not needs.archs:
        seen = ", ".join(targets) or "no GPU with a known target"
        return Check(id="arch", status=Verdict.SKIPPED, seen=seen, needed="nothing to compare with")
    configured = {name.split(":")[0] for name in needs.archs}
    missing = [target for target in targets if target not in configured]
    needed = f"one of the configured targets: {', '.join(needs.archs)}"
    if not missing:
        return Check(id="arch", status=Verdict.PASS, seen=", ".join(targets), needed=needed)
    fatal = needs.gpus and needs.require_gpu and len(missing) == len(targets)
    return Check(
        id="arch",
        status=Verdict.ERROR if fatal else Verdict.NEUTRAL,
        seen=", ".join(targets),
        needed=needed,
        fix=f"add {', '.join(missing)} to `arch` in the configuration, or choose another runner",
    )


def sources_agree(machine: Machine, _needs: Needs) -> Check:
    """Do the kernel, the runtime and the tools list the same devices? A card that fell off shows here.

    In a container or with ROCR_VISIBLE_DEVICES a process rightly sees fewer than the host has, and a
    tool that words a value differently breaks nothing: both are told and pass.
    """
    facts = machine.facts
    isolated = RUNTIME in machine.environment or any("cannot be read" in note for note in facts.notes)
    said = [f"{c.name}: " + ", ".join(f"{s} says {v}" for s, v in c.said.items()) for c in facts.conflicts]
    lost = [note for note in facts.notes if " is listed by " in note]
    lost += [text for text in said if text.startswith("gpu count: ")]
    needed = "all sources list the same devices"
    if lost and not isolated:
        return Check(
            id="sources-agree",
            status=Verdict.NEUTRAL,
            seen=_some(lost),
            needed=needed,
            fix="see `dmesg` on the host for amdgpu errors; a card that is only on the bus needs a reset",
        )
    seen = "they do" if not said else f"they differ, which breaks nothing: {_some(said)}"
    return Check(id="sources-agree", status=Verdict.PASS, seen=seen, needed=needed)


def _some(texts: list[str]) -> str:
    return "; ".join(texts[:4]) + (f" … and {len(texts) - 4} more" if len(texts) > 4 else "")
