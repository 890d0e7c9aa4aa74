"""`rocm-ci scan --all` over files that were made to break it: every one is scanned, or said."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from tests.e2e.command import Outcome, rocm_ci

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CALL = "int a = cudaFree(0);\n"
# A hang of the scanner runs into this and fails, instead of into the limit of the whole suite.
pytestmark = pytest.mark.timeout(120)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    root.mkdir()
    (root / "plain.cpp").write_text(CALL)
    return root


def scan(tree: Path) -> Outcome:
    outcome = rocm_ci("scan", "--all", "--format", "json", cwd=tree)

    assert outcome.code in (0, 1), outcome.err
    assert "Traceback" not in outcome.err
    return outcome


def lines(outcome: Outcome, path: str) -> list[tuple[int, int]]:
    return [(f["line"], f["column"]) for f in outcome.json["findings"] if f["path"] == path]


def notes(outcome: Outcome, path: str) -> list[tuple[str, str]]:
    return [(n["kind"], n["reason"]) for n in outcome.json["notes"] if n["path"] == path]


@pytest.mark.parametrize(
    ("data", "places"),
    [
        (CALL.encode("utf-16"), [(1, 9)]),
        (b"\xfe\xff" + ("\n" + CALL).encode("utf-16-be"), [(2, 9)]),
        (CALL.encode("utf-8-sig"), [(1, 9)]),
        ("/* é */ int a = cudaFree(0);".encode("latin-1"), [(1, 17)]),
        ("/* é */ int a = cudaFree(0);".encode(), [(1, 17)]),
        (b"int b;\r\nint a = cudaFree(0);\r\n", [(2, 9)]),
        (b"// \0 stray\nint a = cudaFree(0);\n", [(2, 9)]),
        (b"int \\\na = \\\ncudaFree(0);\n", [(3, 1)]),
        (b"#if (((\n#elif\n#else\n#endif\n#endif\nint a = cudaFree(0);\n", [(6, 9)]),
        (b'const char* s = "open\nint a = cudaFree(0);\n', [(2, 9)]),
    ],
    ids=[
        "utf16",
        "utf16be",
        "bom",
        "latin1",
        "utf8",
        "crlf",
        "nul",
        "continued",
        "unbalanced",
        "open-string",
    ],
)
def test_odd_texts_are_scanned_at_the_right_place(
    tree: Path, data: bytes, places: list[tuple[int, int]]
) -> None:
    (tree / "odd.cpp").write_bytes(data)

    assert lines(scan(tree), "odd.cpp") == places


def fifo(path: Path) -> None:
    os.mkfifo(path)


def unreadable(path: Path) -> None:
    path.write_text(CALL)
    path.chmod(0)
    if os.access(path, os.R_OK):  # we are root, whom no mode stops
        path.unlink()
        path.symlink_to("nowhere-at-all")


def folder(path: Path) -> None:
    path.mkdir()
    (path / "lib.cpp").write_text(CALL)


MAKERS: list[tuple[str, Callable[[Path], object], str]] = [
    ("big.cu", lambda p: p.write_bytes(b"// x\n" * 1_100_000), "skipped"),
    ("line.cpp", lambda p: p.write_text(f"int b;\n// {'x' * 2_000_000}\n{CALL}"), "partial"),
    ("binary.cu", lambda p: p.write_bytes(b"\x7fELF" + bytes(5000)), "skipped"),
    ("pipe.hip", fifo, "skipped"),
    ("locked.h", unreadable, "skipped"),
    ("loop.cuh", lambda p: p.symlink_to(p.name), "skipped"),
    ("away.py", lambda p: p.symlink_to("/etc/hostname"), "skipped"),
    ("folder.cu", folder, ""),
    ("same.cpp", lambda p: p.symlink_to("plain.cpp"), ""),
    ("flood.cpp", lambda p: p.write_text(CALL * 5000), "partial"),
]


@pytest.mark.parametrize(("name", "make", "kind"), MAKERS, ids=[m[0] for m in MAKERS])
def test_what_is_not_looked_at_is_said(
    tree: Path, name: str, make: Callable[[Path], object], kind: str
) -> None:
    make(tree / name)
    outcome = scan(tree)

    assert [k for k, _ in notes(outcome, name)] == ([kind] if kind else [])
    assert lines(outcome, "plain.cpp") == [(1, 9)]


def test_a_line_after_an_overlong_one_keeps_its_number(tree: Path) -> None:
    (tree / "line.cpp").write_text(f"int b;\n// {'x' * 2_000_000}\n{CALL}")

    assert lines(scan(tree), "line.cpp") == [(3, 9)]


def test_a_name_that_is_no_utf8_is_told_escaped(tree: Path) -> None:
    with open(os.fsencode(tree) + b"/\xff.cpp", "w") as file:  # noqa: PTH123 - pathlib takes no bytes
        file.write(CALL)

    assert lines(scan(tree), "\\udcff.cpp") == [(1, 9)]


BOMBS = {
    ".github/workflows/bomb.yml": "a: &a [x,x,x,x,x,x,x,x]\n"
    + "".join(f"{chr(98 + n)}: &{chr(98 + n)} [{','.join(['*' + chr(97 + n)] * 9)}]\n" for n in range(20)),
    "docker-compose.yml": "services: &s\n  a: *s\n  <<: *s\n",
    "deep.yml": "runs-on:\n" + "".join(" " * n + "- \n" for n in range(3000)),
    "requirements.txt": "-r requirements.txt\n-c requirements.txt\ntorch==2.1.0+cu118\n",
    "deep.py": "x = " + "(" * 5000 + ")" * 5000 + "\nimport pynvml\n",
    "long.py": "x = " + "+".join(["'cuda'"] * 20_000) + "\n",
    "nested.py": "".join(" " * n + f"if a{n}:\n" for n in range(90)) + " " * 90 + "import pynvml\n",
    "two.py": "print 'old'\nexec 'code'\nimport pynvml\n",
    "broken.py": "def f(:\n  import pynvml\n'''",
    "many.cu": "#if A\n" * 20_000 + CALL,
    "parens.cu": "(" * 200_000 + CALL,
    "strings.cu": 'R"(' * 50_000 + CALL,
    "comments.cu": "/*" * 100_000,
    "asm.cu": 'asm("' * 20_000,
    "templates.hip": "A<" * 100_000 + CALL,
    "shuffles.hip": "__shfl_xor_sync(0xffffffff," * 20_000,
    "CMakeLists.txt": "if(A)\n" * 20_000 + "find_package(CUDA REQUIRED)\n",
    "generator.cmake": "target_link_libraries(a " + "$<IF:1," * 2_000 + "cudart" + ">" * 2_000 + ")\n",
    "quotes.cmake": 'set(A "' * 20_000,
    "a.sh": "if x; then\n" * 5_000 + "nvidia-smi\n",
    "b.sh": "$(" * 20_000 + "nvidia-smi",
    "c.sh": "cat <<A\n" * 10_000,
    "d.sh": "\\\n" * 50_000 + "nvidia-smi\n",
    "Dockerfile": "FROM a\n" + "RUN x && \\\n" * 20_000 + "  nvidia-smi\n",
    "Makefile": "ifdef A\n" * 20_000 + "x:\n\tnvcc a.cu\n",
    "deep.mk": "A = $(" * 5_000,
    "pyproject.toml": "a = " + "[" * 5_000 + "\n",
    "table.toml": "".join(f"[a{'.b' * n}]\n" for n in range(500)),
    "setup.cfg": "[options]\ninstall_requires =\n" + "  a\n" * 20_000,
    "meson.build": "if a\n" * 5_000 + "dependency('cuda')\n",
    "BUILD": "cuda_library(" * 5_000,
    "include.cu": "".join(f'#include "include.cu"\n#include "i{n}.h"\n' for n in range(3000)),
    "backslashes.cu": "\\" * 100_000,
    "regex.cpp": "typedef " + "a " * 100_000 + "\ncudaFree(0)",
    "defines.h": "#define cudaA(\n" * 20_000 + "static inline const " * 20_000,
    "spaces.py": "x = 1" + " " * 9_000 + "\n" * 3 + "if x:" + "\t" * 9_000 + "import pynvml\n",
    "blank.cu": (" " * 9_000 + "\n") * 200 + CALL,
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_no_hang_and_hides_nothing_else(tree: Path, name: str) -> None:
    (tree / name).parent.mkdir(parents=True, exist_ok=True)
    (tree / name).write_text(BOMBS[name])
    outcome = scan(tree)

    assert lines(outcome, "plain.cpp") == [(1, 9)]
    # On a busy machine the time for a file may end first: then that is said, and it is no bug.
    assert all("time" in r or "too long" in r for k, r in notes(outcome, name) if k == "unfinished")


@pytest.mark.parametrize("form", ["text", "github", "sarif"])
def test_all_of_them_at_once_and_in_every_format(tree: Path, form: str) -> None:
    for name, text in BOMBS.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
    outcome = rocm_ci("scan", "--all", "--format", form, cwd=tree)

    assert outcome.code == 1, outcome.err
    assert "cudaFree" in outcome.out
    assert form != "sarif" or json.loads(outcome.out)["version"] == "2.1.0"
