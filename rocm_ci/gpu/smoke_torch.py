"""A kernel and a copy through PyTorch, each value checked: does the one visible GPU work?

Stands alone (any Python 3 with torch): `python3 smoke_torch.py [--device cuda|cpu]`. Prints one line of
JSON as `smoke.hip` does. Exit code 0: right, 1: wrong values, 2: no GPU or no torch, 3: refused.
PyTorch calls AMD GPUs `cuda`, too.
"""

from __future__ import annotations

import json
import sys
from typing import Any

VALUES = 1 << 20


def main(arguments: list[str], torch: Any = None) -> int:
    """Look at the first device; `torch` is handed in by tests."""
    device = arguments[arguments.index("--device") + 1] if "--device" in arguments else "cuda"
    if torch is None:
        try:
            import torch  # type: ignore[import-not-found, unused-ignore, no-redef]  # noqa: PLC0415 - may be missing
        except (ImportError, OSError) as error:
            return _say({"step": "importing torch", "error": str(error)[:300]}, 2)
    step = "counting devices"
    try:
        devices = torch.cuda.device_count() if device == "cuda" else 1
        if not devices or (device == "cuda" and not torch.cuda.is_available()):
            return _say({"step": step, "error": "no device"}, 2)
        step = "running the kernel"
        found = _look(torch, device, devices)
    except Exception as error:  # noqa: BLE001 - whatever torch raises is the answer
        return _say({"step": step, "error": f"{type(error).__name__}: {error}"[:300]}, 3)
    return _say(found, 1 if found["wrong_sums"] or found["wrong_copies"] else 0)


def _look(torch: Any, device: str, devices: int) -> dict[str, Any]:
    a = torch.arange(VALUES, dtype=torch.int64)
    b = (a * 2654435761) % 4294967291
    there_a, there_b = a.to(device), b.to(device)
    total = (there_a + there_b).to("cpu")
    back = there_b.clone().to("cpu")
    about = torch.cuda.get_device_properties(0) if device == "cuda" else None
    wave = getattr(about, "warp_size", None)
    return {
        "devices": devices,
        "target": str(getattr(about, "gcnArchName", "") or "")[:60],
        "wave": wave,
        "wave_told": wave,
        "memory_bytes": getattr(about, "total_memory", None),
        "values": VALUES,
        "wrong_sums": int((total != a + b).sum()),
        "wrong_copies": int((back != b).sum()),
        "torch": str(torch.__version__),
    }


def _say(found: dict[str, Any], code: int) -> int:
    sys.stdout.write(json.dumps({"rocm_ci_smoke": 1, **found}) + "\n")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
