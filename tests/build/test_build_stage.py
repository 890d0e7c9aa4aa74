"""The build stage with the real hipcc: what builds, what does not, and who is to blame."""

from __future__ import annotations

import subprocess

import pytest

from rocm_ci.build import toolchain
from rocm_ci.config.options import BuildOptions
from rocm_ci.model.finding import Severity
from rocm_ci.model.result import BuildResult
from rocm_ci.model.verdict import Verdict
from tests import require
from tests.build.project import SAXPY, Project

pytestmark = pytest.mark.build

COMPILE = "hipcc $ROCM_CI_OFFLOAD_FLAGS -O1 -fPIC -shared a.hip -o liba.so"


def first_error(result: BuildResult) -> tuple[str | None, int | None, str]:
    error = next(d for s in result.steps for d in s.diagnostics if d.severity is Severity.ERROR)
    return error.path, error.line, error.message


def test_a_library_with_code_for_both_targets_passes(project: Project) -> None:
    project.archs = ("gfx90a", "gfx1030")
    project.put("a.hip", SAXPY)

    result = project.run(COMPILE, artifacts=("*.so",))

    assert result.verdict is Verdict.PASS, result.reason
    assert [(a.path, a.archs, a.missing) for a in result.steps[0].artifacts] == [
        ("liba.so", ("gfx1030", "gfx90a"), ())
    ]
    assert "clang" in (result.compiler or "")
    assert (project.scratch / "out" / (result.steps[0].log or "")).is_file()


def test_a_library_that_lacks_a_declared_target_fails(project: Project) -> None:
    project.archs = ("gfx90a", "gfx1030")
    project.put("a.hip", SAXPY)

    result = project.run("hipcc --offload-arch=gfx90a -c a.hip -o a.o", artifacts=("a.o",))

    assert result.verdict is Verdict.FAIL
    assert "a.o holds no code for gfx1030 (it has gfx90a)" in result.reason
    assert result.steps[0].artifacts[0].missing == ("gfx1030",)


def test_a_call_of_hipcc_without_a_target_is_refused_before_it_runs(project: Project) -> None:
    project.put("a.hip", SAXPY)

    result = project.run("hipcc -c a.hip -o a.o")

    assert result.verdict is Verdict.FAIL
    assert "without --offload-arch" in result.reason
    assert "gfx803" in result.reason
    assert not (project.root / "a.o").exists()


def test_a_call_without_a_target_inside_a_makefile_is_found_in_what_it_made(project: Project) -> None:
    project.put("a.hip", SAXPY)
    project.put("Makefile", "a.o: a.hip\n\t@hipcc -c a.hip -o a.o\n")

    result = project.run("make")

    assert result.verdict is Verdict.FAIL
    assert "a.o holds gfx803 code that nobody asked for" in result.reason


def test_a_call_without_a_target_that_make_prints_is_found_in_the_log(project: Project) -> None:
    project.put("a.hip", SAXPY)
    project.put("Makefile", "all:\n\thipcc -c a.hip -o /dev/null\n")

    result = project.run("make")

    assert result.verdict is Verdict.FAIL
    assert "`hipcc -c a.hip -o /dev/null (log line" in result.reason


def test_a_cuda_header_is_placed_on_its_line(project: Project) -> None:
    project.put("src/a.hip", "#include <hip/hip_runtime.h>\n#include <cuda_runtime.h>\n")

    result = project.run("hipcc $ROCM_CI_OFFLOAD_FLAGS -c src/a.hip -o a.o")

    assert result.verdict is Verdict.FAIL
    assert first_error(result) == ("src/a.hip", 2, "'cuda_runtime.h' file not found")
    assert "src/a.hip:2: 'cuda_runtime.h' file not found" in result.reason
    assert "#include <cuda_runtime.h>" in (result.steps[0].excerpt or "")


def test_an_unknown_cuda_call_is_placed_and_named_once_for_two_targets(project: Project) -> None:
    project.archs = ("gfx90a", "gfx1030")
    project.put(
        "a.hip", "#include <hip/hip_runtime.h>\nint f() {\n  float* p;\n  return cudaMalloc(&p, 4);\n}\n"
    )

    # `make -k` goes on after an error, too.
    result = project.run(
        "; ".join(f"hipcc --offload-arch={a} -c a.hip || bad=1" for a in project.archs) + "; exit $bad"
    )

    errors = [d for d in result.steps[0].diagnostics if d.severity is Severity.ERROR]
    assert [(e.path, e.line, e.column) for e in errors] == [("a.hip", 4, 10)]
    assert errors[0].message == "use of undeclared identifier 'cudaMalloc'"
    assert set((errors[0].arch or "").split(", ")) == {"gfx90a", "gfx1030"}


