"""Changes → findings: which lines, which files, which severity, and that nothing hostile breaks it."""

from __future__ import annotations

import pytest

from rocm_ci.changes import whole_tree
from rocm_ci.config.options import ScanOptions
from rocm_ci.model.changes import ChangeKind, Changes, FileChange
from rocm_ci.model.finding import Severity, Topic
from rocm_ci.scan.engine import MOST_FINDINGS_PER_RULE_AND_FILE, scan
from tests.unit.scan.trees import BOOK, Tree, added, scan_all

CUDA = "void f() {\n  cudaFree(0);\n  cudaFree(1);\n}\n"


def test_a_finding_says_where_what_and_how_to_repair_it() -> None:
    (first, _) = scan_all({"a.cpp": CUDA}).findings

    assert (first.path, first.line, first.column, first.end) == ("a.cpp", 2, 3, 11)
    assert (first.rule, first.topic, first.severity) == ("cuda-runtime-api", Topic.CUDA_API, Severity.ERROR)
    assert first.replacement == "hipFree"
    assert "hipFree" in (first.fix or "")
    assert first.docs == "docs/rules/cuda-runtime-api.md"


def test_only_added_lines_count() -> None:
    scanned = scan(Tree({"a.cpp": CUDA}), added("a.cpp", (3, 3)), ScanOptions(), ("gfx90a",), book=BOOK)

    assert [f.line for f in scanned.findings] == [3]


@pytest.mark.parametrize(
    "change",
    [
        FileChange(path="a.cpp", kind=ChangeKind.DELETED),
        FileChange(path="a.cpp", kind=ChangeKind.ADDED, added=((1, 9),), is_submodule=True),
        FileChange(path="a.cpp", kind=ChangeKind.ADDED, added=((1, 9),), is_symlink=True),
        FileChange(path="third_party/a.cpp", kind=ChangeKind.ADDED, added=((1, 9),)),
        FileChange(path="gone.cpp", kind=ChangeKind.ADDED, added=((1, 9),)),
    ],
    ids=["deleted", "submodule", "symlink", "vendored", "absent"],
)
def test_what_is_no_source_of_this_project_is_passed_over(change: FileChange) -> None:
    tree = Tree({"a.cpp": CUDA, "third_party/a.cpp": CUDA})
    scanned = scan(tree, Changes(files=(change,)), ScanOptions(), ("gfx90a",), book=BOOK)

    assert (scanned.findings, scanned.files) == ((), 0)


@pytest.mark.parametrize("path", ["README.md", "notes.txt", "a.js", "page.html", "data.bin", "x"])
def test_prose_and_unknown_files_are_not_scanned(path: str) -> None:
    assert scan_all({path: CUDA}).files == 0


def test_excluded_paths_are_left_out() -> None:
    options = ScanOptions(exclude=("legacy/**", "*.gen.cpp"))
    files = {"legacy/a.cpp": CUDA, "b.gen.cpp": CUDA, "c.cpp": CUDA}

    assert {f.path for f in scan_all(files, options=options).findings} == {"c.cpp"}


@pytest.mark.parametrize(("level", "severities"), [("off", []), ("note", [Severity.NOTE] * 2)])
def test_a_rule_can_be_turned_down_or_off(level: str, severities: list[Severity]) -> None:
    options = ScanOptions(rules={"cuda-runtime-api": level})  # type: ignore[dict-item]

    assert [f.severity for f in scan_all({"a.cpp": CUDA}, options=options).findings] == severities


def test_a_rule_about_other_targets_is_silent() -> None:
    text = "constexpr int kWarpSize = 32;\n"

    assert scan_all({"a.hip": text}, archs=("gfx942:sramecc+",)).findings
    assert scan_all({"a.hip": text}, archs=("gfx1100",)).findings == ()


@pytest.mark.parametrize(
    ("build_file", "text"),
    [
        (
            "setup.py",
            "from torch.utils.cpp_extension import CUDAExtension\nx = CUDAExtension('a', ['a.cu'])\n",
        ),
        ("CMakeLists.txt", "include(cmake/hipify.cmake)\n"),
    ],
)
def test_names_are_notes_where_the_build_translates_them(build_file: str, text: str) -> None:
    found = [f for f in scan_all({build_file: text, "csrc/a.cu": CUDA}).findings if f.path == "csrc/a.cu"]

    assert {f.severity for f in found} == {Severity.NOTE}


def test_what_no_translator_knows_stays_an_error_there() -> None:
    setup = "from torch.utils.cpp_extension import CUDAExtension\nx = CUDAExtension('a', ['a.cu'])\n"
    files = {"setup.py": setup, "a.cu": "int e = cuTensorMapEncodeTiled();\n", "b.hip": CUDA}
    found = [f for f in scan_all(files).findings if f.path != "setup.py"]

    assert {f.severity for f in found} == {Severity.ERROR}


def test_the_nvidia_half_of_a_pair_is_left_alone() -> None:
    files = {
        "src/cuda/a.cu": CUDA,
        "src/hip/a.hip": "",
        "src/b.cu": CUDA,
        "src/b.hip": "",
        "src/c.cpp": CUDA,
        "src/c.hip": "",
    }

    assert {f.path for f in scan_all(files).findings} == {"src/c.cpp"}


