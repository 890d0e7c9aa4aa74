"""Every name of the table, in code, in a comment, in a string and behind guards: all of it in a few files."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rocm_ci import registry
from rocm_ci.changes import whole_tree
from rocm_ci.config.options import DEFAULT_ARCHS, ScanOptions
from rocm_ci.scan.engine import scan
from rocm_ci.scan.rulebook import RuleBook, shipped
from tools.api_table import merge, row, views

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from rocm_ci.model.finding import Finding

TABLE = row.read((registry.data_folder("rules") / "tables" / "cuda-api.tsv").read_text(encoding="utf-8"))
BOOK = RuleBook([rule for rule in shipped() if "c" in rule.languages])
AT_ONCE = 150  # below the most findings that one rule may have in one file
HEADERS = {name: one for name, one in TABLE.items() if one.kind == "header"}
NAMES = {name: one for name, one in TABLE.items() if one.kind != "header" and views.group(one) != "caffe2"}
RENAMED = {name: one for name, one in NAMES.items() if one.hip}
WITHOUT = {name: one for name, one in NAMES.items() if not one.hip}
# Rules of other topics speak of these, and mind more than the name.
ELSEWHERE = {name for name, one in NAMES.items() if views.group(one) == "elsewhere"}
COLUMN = 3
# Families that a rule takes whole, whatever follows.
OPEN = re.compile(r"nvml|NVML|cutensorMg")


class Files:
    """A tree in memory."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts

    def read(self, path: str) -> bytes | None:
        return self._texts[path].encode() if path in self._texts else None


def found(texts: Mapping[str, str]) -> tuple[Finding, ...]:
    """All findings, none of them cut off."""
    changes = whole_tree(tuple(texts))
    return scan(Files(texts), changes, ScanOptions(), DEFAULT_ARCHS, book=BOOK).findings


def batches(names: Iterable[str]) -> Iterator[list[str]]:
    every = sorted(names)
    for start in range(0, len(every), AT_ONCE):
        yield every[start : start + AT_ONCE]


@cache
def in_code() -> dict[str, list[Finding]]:
    """What is found for each name as the only word of a statement, two spaces in."""
    texts: dict[str, str] = {}
    owner: dict[tuple[str, int], str] = {}
    for number, names in enumerate(batches(NAMES)):
        path = f"src/n{number}.cpp"
        texts[path] = "void f() {\n" + "".join(f"  {name};\n" for name in names) + "}\n"
        owner |= {(path, line): name for line, name in enumerate(names, 2)}
    told: dict[str, list[Finding]] = {name: [] for name in NAMES}
    for finding in found(texts):
        told[owner[finding.path, finding.line]].append(finding)
    return told


def silent(text: str) -> list[str]:
    """`text` with every name in place of NAME; what is found there."""
    texts = {
        f"src/n{number}.cpp": "\n".join(text.replace("NAME", name) for name in names) + "\n"
        for number, names in enumerate(batches(NAMES))
    }
    return [f"{f.rule}: {f.message}" for f in found(texts) if f.severity.value != "note"]


def test_every_name_without_hip_is_an_error_at_its_place() -> None:
    missed = [
        name
        for name in WITHOUT.keys() - ELSEWHERE
        if not any(
            f.severity.value == "error"
            and f.column == COLUMN
            and f.end == COLUMN + len(name)
            and not f.replacement
            for f in in_code()[name]
        )
    ]

    assert missed == []


def test_every_name_that_hip_has_differently_is_an_error_with_the_right_replacement() -> None:
    wrong = [
        name
        for name, one in RENAMED.items()
        if name not in ELSEWHERE
        and one.hip
        not in {f.replacement for f in in_code()[name] if f.column == COLUMN and f.severity.value == "error"}
    ]

    assert wrong == []


def test_names_that_other_rules_look_at_are_found_too() -> None:
    assert [name for name in ELSEWHERE if not in_code()[name]] == []


def test_no_name_is_told_by_two_rules_of_one_severity() -> None:
    double = {
        name: [f.rule for f in findings]
        for name, findings in in_code().items()
        if len({f.severity for f in findings}) < len(findings)
    }

    assert double == {}


