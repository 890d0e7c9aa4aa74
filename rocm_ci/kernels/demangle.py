"""C++ kernel names as people write them, through the machine's own c++filt."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rocm_ci.tools.process import Runner

_MANGLED = re.compile(r"_Z[A-Za-z0-9_.$]+", re.ASCII)
_TOOLS = (("c++filt",), ("llvm-cxxfilt",), ("/opt/rocm/llvm/bin/llvm-cxxfilt",))
MAX_READABLE = 400


def demangled(names: Iterable[str], run: Runner, environment: Mapping[str, str]) -> dict[str, str]:
    """Mangled name → readable name; a name that is not mangled, or that no tool knows, maps to itself.

    The result type and a leading `void ` are dropped: every kernel has that.
    """
    known = {name: name for name in names}
    mangled = sorted(name for name in known if _MANGLED.fullmatch(name))
    if not mangled:
        return known
    for tool in _TOOLS:
        done = run.capture(tool, env=environment, stdin="\n".join(mangled).encode() + b"\n", timeout_s=30.0)
        lines = done.text.splitlines()
        if done.exit_code == 0 and len(lines) == len(mangled):
            return known | {m: _short(line) for m, line in zip(mangled, lines, strict=True)}
    return known


def _short(name: str) -> str:
    name = name.removeprefix("void ")
    return name if len(name) <= MAX_READABLE else name[: MAX_READABLE - 1] + "…"
