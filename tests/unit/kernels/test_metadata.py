"""The compiler's own figures for each kernel."""

from __future__ import annotations

import msgspec
import pytest

from rocm_ci.kernels import metadata
from rocm_ci.kernels.bundle import Entry
from rocm_ci.kernels.span import Span
from rocm_ci.model.kernel import Kernel
from tests.unit.kernels import binaries


def kernels(image: bytes, arch: str = "gfx90a") -> tuple[Kernel, ...]:
    return metadata.kernels(Entry(arch, Span(image, 0, len(image)), 0), "a.so")


def test_all_figures_of_a_kernel_are_read() -> None:
    image = binaries.code_object(
        binaries.kernel(
            "_Z4gemmPf",
            vgpr_count=352,
            agpr_count=96,
            sgpr_count=40,
            vgpr_spill_count=12,
            sgpr_spill_count=3,
            group_segment_fixed_size=32_768,
            private_segment_fixed_size=64,
            wavefront_size=64,
            max_flat_workgroup_size=256,
        )
    )

    assert kernels(image) == (
        Kernel(
            name="_Z4gemmPf",
            arch="gfx90a",
            artifact="a.so",
            vgpr=352,
            agpr=96,
            sgpr=40,
            vgpr_spills=12,
            sgpr_spills=3,
            lds_bytes=32_768,
            scratch_bytes=64,
            wave_size=64,
            occupancy=1,
        ),
    )


def test_a_note_without_section_headers_is_found_through_the_segments() -> None:
    packed = msgspec.msgpack.encode({"amdhsa.kernels": [binaries.kernel("seg")]})
    content = binaries.note(packed)
    image = bytearray(binaries.elf(machine=binaries.EM_AMDGPU)[:64])
    image[32:48] = (64).to_bytes(8, "little") + bytes(8)  # segments right behind the header, no sections
    image[56:58] = (1).to_bytes(2, "little")
    header = (4).to_bytes(4, "little") + bytes(4) + (120).to_bytes(8, "little") + bytes(16)
    image += header + len(content).to_bytes(8, "little") + bytes(16) + content

    assert [k.name for k in kernels(bytes(image))] == ["seg"]


@pytest.mark.parametrize(
    "note",
    [
        b"",
        b"\x91" * 100_000,
        msgspec.msgpack.encode([1, 2]),
        msgspec.msgpack.encode({"amdhsa.kernels": 7}),
        msgspec.msgpack.encode({"amdhsa.kernels": [{".name": 7}]}),
        msgspec.msgpack.encode({"amdhsa.kernels": [{".vgpr_count": -1}]}),
        msgspec.msgpack.encode({"amdhsa.kernels": [{".wavefront_size": 0}]}),
        b"\xdf\xff\xff\xff\xff",
    ],
)
def test_a_forged_note_has_no_kernels(note: bytes) -> None:
    image = binaries.elf({".note": (7, binaries.note(note))}, machine=binaries.EM_AMDGPU)

    assert kernels(image) == ()


def test_bitcode_has_no_kernels() -> None:
    assert kernels(b"BC\xc0\xde" + bytes(100)) == ()


def test_a_name_is_cut_where_it_cannot_be_one_any_more() -> None:
    image = binaries.code_object(binaries.kernel("x" * 1_000_000))

    assert len(kernels(image)[0].name) == metadata.MAX_NAME
