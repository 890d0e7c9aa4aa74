"""A machine with AMD GPUs that are not there: a tree of /sys, /proc and /dev, and a rocminfo that lists them.

For the chaos test and for a look at the doctor without a card. Formats as the kernel's amdgpu and amdkfd
drivers write them (documentation of drivers/gpu/drm/amd/amdgpu, topology of amdkfd); numbers of an MI300X.
"""

from __future__ import annotations

import os
import shlex
import stat
from pathlib import Path

_VRAM = 206_141_652_992
_USED = 297_627_648
_FIRST_RENDER = 128
_NODE = """\
cpu_cores_count 0
simd_count 1216
mem_banks_count 1
caches_count 506
io_links_count 1
max_waves_per_simd 8
lds_size_in_kb 64
gds_size_in_kb 0
wave_front_size 64
array_count 32
simd_arrays_per_engine 1
cu_per_simd_array 10
simd_per_cu 4
gfx_target_version 90402
vendor_id 4098
device_id 29857
location_id {location}
domain 0
drm_render_minor {render}
hive_id 0
num_sdma_engines 2
fw_version 177
sdma_fw_version 24
num_xcc 8
local_mem_size 0
"""
_AGENT = """\
*******
Agent {agent}
*******
  Name:                    gfx942
  Uuid:                    GPU-{uuid}
  Marketing Name:          AMD Instinct MI300X
  Vendor Name:             AMD
  Feature:                 KERNEL_DISPATCH
  Node:                    {node}
  Device Type:             GPU
  Chip ID:                 29857(0x74a1)
  Domain:                  0
  BDFID:                   {location}
  Compute Unit:            304
  SIMDs per CU:            4
  Memory Properties:
  Wavefront Size:          64(0x40)
  Pool Info:
    Pool 1
      Segment:                 GLOBAL; FLAGS: COARSE GRAINED
      Size:                    201310208(0xbffc000) KB
      Allocatable:             TRUE
    Pool 2
      Segment:                 GROUP
      Size:                    64(0x40) KB
      Allocatable:             FALSE
  ISA Info:
    ISA 1
      Name:                    amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-
"""
_HEAD = """\
ROCk module version 6.16.13 is loaded
=====================
HSA System Attributes
=====================
Runtime Version:         1.18
==========
HSA Agents
==========
*******
Agent 1
*******
  Name:                    AMD EPYC 9654 96-Core Processor
  Uuid:                    CPU-XX
  Marketing Name:          AMD EPYC 9654 96-Core Processor
  Node:                    0
  Device Type:             CPU
  Compute Unit:            16
"""
# As the runtime does: devices in the order of the list, up to the first entry that names none.
_ROCMINFO = """\
#!/bin/sh
cat {parts}/head
if [ -z "${{ROCR_VISIBLE_DEVICES+set}}" ]; then wanted='{all}'; else wanted=$ROCR_VISIBLE_DEVICES; fi
IFS=,
for one in $wanted; do
    [ -f "{parts}/agent-$one" ] || break
    cat "{parts}/agent-$one"
done
echo '*** Done ***'
"""


def machine(root: Path, gpus: int) -> list[str]:
    """Write `sys`, `proc`, `etc` and `dev` of a host with so many MI300X below `root`; their addresses."""
    nodes = root / "sys/class/kfd/kfd/topology/nodes"
    _write(nodes / "0", properties="cpu_cores_count 16\nsimd_count 0\nmem_banks_count 1\n", gpu_id="0\n")
    _write(root / "sys/module/amdgpu", version="6.16.13\n", initstate="live\n")
    _write(root / "proc", meminfo="MemTotal:       1584930816 kB\n", cpuinfo=_cpuinfo())
    _write(root / "proc/sys/kernel", osrelease="6.8.0-79-generic\n")
    _write(
        root / "etc", **{"os-release": 'PRETTY_NAME="Ubuntu 24.04.3 LTS"\nID=ubuntu\nVERSION_ID="24.04"\n'}
    )
    (root / "dev/dri").mkdir(parents=True, exist_ok=True)
    (root / "dev/kfd").touch()
    return [_card(root, nodes, number) for number in range(gpus)]


