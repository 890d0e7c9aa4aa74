"""Whether a built file holds code for every declared target."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.kernels import coverage
from tests.unit.kernels import binaries

if TYPE_CHECKING:
    from pathlib import Path

CODE = binaries.code_object(binaries.kernel())


def of(tmp_path: Path, content: bytes, *declared: str) -> coverage.Coverage:
    path = tmp_path / "lib" / "a.so"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    return coverage.of(path, tmp_path, declared)


def test_a_missing_target_is_named(tmp_path: Path) -> None:
    found = of(tmp_path, binaries.fat_object(binaries.bundle({"gfx90a": CODE})), "gfx90a", "gfx942")

    assert found.artifact.path == "lib/a.so"
    assert found.artifact.missing == ("gfx942",)
    assert not found.untargeted


def test_a_part_compiled_without_a_target_is_seen_among_sound_ones(tmp_path: Path) -> None:
    content = binaries.fat_object(binaries.bundle({"gfx90a": CODE}), binaries.bundle({"gfx803": CODE}))

    found = of(tmp_path, content, "gfx90a")

    assert found.untargeted
    assert (found.gaps, found.parts) == (1, 2)


def test_gfx803_beside_others_was_meant(tmp_path: Path) -> None:
    content = binaries.fat_object(binaries.bundle({"gfx803": CODE, "gfx90a": CODE}))

    assert not of(tmp_path, content, "gfx90a").untargeted
    assert not of(tmp_path, binaries.fat_object(binaries.bundle({"gfx803": CODE})), "gfx803").untargeted


def test_parts_for_some_targets_only_are_gaps_not_missing(tmp_path: Path) -> None:
    content = binaries.fat_object(
        binaries.bundle({"gfx90a": CODE, "gfx942": CODE}), binaries.bundle({"gfx942": CODE})
    )

    found = of(tmp_path, content, "gfx90a", "gfx942")

    assert found.artifact.missing == ()
    assert (found.gaps, found.parts) == (1, 2)


def test_what_cannot_be_looked_into_is_unknown_not_missing(tmp_path: Path) -> None:
    content = binaries.fat_object(binaries.packed(binaries.bundle({"gfx90a": CODE}), method=1))

    found = of(tmp_path, content, "gfx90a")

    assert found.artifact.missing == ()
    assert "zstd" in found.unknown


def test_a_file_without_gpu_code_lacks_all(tmp_path: Path) -> None:
    assert of(tmp_path, b"text", "gfx90a", "gfx942").artifact.missing == ("gfx90a", "gfx942")
