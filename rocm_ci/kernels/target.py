"""GPU target names: what the bits of a code object say, and which code runs on which target.

Sources: LLVM `BinaryFormat/ELF.h` (EF_AMDGPU_MACH_*) and the AMDGPU usage guide (target ID, features,
generic processors).
"""

from __future__ import annotations

import re

_MACH = {
    0x20: "gfx600", 0x21: "gfx601", 0x3A: "gfx602",
    0x22: "gfx700", 0x23: "gfx701", 0x24: "gfx702", 0x25: "gfx703", 0x26: "gfx704", 0x3B: "gfx705",
    0x28: "gfx801", 0x29: "gfx802", 0x2A: "gfx803", 0x3C: "gfx805", 0x2B: "gfx810",
    0x2C: "gfx900", 0x2D: "gfx902", 0x2E: "gfx904", 0x2F: "gfx906", 0x30: "gfx908", 0x31: "gfx909",
    0x3F: "gfx90a", 0x32: "gfx90c", 0x40: "gfx940", 0x4B: "gfx941", 0x4C: "gfx942", 0x4F: "gfx950",
    0x33: "gfx1010", 0x34: "gfx1011", 0x35: "gfx1012", 0x42: "gfx1013",
    0x36: "gfx1030", 0x37: "gfx1031", 0x38: "gfx1032", 0x39: "gfx1033", 0x3E: "gfx1034",
    0x3D: "gfx1035", 0x45: "gfx1036",
    0x41: "gfx1100", 0x46: "gfx1101", 0x47: "gfx1102", 0x44: "gfx1103",
    0x43: "gfx1150", 0x4A: "gfx1151", 0x55: "gfx1152", 0x58: "gfx1153",
    0x48: "gfx1200", 0x4E: "gfx1201", 0x49: "gfx1250", 0x5A: "gfx1251",
    0x51: "gfx9-generic", 0x5F: "gfx9-4-generic", 0x52: "gfx10-1-generic", 0x53: "gfx10-3-generic",
    0x54: "gfx11-generic", 0x59: "gfx12-generic", 0x5B: "gfx12-5-generic",
}  # fmt: skip
# Which processors run code that was built for a generic one.
_GENERIC = {
    "gfx9-generic": r"gfx90[02469c]",
    "gfx9-4-generic": r"gfx9(4[0-2]|50)",
    "gfx10-1-generic": r"gfx101[0-3]",
    "gfx10-3-generic": r"gfx103[0-6]",
    "gfx11-generic": r"gfx11(0[0-3]|5[0-3])",
    "gfx12-generic": r"gfx120[01]",
    "gfx12-5-generic": r"gfx125[01]",
}
# Compiled at load time for whatever GPU is there.
PORTABLE = "amdgcnspirv"
_ID = re.compile(r"(?P<target>gfx[0-9a-z]+(?:-[0-9a-z]+)*(?::[a-z]+[+-])*|amdgcnspirv)$")
# The mode a GPU is in unless somebody changes it: code for the other mode alone does not load.
_USUAL = {"xnack": "-", "sramecc": "+"}
_VERSION_3 = 1
_STATES = {1: "", 2: "-", 3: "+"}


def of_flags(flags: int, abi_version: int) -> str | None:
    """The target ID in `e_flags` of a code object; None when the processor is not known to us."""
    name = _MACH.get(flags & 0xFF)
    if name is None:
        return None
    if abi_version <= _VERSION_3:
        # Version 3 has one bit per feature; off and «does not matter» look the same.
        return name + (":sramecc+" if flags & 0x200 else "") + (":xnack+" if flags & 0x100 else "")
    text = name
    for feature, shift in (("sramecc", 10), ("xnack", 8)):
        sign = _STATES.get((flags >> shift) & 3, "")
        text += f":{feature}{sign}" if sign else ""
    return text


def of_bundle_id(entry: str) -> str | None:
    """The target in the ID of a bundle entry: `hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+`; None for the host."""
    found = _ID.search(entry)
    return found.group("target") if found else None


def processor(target: str) -> str:
    """`gfx90a:sramecc+:xnack-` → `gfx90a`."""
    return target.split(":", 1)[0]


def runs_on(code: str, declared: str) -> bool:
    """Whether code built for `code` loads on a GPU of the declared target, in its usual mode."""
    if code == PORTABLE:
        return True
    name, wanted = processor(code), processor(declared)
    generic = _GENERIC.get(name)
    if name != wanted and not (generic and re.fullmatch(generic, wanted)):
        return False
    needs = _features(declared)
    return all(sign == needs.get(name, _USUAL.get(name, sign)) for name, sign in _features(code).items())


def missing(declared: tuple[str, ...], present: tuple[str, ...]) -> tuple[str, ...]:
    """The declared targets that nothing in `present` runs on."""
    return tuple(d for d in declared if not any(runs_on(code, d) for code in present))


def _features(target: str) -> dict[str, str]:
    return {part[:-1]: part[-1] for part in target.split(":")[1:] if part}
