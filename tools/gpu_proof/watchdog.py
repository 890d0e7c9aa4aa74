"""`python -m tools.gpu_proof.watchdog`: a step that hangs and holds device memory is ended; when is it free?

Each round starts a program that fills device memory, keeps the GPU busy, ignores SIGTERM and leaves a daemon
with memory of its own (a session, a folder and an environment of its own, too). It is ended once by our
watchdog, once as `subprocess.run(timeout=…)` does. Prints one JSON object; memory in MiB, times in seconds.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rocm_ci.tools.process import ProcessRunner

ROUNDS = 5
_HOLD_GIB, _DAEMON_GIB = 40, 20
_READY_S, _DRAIN_S, _LOOK_S = 120.0, 30.0, 0.02
_DAEMON = """
import signal, time, torch
signal.signal(signal.SIGTERM, signal.SIG_IGN)
held = torch.empty({gib} << 30, dtype=torch.uint8, device="cuda"); held.zero_(); torch.cuda.synchronize()
open({ready!r}, "a").write("daemon\\n")
time.sleep(86_000)
"""
_HOG = """
import os, signal, subprocess, sys, time, torch
signal.signal(signal.SIGTERM, signal.SIG_IGN)
keep = {{k: v for k, v in os.environ.items() if k in ("PATH", "LD_LIBRARY_PATH")}}
subprocess.Popen([sys.executable, "-c", {daemon!r}], env=keep, start_new_session=True, cwd="/",
                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
held = torch.empty({gib} << 30, dtype=torch.uint8, device="cuda"); held.zero_()
a = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
open({ready!r}, "a").write("hog\\n")
while True:
    a = (a @ a).clamp(-1, 1)
"""


def used_mib() -> int:
    """Device memory in use, by whomever."""
    argv = ["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits", "--id=0"]
    return int(subprocess.run(argv, capture_output=True, text=True, check=True).stdout.split()[0])


def main() -> int:
    """Both ways, `ROUNDS` times each; 0 when our watchdog left nothing behind."""
    before = used_mib()
    ours = [_round(before, is_ours=True) for _ in range(ROUNDS)]
    theirs = [_round(before, is_ours=False) for _ in range(2)]
    print(json.dumps({"used_before_mib": before, "watchdog": ours, "subprocess_run": theirs}, indent=1))
    return int(any(one["left_processes"] or one["drained_s"] is None for one in ours))


def _round(before: int, *, is_ours: bool) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as name:
        ready = Path(name) / "ready"
        daemon = _DAEMON.format(gib=_DAEMON_GIB, ready=str(ready))
        argv = [sys.executable, "-c", _HOG.format(gib=_HOLD_GIB, daemon=daemon, ready=str(ready))]
        deadline = time.monotonic() + _READY_S

        def is_ready() -> bool:
            both = ready.exists() and len(ready.read_text().split()) == 2
            return both or time.monotonic() > deadline

        peak, ended = 0, 0.0
        if is_ours:

            def stop() -> str:
                nonlocal peak, ended
                if not is_ready():
                    return ""
                peak, ended = used_mib(), time.monotonic()
                return "the proof wants it to end"

            done = ProcessRunner().stream(
                argv, cwd=Path(name), env=dict(os.environ), timeout_s=300.0, log=Path(name) / "log", stop=stop
            )
            told: dict[str, object] = {"exit_code": done.exit_code, "stuck": len(done.stuck)}
        else:
            with subprocess.Popen(argv, start_new_session=True) as child:
                while not is_ready():
                    time.sleep(0.1)
                peak, ended = used_mib(), time.monotonic()
                child.kill()  # what `subprocess.run` does when its time is up
            told = {"exit_code": child.returncode}
        returned = time.monotonic()
        drained = _drained(before, within_s=_DRAIN_S if is_ours else 5.0)
        left = _left(str(ready))
        told |= {
            "peak_mib": peak,
            "ended_in_s": round(returned - ended, 3),
            "drained_s": None if drained is None else round(drained - returned, 3),
            "left_processes": len(left),
            "held_mib": used_mib() - before,
        }
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        _drained(before, within_s=_DRAIN_S)
        return told


def _drained(before: int, *, within_s: float) -> float | None:
    """When the memory was back; None when it was not in time."""
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        if used_mib() <= before + 64:
            return time.monotonic()
        time.sleep(_LOOK_S)
    return None


def _left(mark: str) -> list[int]:
    """Processes whose program text names this round."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            with contextlib.suppress(OSError):
                if mark.encode() in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
    return found


if __name__ == "__main__":
    sys.exit(main())
