"""Lines in a log that put the blame on the machine, whatever the tests say."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.runners.excerpt import clean, shortened
from rocm_ci.tools import file

if TYPE_CHECKING:
    from pathlib import Path

_MAX_READ = 64_000_000
_MAX_LINE = 4_096

# Sources: the issue threads of ROCm/TheRock, ROCm/ROCm-docker, pytorch and sglang that describe
# each message as a fault of host, driver or container.
_SIGNS: tuple[tuple[str, str], ...] = (
    (r"HW Exception by GPU node-\d+", "the GPU hung"),
    (
        r"no ROCm-capable device is detected|hipErrorNoDevice\b|No HIP GPUs are available",
        "no GPU can be used",
    ),
    (
        r"/dev/(?:kfd|dri/\S+)\b.{0,80}(?:Permission denied|Operation not permitted)",
        "a GPU device may not be opened",
    ),
    (r"(?:Permission denied|not permitted).{0,80}/dev/(?:kfd|dri/)", "a GPU device may not be opened"),
    (r"Unable to open /dev/kfd\b(?!.{0,80}ermi)", "the GPU driver's device cannot be opened"),
    (r"No space left on device|\bENOSPC\b", "the disk is full"),
    (r"Out of memory: Killed process|oom-kill|oom_reaper", "the host ran out of memory"),
    (r"uncorrectable (?:hardware|ECC) error|ERREVENT_ATHUB_INTERRUPT", "the GPU reported a hardware error"),
    (r"MES failed to respond|GPU reset begin!|device lost from bus", "the GPU driver lost the device"),
    (
        r"loading shared libraries: lib(?:amdhip64|hsa-runtime64|hiprtc|roc\w+|hip\w+|rccl|MIOpen)\.so",
        "a ROCm library is missing",
    ),
)
_SIGN = re.compile("|".join(f"(?P<s{n}>{pattern})" for n, (pattern, _) in enumerate(_SIGNS)))
_NO_PROGRAM = re.compile(
    r"\S*sh: (?:line )?\d+: (?P<program>[^:]{1,200}): "
    r"(?P<why>command not found|not found|No such file or directory|Permission denied|cannot execute.*)"
)
_ROCM_TOOLS = re.compile(
    r"(?:.*/)?(?:hipcc|hipconfig|rocminfo|rocm-smi|amd-smi|rocm_agent_enumerator|rocgdb|rocprof\w*|amdclang\S*|hipify-\w+)"
)


@dataclass(frozen=True, kw_only=True)
class Sign:
    """What a line means, where it stands (1-based), and its text."""

    meaning: str
    line: int
    text: str


def sign(log: Path) -> Sign | None:
    """The first line of a log that blames the machine. Reads at most 64 MB.

    None when there is no log any more: a command may have cleaned the checkout with our folder in it.
    """
    read = 0
    source = file.read(log)
    if source is None:
        return None
    with source:
        number = 0
        while read < _MAX_READ:
            raw = source.readline(_MAX_LINE)
            if not raw:
                return None
            read += len(raw)
            number += raw.endswith(b"\n")
            text = raw.decode("utf-8", "replace")
            match = _SIGN.search(text)
            if match and match.lastgroup:
                at = number if raw.endswith(b"\n") else number + 1
                meaning = _SIGNS[int(match.lastgroup[1:])][1]
                return Sign(meaning=meaning, line=at, text=shortened(clean(text).strip(), 200))
    return None


@dataclass(frozen=True, kw_only=True)
class MissingProgram:
    """A program the shell could not start. `is_rocm` puts the fault on the machine."""

    program: str
    why: str
    is_rocm: bool


def missing_program(tail: str) -> MissingProgram | None:
    """What bash says of it, for the exit codes 126 and 127."""
    for line in reversed(tail.splitlines()):
        match = _NO_PROGRAM.search(clean(line))
        if match:
            program = match.group("program").strip()
            return MissingProgram(
                program=program,
                why=match.group("why"),
                is_rocm=_ROCM_TOOLS.fullmatch(program) is not None,
            )
    return None
