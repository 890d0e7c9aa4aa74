"""What the compiler wrote about each kernel into its code object: the AMDGPU metadata note.

Source: AMDGPU usage guide of LLVM, «Code Object Metadata» (versions 3 to 6: MessagePack).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec

from rocm_ci.kernels import elf, occupancy
from rocm_ci.kernels.span import OutOfBoundsError
from rocm_ci.model.kernel import Kernel

if TYPE_CHECKING:
    from rocm_ci.kernels.bundle import Entry

NT_AMDGPU_METADATA = 32
MAX_NOTE = 32_000_000
MAX_NAME = 4096


Count = Annotated[int, msgspec.Meta(ge=0, lt=1 << 32)]
Positive = Annotated[int, msgspec.Meta(ge=1, lt=1 << 32)]


class _Fields(msgspec.Struct, rename=lambda name: f".{name}"):
    """One entry of `amdhsa.kernels`; keys that older compilers do not write have a default."""

    name: str = "?"
    vgpr_count: Count = 0
    agpr_count: Count = 0
    sgpr_count: Count = 0
    vgpr_spill_count: Count = 0
    sgpr_spill_count: Count = 0
    group_segment_fixed_size: Count = 0
    private_segment_fixed_size: Count = 0
    wavefront_size: Positive = 64
    max_flat_workgroup_size: Positive = 1024


class _Metadata(msgspec.Struct):
    kernels: list[_Fields] = msgspec.field(name="amdhsa.kernels", default_factory=list)


def kernels(entry: Entry, artifact: str) -> tuple[Kernel, ...]:
    """The kernels of one code object, in its order; none when it is bitcode, cut off or forged."""
    try:
        file = elf.parse(entry.image)
        if file is None or file.machine != elf.EM_AMDGPU:
            return ()
        notes = [n for n in file.notes() if n.owner == "AMDGPU" and n.kind == NT_AMDGPU_METADATA]
    except OutOfBoundsError:
        return ()
    found: list[Kernel] = []
    for note in notes:
        if len(note.content) <= MAX_NOTE:
            found += _kernels(note.content.copy(), entry.target, artifact)
    return tuple(found)


def _kernels(packed: bytes, arch: str, artifact: str) -> list[Kernel]:
    try:
        listed = msgspec.msgpack.decode(packed, type=_Metadata).kernels
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return []
    return [_kernel(fields, arch, artifact) for fields in listed]


def _kernel(fields: _Fields, arch: str, artifact: str) -> Kernel:
    return Kernel(
        name=fields.name[:MAX_NAME],
        arch=arch,
        artifact=artifact,
        vgpr=fields.vgpr_count,
        agpr=fields.agpr_count,
        sgpr=fields.sgpr_count,
        vgpr_spills=fields.vgpr_spill_count,
        sgpr_spills=fields.sgpr_spill_count,
        lds_bytes=fields.group_segment_fixed_size,
        scratch_bytes=fields.private_segment_fixed_size,
        wave_size=fields.wavefront_size,
        occupancy=occupancy.waves(
            arch,
            vgpr=fields.vgpr_count,
            sgpr=fields.sgpr_count,
            lds_bytes=fields.group_segment_fixed_size,
            wave_size=fields.wavefront_size,
            group_size=fields.max_flat_workgroup_size,
        ),
    )
