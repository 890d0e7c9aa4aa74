"""Which edits are applied: never overlapping ones, only where the scan looked, until nothing is left."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from rocm_ci.changes import whole_tree
from rocm_ci.config.options import ScanOptions
from rocm_ci.model.edit import Edit
from rocm_ci.model.finding import Silenced, SilencedBy
from rocm_ci.scan.engine import scan
from rocm_ci.scan.fixes import Fixes, chosen_edits, fixes
from rocm_ci.scan.scanned import Scanned
from tests.reports import finding
from tests.unit.scan.trees import BOOK, Tree, added

if TYPE_CHECKING:
    from rocm_ci.model.changes import Changes
    from rocm_ci.scan.files import FileSource

CUDA = "#include <cuda_runtime.h>\nvoid f() {\n  cudaFree(0); cudaFree(1);\n}\n"
HIP = "#include <hip/hip_runtime.h>\nvoid f() {\n  hipFree(0); hipFree(1);\n}\n"
BOTH = "#ifdef USE_ROCM\n#include <hip/hip_runtime.h>\n#else\n#include <cuda_runtime.h>\n#endif\nint i = cudaFree(0);\n"


def rescan(source: FileSource, changes: Changes) -> Scanned:
    return scan(source, changes, ScanOptions(), ("gfx90a", "gfx942"), book=BOOK)


def fixed(files: dict[str, str | bytes], changes: Changes | None = None, *, unsafe: bool = False) -> Fixes:
    tree = Tree(files)
    changes = changes or whole_tree(tuple(files))
    return fixes(tree, changes, rescan(tree, changes), rescan, unsafe=unsafe)


def test_every_place_is_repaired_in_one_go() -> None:
    found = fixed({"a.cpp": CUDA})

    assert [(one.path, one.before.decode(), one.after.decode()) for one in found.files] == [
        ("a.cpp", CUDA, HIP)
    ]
    assert found.count == 3
    assert fixed({"a.cpp": HIP}).files == ()


def test_only_lines_of_the_change_are_touched() -> None:
    text = "int a = cudaFree(0);\nint b = cudaFree(0);\nint c = cudaFree(0);\n"
    (one,) = fixed({"a.cpp": text}, added("a.cpp", (2, 2))).files

    assert one.after.decode().splitlines()[1:2] == ["int b = hipFree(0);"]
    assert one.after.decode().count("cudaFree") == 2


def test_what_may_change_the_meaning_on_nvidia_needs_to_be_asked_for() -> None:
    assert fixed({"a.cpp": BOTH}).files == ()
    (one,) = fixed({"a.cpp": BOTH}, unsafe=True).files
    assert b"hipFree" in one.after
    assert b"cuda_runtime.h" in one.after


def test_in_a_project_that_translates_its_sources_a_hip_name_is_no_safe_repair() -> None:
    files: dict[str, str | bytes] = {
        "setup.py": "from torch.utils.cpp_extension import CUDAExtension\nx = CUDAExtension('a', ['a.cu'])\n",
        "a.cu": CUDA,
    }

    assert fixed(files, whole_tree(("a.cu",))).files == ()
    assert [one.path for one in fixed(files, whole_tree(("a.cu",)), unsafe=True).files] == ["a.cu"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (CUDA.replace("\n", "\r\n").encode(), HIP.replace("\n", "\r\n").encode()),
        (b"\xef\xbb\xbf" + CUDA.encode(), b"\xef\xbb\xbf" + HIP.encode()),
        (CUDA.encode() + b"// \xe9\xff", HIP.encode() + b"// \xe9\xff"),
        (("\ufeff" + CUDA).encode("utf-16-le"), ("\ufeff" + HIP).encode("utf-16-le")),
        (("\ufeff" + CUDA).encode("utf-16-be"), ("\ufeff" + HIP).encode("utf-16-be")),
    ],
    ids=["CRLF", "mark", "Latin-1", "UTF-16-LE", "UTF-16-BE"],
)
def test_line_ends_and_encodings_stay(before: bytes, after: bytes) -> None:
    (one,) = fixed({"a.cpp": before}).files

    assert one.after == after


def test_a_file_that_changed_since_the_scan_is_refused() -> None:
    tree = Tree({"a.cpp": CUDA})
    scanned = rescan(tree, whole_tree(("a.cpp",)))
    later = Tree({"a.cpp": "\n" + CUDA})
    found = fixes(later, whole_tree(("a.cpp",)), scanned, rescan)

    assert (found.files, found.refused) == ((), {"a.cpp": "it changed since it was read"})


def test_a_file_that_is_gone_is_refused() -> None:
    scanned = rescan(Tree({"a.cpp": CUDA}), whole_tree(("a.cpp",)))

    assert fixes(Tree({}), whole_tree(("a.cpp",)), scanned, rescan).refused == {
        "a.cpp": "it changed since it was read"
    }


def test_what_the_baseline_knows_is_not_repaired() -> None:
    tree = Tree({"a.cpp": "int a = cudaFree(0);\nint b = cudaMalloc(0, 1);\n"})
    scanned = rescan(tree, whole_tree(("a.cpp",)))
    known = replace(scanned.findings[0], silenced=Silenced(by=SilencedBy.BASELINE))
    left = Scanned(scanned.findings[1:], 0, 1, (), (known,))
    (one,) = fixes(tree, whole_tree(("a.cpp",)), left, rescan).files

    assert one.after == b"int a = cudaFree(0);\nint b = hipMalloc(0, 1);\n"


def test_what_is_silenced_is_not_repaired_and_its_twin_is() -> None:
    text = "cudaFree(0); // rocm-ci: allow cuda-runtime-api the NVIDIA build\ncudaFree(0);\n"
    (one,) = fixed({"a.cpp": text}).files

    assert one.after.decode().splitlines()[0] == text.splitlines()[0]
    assert one.after.decode().splitlines()[1] == "hipFree(0);"


def test_odd_names_are_repaired_too() -> None:
    names = ["a b.cpp", "-rf.cpp", "a\nb.cpp", b"a\xff.cpp".decode("utf-8", "surrogateescape")]

    assert {one.path for one in fixed(dict.fromkeys(names, CUDA)).files} == set(names)


def test_of_overlapping_repairs_the_first_wins_and_each_goes_wholly_or_not_at_all() -> None:
    def with_edits(*places: tuple[int, int, int, str]) -> object:
        edits = tuple(Edit(line=a, column=b, end=c, text=d) for a, b, c, d in places)
        return replace(finding(), edits=edits)

    first, second, third = (
        with_edits((1, 1, 5, "a"), (3, 1, 2, "b")),
        with_edits((1, 4, 8, "c"), (2, 1, 2, "d")),
        with_edits((1, 1, 5, "a"), (2, 1, 2, "e")),
    )
    chosen, edits = chosen_edits([first, second, third])  # type: ignore[list-item]

    assert chosen == [first, third]
    assert [e.text for e in edits] == ["a", "e", "b"]


def test_a_repair_that_would_break_the_syntax_is_refused() -> None:
    text = "import torch\nprint(torch.version.rocm)\n"
    tree = Tree({"a.py": text})
    changes = whole_tree(("a.py",))

    def broken(source: FileSource, changes: Changes) -> Scanned:
        found = rescan(source, changes)
        edits = (Edit(line=2, column=6, end=7, text=""),)
        return Scanned(tuple(replace(f, edits=edits) for f in found.findings), 0, 1)

    found = fixes(tree, changes, broken(tree, changes), broken)

    assert (found.files, found.refused) == ((), {"a.py": "the repair would break its syntax"})


def test_a_file_that_could_not_be_parsed_before_may_be_repaired() -> None:
    text = "print 'python 2'\nimport torch\nprint(torch.version.rocm)\n"

    assert len(fixed({"a.py": text}).files) <= 1


def test_repairs_that_never_end_are_ended() -> None:
    tree = Tree({"a.cpp": "x\n"})
    changes = whole_tree(("a.cpp",))

    def endless(source: FileSource, changes: Changes) -> Scanned:
        data = source.read("a.cpp") or b""
        edits = (Edit(line=1, column=len(data), end=len(data), text="y"),)
        return Scanned((replace(finding(), path="a.cpp", edits=edits),), 0, 1)

    (one,) = fixes(tree, changes, endless(tree, changes), endless).files

    assert one.after == b"xyyyyyyyyyy\n"
