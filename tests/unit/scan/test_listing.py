"""Findings in a terminal and as workflow commands: readable, and harmless whatever the source says."""

from __future__ import annotations

from rocm_ci.scan.engine import Scanned
from rocm_ci.scan.listing import listing, workflow_commands
from tests.unit.scan.trees import Tree, scan_all

FILES = {"a.cpp": "int f() {\n\treturn cudaFree(0);\n}\n"}


def test_a_finding_shows_its_place_its_line_and_a_caret() -> None:
    text = listing(scan_all(FILES), Tree(FILES), failed=True, took_s=0.125, colour=False)

    assert text.splitlines() == [
        "a.cpp:2:9: error cuda-runtime-api `cudaFree` is CUDA's name; HIP calls it `hipFree`",
        "      2 |  return cudaFree(0);",
        "        |         ^^^^^^^^",
        "        = fix: write `hipFree`",
        "✗ 1 error in 1 file, 0.12 s",
    ]


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