def test_device_source_in_a_python_string_is_scanned_as_c() -> None:
    text = 'import cupy\nk = cupy.RawKernel(r"""\nextern "C" __global__ void f(float v) {\n  v += __shfl_xor_sync(0xffffffff, v, 1);\n}\n""", "f")\n'
    (found,) = scan_all({"a.py": text}).findings

    assert (found.rule, found.line, found.column) == ("lane-mask-32-bit", 4, 24)


@pytest.mark.parametrize("name", ["a b.cpp", 'a"q.cpp', "a\nb.cpp", "-rf.cpp", "ü/日.cpp"])
def test_odd_paths_are_reported_as_they_are(name: str) -> None:
    assert {f.path for f in scan_all({name: CUDA}).findings} == {name}


def test_a_path_and_a_line_that_are_no_utf8_can_be_reported() -> None:
    path = b"a\xff.cpp".decode("utf-8", "surrogateescape")
    found = scan_all({path: b"\xff cudaFree(0); // \xfe\n"}).findings

    assert [f.path for f in found] == ["a\\udcff.cpp"]
    assert found[0].column == 3


def test_binary_content_under_a_source_name_is_passed_over() -> None:
    assert scan_all({"a.cpp": b"\x7fELF\2\1\1\0\0\0\0\0\0\0\0\0cudaFree"}).files == 0


def test_overlong_lines_are_ignored_and_positions_hold() -> None:
    text = f"// {'x' * 20_000} \ncudaFree(0);\n"
    (found,) = scan_all({"a.cpp": text}).findings

    assert found.line == 2


def test_windows_line_ends_change_nothing() -> None:
    plain, windows = (scan_all({"a.cpp": t}).findings for t in (CUDA, CUDA.replace("\n", "\r\n")))

    assert plain == windows


def test_a_flood_in_one_file_is_bounded() -> None:
    found = scan_all({"a.cpp": "cudaFree(0);\n" * 3000}).findings

    assert len(found) == MOST_FINDINGS_PER_RULE_AND_FILE


def test_findings_come_sorted_by_place() -> None:
    files = {"b.cpp": CUDA, "a.cpp": "#include <cuda.h>\nint x = cudaFree(0) + cudaMalloc(1);\n"}
    places = [(f.path, f.line, f.column) for f in scan_all(files).findings]

    assert places == sorted(places)
    assert len(places) == 5


def test_deeply_broken_sources_never_raise() -> None:
    broken = {f"f{n}{s}": '#if (((\nasm("mov.u32\n' * n + "(" * 3000 for n in (1, 50) for s in (".cu", ".h")}

    assert scan_all(broken).files == 4


def test_nothing_outside_the_named_files_is_reported() -> None:
    tree = Tree(
        {"a.cpp": '#include "b.h"\ncudaFree(0);\n', "b.h": "#define cudaFree hipFree\ncudaMalloc(0);\n"}
    )

    assert scan(tree, whole_tree(("a.cpp",)), ScanOptions(), ("gfx90a",), book=BOOK).findings == ()


def test_macros_that_a_header_defines_for_one_vendor_guard_its_includers() -> None:
    files = {
        "gpu/common.h": "#ifndef USE_ROCM\n#define HAS_PTX\n#endif\n",
        "gpu/mid.h": '#include "common.h"\n',
        "gpu/a.cu": '#include "mid.h"\n#ifdef HAS_PTX\nint a = cuMulticastCreate();\n#endif\nint b = cuMulticastCreate();\n',
    }

    assert [(f.path, f.line) for f in scan_all(files).findings] == [("gpu/a.cu", 5)]


def test_a_shim_for_a_function_makes_its_narrow_mask_legal() -> None:
    use = '#include "hip.h"\nfloat f(float v) { return __shfl_xor_sync(0xffffffff, v, 1); }\n'
    files = {
        "hip.h": "#define __shfl_xor_sync(mask, v, lane) __shfl_xor(v, lane)\n",
        "a.cu": use,
        "b.cu": use[17:],
    }

    assert [f.path for f in scan_all(files).findings] == ["b.cu"]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("return __shfl_sync(mask, v.native(), lane);", [("a.cu", 2), ("half.h", 2)]),
        ("return __shfl(v, lane);", []),
        ("return __shfl_sync(uint64_t{mask}, v.native(), lane);", []),
    ],
)
def test_an_overload_does_not_make_a_narrow_mask_legal(body: str, found: list[tuple[str, int]]) -> None:
    files = {
        "half.h": f"Half __shfl_sync(unsigned mask, Half v, int lane) {{\n  {body}\n}}\n",
        "a.cu": '#include "half.h"\nfloat f(float v) { return __shfl_sync(0xffffffff, v, 1); }\n',
    }

    assert [(f.path, f.line) for f in scan_all(files).findings] == found


def test_headers_that_include_each_other_end() -> None:
    files = {"a.h": '#include "b.h"\n#ifdef X\ncudaFree(0);\n#endif\n', "b.h": '#include "a.h"\n'}

    assert len(scan_all(files).findings) == 1
