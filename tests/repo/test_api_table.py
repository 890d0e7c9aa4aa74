"""The tool that makes `rules/tables`, on handmade excerpts of its sources and on the packages themselves."""

from __future__ import annotations

import shutil
import tarfile
import zipfile
from argparse import Namespace
from dataclasses import replace
from pathlib import Path

import pytest

from tests import require
from tools.api_table import (
    additions,
    compare,
    headers,
    hints,
    hipify_script,
    hipify_tables,
    merge,
    row,
    torch_table,
    versions,
    views,
)
from tools.api_table.__main__ import main, problems

TABLES = """
const std::map<llvm::StringRef, hipCounter> CUDA_RUNTIME_FUNCTION_MAP {
  // a note
  {"cudaGrab",      {"hipGrab",      "",        CONV_MEMORY, API_RUNTIME, SEC::MEMORY}},
  {"cudaOldGrab",   {"hipOldGrab",   "",        CONV_MEMORY, API_RUNTIME, SEC::MEMORY, CUDA_DEPRECATED | CUDA_REMOVED}},
  {"cudaNever",     {"hipNever",     "",        CONV_GRAPH, API_RUNTIME, SEC::GRAPH, HIP_UNSUPPORTED | CUDA_DEPRECATED}},
  {"cudaSoon",      {"hipSoon",      "",        CONV_GRAPH, API_RUNTIME, SEC::GRAPH, HIP_UNSUPPORTED}},
  {"abs",           {"abs",          "",        CONV_DEVICE_FUNC, API_RUNTIME, 1}},
  {"saturate",      {"saturate",     "",        CONV_DEVICE_FUNC, API_RUNTIME, 1, UNSUPPORTED}},
};
const std::map<llvm::StringRef, cudaAPIversions> CUDA_RUNTIME_FUNCTION_VER_MAP {
  {"cudaOldGrab",   {CUDA_0,   CUDA_101, CUDA_120}},
  {"cudaNever",     {CUDA_112, CUDA_128, CUDA_0  }},
  {"cudaGrab",      {CUDA_80,  CUDA_130, CUDA_0  }},
};
const std::map<llvm::StringRef, hipAPIversions> HIP_RUNTIME_FUNCTION_VER_MAP {
  {"hipGrab",       {HIP_6020, HIP_0,    HIP_0,  HIP_LATEST}},
  {"hipOldGrab",    {HIP_1060, HIP_3080, HIP_0   }},
};
const std::map<llvm::StringRef, cudaAPIChangedVersions> CUDA_RUNTIME_FUNCTION_CHANGED_VER_MAP {
  {"cudaGrab",      {CUDA_120}},
};
"""
SOLVER = """
  {"CUSOLVER_ALL",  {"HIPSOLVER_ALL", "rocsolver_all", CONV_NUMERIC_LITERAL, API_SOLVER, 1, HIP_UNSUPPORTED}},
"""
SCRIPT = """#!/usr/bin/perl -w
my %deprecated_funcs = (
    "cudaOldGrab" => "10.1",
    "cudaNever" => "12.8"
);

my %removed_funcs = (
    "cudaOldGrab" => "12.0"
);

sub simpleSubstitutions {
    subst("cudaGrab", "hipGrab", "memory");
    subst("cudaOldGrab", "hipOldGrab", "memory");
    subst("grab\\/grab.h", "hip\\/grab.h", "include");
}

sub rocSubstitutions {
    subst("CUSOLVER_ALL", "rocsolver_all", "numeric_literal");
}

@SupportedDeviceFunctions = (
    "abs"
);

@HipOnlyUnsupportedFunctions = (
    "cudaSoon",
    "cudaNever",
    "CUSOLVER_ALL"
);
"""
TORCH = """
CUDA_TYPE_NAME_MAP = collections.OrderedDict([
    ("cudaThing_t", "hipThing_t"),
    ("cudaOldThing", ("hipOldThing", CONV_TYPE, API_RUNTIME, HIP_UNSUPPORTED)),
])
CUDA_INCLUDE_MAP = collections.OrderedDict([("grab.h", ("hip/grab.h", CONV_INCLUDE, API_RUNTIME))])
PYTORCH_SPECIFIC_MAPPINGS = collections.OrderedDict([("at::cuda", "at::hip")])
"""
HINTS = "oldone\tcudaOld\\w+\ttake the new one\nnever\tcuda(?:Nev|Old)\\w+\tdo without\n"
HEADER = """
/* cudaInComment */
typedef struct cudaFresh_st cudaFresh; // cudaNeither
enum { CU_FRESH_ONE = 1 };
int cudaFreshCall(int);
"""


def sources(*, extra: tuple[tuple[str, dict[str, str]], ...] = ()) -> merge.Sources:
    files = {"CUDA2HIP_Runtime_API.cpp": TABLES, "CUDA2HIP_SOLVER_API.cpp": SOLVER}
    return merge.Sources(
        hipify=hipify_tables.rows(files),
        proposed=hipify_tables.proposed(files),
        torch=torch_table.rows(TORCH),
        headers={},
        declared=frozenset({"hipThing_t"}),
        newer=frozenset({"hipSoon"}),
        additions=extra,
    )


