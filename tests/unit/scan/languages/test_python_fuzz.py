"""Whatever is called Python, a notebook or Cython: nothing raises, every region lies in the file."""

from __future__ import annotations

import json

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rocm_ci.scan.language import Surroundings
from rocm_ci.scan.language_registry import detectors
from rocm_ci.scan.languages.python import LANGUAGE
from rocm_ci.scan.python_repair import tree_of
from rocm_ci.scan.source import Guard, RegionKind, Source

BOUNDED = settings(
    max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), database=None
)
WORDS = (
    "import", "from", "pynvml", "torch", ".", "version", "cuda", "hip", "if", "else", "elif", "not", "and", "or",
    "is", "None", ":", "\n", "\n    ", "\n        ", "def", "f", "(", ")", "[", "]", "{", "}", ",", "=", "==", "'",
    '"', '"""', "'''", "\\", "#", "return", "raise", "try", "except", "ImportError", "match", "case", "_", "lambda",
    "assert", "with", "class", "@", "print", "0777", "10L", "`", "<>", "!", "%", "%%bash", "\t", "\f", "\0", "é",
    "\udcff", "𝟙", "r", "f'{x}'", "os.system", "'nvcc'", "await", "async", ":=", "*", "**", "->", "…", ";",
    "get_device_capability()", ">=", "(8, 9)", "448.0", "num_stages=4", "float8_e4m3fn", "RawKernel", "__global__",
)  # fmt: skip
PYTHON = st.lists(st.sampled_from(WORDS), max_size=60).map(" ".join) | st.lists(
    st.sampled_from(WORDS), max_size=60
).map("".join)
STATEMENTS = st.lists(
    st.sampled_from([
        "import pynvml", "import torch", "if torch.version.hip:", "else:", "    import pynvml", "    pass", "try:",
        "except ImportError:", "    raise", "def f():", "class A:", "    def g(self):", "        return self.hip",
        "x = torch.version.cuda.split('.')", "match x:", "    case 'cuda':", "        import nvtx", "    return",
        "print 'x'", "@skipif(is_hip())", "hip = f()", "hip: bool = hip", "with suppress(ImportError):", "{% if %}",
        "k[grid](x, BLOCK_M=128, num_stages=4)", "c = torch.cuda.get_device_capability()", "if c >= (8, 9): pass",
        "assert torch.version.hip is None", "while True:", "for i in x:", "    break", "    continue", "FP8 = 448.0",
    ]),
    max_size=25,
).map("\n".join)  # fmt: skip


def check(path: str, text: str) -> None:
    """Parse, run every detector of Python, and look where the regions lie."""
    lines = tuple(text.split("\n"))
    parsed = LANGUAGE.parse(Source(path, text, lines))
    for region in parsed.regions:
        assert 1 <= region.line <= len(lines)
        assert region.column >= 1
        assert isinstance(region.kind, RegionKind)
        assert isinstance(region.guard, Guard)
    for name, detector in detectors().items():
        if name.startswith("py-"):
            for match in detector.find(parsed, Surroundings(archs=("gfx942",), tables={})):
                assert 1 <= match.line <= len(lines)
                assert 1 <= match.column <= match.end


@BOUNDED
@given(PYTHON | STATEMENTS)
def test_python(text: str) -> None:
    check("pkg/a.py", text)


@BOUNDED
@given(PYTHON | STATEMENTS)
def test_cython(text: str) -> None:
    check("pkg/a.pyx", text)


@BOUNDED
@given(st.lists(STATEMENTS | PYTHON, max_size=4), st.sampled_from([None, 0, 1]), st.booleans())
def test_notebooks(cells: list[str], indent: int | None, whole: bool) -> None:
    sources = [cell if whole else cell.splitlines(keepends=True) for cell in cells]
    book = {"cells": [{"cell_type": "code", "source": s} for s in sources], "metadata": {}}
    text = json.dumps(book, indent=indent)
    check("a.ipynb", text)
    check("a.ipynb", text[: len(text) // 2])


@BOUNDED
@given(st.text(max_size=200), st.sampled_from(["a.py", "a.ipynb", "a.pyx"]))
def test_any_text(text: str, path: str) -> None:
    check(path, text)


@BOUNDED
@given(STATEMENTS)
def test_what_is_put_aside_is_told_and_everything_else_is_in_the_tree(text: str) -> None:
    tree = tree_of(text)
    if tree.module is not None:
        top = {line for s in tree.module.body for line in range(s.lineno, (s.end_lineno or 0) + 1)}
        written = {n for n, line in enumerate(text.split("\n"), 1) if line.strip() and line.strip() != "pass"}
        assert written - top - tree.aside == set()


@BOUNDED
@given(STATEMENTS, st.sampled_from(["\r\n", "\n"]))
def test_the_same_text_gives_the_same_regions(text: str, end: str) -> None:
    both = [LANGUAGE.parse(Source("a.py", t, tuple(t.split("\n")))).regions for t in (text, text)]

    assert both[0] == both[1]
    check("a.py", text.replace("\n", end))
