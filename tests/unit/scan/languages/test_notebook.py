"""Jupyter notebooks → regions at the lines and columns of the file."""

from __future__ import annotations

import json

import pytest

from rocm_ci.scan.detectors import py_capability
from rocm_ci.scan.language import Surroundings
from rocm_ci.scan.languages.python import LANGUAGE
from rocm_ci.scan.source import Guard, Region, RegionKind, Source


def notebook(*sources: object, language: str = "python", indent: int | None = 1) -> str:
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": s} for s in sources]
    prose = {"cell_type": "markdown", "metadata": {}, "source": ["import pynvml\n"]}
    metadata = {"kernelspec": {"display_name": "x", "language": language, "name": "k"}}
    return json.dumps({"cells": [prose, *cells], "metadata": metadata, "nbformat": 4}, indent=indent)


def regions(text: str) -> tuple[Region, ...]:
    return LANGUAGE.parse(Source("a.ipynb", text, tuple(text.split("\n")))).regions


def imports(text: str) -> list[str]:
    return [r.text for r in regions(text) if r.kind is RegionKind.INCLUDE]


def test_code_cells_are_read_and_prose_is_not() -> None:
    text = notebook(["import torch\n", "import pynvml as p"])
    lines = text.split("\n")
    found = [r for r in regions(text) if r.kind is RegionKind.INCLUDE]

    assert [r.text for r in found] == ["torch", "pynvml"]
    for region in found:
        assert lines[region.line - 1][region.column - 1 :].startswith(region.text)


def test_columns_count_the_escapes_of_json() -> None:
    text = notebook(['x = "a\\\\n"; y = "/usr/local/cuda/lib"'])
    region = next(r for r in regions(text) if r.text.startswith("/usr"))

    assert text.split("\n")[region.line - 1][region.column - 1 :].startswith("/usr/local/cuda/lib")


def test_cells_know_the_names_of_cells_above_them() -> None:
    text = notebook(["import torch\n", "hip = torch.version.hip"], ["if not hip:\n", "    import pynvml"])

    assert [r.guard for r in regions(text) if r.text == "pynvml"] == [Guard.NVIDIA]


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("!nvidia-smi -L", "nvidia-smi -L"),
        ("out = !nvidia-smi", "nvidia-smi"),
        ("%sx nvcc --version", "nvcc --version"),
        ("    !nvcc -V", "nvcc -V"),
    ],
)
def test_a_command_of_the_shell_is_a_call(line: str, command: str) -> None:
    body = ["if x:\n", line] if line.startswith(" ") else [line]
    text = notebook(body)
    found = next(r for r in regions(text) if r.text == command)

    assert "call:os.system" in found.context
    assert text.split("\n")[found.line - 1][found.column - 1 :].startswith(command)


def test_what_is_installed_is_a_requirement() -> None:
    text = notebook(["!pip install -q torch==2.3.0+cu121 nvidia-ml-py -i https://x\n", "%pip install cupy"])
    found = [r for r in regions(text) if r.kind is RegionKind.REQUIREMENT]
    lines = text.split("\n")

    assert [r.text for r in found] == ["torch==2.3.0+cu121", "nvidia-ml-py", "cupy"]
    assert all(lines[r.line - 1][r.column - 1 :].startswith(r.text) for r in found)


def test_magics_do_not_break_a_cell() -> None:
    text = notebook(["%matplotlib inline\n", "%load_ext x\n", "obj?\n", "import pynvml"])

    assert imports(text) == ["pynvml"]


def test_a_cell_of_shell_is_read_line_by_line_unless_it_branches() -> None:
    plain = notebook(["%%bash\n", "nvidia-smi -L"])
    branching = notebook(["%%bash\n", "if command -v nvidia-smi; then\n", "nvidia-smi -L\n", "fi"])

    assert any(r.text == "nvidia-smi -L" for r in regions(plain))
    assert regions(branching) == ()


def test_a_cell_of_device_code_is_a_kernel() -> None:
    text = notebook(["%%cu\n", "__global__ void f() {\n", "}"])

    assert [r.kind for r in regions(text)] == [RegionKind.KERNEL]


def test_a_timed_cell_is_python_and_a_written_file_is_not() -> None:
    assert imports(notebook(["%%time\n", "import pynvml"])) == ["pynvml"]
    assert imports(notebook(["%%writefile a.py\n", "import pynvml"])) == []


def test_a_source_in_one_string_is_told_at_its_line() -> None:
    text = notebook("import torch\nif torch.version.hip:\n    pass\nelse:\n    import pynvml\nimport nvtx")
    found = {r.text: r for r in regions(text) if r.kind is RegionKind.INCLUDE}
    line = next(n for n, t in enumerate(text.split("\n"), 1) if "import nvtx" in t)

    assert (found["nvtx"].line, found["nvtx"].guard) == (line, Guard.NONE)
    assert found["pynvml"].guard is Guard.NVIDIA
    assert text.split("\n")[line - 1][found["nvtx"].column - 1 :].startswith("nvtx")


def test_notebooks_of_other_languages_are_left_alone() -> None:
    assert regions(notebook(["import pynvml"], language="julia")) == ()


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"cells": [', '{"cells": 3}', "null", '{"cells": [{"source": "x']
)
def test_broken_json_does_not_raise(text: str) -> None:
    assert regions(text) == ()


def test_a_detector_tells_the_column_that_the_file_has() -> None:
    source = ["import torch\n", 'name = "a\\tb"; new = torch.cuda.get_device_capability() >= (8, 9)\n']
    text = notebook(source)
    parsed = LANGUAGE.parse(Source("a.ipynb", text, tuple(text.split("\n"))))
    (match,) = py_capability.DETECTOR.find(parsed, Surroundings(archs=("gfx942",), tables={}))

    line = text.split("\n")[match.line - 1]
    assert line[match.column - 1 : match.end - 1] == match.text
    assert match.text == "torch.cuda.get_device_capability() >= (8, 9)"