@pytest.mark.parametrize(
    ("name", "release"),
    [
        ("CUDA_102", "10.2"),
        ("CUDA_80", "8.0"),
        ("CUDA_0", ""),
        ("CUDNN_704", "7.0.4"),
        ("CUDNN_51", "5.1.0"),
        ("CUDNN_9110", "9.11.0"),
        ("CUTENSOR_2109", "2.1.0.9"),
        ("HIP_6020", "6.2"),
        ("HIP_1051", "1.5.1"),
        ("HIP_LATEST", ""),
    ],
)
def test_names_of_releases_are_read_as_people_write_them(name: str, release: str) -> None:
    assert versions.release(name) == release


def test_the_tables_of_hipify_give_names_releases_and_what_is_missing() -> None:
    rows = hipify_tables.rows({"CUDA2HIP_Runtime_API.cpp": TABLES, "CUDA2HIP_SOLVER_API.cpp": SOLVER})

    assert rows["cudaGrab"] == row.Row(
        name="cudaGrab",
        library="runtime",
        kind="function",
        hip="hipGrab",
        cuda_since="8.0",  # the plan to deprecate it in 13.0 is no fact yet: no flag says so
        hip_since="6.2",
        source="hipify",
    )
    assert (rows["cudaOldGrab"].cuda_deprecated, rows["cudaOldGrab"].cuda_removed) == ("10.1", "12.0")
    assert rows["cudaOldGrab"].hip_deprecated == "3.8"
    assert (rows["cudaNever"].hip, rows["cudaNever"].cuda_deprecated) == ("", "12.8")
    assert (rows["CUSOLVER_ALL"].hip, rows["CUSOLVER_ALL"].roc) == ("", "rocsolver_all")
    assert (rows["CUSOLVER_ALL"].library, rows["CUSOLVER_ALL"].kind) == ("cusolver", "enum")


def test_the_tables_are_read_from_a_folder_and_from_an_archive(tmp_path: Path) -> None:
    folder = tmp_path / "HIPIFY" / "src"
    folder.mkdir(parents=True)
    (folder / "CUDA2HIP_Runtime_API.cpp").write_text(TABLES, encoding="utf-8")
    (folder / "main.cpp").write_text("int main() {}", encoding="utf-8")
    archive = tmp_path / "hipify.orig.tar.xz"
    with tarfile.open(archive, "w:xz") as tar:
        tar.add(tmp_path / "HIPIFY", arcname="HIPIFY")

    assert (
        hipify_tables.texts(tmp_path) == hipify_tables.texts(archive) == {"CUDA2HIP_Runtime_API.cpp": TABLES}
    )


def test_the_script_says_the_same_in_fewer_columns() -> None:
    rows = hipify_script.rows(SCRIPT)
    theirs = hipify_tables.rows({"CUDA2HIP_Runtime_API.cpp": TABLES, "CUDA2HIP_SOLVER_API.cpp": SOLVER})

    assert hipify_script.is_script(SCRIPT)
    assert rows["grab/grab.h"].hip == "hip/grab.h"
    for name in ("cudaGrab", "cudaOldGrab", "cudaNever", "CUSOLVER_ALL"):
        for column in (*hipify_script.COLUMNS, "roc"):
            assert getattr(rows[name], column) == getattr(theirs[name], column), (name, column)


def test_both_forms_of_torchs_maps_are_read_and_its_own_names_left_out(tmp_path: Path) -> None:
    wheel = tmp_path / "torch-2.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("torch/utils/hipify/cuda_to_hip_mappings.py", TORCH)

    rows = torch_table.rows(torch_table.source(wheel))

    assert {name: one.hip for name, one in rows.items()} == {
        "cudaThing_t": "hipThing_t",
        "cudaOldThing": "",
        "grab.h": "hip/grab.h",
    }


def test_headers_give_names_of_the_api_without_those_in_comments(tmp_path: Path) -> None:
    (tmp_path / "cuda_runtime_api.h").write_text(HEADER, encoding="utf-8")
    (tmp_path / "vector_types.h").write_text("struct cudaElsewhere;", encoding="utf-8")

    rows = headers.rows([tmp_path])

    assert {name: one.kind for name, one in rows.items()} == {
        "cudaFresh_st": "type",
        "cudaFresh": "type",
        "CU_FRESH_ONE": "enum",
        "cudaFreshCall": "function",
    }
    assert "cudaInComment" not in headers.declared([tmp_path])


def test_the_table_leaves_out_what_hip_shares_and_plain_words() -> None:
    table = merge.table(sources())

    assert sorted(table) == [
        "CUSOLVER_ALL", "cudaGrab", "cudaNever", "cudaOldGrab", "cudaOldThing", "cudaSoon", "cudaThing_t", "grab.h",
    ]  # fmt: skip
    assert (table["cudaSoon"].hip, table["cudaSoon"].hip_since) == ("hipSoon", ">7.0")
    assert table["cudaThing_t"].hip == "hipThing_t"
    assert table["cudaOldThing"].hip == ""


