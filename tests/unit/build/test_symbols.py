"""From a linker's complaint to the line that uses the name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocm_ci.build import symbols

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ("undefined reference to `cudaGetDeviceCount'", "cudaGetDeviceCount"),
        ("undefined reference to `ns::f<int, g<float> >(float, int)'", "f"),
        ("undefined symbol: demo::run(int)", "run"),
        ("undefined hidden symbol: ext(float)", "ext"),
        ("cannot find -lcudart", None),
        ("undefined reference to `'", None),
    ],
)
def test_the_missing_name(message: str, name: str | None) -> None:
    assert symbols.missing_name(message) == name


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("int f(int);\nint g() {\n  return f(1);\n}\n", 3),
        ('extern "C" int f(int*);\n// f is there\nint x = f(0);\n', 2),
        ("int f(int);\n", 1),
        ("int other;\n", None),
        ("float* f(\n  int);\nvoid g() { f(1); }\n", 3),
    ],
)
def test_a_use_comes_before_a_declaration(tmp_path: Path, text: str, line: int | None) -> None:
    file = tmp_path / "a.cpp"
    file.write_text(text)

    assert symbols.line_of_use(file, "f") == line


def test_a_file_that_is_gone_has_no_line(tmp_path: Path) -> None:
    assert symbols.line_of_use(tmp_path / "gone.cpp", "f") is None


def test_a_temporary_device_object_names_its_source_and_target() -> None:
    assert symbols.device_object("/tmp/dev-f9bc78/dev-gfx1030.o") == ("dev", "gfx1030")
    assert symbols.device_object("build/dev.o") is None
