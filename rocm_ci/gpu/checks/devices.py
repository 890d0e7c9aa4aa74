"""The GPUs as a set: how many, of a configured target, in equal modes, seen alike."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from rocm_ci.gpu.checks.outcome import ELSEWHERE, NO_GPU, advice, fine, some, unknown, wrong
from rocm_ci.gpu.visibility import RUNTIME, chosen

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocm_ci.gpu.checks.machine import Machine
    from rocm_ci.gpu.checks.needs import Needs
    from rocm_ci.model.facts import Gpu
    from rocm_ci.model.result import Check


def gpus(machine: Machine, needs: Needs) -> Check:
    """Are there as many usable GPUs as the greediest suite or benchmark asks for?"""
    facts = machine.facts
    usable, total = machine.usable, len(facts.gpus)
    reason = next((u.reason for u in facts.unknown if u.name == "gpus"), "")
    seen = f"{usable} GPU(s)" if usable == total else f"{usable} of {total} GPU(s) usable"
    if not total and reason:
        seen = f"no GPU ({reason})"
    if not needs.gpus:
        if needs.curious and not usable:
            needed = "an AMD GPU, to run tests and measurements"
            return advice(
                "gpus", seen, needed, _fix_gpus(machine, usable, ask="scanning and building work here")
            )
        return fine(
            "gpus", seen, "none: no suite or benchmark asks for a GPU" if not needs.curious else "any"
        )
    asking = ", ".join(f"{who} wants {count}" for who, count in needs.wanted.items() if count > usable)
    needed = f"{needs.gpus} GPU(s)" + (f": {asking}" if asking else "")
    if usable >= needs.gpus:
        return fine("gpus", seen, needed)
    if not needs.require_gpu:
        fix = "skipped, because the configuration says `require-gpu: false`; a GPU machine would run them"
        return advice("gpus", seen, needed, fix)
    return wrong("gpus", seen, needed, _fix_gpus(machine, usable))


def _fix_gpus(machine: Machine, usable: int, *, ask: str = "") -> str:
    if usable < len(machine.facts.gpus):
        variables = ", ".join(chosen(machine.environment)) or "the container's devices or the user's groups"
        return f"some GPUs are hidden: look at {variables}"
    if machine.bus.cards and machine.facts.driver.loaded is False:
        return "see the check `driver`: the cards are there, amdgpu is not"
    if machine.facts.driver.loaded and any(
        "ermission denied" in u.reason for u in machine.facts.unknown if u.name == "gpus"
    ):
        return "join the group of /dev/kfd (in a container: --group-add NUMBER, from `stat -c %g /dev/kfd`)"
    if machine.facts.driver.loaded is False and not machine.bus.looked:
        return "load the driver on the host (`modprobe amdgpu`, see `dmesg`), or choose another runner"
    if ask:
        return f"{ELSEWHERE}; {ask}"
    return "run on a runner that has them, or set `require-gpu: false` to skip these suites visibly"


def arch(machine: Machine, needs: Needs) -> Check:
    """Will the build hold code for the GPUs it is tested on?"""
    targets = sorted({gpu.gfx for gpu in machine.facts.gpus if gpu.gfx and gpu.visible is not False})
    if not targets and not machine.facts.gpus:
        return unknown("arch", NO_GPU, "a target that was asked for")
    if not needs.archs:
        fix = "name the targets: `--arch gfx942`, or `arch:` in the configuration"
        seen = ", ".join(targets) or "no GPU with a known target"
        return unknown("arch", f"{seen}; it was not said which is wanted", "a target that was asked for", fix)
    needed = f"one of the targets asked for: {', '.join(needs.archs)}"
    if not targets:
        ask = "`rocminfo | grep gfx` shows it; `rocm-ci facts` says why it is not known"
        return unknown("arch", "no GPU with a known target", needed, ask)
    configured = {name.split(":")[0] for name in needs.archs}
    missing = [target for target in targets if target not in configured]
    if not missing:
        return fine("arch", ", ".join(targets), needed)
    fatal = needs.must_have_gpu and len(missing) == len(targets)
    fix = f"add {', '.join(missing)} to `arch` in the configuration, or choose another runner"
    return wrong("arch", ", ".join(targets), needed, fix, fatal=fatal)


def partitions(machine: Machine, _needs: Needs) -> Check:
    """Are all cards divided alike? Else the same index is a whole card here and an eighth there."""
    needed = "one partition mode for all cards of a kind"
    known = [gpu for gpu in machine.facts.gpus if gpu.compute_partition or gpu.memory_partition]
    if not known:
        if not machine.facts.gpus:
            return unknown("partitions", NO_GPU, needed)
        why = "the driver tells no mode (only Instinct MI300 and later have any)"
        return unknown("partitions", why, needed, "nothing to do on other cards; else update the driver")
    modes = {_mode(gpu) for gpu in known}
    if len(modes) == 1:
        torn = _torn(known)
        if torn:
            fix = "set the mode again on the host: `amd-smi set --compute-partition SPX`"
            return advice("partitions", torn, needed, fix)
        return fine("partitions", f"{len(known)} device(s) in {modes.pop()}", needed)
    by_mode: dict[str, list[int]] = defaultdict(list)
    for gpu in known:
        by_mode[_mode(gpu)].append(gpu.index)
    seen = "; ".join(f"{mode}: GPU {_numbers(indexes)}" for mode, indexes in sorted(by_mode.items()))
    fix = "on the host, as root: `amd-smi set --compute-partition SPX` and `--memory-partition NPS1` for all"
    return advice("partitions", seen, needed, fix)


def _mode(gpu: Gpu) -> str:
    return "/".join(part for part in (gpu.compute_partition, gpu.memory_partition) if part)


def _torn(known: list[Gpu]) -> str:
    """Cards of one mode must have equally many devices; one that has fewer lost some."""
    counts: dict[str, int] = defaultdict(int)
    for gpu in known:
        if gpu.bus:
            counts[gpu.bus.rsplit(".", 1)[0]] += 1
    if len(set(counts.values())) < 2:
        return ""
    most = max(counts.values())
    fewer = [
        f"{bus} shows {count} of {most} devices" for bus, count in sorted(counts.items()) if count < most
    ]
    return some(fewer)


def _numbers(indexes: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(indexes)[:16]))


def sources_agree(machine: Machine, _needs: Needs) -> Check:
    """Do the kernel, the runtime and the tools list the same devices? A card that fell off shows here.

    In a container or with ROCR_VISIBLE_DEVICES a process rightly sees fewer than the host has, and a
    tool that words a value differently breaks nothing: both are told and pass.
    """
    facts = machine.facts
    needed = "all sources list the same devices"
    isolated = RUNTIME in machine.environment or any("cannot be read" in note for note in facts.notes)
    said = [f"{c.name}: " + ", ".join(f"{s} says {v}" for s, v in c.said.items()) for c in facts.conflicts]
    lost = [note for note in facts.notes if " is listed by " in note]
    lost += [text for text in said if text.startswith("gpu count: ")]
    if not facts.gpus and not said and not lost:
        return unknown("sources-agree", "no source lists a GPU", needed)
    if lost and not isolated:
        fix = "see `dmesg` on the host for amdgpu errors; a card that is only on the bus needs a reset"
        return advice("sources-agree", some(lost), needed, fix)
    seen = "none contradicts another" if not said else f"they differ, which breaks nothing: {some(said)}"
    return fine("sources-agree", seen, needed)