def test_additions_have_the_last_word() -> None:
    text = "cudaGrab . . - roc=rocGrab  # no such thing\ncudaNever|cudaSoon runtime function =\n__extra device device -\n"
    table = merge.table(sources(extra=tuple((n, dict(v)) for n, v in additions.entries(text))))

    assert (table["cudaGrab"].hip, table["cudaGrab"].roc, table["cudaGrab"].source) == ("", "rocGrab", "kept")
    assert "cudaNever" not in table
    assert table["__extra"].kind == "device"


@pytest.mark.parametrize("line", ["cudaGrab runtime", "cudaGrab runtime function hipGrab colour=red"])
def test_a_broken_addition_is_refused_with_its_line(line: str) -> None:
    with pytest.raises(ValueError, match=r"additions.txt:2"):
        list(additions.entries(f"# head\n{line}\n"))


def test_the_text_of_the_table_reads_back() -> None:
    table = merge.table(sources())

    assert row.read(row.write(table.values())) == table


def test_a_list_for_a_rule_says_what_is_known_of_a_name() -> None:
    table = merge.table(sources())
    made = views.texts(table, [(key, pattern) for key, pattern, _ in hints.entries(HINTS)])

    assert "\ncudaGrab hipGrab since=6.2 by=hipify\n" in made["runtime-renames.txt"]
    assert "\ncudaNever - deprecated=12.8 hint=never\n" in made["api-without-hip.txt"]
    assert "\nCUSOLVER_ALL - roc=rocsolver_all\n" in made["library-without-hip.txt"]
    assert "\ncudaOldGrab hipOldGrab removed=12.0 hint=oldone\n" in made["outdated-names.txt"]
    assert (
        made["runtime-renames.txt"].splitlines()[1] == "# needles: cudaGrab cudaOldGrab cudaSoon cudaThing_t"
    )


def test_the_table_tells_who_renames_a_name_to_one_that_exists() -> None:
    maps = """
_OURS = "<inside.h>" if _IS_INSIDE else "<soon/soon.h>"
CUDA_INCLUDE_MAP = collections.OrderedDict([
    ("include <cuda.h", "include <hip/hip_runtime.h"),
    ("<soon.h>", _OURS),
])
CUDA_IDENTIFIER_MAP = collections.OrderedDict([
    ("cudaGrab", "hipGrab"),
    ("cudaOldGrab", "hipInvented"),
    ("cudaThing_t", "hipThing_t"),
])
"""
    theirs = torch_table.rows(maps)
    table = merge.table(replace(sources(), torch=theirs))

    assert {name: theirs[name].hip for name in ("cuda.h", "soon.h")} == {
        "cuda.h": "hip/hip_runtime.h",
        "soon.h": "soon/soon.h",
    }
    assert {
        name: table[name].renamed_by for name in ("cudaGrab", "cudaOldGrab", "cudaThing_t", "cudaSoon")
    } == {
        "cudaGrab": "hipify,torch",
        "cudaOldGrab": "hipify",
        "cudaThing_t": "torch",
        "cudaSoon": "",
    }
    made = views.texts(table, [])["runtime-renames.txt"]
    assert "\ncudaGrab hipGrab since=6.2\n" in made
    assert "\ncudaSoon hipSoon since=>7.0 by=-\n" in made


def test_a_change_in_a_source_is_told() -> None:
    table = merge.table(sources())
    changed = TABLES.replace('"hipGrab",      ""', '"hipGrasp",     ""').replace(
        "cudaOldGrab", "cudaOlderGrab"
    )
    theirs = hipify_tables.rows({"a.cpp": changed, "b.cpp": SOLVER})

    assert list(compare.differences("hipify", theirs, table, ("hip", "cuda_removed"))) == [
        "hipify: cudaGrab: hip is hipGrasp, the table has hipGrab",
        "hipify: cudaOlderGrab is not in the table",
        "hipify: cudaOldGrab is in the table and no longer there",
    ]


def test_the_committed_tables_follow_from_each_other() -> None:
    assert list(problems(Namespace(hipify=None, torch=None))) == []


def test_writing_the_table_from_half_of_the_sources_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--hipify", "somewhere"]) == 2
    assert "takes every source" in capsys.readouterr().err


def test_the_table_is_what_the_package_hipify_perl_says() -> None:
    """Debian's newer suites have the package; `tools/setup.sh test` brings it."""
    place = Path(".tools/hipify/usr/bin/hipify-perl")
    script = str(place) if place.is_file() else shutil.which("hipify-perl")
    if script is None:
        require.missing("hipify-perl", "tools/newer_package.sh .tools/hipify hipify-perl")
    if "HIP version 7.0.0" not in Path(script).read_text(encoding="utf-8"):
        require.missing("hipify-perl", "the table was made from 7.0.2; here is another release")

    assert list(problems(Namespace(hipify=Path(script), torch=None))) == []
