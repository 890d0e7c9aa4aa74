"""A pretended host with eight MI300X and much trouble, for a picture of the doctor and for its tests.

`tools/pretend.py` makes the machine; this makes it sick. No such host was seen: the single faults are those
of the field, and the files are written as the kernel's drivers write them.
"""

from __future__ import annotations

import datetime as dt
import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from rocm_ci.gpu.ledger import Entry, Ledger
from tools import pretend

if TYPE_CHECKING:
    from collections.abc import Mapping

GPUS = 8
# The checks that find trouble, by how bad it is where all GPUs are wanted; all others are fine, or open.
WRONG = frozenset({"device-nodes", "ecc", "vram", "quarantine", "smoke", "shm", "gfx-override"})
ADVICE = frozenset({
    "iommu", "kernel-log", "pcie-link", "temperature", "power-cap", "torch", "rocm-driver", "memlock",
    "profilers",
})  # fmt: skip
_HEAD = "amdgpu {bus}: amdgpu: "
_LIMITS = """\
Limit                     Soft Limit           Hard Limit           Units
Max locked memory         8388608              8388608              bytes
Max open files            1048576              1048576              files
"""
_HIPCONFIG = """\
HIP version  : 7.2.26015
== hipconfig
HIP_PATH     : /opt/rocm
ROCM_PATH    : /opt/rocm
HIP_PLATFORM : amd
"""
_HIPCC = """\
HIP version: 7.2.26015
AMD clang version 22.0.0
InstalledDir: /opt/rocm/lib/llvm/bin
"""
# Compiles nothing: the program it leaves says what the smoke test's own would, by the GPU that it sees.
_COMPILER = """\
#!/bin/sh
case " $* " in *" --version "*) cat {folder}/hipcc.txt; exit 0;; esac
for last; do :; done
cp {folder}/program "$last" && chmod +x "$last"
"""
_PROGRAM = """\
#!/bin/sh
wrong=0
[ "$ROCR_VISIBLE_DEVICES" = 4 ] && wrong=128
echo '{{"rocm_ci_smoke": 1, "devices": 1, "target": "gfx942:sramecc+:xnack-", "wave": 64, "wave_told": 64,' \\
     '"memory_bytes": 206141652992, "values": 1048576, "wrong_sums": '$wrong', "wrong_copies": 0}}'
[ $wrong = 0 ]
"""
_TORCH = "__version__ = '2.9.0+cu128'\ncuda = '12.8'\nhip = None\n"


def host(root: Path) -> dict[str, str]:
    """Write the host below `root`; returns the environment in which the doctor looks at it."""
    pretend.machine(root, GPUS)
    _system(root)
    _cards(root)
    _ledger(root)
    return {
        "PATH": f"{_tools(root)}:/usr/bin:/bin",
        "ROCM_CI_STATE": str(root / "state"),
        "ROCM_CI_SYSROOT": str(root),
        "HSA_OVERRIDE_GFX_VERSION": "11.0.0",
        "HOME": str(root),
        "LANG": "C.UTF-8",
    }


def _system(root: Path) -> None:
    _put(root, {
        ".dockerenv": "",
        "proc/cmdline": "BOOT_IMAGE=/boot/vmlinuz-6.8.0-79-generic ro quiet amd_iommu=on\n",
        "proc/self/mounts": "shm /dev/shm tmpfs rw,nosuid,nodev,noexec,relatime,size=65536k 0 0\n",
        "proc/self/limits": _LIMITS,
        "proc/self/status": "Uid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\nGroups:\t0 \nCapEff:\t00000000a80425fb\n",
        "proc/sys/kernel/perf_event_paranoid": "4\n",
        "proc/meminfo": "MemTotal:       1584930816 kB\nMemAvailable:   1519284224 kB\n",
        "sys/module/amdgpu/version": "6.8.5\n",
        "opt/rocm/.info/version": "7.2.0-26\n",
        "dmesg.txt": _said(6, "GPU reset begin!. Source:  3", "MODE1 reset", "GPU reset(1) succeeded!"),
    })  # fmt: skip


def _said(number: int, *texts: str) -> str:
    head = _HEAD.format(bus=pretend.address(number))
    return "".join(f"[{81204.5 + 0.25 * at:12.6f}] {head}{text}\n" for at, text in enumerate(texts))


def _cards(root: Path) -> None:
    for number in range(GPUS):
        device = f"sys/bus/pci/devices/{pretend.address(number)}"
        hwmon = f"{device}/hwmon/hwmon{number + 1}"
        _put(root, {
            f"{device}/current_link_width": "8\n" if number == 1 else "16\n",
            f"{device}/max_link_width": "16\n",
            f"{device}/ras/umc_err_count": f"ue: {2 if number == 3 else 0}\nce: {number}\n",
            f"{device}/ras/gfx_err_count": "ue: 0\nce: 0\n",
            f"{hwmon}/temp2_crit": "100000\n",
            f"{hwmon}/temp2_input": "96000\n" if number == 5 else "41000\n",
            f"{hwmon}/power1_cap_default": "750000000\n",
            f"{hwmon}/power1_cap": "550000000\n" if number == 7 else "750000000\n",
            f"sys/kernel/iommu_groups/{number}/type": "DMA-FQ\n",
        })  # fmt: skip
        (root / f"sys/kernel/iommu_groups/{number}/devices/{pretend.address(number)}").mkdir(parents=True)
    pretend.vram_used(root, 6).write_text("158913789952\n")
    kfd_id = (root / "sys/class/kfd/kfd/topology/nodes/7/gpu_id").read_text().strip()
    _put(root, {
        f"sys/class/kfd/kfd/proc/48211/vram_{kfd_id}": "158000000000\n",
        "proc/48211/comm": "python3\n",
        "proc/48211/stat": "48211 (python3) S 1\n",
    })  # fmt: skip
    (root / "proc/48211/fd").mkdir()
    (root / "proc/48211/fd/5").symlink_to("/dev/kfd")
    (root / "dev/dri/renderD184").unlink()


def _ledger(root: Path) -> None:
    ledger = Ledger(root / "state", {}, host=root)
    gpu = pretend.address(2)
    # A fault counts for some days only.
    now = dt.datetime.now(dt.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    for run in ("811", "812", "815"):
        label = f"GPU 2 (AMD Instinct MI300X, {gpu})"
        ledger.add(Entry(time=now, kind="gpu-hang", run=f"run {run}", gpu=gpu, label=label))


def _tools(root: Path) -> Path:
    folder = root / "bin"
    folder.mkdir()
    pretend.rocminfo(folder, GPUS)
    quoted = shlex.quote(str(folder))
    _put(folder, {
        "hipcc.txt": _HIPCC,
        "program": _PROGRAM.format(),
        "hipcc": _COMPILER.format(folder=quoted),
        "python3": f"#!/bin/sh\ncat {quoted}/python3.txt\n",
        "python3.txt": json.dumps({"rocm_ci_python": "3.12.3", "torch_version_py": _TORCH}),
        "hipconfig": f"#!/bin/sh\ncat {quoted}/hipconfig.txt\n",
        "hipconfig.txt": _HIPCONFIG,
        "cmake": "#!/bin/sh\necho cmake version 3.28.3\n",
    })  # fmt: skip
    for name in ("hipcc", "python3", "hipconfig", "cmake"):
        (folder / name).chmod(0o755)
    return folder


def _put(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
