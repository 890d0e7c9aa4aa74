"""Checks of what goes with what: ROCm with driver, operating system and GPU.

What no source rules out passes or is left open: unknown is not «incompatible», and a driver that AMD no
longer supports with a release may still work. So none of these says more than «advice».
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.gpu import compat, release
from rocm_ci.gpu.checks.outcome import NO_GPU, unknown
from rocm_ci.gpu.compat import Word
from rocm_ci.gpu.system import system as named
from rocm_ci.model.result import Check
from rocm_ci.model.verdict import Verdict

if TYPE_CHECKING:
    from rocm_ci.gpu.checks.machine import Machine, Needs
    from rocm_ci.gpu.compat import Reply
    from rocm_ci.gpu.release import Release
    from rocm_ci.model.facts import Facts

LOOK_UP = "look it up: https://rocm.docs.amd.com/en/latest/compatibility/compatibility-matrix.html"
_STATUS = {Word.YES: Verdict.PASS, Word.NO: Verdict.NEUTRAL, Word.UNKNOWN: Verdict.SKIPPED}


def driver(machine: Machine, _needs: Needs) -> Check:
    """Is the driver of the host one that this ROCm works with?"""
    facts = machine.facts
    needed = "a driver that AMD supports with this ROCm"
    stack = _stack(facts)
    if not facts.gpus or stack is None:
        return _open("rocm-driver", facts, needed)
    if not facts.driver.loaded:
        return unknown(
            "rocm-driver", "it is not known that amdgpu is loaded", needed, "see the check `driver`"
        )
    reply = compat.driver(stack, facts.driver.version, in_tree=_in_tree(facts))
    fix = "install a newer driver on the host, or use an image with an older ROCm; restart the host after"
    return _check("rocm-driver", reply, needed, fix)


def system(machine: Machine, _needs: Needs) -> Check:
    """Is the operating system one that this ROCm is supported on, and the kernel new enough for it?"""
    facts = machine.facts
    needed = "an operating system and a kernel that AMD names for this ROCm"
    stack, known = _stack(facts), named(facts.host.os)
    if not facts.gpus or stack is None:
        return _open("rocm-system", facts, needed)
    if known is None:
        seen = f"{facts.host.os}, which no source names" if facts.host.os else "the system is not known"
        return unknown("rocm-system", seen, needed, LOOK_UP)
    reply = compat.system(stack, *known)
    fix = f"use an image of a system that ROCm {stack} supports; the kernel is the host's in any case"
    if reply.word is Word.YES and facts.host.kernel:
        kernel = compat.kernel(*known, facts.host.kernel)
        reply = compat.Reply(word=reply.word, reason=f"{reply.reason}; {kernel.reason}", source=reply.source)
    return _check("rocm-system", reply, needed, fix)


def targets(machine: Machine, _needs: Needs) -> Check:
    """Does this ROCm, and PyTorch's wheel where there is one, support the GPUs?"""
    facts = machine.facts
    needed = "a ROCm, and a PyTorch if there is one, that hold code for the GPUs"
    stack = _stack(facts)
    found = sorted({gpu.gfx for gpu in facts.gpus if gpu.gfx and gpu.visible is not False})
    if not facts.gpus or stack is None:
        return _open("rocm-gfx", facts, needed)
    if not found:
        ask = "`rocminfo | grep gfx` shows the target; `rocm-ci facts` says why it is not known"
        return unknown("rocm-gfx", "no GPU with a known target", needed, ask)
    replies = [compat.target(stack, gfx) for gfx in found]
    if release.of_wheel(facts.rocm.torch):
        replies += [compat.wheel_target(str(facts.rocm.torch), gfx) for gfx in found]
    worst = min(replies, key=lambda r: (Word.NO, Word.UNKNOWN, Word.YES).index(r.word))
    told = worst if worst.word is not Word.YES else _joined(replies)
    fix = "use an image with a ROCm that names this target, or build the libraries for it yourself"
    return _check("rocm-gfx", told, needed, fix)


def _joined(replies: list[Reply]) -> Reply:
    return compat.Reply(
        word=Word.YES, reason="; ".join(r.reason for r in replies[:6]), source=replies[0].source
    )


def _check(name: str, reply: Reply, needed: str, fix: str) -> Check:
    refused = reply.word is Word.NO
    source = f" ({reply.source})" if refused and reply.source else ""
    return Check(
        id=name,
        status=_STATUS[reply.word],
        seen=reply.reason + source,
        needed=needed,
        fix=fix if refused else LOOK_UP if reply.word is Word.UNKNOWN else None,
    )


def _open(name: str, facts: Facts, needed: str) -> Check:
    """Nothing to compare: no GPU, or no release."""
    if not facts.gpus:
        return unknown(name, NO_GPU, needed)
    ask = "`cat /opt/rocm/.info/version`; ROCM_PATH says where an unusual prefix is"
    return unknown(name, "the release of ROCm is not known", needed, ask)


def _stack(facts: Facts) -> Release | None:
    """The release in use: as installed, else what the HIP number says, else what the wheel brings."""
    return (
        release.release(facts.rocm.version)
        or release.of_hip(facts.rocm.hip)
        or release.of_wheel(facts.rocm.torch)
    )


def _in_tree(facts: Facts) -> bool:
    """A driver of the kernel's own tree has no version of its own, or only the kernel's."""
    version = facts.driver.version
    if version is None:
        return facts.driver.built_in is not None
    return version == facts.host.kernel
