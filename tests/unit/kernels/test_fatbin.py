"""What GPU code a file holds, whatever the file is, and that no file can hurt the reader."""

from __future__ import annotations

import os
import struct
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rocm_ci.kernels import bundle, fatbin, metadata
from rocm_ci.kernels.span import Span
from tests.unit.kernels import binaries

if TYPE_CHECKING:
    from pathlib import Path

CODE = binaries.code_object(binaries.kernel())
BUNDLE = binaries.bundle({"gfx90a": CODE, "gfx1030": CODE})


def read(tmp_path: Path, content: bytes) -> fatbin.FatBinary:
    path = tmp_path / "file"
    path.write_bytes(content)
    return fatbin.read(path)


@pytest.mark.parametrize(
    ("content", "archs"),
    [
        (binaries.fat_object(BUNDLE), ("gfx1030", "gfx90a")),
        (binaries.fat_object(binaries.bundle({"gfx90a:sramecc+:xnack-": CODE})), ("gfx90a:sramecc+:xnack-",)),
        (binaries.archive(binaries.elf(), binaries.fat_object(BUNDLE)), ("gfx1030", "gfx90a")),
        (BUNDLE, ("gfx1030", "gfx90a")),
        (CODE, ("gfx90a",)),
        (binaries.elf({"__CLANG_OFFLOAD_BUNDLE__hip-amdgcn-amd-amdhsa-gfx90a": (1, b"BC")}), ("gfx90a",)),
        (binaries.elf({".llvm.offloading": (1, binaries.offload_binary("gfx942", CODE))}), ("gfx942",)),
        (binaries.packed(BUNDLE, version=1), ("gfx1030", "gfx90a")),
        (binaries.packed(BUNDLE, version=2), ("gfx1030", "gfx90a")),
        (binaries.packed(BUNDLE, version=3), ("gfx1030", "gfx90a")),
        (binaries.fat_object(binaries.packed(BUNDLE), BUNDLE), ("gfx1030", "gfx90a")),
        (binaries.wheel({"a/_C.so": binaries.fat_object(BUNDLE), "a/x.py": CODE}), ("gfx1030", "gfx90a")),
        (binaries.elf(), ()),
        (b"#!/bin/sh\n", ()),
        (b"", ()),
    ],
    ids=[
        "object", "features", "archive", "bundle", "code-object", "relocatable", "new-driver",
        "packed-1", "packed-2", "packed-3", "mixed", "wheel", "host-only", "script", "empty",
    ],
)  # fmt: skip
def test_the_targets_of_a_file(tmp_path: Path, content: bytes, archs: tuple[str, ...]) -> None:
    found = read(tmp_path, content)

    assert found.archs == archs
    assert found.problems == ()


def test_code_of_one_source_shares_a_bundle(tmp_path: Path) -> None:
    found = read(tmp_path, binaries.fat_object(BUNDLE, binaries.bundle({"gfx90a": CODE})))

    assert [(e.target, e.bundle == found.entries[0].bundle) for e in found.entries] == [
        ("gfx90a", True),
        ("gfx1030", True),
        ("gfx90a", False),
    ]


def test_the_modules_of_a_wheel_keep_their_bundles_apart(tmp_path: Path) -> None:
    one = binaries.fat_object(binaries.bundle({"gfx90a": CODE}))

    found = read(tmp_path, binaries.wheel({"a/_A.so": one, "a/_B.so": one}))

    assert len({e.bundle for e in found.entries}) == 2


def test_an_entry_without_code_is_no_code(tmp_path: Path) -> None:
    assert read(tmp_path, binaries.bundle({"gfx90a": b"", "gfx1030": CODE})).archs == ("gfx1030",)


def test_zstd_without_any_zstd_is_a_problem_with_its_reason(tmp_path: Path) -> None:
    found = read(tmp_path, binaries.packed(BUNDLE, method=1))

    assert found.archs == ()
    assert found.problems == ("a bundle compressed with zstd: no zstd on this machine",)


def test_a_bundle_that_claims_to_unpack_to_gigabytes_is_left_alone(tmp_path: Path) -> None:
    found = read(tmp_path, binaries.packed(BUNDLE, version=3, size=bundle.MAX_UNPACKED + 1))

    assert "too large" in found.problems[0]


