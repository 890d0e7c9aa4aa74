"""`python -m tools.gpu_proof.lease`: many `rocm-ci lease` at once, one GPU; does ever more than one use it?

The GPU that is leased is a pretended one (tools/pretend.py), the one that computes is whatever PyTorch finds:
each command fills most of its memory and keeps it busy, so that two at a time cannot work. One command in
the middle is killed outright; its turn has to pass on. As a control the same commands run without a lease.
Prints one JSON object; times in seconds of the host's own clock. `--dry` needs no GPU: it only waits.
"""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from tools import pretend

CONTENDERS = 8
_KILLED = 3
_GUARD_S = 400.0
# A share of the memory of which two do not fit.
_SHARE = 0.6
_USES_GPU = """
import os, sys, time, torch
torch.cuda.init()
began = time.monotonic()
free, whole = torch.cuda.mem_get_info()
held = torch.empty(int(whole * {share}), dtype=torch.uint8, device="cuda")
held.zero_()
a = torch.randn(4096, 4096, device="cuda", dtype=torch.bfloat16)
count = 0
while time.monotonic() < began + 1.0:
    a = (a @ a).clamp(-1, 1)
    torch.cuda.synchronize()
    count += 1
ended = time.monotonic()
"""
_DRY = """
import os, sys, time
began = time.monotonic()
time.sleep(0.3)
count, ended = 0, time.monotonic()
"""
_DIES = """
import os, signal
os.kill(os.getpid(), signal.SIGKILL)
"""
_SAYS = """
print(began, ended, count, os.environ.get("ROCM_CI_GPU_IDS", ""))
"""


def main() -> int:
    """With and without leases; 0 when with them no two overlapped and all but the killed one worked."""
    is_dry = "--dry" in sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="rocm-ci-proof-") as name:
        folder = Path(name)
        pretend.machine(folder / "root", 1)
        (folder / "bin").mkdir()
        pretend.rocminfo(folder / "bin", 1)
        leased = _contend(folder, is_dry=is_dry, is_leased=True)
        control = _contend(folder, is_dry=is_dry, is_leased=False)
    print(
        json.dumps({"contenders": CONTENDERS, "dry": is_dry, "leased": leased, "control": control}, indent=1)
    )
    return int(bool(leased["overlaps"]) or leased["worked"] != CONTENDERS - 1)


def _contend(folder: Path, *, is_dry: bool, is_leased: bool) -> dict[str, object]:
    environment = os.environ | {
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        "ROCM_CI_SYSROOT": str(folder / "root"),
        "ROCM_CI_STATE": str(folder / "state"),
    }
    work = _DRY if is_dry else _USES_GPU.format(share=_SHARE)
    started = []
    for number in range(CONTENDERS):
        code = work + (_DIES if number == _KILLED else _SAYS)
        argv = [sys.executable, "-c", code]
        if is_leased:
            argv = [sys.executable, "-m", "rocm_ci", "lease", "--wait", "10m", "--", *argv]
        started.append(
            subprocess.Popen(argv, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        )
    uses, failed, killed, gpus = [], [], 0, set()
    for one in started:
        out, said = one.communicate(timeout=_GUARD_S)
        if one.returncode == 0:
            began, ended, _count, *gpu = out.split()
            uses.append((float(began), float(ended)))
            gpus |= set(gpu)
        elif one.returncode == -signal.SIGKILL:
            killed += 1
        else:
            failed.append(said.strip().splitlines()[-1][:200] if said.strip() else f"exit {one.returncode}")
    uses.sort()
    pauses = [after[0] - before[1] for before, after in itertools.pairwise(uses)]
    return {
        "worked": len(uses),
        "killed": killed,
        "failed": failed,
        "overlaps": sum(1 for pause in pauses if pause < 0),
        "shortest_pause_s": round(min(pauses), 4) if pauses else None,
        "whole_s": round(uses[-1][1] - uses[0][0], 2) if uses else None,
        "leased": sorted(gpus),
    }


if __name__ == "__main__":
    raise SystemExit(main())