def test_an_error_in_a_system_header_is_placed_on_the_users_line(project: Project) -> None:
    project.put(
        "include/own.h",
        (
            "#pragma once\n#include <vector>\n#include <memory>\n"
            "inline void add(std::vector<std::unique_ptr<int>>& v, const std::unique_ptr<int>& p) {\n"
            "  v.push_back(p);\n}\n"
        ),
    )
    project.put("a.hip", '#include <hip/hip_runtime.h>\n#include "own.h"\nint main() {}\n')

    result = project.run("hipcc $ROCM_CI_OFFLOAD_FLAGS -Iinclude -c a.hip -o a.o")

    path, line, _ = first_error(result)
    assert (path, line) == ("include/own.h", 5)
    assert any("reported at /" in n for d in result.steps[0].diagnostics for n in d.notes)


def test_a_missing_host_symbol_is_placed_where_it_is_used(project: Project) -> None:
    project.put(
        "a.hip",
        (
            '#include <hip/hip_runtime.h>\nextern "C" int cudaGetDeviceCount(int*);\n'
            "int main() {\n  int n;\n  return cudaGetDeviceCount(&n);\n}\n"
        ),
    )

    result = project.run("hipcc $ROCM_CI_OFFLOAD_FLAGS a.hip -o a")

    assert result.verdict is Verdict.FAIL
    assert first_error(result) == ("a.hip", 5, "undefined reference to `cudaGetDeviceCount'")


def test_a_missing_device_symbol_is_placed_where_it_is_used(project: Project) -> None:
    project.put(
        "dev.hip",
        (
            "#include <hip/hip_runtime.h>\n__device__ float other(float);\n"
            "__global__ void k(float* x) {\n  x[0] = other(x[0]);\n}\n"
        ),
    )

    result = project.run("hipcc $ROCM_CI_OFFLOAD_FLAGS -c dev.hip -o dev.o")

    assert result.verdict is Verdict.FAIL
    assert first_error(result)[:2] == ("dev.hip", 4)
    assert result.steps[0].diagnostics[0].arch == "gfx90a"


def test_a_target_that_this_hipcc_does_not_know_is_the_machines_fault(project: Project) -> None:
    project.archs = ("gfx90a", "gfx1250")
    project.put("a.hip", SAXPY)
    if not toolchain.refused(
        project.context().run, project.context().environment, ("gfx1250",), project.scratch
    ):
        pytest.skip("this hipcc builds for gfx1250")

    configured = project.run(COMPILE)
    detected = project.build()

    for result in (configured, detected):
        assert result.verdict is Verdict.ERROR, result.reason
        assert "cannot build for gfx1250" in result.reason
        assert "gfx90a" not in result.reason.split(":")[0]


def test_a_target_that_nobody_declared_is_the_changes_fault(project: Project) -> None:
    project.put("a.hip", SAXPY)

    result = project.run("hipcc --offload-arch=gfx9999 -c a.hip -o a.o")

    assert result.verdict is Verdict.FAIL
    assert "gfx9999" in result.reason


def test_a_build_that_takes_too_long_is_ended_with_its_children(project: Project) -> None:
    result = project.run("sleep 300 & sleep 300", timeout="1s")

    assert result.verdict is Verdict.FAIL
    assert "timed out after 1s" in result.reason


def test_a_missing_compiler_is_the_machines_fault(project: Project) -> None:
    result = project.run("PATH=/nowhere hipcc --offload-arch=gfx90a -c a.hip")

    assert result.verdict is Verdict.ERROR
    assert "a build tool is missing" in result.reason


def test_a_full_disk_is_the_machines_fault(project: Project) -> None:
    project.put("a.hip", SAXPY)

    result = project.run("hipcc $ROCM_CI_OFFLOAD_FLAGS -c a.hip -o /dev/full")

    assert result.verdict is Verdict.ERROR, result.reason
    assert "the disk is full" in result.reason


