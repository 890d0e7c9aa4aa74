"""Broken C of every kind: nothing raises, every place lies in the file, every line keeps its number."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rocm_ci.scan.c_conditions import evaluate
from rocm_ci.scan.c_lexer import lex
from rocm_ci.scan.c_source import CFile
from rocm_ci.scan.c_splices import spliced
from rocm_ci.scan.embedded import device_sources
from rocm_ci.scan.language import Parsed, Surroundings
from rocm_ci.scan.language_registry import detectors
from rocm_ci.scan.languages.c import LANGUAGE
from rocm_ci.scan.source import RegionKind, Source

FEW = settings(derandomize=True, max_examples=150, deadline=None)
OF_C = [d for d in detectors().values() if type(d).__module__.rsplit(".", 1)[-1].startswith("c_")]
PIECES = st.sampled_from([
    "#if", "#ifdef USE_ROCM", "#ifndef X", "#elif 1", "#else", "#endif", "#define WARP_SIZE 32", "#define M(x) \\", "\n", "\n",
    "\\\n", "//", "/*", "*/", '"', "'", 'R"x(', ')x"', 'u8R"(', "1'000", "{", "}", "(", ")", "[", "]", "<", ">", ";", ",", "<<<", ">>>",
    "__global__ void k(", "__device__ int f(int lane)", "template <int W = warpSize>", "__shared__ float s[32][", "warpSize",
    "unsigned m = __ballot(1)", "auto w = __activemask()", "__popc(w)", "__shfl_xor_sync(0xffffffff, v, 16)", "__shfl(v, 31)",
    "for (int s = 16; s > 0; s >>= 1)", "1u << lane", "threadIdx.x & 31", "k<<<1, 2, 98304>>>(x)", "return ", "= ", "const uint32_t mask",
    "asm volatile(", '"mov.u32 %0, %%laneid;"', "hipMemcpyAsync(d, h.data(), n, k, s)", "__launch_bounds__(256, 4)", "__threadfence()",
    "int* peer_flag", "hipFuncSetAttribute(f, MaxDynamicSharedMemorySize, 1 << 20)", "if (warpSize == 32) {", "\0", "\udcff", "é", "??/",
])  # fmt: skip


def file_of(text: str) -> CFile:
    tree = parsed(text).tree
    assert isinstance(tree, CFile)
    return tree


def parsed(text: str) -> Parsed:
    return LANGUAGE.parse(Source("a.hip", text, tuple(text.split("\n"))))


@FEW
@given(st.lists(PIECES, max_size=60).map(" ".join))
@example("asm( asm( asm(")
@example('#define V "mov.u32 %0"\nasm(V')
@example("template <int W = " * 30 + "warpSize")
def test_every_region_and_every_match_lies_in_the_file(text: str) -> None:
    file = parsed(text)
    lines = file.source.lines
    assert len(file_of(text).guards) == len(lines)
    for region in file.regions:
        assert 1 <= region.line <= len(lines)
        assert 1 <= region.column <= len(lines[region.line - 1]) + 1
    for one in [file, *(inner for inner, _ in device_sources(file))]:
        for detector in OF_C:
            for match in detector.find(one, Surroundings(archs=("gfx90a", "gfx1100"), tables={})):
                assert 1 <= match.line <= len(lines), detector.name
                assert 1 <= match.column <= len(lines[match.line - 1]) + 1, detector.name


@FEW
@given(st.text(alphabet="\"'\\\nR(x)/*u8 1_", max_size=200))
@example('R"' + "(" * 40)
def test_code_is_as_long_as_the_text_and_has_its_lines(text: str) -> None:
    lexed = lex(text)

    assert len(lexed.code) == len(text)
    assert [i for i, c in enumerate(lexed.code) if c == "\n"] == [i for i, c in enumerate(text) if c == "\n"]


@FEW
@given(st.text(alphabet="defined(USE_ROCM)!&|<>=?:+-*/%01 'x", max_size=120))
@example("(" * 5000 + "1" + ")" * 5000)
@example("!" * 5000 + "1")
@example("1 << 99999999999999999999")
@example("1" + " ? 1 : 1" * 300)
def test_a_condition_always_has_an_answer(text: str) -> None:
    reach = evaluate(text, {})

    assert reach.amd in (True, False, None)
    assert reach.nvidia in (True, False, None)


@FEW
@given(st.text(alphabet="()+-*/%<>&|^~ 01xfuUlL'aN.,:sizeof", max_size=80))
@example("(" * 590)
@example("~" * 590)
@example("1 << 63 << 63")
@example("sizeof(int[4])")
@example("1e9999999")
@example("0x")
@example("0b")
@example("09")
def test_an_expression_is_folded_or_unknown(text: str) -> None:
    file = file_of(f"#define N {text.replace(chr(10), ' ')}\n")

    folded = file.constants.fold("N")

    assert folded.value is None or isinstance(folded.value, int)


def test_constants_that_stand_for_each_other_are_unknown() -> None:
    file = file_of("#define A B\n#define B A\nconstexpr int c = c + A;\n")

    assert file.constants.fold("A").value is None
    assert file.constants.fold("c").value is None


@FEW
@given(
    st.lists(
        st.sampled_from([b"cuda", b"\\\n", b"\\\r\n", b"Malloc", b" ", b"\n", b"(", b"_", b"\xff"]),
        max_size=20,
    ).map(b"".join)
)
def test_splicing_moves_newlines_and_loses_nothing(data: bytes) -> None:
    whole = spliced(data)

    assert sorted(whole) == sorted(data)
    assert whole.count(b"\n") == data.count(b"\n")


@pytest.mark.parametrize(
    ("data", "whole"),
    [
        (b"cuda\\\nMalloc(p);", b"cudaMalloc\\\n(p);"),
        (b"a\\\nb\\\nc;", b"abc\\\n\\\n;"),
        (b"__bal\\\r\nlot(1)", b"__ballot\\\r\n(1)"),
        (b"#define F(x) \\\n  x", b"#define F(x) \\\n  x"),
    ],
)
def test_a_name_cut_in_two_is_whole_where_it_begins(data: bytes, whole: bytes) -> None:
    assert spliced(data) == whole


def test_every_asm_region_has_text() -> None:
    file = parsed('#define V "membar.gl;"\nvoid f() { asm(V); }\n')

    assert [(r.line, r.text) for r in file.regions if r.kind is RegionKind.ASM] == [(1, "membar.gl;")]
