"""Findings in a terminal and as workflow commands: readable, and harmless whatever the source says."""

from __future__ import annotations

import msgspec

from rocm_ci.model.finding import Silenced, SilencedBy
from rocm_ci.model.scan_note import NoteKind, ScanNote
from rocm_ci.scan.listing import listing, workflow_commands
from rocm_ci.scan.scanned import Scanned
from tests.unit.scan.trees import Tree, scan_all

FILES = {"a.cpp": "int f() {\n\treturn cudaFree(0);\n}\n"}


def test_a_finding_shows_its_place_its_line_and_a_caret() -> None:
    text = listing(scan_all(FILES), Tree(FILES), failed=True, took_s=0.125, colour=False)

    assert text.splitlines() == [
        "a.cpp:2:9: error cuda-runtime-api [*] `cudaFree` is CUDA's name; HIP calls it `hipFree`",
        "      2 |  return cudaFree(0);",
        "        |         ^^^^^^^^",
        "        = fix: write `hipFree`",
        "[*] 1 can be repaired with --fix",
        "✗ 1 error in 1 file, 0.12 s",
    ]


def test_the_same_in_other_lines_of_a_file_is_said_once() -> None:
    files = {"a.cpp": "cudaFree(0);\n" * 20, "b.cpp": "cudaFree(0); cudaFree(1);\n"}
    lines = listing(scan_all(files), Tree(files), failed=True, took_s=0.1, colour=False).splitlines()

    assert next(line for line in lines if "error" in line).startswith("a.cpp:1:1")
    assert "        = also in lines 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13 and 7 more" in lines
    assert sum("also" in line for line in lines) == 1
    assert lines[-1] == "✗ 22 errors in 2 files, 0.10 s"


def test_a_repair_that_changes_what_nvidia_gets_is_marked_otherwise() -> None:
    files = {"a.cpp": "#ifdef USE_ROCM\n#else\n#include <cuda_runtime.h>\n#endif\nint i = cudaFree(0);\n"}
    text = listing(scan_all(files), Tree(files), failed=True, took_s=0.1, colour=False)

    assert "cuda-runtime-api [~]" in text
    assert "\n[~] 1 with --fix --unsafe-fixes: they may change what the code means on NVIDIA\n" in text


def test_what_was_not_looked_at_is_told_and_counted() -> None:
    notes = (
        ScanNote(kind=NoteKind.VENDORED, path="third_party/", reason="vendored"),
        ScanNote(
            kind=NoteKind.FALLBACK, path="b.py", reason="syntax error in line 3, read as tokens", line=3
        ),
        *(ScanNote(kind=NoteKind.SKIPPED, path=f"{n}.cpp", reason="larger than 5 MB") for n in range(12)),
        ScanNote(kind=NoteKind.UNFINISHED, path="slow.cpp", reason="out of time", rule="ptx-asm"),
    )
    lines = listing(Scanned((), 0, 3, notes), Tree({}), failed=False, took_s=0.1, colour=False).splitlines()

    assert lines[0] == "slow.cpp: unfinished ptx-asm out of time"
    assert lines[1] == "0.cpp: skipped larger than 5 MB"
    assert lines[10] == "… and 4 more such notes, all of them with --format json"
    assert (
        lines[11]
        == "! nothing found in 3 files, 0.10 s · 1 vendored · 1 not parsed · 12 not read · 1 given up"
    )


def test_suppressed_and_known_findings_are_counted_apart() -> None:
    known = msgspec.structs.replace(scan_all(FILES).findings[0], silenced=Silenced(by=SilencedBy.BASELINE))
    text = listing(Scanned((), 2, 3, (), (known,)), Tree({}), failed=False, took_s=0.0, colour=False)

    assert text == "✓ 2 suppressed, 1 in the baseline in 3 files, 0.00 s"


def test_nothing_found_is_said_in_one_line() -> None:
    text = listing(Scanned((), 2, 3), Tree({}), failed=False, took_s=0.0, colour=False)

    assert text == "✓ 2 suppressed in 3 files, 0.00 s"


def test_control_characters_of_the_source_do_not_reach_the_terminal() -> None:
    files = {
        "a\x1b[31m.cpp": 'cudaFree(0); puts("\x1b]0;evil\x07\udcff");\n'.encode("utf-8", "surrogateescape")
    }
    text = listing(scan_all(files), Tree(files), failed=True, took_s=0.1, colour=False)

    assert "\x1b" not in text
    assert "\x07" not in text
    text.encode()


def test_long_lines_are_cut_around_the_place() -> None:
    files = {"a.cpp": "int x; " * 100 + "cudaFree(0);" + " int y;" * 100 + "\n"}
    lines = listing(scan_all(files), Tree(files), failed=True, took_s=0.1, colour=False).splitlines()

    assert max(map(len, lines[:3])) < 200
    start = lines[2].index("^")
    assert lines[1][start : start + 8] == "cudaFree"


def test_colour_is_only_added_when_asked_for() -> None:
    assert "\033[31m" in listing(scan_all(FILES), Tree(FILES), failed=True, took_s=0.1, colour=True)


def test_workflow_commands_are_escaped() -> None:
    files = {"a,b:c\n.cpp": "cudaFree(0);\n"}

    assert workflow_commands(scan_all(files)).startswith(
        "::error file=a%2Cb%3Ac%0A.cpp,line=1,endLine=1,col=1,endColumn=9,title=cuda-runtime-api::`cudaFree`"
    )


def test_a_file_that_was_not_scanned_is_a_notice() -> None:
    notes = tuple(ScanNote(kind=kind, path="a.cpp", reason="larger than 5 MB") for kind in NoteKind)

    assert (
        workflow_commands(Scanned((), 0, 0, notes)).splitlines()
        == ["::notice file=a.cpp,title=not scanned::larger than 5 MB"] * 2
    )