def rocminfo(folder: Path, gpus: int) -> Path:
    """A rocminfo in `folder` that lists so many MI300X and honours ROCR_VISIBLE_DEVICES."""
    parts = folder / ".rocminfo"
    _write(parts, head=_HEAD)
    for number in range(gpus):
        text = _AGENT.format(
            agent=number + 2, uuid=_unique(number), node=number + 1, location=_location(number)
        )
        _write(parts, **{f"agent-{number}": text, f"agent-GPU-{_unique(number)}": text})
    script = folder / "rocminfo"
    shown = ",".join(str(number) for number in range(gpus))
    script.write_text(_ROCMINFO.format(parts=shlex.quote(str(parts.resolve())), all=shown))
    script.chmod(script.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    return script


def address(number: int) -> str:
    """The PCI address of the GPU with this number."""
    return f"0000:{_bus(number):02x}:00.0"


def vram_used(root: Path, number: int) -> Path:
    """The file that says how much memory of this GPU is taken; a test writes another amount into it."""
    return root / "sys/bus/pci/devices" / address(number) / "mem_info_vram_used"


def _bus(number: int) -> int:
    return 0x0C + 0x16 * number if number < 11 else number + 1


def _location(number: int) -> int:
    return _bus(number) << 8


def _unique(number: int) -> str:
    return f"{0x1C0FFEE00000_0000 + number:016x}"


def _card(root: Path, nodes: Path, number: int) -> str:
    render = _FIRST_RENDER + 8 * number
    node = _NODE.format(location=_location(number), render=render)
    _write(nodes / str(number + 1), properties=node, gpu_id=f"{28851 + 1000 * number}\n")
    _write(
        nodes / str(number + 1) / "mem_banks/0",
        properties=f"heap_type 1\nsize_in_bytes {_VRAM}\nflags 0\nwidth 8192\nmem_clk_max 1300\n",
    )
    device = root / "sys/bus/pci/devices" / address(number)
    _write(
        device,
        vendor="0x1002\n",
        device="0x74a1\n",
        revision="0x00\n",
        **{"class": "0x120000\n"},
        uevent=f"DRIVER=amdgpu\nPCI_CLASS=120000\nPCI_ID=1002:74A1\nPCI_SLOT_NAME={address(number)}\n",
        numa_node=f"{number // 4}\n",
        unique_id=f"{_unique(number)}\n",
        mem_info_vram_total=f"{_VRAM}\n",
        mem_info_vram_used=f"{_USED}\n",
        vbios_version="113-M3000100-102\n",
        current_compute_partition="SPX\n",
        current_memory_partition="NPS1\n",
        gpu_busy_percent="0\n",
        power_dpm_force_performance_level="auto\n",
    )
    _write(device / "hwmon" / f"hwmon{number + 1}", power1_cap="750000000\n", temp2_input="38000\n")
    (device / "drm" / f"renderD{render}").mkdir(parents=True, exist_ok=True)
    (device / "drm" / f"card{number + 1}").mkdir(parents=True, exist_ok=True)
    for name in (f"renderD{render}", f"card{number + 1}"):
        _link(root / "sys/class/drm" / name / "device", device)
    (root / "dev/dri" / f"renderD{render}").touch()
    return address(number)


def _cpuinfo() -> str:
    one = "processor\t: {}\nmodel name\t: AMD EPYC 9654 96-Core Processor\nflags\t\t: fpu lm\n\n"
    return "".join(one.format(number) for number in range(16))


def _write(folder: Path, **files: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text)


def _link(where: Path, to: Path) -> None:
    where.parent.mkdir(parents=True, exist_ok=True)
    if not where.is_symlink():
        where.symlink_to(os.path.relpath(to, where.parent))
