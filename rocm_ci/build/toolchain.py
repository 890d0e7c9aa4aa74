"""Which HIP compiler is here, and for which targets it can build."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.build.evidence import Evidence
from rocm_ci.tools.process import NOT_FOUND

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rocm_ci.tools.process import Runner

_PROBE_S = 60.0


@dataclass(frozen=True, kw_only=True)
class Compiler:
    """hipcc as it names itself. `nvidia` when it would build for NVIDIA."""

    text: str
    nvidia: bool = False


def compiler(run: Runner, environment: Mapping[str, str]) -> Compiler | None:
    """The hipcc on PATH, or None when there is none that starts."""
    done = run.capture(["hipcc", "--version"], env=environment, timeout_s=_PROBE_S)
    if done.exit_code == NOT_FOUND or not done.text.strip():
        return None
    hip = re.search(r"HIP version: ([\w.-]+)", done.text)
    if hip is None:
        return Compiler(text="hipcc for NVIDIA", nvidia="nvcc" in done.text or "NVIDIA" in done.text)
    clang = re.search(r"clang version ([\w.]+)", done.text)
    text = f"hipcc {hip.group(1)}"
    return Compiler(text=f"{text} (clang {clang.group(1)})" if clang else text)


def refused(
    run: Runner, environment: Mapping[str, str], archs: tuple[str, ...], work: Path
) -> dict[str, str]:
    """The targets that hipcc cannot build for, with its own words. An empty file is compiled for each."""
    work.mkdir(parents=True, exist_ok=True)
    source = work / "probe.hip"
    source.write_text("")
    found = {}
    for arch in archs:
        argv = ["hipcc", f"--offload-arch={arch}", "--cuda-device-only", "-c", str(source), "-o", "/dev/null"]
        done = run.capture(argv, env=environment, cwd=work, timeout_s=_PROBE_S)
        if done.exit_code in (0, NOT_FOUND) or done.timed_out:
            continue
        evidence = Evidence()
        for number, line in enumerate((done.error_text + done.text).splitlines(), 1):
            evidence.feed(line, number)
        # Other failures of an empty file say nothing about the target.
        if evidence.refused:
            found[arch] = next(iter(evidence.refused.values()))
    return found
