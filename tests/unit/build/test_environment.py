"""What a build command finds in its environment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocm_ci.build.environment import environment, jobs

if TYPE_CHECKING:
    from pathlib import Path


def made(tmp_path: Path, base: dict[str, str] | None = None, **own: str) -> dict[str, str]:
    return environment(
        {"PATH": str(tmp_path / "bin"), **(base or {})},
        root=tmp_path / "checkout",
        archs=("gfx90a", "gfx942"),
        jobs=3,
        cache=tmp_path / "cache",
        own=own,
    )


def test_the_arch_list_is_there_in_every_spelling(tmp_path: Path) -> None:
    env = made(tmp_path)

    assert env["PYTORCH_ROCM_ARCH"] == "gfx90a;gfx942"
    assert env["HIP_ARCHITECTURES"] == "gfx90a gfx942"
    assert env["ROCM_CI_OFFLOAD_FLAGS"] == "--offload-arch=gfx90a --offload-arch=gfx942"
    assert env["MAX_JOBS"] == "3"
    assert "HCC_AMDGPU_TARGET" not in env


def test_a_step_may_set_anything_but_the_platform(tmp_path: Path) -> None:
    env = made(tmp_path, HIP_PLATFORM="nvidia", PYTORCH_ROCM_ARCH="gfx90a")

    assert env["HIP_PLATFORM"] == "amd"
    assert env["PYTORCH_ROCM_ARCH"] == "gfx90a"


def test_ccache_is_used_where_it_is_and_users_keep_their_own(tmp_path: Path) -> None:
    assert "CCACHE_DIR" not in made(tmp_path)

    (tmp_path / "bin").mkdir()
    tool = tmp_path / "bin/ccache"
    tool.touch(mode=0o755)

    assert made(tmp_path)["CMAKE_HIP_COMPILER_LAUNCHER"] == str(tool)
    assert made(tmp_path)["CCACHE_DIR"] == str(tmp_path / "cache")
    assert made(tmp_path)["CCACHE_BASEDIR"] == str(tmp_path / "checkout")
    own = made(tmp_path, {"CMAKE_HIP_COMPILER_LAUNCHER": "sccache", "CCACHE_DIR": "/keep"})
    assert (own["CMAKE_HIP_COMPILER_LAUNCHER"], own["CCACHE_DIR"]) == ("sccache", "/keep")
    assert "CMAKE_HIP_COMPILER_LAUNCHER" not in made(tmp_path, {"CCACHE_DISABLE": "1"})


@pytest.mark.parametrize(
    ("wanted", "cpus", "memory", "count"),
    [(0, 8, 64_000_000_000, 8), (0, 64, 8_000_000_000, 4), (0, 4, 1, 1), (5, 2, 1, 5), (0, 6, None, 6)],
)
def test_jobs_follow_processors_and_memory(wanted: int, cpus: int, memory: int | None, count: int) -> None:
    assert jobs(wanted, cpus=cpus, memory_bytes=memory) == count
