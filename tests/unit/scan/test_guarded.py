"""What is told of a line from the bytes above it is what a parse of the whole file tells."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from rocm_ci.scan.guarded import Guarded, may_teach
from rocm_ci.scan.source import Guard

LINES = st.sampled_from([
    '#include "a.h"', "#ifdef USE_ROCM", "#ifndef A_H", "#define A_H", "#if defined(USE_CUDA)", "#else", "#endif",
    "// #include <b.h>", "/* one", "two */", "/* closed */ #include <c.h>", "int x; /* open", "/*/", "*/ int y;",
    'const char *s = R"(', ')";', "#define F(x) \\", "  x", "// goes on \\", "", "#define MY_CUDA 1", "#pragma once",
    "#define __CUDA_ARCH__ 800", '"/*"', "'\"'", "#define USE_HIP_PATH",
])  # fmt: skip


class Parsed(Guarded):
    """Never takes the short way."""

    def _is_plain(self, line: int) -> bool:
        return False


@settings(max_examples=200)
@given(st.lists(LINES, max_size=9), st.sampled_from([{}, {"MY_CUDA": Guard.NVIDIA}]))
def test_the_short_way_tells_what_a_parse_tells(lines: list[str], known: dict[str, Guard]) -> None:
    data = "\n".join(lines).encode()
    quick, whole = Guarded(data, lambda: known), Parsed(data, lambda: known)

    for number, line in enumerate(lines, 1):
        if line.startswith(("#include", "#define")):  # what is asked about
            assert quick.is_code(number) == whole.is_code(number)
            assert quick.of_line(number) is whole.of_line(number)


@settings(max_examples=200)
@given(st.lists(LINES, max_size=9), st.sampled_from([{}, {"MY_CUDA": Guard.NVIDIA}]))
def test_a_header_that_is_passed_over_teaches_nothing(lines: list[str], known: dict[str, Guard]) -> None:
    data = "\n".join(lines).encode()

    assert may_teach(data, known) or Guarded(data, lambda: known).macros == known
