"""How a project without configuration is built."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocm_ci.build.detect import Detected, Nothing, detect

if TYPE_CHECKING:
    from pathlib import Path

HIP_CMAKE = "project(demo LANGUAGES CXX HIP)\nadd_library(a a.hip)\n"


def found(root: Path, files: dict[str, str]) -> Detected | Nothing:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return detect(root)


@pytest.mark.parametrize(
    ("files", "text"),
    [
        ({"CMakeLists.txt": HIP_CMAKE}, "CMake with HIP (CMakeLists.txt)"),
        ({"CMakeLists.txt": "project(d)\nfind_package(hip REQUIRED)\n"}, "CMake with HIP (CMakeLists.txt)"),
        (
            {
                "CMakeLists.txt": "project(d)\nadd_subdirectory(src)",
                "src/CMakeLists.txt": "hip_add_library(a a.cpp)",
            },
            "CMake with HIP (CMakeLists.txt)",
        ),
        ({"cpp/CMakeLists.txt": HIP_CMAKE, "setup.py": "setup()"}, "CMake with HIP (cpp/CMakeLists.txt)"),
        (
            {"setup.py": "from torch.utils.cpp_extension import CUDAExtension", "a.hip": ""},
            "torch extension (setup.py)",
        ),
        (
            {
                "pyproject.toml": '[build-system]\nrequires = ["torch"]\n[tool.setuptools]\next-modules = [{name = "a"}]\n'
            },
            "torch extension (pyproject.toml)",
        ),
        (
            {"CMakeLists.txt": HIP_CMAKE, "setup.py": "from torch.utils.cpp_extension import BuildExtension"},
            "torch extension (setup.py)",
        ),
        ({"src/a.hip": "", "b.hip": ""}, "folder of .hip files (2 files)"),
        ({"src/a.hip": "", "CMakeLists.txt": "project(d CXX)"}, "folder of .hip files (src/a.hip)"),
    ],
)
def test_a_hip_build_is_found(tmp_path: Path, files: dict[str, str], text: str) -> None:
    result = found(tmp_path, files)

    assert isinstance(result, Detected)
    assert result.text == text


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"setup.py": "from setuptools import setup", "a.py": ""}, "no HIP build was found: no CMake"),
        ({"CMakeLists.txt": "project(d LANGUAGES CXX CUDA)"}, "CMakeLists.txt builds with CUDA only"),
        ({"CMakeLists.txt": "project(d)\n# find_package(hip)\n"}, "no HIP build was found"),
        ({"third_party/x/CMakeLists.txt": HIP_CMAKE}, "no HIP build was found"),
        ({"tests/data/CMakeLists.txt": HIP_CMAKE}, "no HIP build was found"),
        ({"a/b/c/d/CMakeLists.txt": HIP_CMAKE}, "no HIP build was found"),
        ({}, "no HIP build was found"),
    ],
)
def test_other_projects_have_none_and_the_reason_says_so(
    tmp_path: Path, files: dict[str, str], reason: str
) -> None:
    result = found(tmp_path, files)

    assert isinstance(result, Nothing)
    assert reason in result.reason


def command(result: Detected | Nothing) -> str:
    assert isinstance(result, Detected)
    return "\n".join(step.run for step in result.steps)


def test_switches_for_hip_are_turned_on(tmp_path: Path) -> None:
    text = 'project(d)\noption(GGML_HIP "x" OFF)\noption(USE_ROCM "y" OFF)\noption(HIP_TESTS "z" OFF)\nfind_package(hip)'

    run = command(found(tmp_path, {"CMakeLists.txt": text}))

    assert "-DGGML_HIP=ON -DUSE_ROCM=ON" in run
    assert "HIP_TESTS" not in run


def test_hipcc_is_the_compiler_unless_the_project_chooses(tmp_path: Path) -> None:
    plain = command(found(tmp_path / "a", {"CMakeLists.txt": "project(d)\nfind_package(hip)"}))
    language = command(found(tmp_path / "b", {"CMakeLists.txt": HIP_CMAKE}))
    own = command(
        found(tmp_path / "c", {"CMakeLists.txt": "project(d)\nfind_package(hip)\nhip_add_library(a b.cpp)"})
    )

    assert [("CMAKE_CXX_COMPILER=hipcc" in run) for run in (plain, language, own)] == [True, False, False]


def test_every_detected_build_is_told_the_targets(tmp_path: Path) -> None:
    assert "-DCMAKE_HIP_ARCHITECTURES={arch;}" in command(
        found(tmp_path / "a", {"CMakeLists.txt": HIP_CMAKE})
    )
    assert "$ROCM_CI_OFFLOAD_FLAGS" in command(found(tmp_path / "b", {"a.hip": ""}))


def test_a_source_folder_called_build_is_not_filled(tmp_path: Path) -> None:
    run = command(found(tmp_path, {"CMakeLists.txt": HIP_CMAKE, "build/tool.py": ""}))

    assert "cmake --build build-rocm-ci" in run


def test_links_and_endless_trees_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "a.hip").symlink_to("/etc/passwd")

    assert isinstance(detect(tmp_path), Nothing)
