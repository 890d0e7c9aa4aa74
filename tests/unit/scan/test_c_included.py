"""Numbers that headers give to names."""

from __future__ import annotations

import pytest

from rocm_ci.scan.c_included import drops_first, included_values
from rocm_ci.scan.c_source import parse
from rocm_ci.scan.source import Source


def values(text: str, files: dict[str, str], name: str = "WARP_SIZE") -> set[int]:
    source = Source(
        "src/gpu/a.cu",
        text,
        tuple(text.split("\n")),
        read=lambda path: files[path].encode() if path in files else None,
    )
    return included_values(source, parse(text)[0], name)


@pytest.mark.parametrize(
    ("header", "found"),
    [
        ("#define WARP_SIZE 32\n", {32}),
        ("#  define WARP_SIZE (64u)  // lanes\n", {64}),
        ("constexpr int WARP_SIZE = 32;\n", {32}),
        ("static const int WARP_SIZE{64};\n", {64}),
        ("#ifdef USE_ROCM\n#define WARP_SIZE 64\n#else\n#define WARP_SIZE 32\n#endif\n", {32, 64}),
        ("#define WARP_SIZE size_of_wave()\n", set()),
        ("#define HALF_WARP_SIZE 16\n", set()),
    ],
)
def test_a_header_gives_a_name_its_numbers(header: str, found: set[int]) -> None:
    assert values('#include "common.h"\n', {"src/gpu/common.h": header}) == found


def test_headers_are_read_through_others_and_from_the_folders_above() -> None:
    files = {"src/base.h": '#include "size.h"\n', "src/size.h": "#define WARP_SIZE 32\n"}

    assert values('#include "base.h"\n', files) == {32}


def test_headers_that_include_each_other_come_to_an_end() -> None:
    files = {"src/gpu/a.h": '#include "b.h"\n', "src/gpu/b.h": '#include "a.h"\n#define WARP_SIZE 64\n'}

    assert values('#include "a.h"\n', files) == {64}


def test_no_file_above_the_project_is_read() -> None:
    assert values('#include "../../../../etc/size.h"\n#include "/etc/size.h"\n', {}) == set()


def test_what_the_file_defines_itself_is_not_looked_for() -> None:
    text = '#include "common.h"\n#define WARP_SIZE get()\n'

    assert values(text, {"src/gpu/common.h": "#define WARP_SIZE 32\n"}) == set()


@pytest.mark.parametrize(
    ("header", "dropped"),
    [
        ("#define SHFL(mask, v) __shfl(v, 1)\n", True),
        ("#define SHFL(mask, v) __shfl_sync(mask, v, 1)\n", False),
        ("#ifdef USE_ROCM\n#define SHFL(m, v) __shfl(v, 1)\n#else\n#define SHFL __shfl_sync\n#endif\n", True),
        (
            "#ifdef USE_ROCM\n#define SHFL __shfl_sync\n#else\n#define SHFL(m, v) __shfl(v, 1)\n#endif\n",
            False,
        ),
        ("#define SHFL_UP(mask, v) __shfl_up(v, 1)\n", False),
    ],
)
def test_a_macro_of_a_header_ignores_its_first_argument(header: str, dropped: bool) -> None:
    text = '#include "shuffles.h"\n'
    source = Source("src/a.cu", text, (text,), read={"src/shuffles.h": header.encode()}.get)

    assert drops_first(source, parse(text)[0], "SHFL") is dropped