@pytest.mark.parametrize(
    "text",
    [
        "// NAME",
        "/* NAME */",
        'const char* k = "NAME is missing";',
        "#ifdef USE_CUDA\nint a = NAME;\n#endif",
        "#ifndef __HIP_PLATFORM_AMD__\nint a = NAME;\n#else\nint a;\n#endif",
    ],
)
def test_no_name_is_told_in_comments_strings_and_branches_for_nvidia(text: str) -> None:
    assert silent(text) == []


def test_a_name_is_told_in_a_branch_for_amd() -> None:
    text = "#ifdef USE_ROCM\nint a = NAME;\n#endif"
    texts = {
        f"src/n{n}.cpp": "\n".join(text.replace("NAME", x) for x in names) + "\n"
        for n, names in enumerate(batches(NAMES))
    }

    told = {(f.path, f.line) for f in found(texts) if f.severity.value == "error"}

    silent_names = [
        name
        for number, names in enumerate(batches(NAMES))
        for at, name in enumerate(names)
        if (f"src/n{number}.cpp", 3 * at + 2) not in told and name not in ELSEWHERE
    ]
    assert silent_names == []


def test_a_longer_word_is_another_name() -> None:
    texts = {
        f"src/n{number}.cpp": "void f() {\n"
        + "".join(f"  my_{name}; {name}ForUs; x{name}y;\n" for name in names)
        + "}\n"
        for number, names in enumerate(batches(n for n in NAMES if not OPEN.match(n)))
    }

    assert [f.message for f in found(texts) if f.rule in RULES] == []


def test_every_header_is_told_with_what_takes_its_place() -> None:
    names = sorted(HEADERS)
    text = "".join(f"#include <{name}>\n" for name in names)
    told: dict[str, set[str | None]] = {name: set() for name in names}
    for finding in found({"src/a.cpp": text}):
        if finding.topic.value == "cuda-include":
            told[names[finding.line - 1]].add(finding.replacement)

    assert {n: told[n] for n in names if told[n] != {HEADERS[n].hip or None}} == {}


PLAIN = """
abs max min norm round pow texture surface saturate umin umax mul24 float_as_int dim3 y1 cub cuda hip
cursor current curl custom cuBox cuHelper cudaStyle cuda_config CUDAGuard CUDAStream cu cudnn nv nv_helper
nvtools cublas_wrapper CUBIC CUTOFF CUSTOM CURRENT_CONTEXT CUDA_HOME CUDA_KERNEL_LOOP CUDA_CHECK
CUBLAS_CHECK CUDNN_CHECK CUDA_1D_KERNEL_LOOP nvertices NVertex __shared__ __device__ __global__ __syncthreads
__popc __ldg __shfl_xor __half __float2half threadIdx blockIdx warpSize atomicAdd hipMalloc memoryBarrier int2float
"""
RULES = frozenset(
    rule.rule.id
    for rule in BOOK.rules
    for spec in rule.rule.match
    if spec.table and spec.kinds[0].value == "code"
)


def test_plain_words_and_names_that_hip_shares_are_never_told() -> None:
    text = "void f() {\n" + "".join(f"  {word}(a);\n" for word in PLAIN.split()) + "}\n"

    assert RULES
    assert [f.message for f in found({"src/a.cpp": text}) if f.rule in RULES] == []


def test_the_table_holds_neither_plain_words_nor_identities() -> None:
    assert [n for n, one in TABLE.items() if one.is_identity or not re.search(r"\W|[A-Z_\d]", n)] == []
    assert [n for n, one in TABLE.items() if one.source != "kept" and not merge.is_distinctive(n)] == []
    assert len(WITHOUT) > 4000
    assert len(RENAMED) > 4500


def test_rows_say_where_they_come_from() -> None:
    known: set[str] = {"hipify", "torch", "headers", "kept"}

    assert {one.source for one in TABLE.values()} == known


def test_the_lists_of_the_rules_follow_from_the_table() -> None:
    from tools.api_table.__main__ import derived

    folder = registry.data_folder("rules") / "tables"
    stale = [
        name
        for name, text in derived(TABLE).items()
        if Path(folder / name).read_text(encoding="utf-8") != text
    ]

    assert stale == []
