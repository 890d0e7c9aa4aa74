"""How the small program ended on one GPU: what its output, its exit code and the time it took say."""

from __future__ import annotations

import enum
import re
import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.gpu.documents import documents
from rocm_ci.gpu.quantity import whole, word
from rocm_ci.gpu.reader import clean, complaint
from rocm_ci.model.incident import IncidentKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocm_ci.tools.process import Captured

# Before these the program only loads libraries, which a cold disk makes slow without any fault of the GPU.
_BEFORE_THE_GPU = ("importing torch", "counting devices", "asking for properties")
_STEP = re.compile(r"(?m)^rocm-ci smoke: ([\w '-]{1,60})$")
# A shell in between tells a signal as 128 and its number.
_SHELL = 128


class Ending(enum.Enum):
    """How it ended on one GPU."""

    RIGHT = "right"
    WRONG = "wrong"
    HUNG = "hung"
    CRASHED = "crashed"
    NO_DEVICE = "no device"
    REFUSED = "refused"
    BUSY = "busy"


@dataclass(frozen=True, kw_only=True)
class Result:
    """One GPU: what it said in a few words, and what to do where that was not right.

    `blame` is set where nothing but the GPU itself can have done it.
    """

    label: str
    ending: Ending
    detail: str = ""
    fix: str = ""
    blame: IncidentKind | None = None


def judged(label: str, done: Captured, run_s: float) -> Result:
    """What the program's output and exit code say of the GPU."""
    if done.timed_out:
        return _hung(label, done, run_s)
    said = next(iter(documents(done.text[-20_000:], _is_ours)), None)
    if said is None:
        return _crashed(label, done)
    if "error" in said:
        return _refused(label, said)
    wrong = _wrong_values(said)
    if wrong:
        fix = "take the GPU out of use and test its memory (`rvs`): right values are the least it must give"
        return Result(label=label, ending=Ending.WRONG, detail=wrong, fix=fix, blame=IncidentKind.ECC)
    odd, fix = _odd(said)
    if odd or done.exit_code != 0:
        detail = odd or f"ended with code {done.exit_code} after right values"
        return Result(label=label, ending=Ending.WRONG, detail=detail, fix=fix)
    return Result(label=label, ending=Ending.RIGHT, detail=_told(said))


def _is_ours(value: object) -> bool:
    return isinstance(value, dict) and "rocm_ci_smoke" in value


def _told(said: Mapping[str, object]) -> str:
    memory = whole(said.get("memory_bytes"))
    parts = [
        word(said.get("target")) or word(said.get("name")),
        f"wave {said.get('wave')}" if whole(said.get("wave")) else None,
        f"{memory / (1 << 30):.0f} GiB" if memory else None,
        f"{whole(said.get('values')) or 0:,} values",
    ]
    return ", ".join(part for part in parts if part)


def _hung(label: str, done: Captured, run_s: float) -> Result:
    steps = _STEP.findall(clean(done.error_text[-20_000:]))
    fix = "look at `dmesg` on the host; reset the GPU, or restart the host"
    if steps and steps[-1] not in _BEFORE_THE_GPU:
        detail = f"did not end within {run_s:g} s, stuck when {steps[-1]}"
        return Result(label=label, ending=Ending.HUNG, detail=detail, fix=fix, blame=IncidentKind.GPU_HANG)
    where = f"when {steps[-1]}" if steps else "before its first step"
    detail = f"did not end within {run_s:g} s, {where}: a slow disk, or a driver that does not answer"
    return Result(label=label, ending=Ending.HUNG, detail=detail, fix=f"run it again; then {fix}")


def _crashed(label: str, done: Captured) -> Result:
    """Without a word of the program: a signal, an abort by the runtime, a library that is not there."""
    told = complaint(clean(done.error_text or done.text))
    told = "" if told.startswith("rocm-ci smoke: ") else told
    detail = f"ended {_code(done.exit_code)}" + (f": {told}" if told else "")
    fix = "look at `dmesg` on the host; runtime, libraries and driver must be of one ROCm (`rocm-ci facts`)"
    if "shared libraries" in told or "cannot open shared object" in told:
        fix = "put the folder of ROCm's libraries into LD_LIBRARY_PATH or /etc/ld.so.conf.d, then `ldconfig`"
    return Result(label=label, ending=Ending.CRASHED, detail=detail[:300], fix=fix)


def _code(code: int) -> str:
    number = -code if code < 0 else code - _SHELL
    try:
        return f"by {signal.Signals(number).name}"
    except ValueError:
        return f"with code {code} and no result"


def _wrong_values(said: Mapping[str, object]) -> str:
    """Which values were wrong; empty when all were right, or nothing was checked."""
    sums, copies, values = (whole(said.get(name)) for name in ("wrong_sums", "wrong_copies", "values"))
    if not values or not (sums or copies):
        return ""
    return f"{sums or 0:,} of {values:,} sums and {copies or 0:,} copied values are wrong"


def _odd(said: Mapping[str, object]) -> tuple[str, str]:
    """What was not as it must be besides the values, and what to do; the first is empty when all was."""
    fix = "runtime and compiler must be of one ROCm release: `rocm-ci facts` shows what is installed"
    if not whole(said.get("values")) or None in (
        whole(said.get("wrong_sums")),
        whole(said.get("wrong_copies")),
    ):
        return "did not say what it checked", fix
    devices = whole(said.get("devices"))
    if devices != 1:
        seen = f"one GPU was leased, and the runtime shows {devices}"
        return seen, "see the check `visible-devices`: another variable, or a wrapper, sets what is visible"
    target, wave, told = word(said.get("target")) or "", whole(said.get("wave")), whole(said.get("wave_told"))
    right = _wave_of(target)
    if wave and ((told and wave != told) or (right and wave != right)):
        return f"a wave of {wave} lanes on {target or 'this GPU'}, which has {right or told}", fix
    return "", fix


def _wave_of(target: str) -> int | None:
    """gfx9 computes in waves of 64 lanes, what came later in HIP in waves of 32."""
    found = re.match(r"gfx(\d+?)[0-9a-f]{2}(?![0-9a-f])", target)
    if found is None:
        return None
    return 64 if int(found.group(1)) <= 9 else 32


def _refused(label: str, said: Mapping[str, object]) -> Result:
    error, step = word(said.get("error")) or "an error without a name", word(said.get("step"))
    detail = (f"{error} when {step}" if step else error)[:300]
    lowered = detail.lower().replace(" ", "")
    if "nodevice" in lowered:
        fix = "see the checks `device-access` and `visible-devices`: the kernel shows a GPU, the runtime none"
        return Result(label=label, ending=Ending.NO_DEVICE, detail=detail, fix=fix)
    fix = "see the checks `device-access`, `driver` and `visible-devices`"
    if "nobinary" in lowered or "invaliddevicefunction" in lowered:
        fix = "the runtime and the compiler do not know the same targets: install both of one ROCm release"
    elif "memory" in lowered:
        fix = "see the check `vram`: the GPU's memory is taken"
    return Result(label=label, ending=Ending.REFUSED, detail=detail, fix=fix)
