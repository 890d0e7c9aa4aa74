"""What was measured on which machine, for the record."""

from __future__ import annotations

import datetime as dt
import os
import platform
import subprocess
from pathlib import Path
from typing import Any


def described(root: Path) -> dict[str, Any]:
    return {
        "date": dt.datetime.now(tz=dt.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "commit": _output(["git", "-C", str(root), "rev-parse", "--short", "HEAD"]),
        "machine": {
            "processor": _processor(),
            "processors": len(os.sched_getaffinity(0)),
            "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1),
            "system": platform.platform(),
            "python": platform.python_version(),
            "load_before": [round(one, 2) for one in os.getloadavg()],
        },
    }


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _output(argv: list[str]) -> str:
    return subprocess.run(argv, capture_output=True, text=True, check=False).stdout.strip()
