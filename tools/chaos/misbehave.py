"""Run inside of the pretended project: one function for each behaviour. Standard library only.

`python misbehave.py NAME NUMBER` is a ctest test; a pytest module calls `run(NAME, NUMBER)`.
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

STATE = Path(os.environ["CHAOS_STATE"])
SYSROOT = Path(os.environ["CHAOS_SYSROOT"])
BUSES = os.environ["CHAOS_BUSES"].split(",")
HANG = (
    "HW Exception by GPU node-2 (Agent handle: 0x55d0c0) reason :GPU Hang",
    ("gpu_hang", "ring comp_1.1.0 timeout, signaled seq=41, emitted seq=43", "GPU reset begin!"),
)


class Skipped(Exception):
    """The test does not apply."""


def run(name: str, number: int) -> None:
    """Behave as `name`; `number` is the test's own."""
    globals()[f"do_{name}"](number)


def _first_time(number: int) -> bool:
    """Whether this test runs for the first time."""
    mark = STATE / f"{number}.seen"
    if mark.exists():
        return False
    mark.touch()
    return True


def _bus() -> str:
    """The address of the GPU that this process may see."""
    seen = os.environ["ROCR_VISIBLE_DEVICES"].split(",")[0]
    return BUSES[int(seen)]


def _kernel(level: int, text: str) -> None:
    """A line as the kernel writes it to /dev/kmsg."""
    stamp = time.monotonic_ns() // 1000
    with (SYSROOT / "dev" / "kmsg").open("a") as log:
        log.write(f"{level},{os.getpid()},{stamp},-;{text}\n")


def do_passes(number: int) -> None:
    time.sleep(0.02 * (number % 5))


def do_skips(number: int) -> None:
    raise Skipped(f"test {number} does not apply")


def do_fails(number: int) -> None:
    assert number < 0, f"expected {number} to be negative"


def do_flaky(number: int) -> None:
    assert not _first_time(number), "the first time it is wrong"


def do_crashes(number: int) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def do_crashes_once(number: int) -> None:
    if _first_time(number):
        os.kill(os.getpid(), signal.SIGSEGV)


def do_aborts(number: int) -> None:
    os.abort()


def do_exits(number: int) -> None:
    os._exit(0)


def do_killed(number: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def do_hangs(number: int) -> None:
    time.sleep(86_000)


def do_stubborn(number: int) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(86_000)


def do_stops(number: int) -> None:
    os.kill(os.getpid(), signal.SIGSTOP)
    time.sleep(86_000)


def _daemon(number: int, *, keep_output: bool) -> None:
    """A process that left family, session, folder and environment behind. Its name tells whose it was."""
    code = (
        "import os,sys,time\nif os.fork(): os._exit(0)\nos.setsid()\n"
        "if os.fork(): os._exit(0)\nos.chdir('/')\ntime.sleep(86000)"
    )
    output = None if keep_output else subprocess.DEVNULL
    argv = [sys.executable, "-c", code, f"{os.environ['CHAOS_MARK']}-{number}"]
    subprocess.run(argv, env={}, stdout=output, stderr=output, stdin=subprocess.DEVNULL, check=True)


def do_daemon(number: int) -> None:
    _daemon(number, keep_output=False)


def do_holds_pipe(number: int) -> None:
    _daemon(number, keep_output=True)


def do_closes_output(number: int) -> None:
    os.close(1)
    os.close(2)


def do_prints_nul(number: int) -> None:
    os.write(1, b"\0\x1b[2J\xff\xfe\x9b31m::error::forged\r\n\0\n")


def do_noisy(number: int) -> None:
    for _ in range(200):
        os.write(1, b"x" * 99_999 + b"\n")


def do_memory(number: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, hard))
    hoard = []
    try:
        while True:
            hoard.append(bytearray(64 << 20))
    finally:
        # The tests after it in the same process shall not be short of memory, too.
        hoard.clear()
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def do_oom_once(number: int) -> None:
    if _first_time(number):
        victim = f"pid={os.getpid()},uid=0"
        _kernel(6, f"oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),task=python,{victim}")
        _kernel(
            3, f"Out of memory: Killed process {os.getpid()} (python) total-vm:9000000kB, anon-rss:8000000kB"
        )
        os.kill(os.getpid(), signal.SIGKILL)


def do_disk_once(number: int) -> None:
    if _first_time(number):
        # A real full file system: a small tmpfs that the harness mounted.
        target = Path(os.environ["CHAOS_DISK"]) / f"{number}.bin"
        try:
            with target.open("wb") as file:
                while True:
                    file.write(b"\0" * (1 << 20))
        finally:
            target.unlink()


def do_gpu_hang_once(number: int) -> None:
    if _first_time(number):
        _hang()


def do_wild_kernel(number: int) -> None:
    _hang()


def _hang() -> None:
    for text in HANG[1]:
        _kernel(3, f"amdgpu {_bus()}: amdgpu: {text}")
    print(HANG[0], flush=True)
    os.abort()


def do_ecc_once(number: int) -> None:
    if _first_time(number):
        _kernel(3, f"amdgpu {_bus()}: amdgpu: 2 uncorrectable hardware errors detected in umc block")
        _kernel(3, f"amdgpu {_bus()}: amdgpu: ERREVENT_ATHUB_INTERRUPT detected!")
        raise RuntimeError("HIP error: unspecified launch failure (719)")


def do_vanishes(number: int) -> None:
    if _first_time(number):
        bus = _bus()
        _kernel(3, f"amdgpu {bus}: amdgpu: device lost from bus!")
        for there in SYSROOT.glob("sys/class/drm/renderD*/device"):
            if bus in os.path.realpath(there):
                shutil.rmtree(os.path.realpath(there), ignore_errors=True)
        raise RuntimeError("HIP error: no ROCm-capable device is detected (100)")


def do_leaks(number: int) -> None:
    bus = _bus()
    for used in SYSROOT.glob("sys/**/mem_info_vram_used"):
        if bus in os.path.realpath(used):
            used.write_text(f"{int(used.read_text()) + (3 << 30)}\n")


def do_forged_and_passes(number: int) -> None:
    print(HANG[0], flush=True)


def do_forged_and_fails(number: int) -> None:
    print(HANG[0], flush=True)
    assert number < 0, "a plain bug"


def do_kills_parent(number: int) -> None:
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(5)  # what follows from it is this test's, not the next one's


if __name__ == "__main__":
    try:
        run(sys.argv[1], int(sys.argv[2]))
    except Skipped as why:
        print(why)
        sys.exit(77)