def test_a_step_cannot_turn_hipcc_to_nvidia(project: Project) -> None:
    project.put("a.hip", SAXPY)
    step = BuildOptions(name="lib", run=COMPILE, artifacts=("*.so",), env={"HIP_PLATFORM": "nvidia"})

    assert project.build(step).verdict is Verdict.PASS


def test_globs_that_match_nothing_fail(project: Project) -> None:
    result = project.run("true", artifacts=("build/*.so",))

    assert result.verdict is Verdict.FAIL
    assert "no file matches its artifacts build/*.so" in result.reason


def test_later_steps_say_why_they_did_not_run(project: Project) -> None:
    result = project.build(BuildOptions(name="one", run="exit 3"), BuildOptions(name="two", run="true"))

    assert [s.verdict for s in result.steps] == [Verdict.FAIL, Verdict.SKIPPED]
    assert result.steps[1].reason == "not run, because one did not succeed"


def test_a_folder_of_hip_files_needs_no_configuration(project: Project) -> None:
    project.archs = ("gfx90a", "gfx1030")
    project.put("src/a b.hip", SAXPY)
    project.put("-dash {jobs}.hip", SAXPY)

    result = project.build()

    assert result.verdict is Verdict.PASS, result.reason
    assert result.detected == "folder of .hip files (2 files)"
    assert {a.path for a in result.steps[0].artifacts} == {
        "build/rocm-ci/src/a b.hip.o",
        "build/rocm-ci/-dash {jobs}.hip.o",
    }


def test_a_cmake_project_with_hip_needs_no_configuration(project: Project) -> None:
    require.program("cmake", "apt-get install cmake")
    project.put("src/a.cpp", SAXPY)
    project.put(
        "CMakeLists.txt",
        (
            'cmake_minimum_required(VERSION 3.21)\nproject(demo LANGUAGES CXX)\noption(WITH_HIP "GPU" OFF)\n'
            "if(WITH_HIP)\nfind_package(hip REQUIRED)\nadd_library(a SHARED src/a.cpp)\n"
            "target_link_libraries(a PRIVATE hip::device)\nendif()\n"
        ),
    )

    result = project.build()

    assert result.verdict is Verdict.PASS, result.reason
    assert result.detected == "CMake with HIP (CMakeLists.txt)"
    assert [(a.path, a.archs) for s in result.steps for a in s.artifacts] == [("build/liba.so", ("gfx90a",))]


def test_ccache_serves_a_second_build_of_the_same_sources(project: Project) -> None:
    require.program("cmake", "apt-get install cmake")
    ccache = require.program("ccache", "apt-get install ccache")
    copies = [project, Project(root=project.scratch / "copy", scratch=project.scratch)]
    for copy in copies:
        copy.put("a.cpp", SAXPY)
        copy.put(
            "CMakeLists.txt",
            "cmake_minimum_required(VERSION 3.21)\nproject(demo LANGUAGES CXX)\nfind_package(hip REQUIRED)\n"
            "add_library(a SHARED a.cpp)\ntarget_link_libraries(a PRIVATE hip::device)\n",
        )

    results = [copy.build() for copy in copies]

    stats = subprocess.run(
        [ccache, "--print-stats"],
        env={"CCACHE_DIR": str(project.scratch / "work" / "ccache"), "PATH": "/usr/bin"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    hits = {k: int(v) for k, v in (line.split("\t") for line in stats.splitlines())}
    assert hits["direct_cache_hit"] + hits["preprocessed_cache_hit"] >= 1
    for result in results:
        assert result.verdict is Verdict.PASS, result.reason
        assert [a.archs for s in result.steps for a in s.artifacts] == [("gfx90a",)]


def test_a_cmake_error_is_placed_in_the_users_file(project: Project) -> None:
    require.program("cmake", "apt-get install cmake")
    project.put(
        "CMakeLists.txt",
        (
            "cmake_minimum_required(VERSION 3.21)\nproject(demo LANGUAGES CXX)\n\nfind_package(CUDAToolkitX REQUIRED)\n"
        ),
    )

    result = project.run("cmake -S . -B build")

    assert result.verdict is Verdict.FAIL
    path, line, message = first_error(result)
    assert (path, line) == ("CMakeLists.txt", 4)
    assert "CUDAToolkitX" in message
