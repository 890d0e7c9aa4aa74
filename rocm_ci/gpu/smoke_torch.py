"""A kernel and a copy through PyTorch, each value checked, on every visible GPU: do they work?

Stands alone (any Python 3 with torch): `python -m rocm_ci.gpu.smoke_torch`, or this file by its path, with
`--device cpu` to try the program itself. Prints a line of JSON for each device as `smoke.hip` does for its
one, and what it is about to do on standard error, so that a hang can be placed. Exit code 0: right, 1: wrong
values, 2: no GPU or no torch, 3: refused; the worst of all devices. It sets no time limit: its parent does.
PyTorch calls AMD GPUs `cuda`, too.
"""

from __future__ import annotations

import importlib
import json
import sys
from typing import Any

VALUES = 1 << 20


class _Steps:
    """What is being done, told before it is done."""

    last = ""

    def begin(self, name: str) -> None:
        self.last = name
        sys.stderr.write(f"rocm-ci smoke: {name}\n")
        sys.stderr.flush()


def main(arguments: list[str], torch: Any = None) -> int:
    """Look at each device; `torch` is handed in by tests."""
    kind = arguments[arguments.index("--device") + 1] if "--device" in arguments[:-1] else "cuda"
    steps = _Steps()
    steps.begin("importing torch")
    if torch is None:
        try:
            # It belongs to the machine that is looked at, and is no dependency of this package.
            torch = importlib.import_module("torch")
        except (ImportError, OSError) as error:
            return _say({"step": "importing torch", "error": str(error)[:300]}, 2)
    steps.begin("counting devices")
    try:
        devices = torch.cuda.device_count() if kind == "cuda" else 1
        if kind == "cuda" and not torch.cuda.is_available():
            devices = 0
    except Exception as error:  # noqa: BLE001 - whatever torch raises is the answer
        return _say({"step": "counting devices", "error": _named(error)}, 3)
    if not devices:
        built = torch.version.hip or torch.version.cuda
        why = "no device" if built else "no device: this torch is built for the CPU alone"
        return _say({"step": "counting devices", "error": why}, 2)
    return max(_one(torch, steps, kind, number, devices) for number in range(devices))


def _one(torch: Any, steps: _Steps, kind: str, number: int, devices: int) -> int:
    device = f"cuda:{number}" if kind == "cuda" else kind
    about = {"device": number, "devices": devices}
    try:
        found = about | _about(torch, steps, kind, number) | _look(torch, steps, device)
    except Exception as error:  # noqa: BLE001 - whatever torch raises is the answer
        return _say(about | {"step": steps.last, "error": _named(error)}, 3)
    return _say(found, 1 if found["wrong_sums"] or found["wrong_copies"] else 0)


def _about(torch: Any, steps: _Steps, kind: str, number: int) -> dict[str, Any]:
    steps.begin("asking for properties")
    told = torch.cuda.get_device_properties(number) if kind == "cuda" else None
    return {
        "name": str(getattr(told, "name", kind))[:60],
        "target": str(getattr(told, "gcnArchName", "") or "")[:60],
        "wave": getattr(told, "warp_size", None),
        "memory_bytes": getattr(told, "total_memory", None),
        "torch": str(torch.__version__),
        "built_for": f"HIP {torch.version.hip}" if torch.version.hip else f"CUDA {torch.version.cuda}",
    }


def _look(torch: Any, steps: _Steps, device: str) -> dict[str, Any]:
    a = torch.arange(VALUES, dtype=torch.int64)
    b = (a * 2654435761) % 4294967291
    steps.begin("copying to the device")
    there_a, there_b = a.to(device), b.to(device)
    steps.begin("running the kernel")
    there = there_a + there_b
    steps.begin("copying on the device")
    again = there_b.clone()
    # Kernels are only queued: what waits for them is the copy back.
    steps.begin("copying back")
    total, back = there.to("cpu"), again.to("cpu")
    return {
        "values": VALUES,
        "wrong_sums": int((total != a + b).sum()),
        "wrong_copies": int((back != b).sum()),
    }


def _named(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:300]


def _say(found: dict[str, Any], code: int) -> int:
    # Out at once: a device that hangs must not hide those before it.
    sys.stdout.write(json.dumps({"rocm_ci_smoke": 1, **found}) + "\n")
    sys.stdout.flush()
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