def test_a_damaged_member_does_not_hide_the_others(tmp_path: Path) -> None:
    found = read(tmp_path, binaries.archive(binaries.elf()[:30], CODE))

    assert found.archs == ("gfx90a",)
    assert "a member of the archive is cut off" in found.problems[0]


def test_an_entry_with_a_huge_size_is_a_problem_and_the_rest_is_read(tmp_path: Path) -> None:
    forged = bytearray(BUNDLE)
    where = forged.index(b"hipv4-amdgcn-amd-amdhsa--gfx90a") - 16
    struct.pack_into("<Q", forged, where, 1 << 62)

    found = read(tmp_path, bytes(forged))

    assert found.archs == ("gfx1030",)
    assert "the code for gfx90a is cut off" in found.problems[0]


@pytest.mark.parametrize("count", [1 << 63, 1 << 31, bundle.MAX_ENTRIES + 1])
def test_a_bundle_with_absurdly_many_entries_is_a_problem(tmp_path: Path, count: int) -> None:
    found = read(tmp_path, bundle.MAGIC + struct.pack("<Q", count) + bytes(100))

    assert found.archs == ()
    assert f"{count} entries" in found.problems[0]


def test_sections_that_lie_on_each_other_are_not_searched_for_ever(tmp_path: Path) -> None:
    whole = bytearray(binaries.elf({f".hip_fatbin{i}": (1, b"") for i in range(2000)}))
    headers = struct.unpack_from("<Q", whole, 40)[0]
    for index in range(1, 2001):
        struct.pack_into("<QQ", whole, headers + 64 * index + 24, 0, len(whole))

    assert "its sections overlap" in read(tmp_path, bytes(whole)).problems


def test_a_file_that_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)

    assert "cannot be read" in fatbin.read(loop).problems[0]
    assert "cannot be read" in fatbin.read(tmp_path).problems[0]
    assert not fatbin.is_binary(loop)


def test_a_sparse_file_of_many_megabytes_is_no_burden(tmp_path: Path) -> None:
    path = tmp_path / "big.so"
    path.write_bytes(binaries.fat_object(BUNDLE))
    os.truncate(path, 200_000_000)

    assert fatbin.read(path).archs == ("gfx1030", "gfx90a")


def everything(found: fatbin.FatBinary) -> None:
    for entry in found.entries:
        metadata.kernels(entry, "file")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
@given(data=st.data())
def test_no_damaged_file_raises(tmp_path: Path, data: st.DataObject) -> None:
    sound = data.draw(
        st.sampled_from(
            [
                binaries.fat_object(BUNDLE),
                binaries.archive(binaries.fat_object(BUNDLE)),
                BUNDLE,
                CODE,
                binaries.packed(BUNDLE),
                binaries.wheel({"a/_C.so": binaries.fat_object(BUNDLE)}),
                binaries.elf({".llvm.offloading": (1, binaries.offload_binary("gfx942", CODE))}),
            ]
        )
    )
    damaged = bytearray(sound[: data.draw(st.integers(0, len(sound)))])
    for _ in range(data.draw(st.integers(0, 6)) if damaged else 0):
        at = data.draw(st.integers(0, len(damaged) - 1))
        damaged[at : at + 8] = data.draw(st.binary(min_size=1, max_size=8))

    everything(read(tmp_path, bytes(damaged)))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)
@given(tail=st.binary(max_size=200), magic=st.sampled_from(fatbin.MAGICS))
def test_no_file_with_a_known_beginning_raises(tmp_path: Path, magic: bytes, tail: bytes) -> None:
    everything(read(tmp_path, magic + tail))


@given(
    images=st.dictionaries(
        st.sampled_from(["gfx906", "gfx90a", "gfx942:xnack+", "gfx1100"]), st.binary(min_size=1)
    )
)
def test_a_bundle_gives_back_what_was_put_in(images: dict[str, bytes]) -> None:
    content = bytes(17) + binaries.bundle(images)
    span = Span(content, 0, len(content))

    found = [e for e in bundle.entries(span, bundle.Unpacker()) if isinstance(e, bundle.Entry)]

    assert {e.target: e.image.copy() for e in found} == images
