"""Programs that the shell could not start."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rocm_ci.runners.excerpt import clean

_NO_PROGRAM = re.compile(
    r"sh: (?:line )?\d{1,9}: (?P<program>[^:]{1,200}): "
    r"(?P<why>command not found|not found|No such file or directory|Permission denied|cannot execute.*)"
)
_ROCM_TOOLS = re.compile(
    r"(?:.*/)?(?:hipcc|hipconfig|rocminfo|rocm-smi|amd-smi|rocm_agent_enumerator|rocgdb|rocprof\w*|amdclang\S*|hipify-\w+)"
)


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
