"""What the kernel said of GPUs since the machine was started."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.gpu import kernel_log, kernel_signs
from rocm_ci.gpu.checks.outcome import ELSEWHERE, advice, fine, some, unknown
from rocm_ci.gpu.collectors.kernel_messages import DMESG
from rocm_ci.gpu.reader import clean

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rocm_ci.gpu.checks.machine import Machine
    from rocm_ci.gpu.checks.needs import Needs
    from rocm_ci.gpu.reader import Reader
    from rocm_ci.model.result import Check
    from rocm_ci.tools.process import Runner

_TIMEOUT_S = 5.0
_LINES = 50_000
# The kernel's log is a ring: of a host that talks much the start is soon gone.
_BOOT_S = 60.0
_SKIPPED = "rejects atomics"
_JOURNAL = re.compile(r"^[A-Z][a-z]{2} [ \d]\d [\d:]{8} \S{1,80} kernel: ")


@dataclass(frozen=True, kw_only=True)
class History:
    """Faults of the machine by what they mean and the last of them, or why the log was not read.

    `refused` are devices that the driver skipped for want of PCIe atomics, `begins_s` is the uptime at which
    the log begins.
    """

    faults: Mapping[str, int] | None = None
    last: str = ""
    refused: tuple[str, ...] = ()
    problem: str = ""
    begins_s: float = 0.0
    is_live: bool = True


def look(run: Runner | None, reader: Reader, host: Path, *, live: bool) -> History:
    """Read the whole log once: `dmesg`, or what was recorded of a machine that is not this one."""
    if live:
        lines, problem = _live(run, reader.environment)
    else:
        lines, problem = _recorded(host)
        # Only a recording may be asked: with a runner the answer would be this host's.
        if problem and run is None:
            lines, problem = _shown(reader)
    if problem:
        return History(problem=problem, is_live=live)
    faults: Counter[str] = Counter()
    refused, last = [], ""
    for line in lines[:_LINES]:
        if _SKIPPED in line.text:
            refused.append(line.text)
        meaning = kernel_signs.meaning(line.text)
        if meaning is not None and meaning.sign.blame == "machine" and meaning.sign.origin != "host":
            faults[meaning.sign.text] += 1
            last = line.shown if line.at_s else line.text
    return History(
        faults=dict(faults),
        last=last[:300],
        refused=tuple(refused[-4:]),
        begins_s=lines[0].at_s if lines else 0.0,
    )


def _live(run: Runner | None, environment: Mapping[str, str]) -> tuple[list[kernel_log.Line], str]:
    if run is None:
        return [], "nobody may be asked"
    child = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", **environment, "LC_ALL": "C.UTF-8"}
    done = run.capture(kernel_log.DMESG, env=child, timeout_s=_TIMEOUT_S)
    if done.timed_out:
        return [], f"dmesg did not answer within {_TIMEOUT_S:g} s"
    if done.exit_code != 0:
        said = clean(done.error_text or done.text).strip().splitlines()
        return [], said[-1][:200] if said else f"dmesg ended with code {done.exit_code}"
    return kernel_log.printed(done.text[: kernel_log.MAX_FILE]), ""


def _recorded(host: Path) -> tuple[list[kernel_log.Line], str]:
    for name in kernel_log.RECORDED:
        path = host / name
        try:
            if not path.is_file():
                continue
            with path.open("rb") as file:
                text = file.read(kernel_log.MAX_FILE).decode("utf-8", "replace")
        except OSError:
            continue
        return _lines(text.split("\n")), ""
    return [], "the recorded machine has no kernel log"


def _shown(reader: Reader) -> tuple[list[kernel_log.Line], str]:
    """What `dmesg` or the journal printed, under any name. A journal tells the day, not the uptime."""
    answer = reader.ask(DMESG)
    texts = [
        _JOURNAL.sub("[0.0] ", line) for output in answer.outputs for line in output.text.split("\n")[:_LINES]
    ]
    return _lines(texts), "" if answer.outputs else "the recorded machine has no kernel log"


def _lines(texts: list[str]) -> list[kernel_log.Line]:
    return [line for text in texts[:_LINES] if (line := kernel_log.parsed(text)) is not None]


def kernel_messages(machine: Machine, _needs: Needs) -> Check:
    """Did the driver complain of a GPU since the machine was started?"""
    needed = "no reset, loss or hardware error of a GPU in the kernel's log"
    found = machine.history
    if found.faults is None:
        fix = "run it as root, or `sysctl kernel.dmesg_restrict=0` on the host"
        if not found.is_live:
            fix = "record `dmesg` of the host as root, and put it beside the rest as dmesg.txt"
        return unknown("kernel-log", found.problem or "the kernel's log cannot be read", needed, fix)
    if found.faults:
        seen = some([f"{text} ({count}×)" if count > 1 else text for text, count in found.faults.items()], 3)
        fix = "see `dmesg | grep -iE 'amdgpu|kfd'`; have a card that does it again replaced"
        return advice("kernel-log", f"{seen}; the last: {found.last}", needed, fix)
    if not machine.facts.gpus and not machine.bus.cards:
        return unknown("kernel-log", "nothing of a GPU in it, as there is none", needed, ELSEWHERE)
    seen = "nothing of the kind since the machine was started"
    if found.begins_s > _BOOT_S:
        seen = f"nothing of the kind; what the log still holds begins {found.begins_s:.0f} s after the start"
    return fine("kernel-log", seen, needed)
