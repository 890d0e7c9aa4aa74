"""Regions of C files: guards on both branches, directives, strings, assembly, embedded kernels."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rocm_ci.scan.c_source import parse
from rocm_ci.scan.source import Guard, Region, RegionKind


def regions(text: str, kind: RegionKind) -> list[Region]:
    return [r for r in parse(text)[1] if r.kind is kind]


def guards(text: str) -> dict[str, Guard]:
    """Guard of each line of code."""
    return {r.text: r.guard for r in regions(text, RegionKind.CODE) if not r.text.isdigit()}


def test_both_branches_of_a_guard_are_understood() -> None:
    text = "#ifdef USE_ROCM\na;\n#else\nb;\n#endif\nc;\n"

    assert guards(text) == {"a;": Guard.AMD, "b;": Guard.NVIDIA, "c;": Guard.NONE}


def test_a_chain_of_backends_leaves_each_its_own() -> None:
    text = "#if defined(SIM_USE_CUDA)\na;\n#elif defined(SIM_USE_HIP)\nb;\n#elif defined(SIM_USE_SYCL)\nc;\n#else\nd;\n#endif\n"

    assert guards(text) == {"a;": Guard.NVIDIA, "b;": Guard.AMD, "c;": Guard.NVIDIA, "d;": Guard.NVIDIA}


def test_guards_nest() -> None:
    text = "#ifndef USE_ROCM\n#if DEBUG\na;\n#endif\nb;\n#endif\n#if DEBUG\nc;\n#else\nd;\n#endif\n"

    assert guards(text) == {"a;": Guard.NVIDIA, "b;": Guard.NVIDIA, "c;": Guard.NONE, "d;": Guard.NONE}


def test_code_that_nobody_compiles_is_not_reached() -> None:
    assert guards("#if 0\na;\n#else\nb;\n#endif\n") == {"a;": Guard.NVIDIA, "b;": Guard.NONE}


def test_an_include_guard_guards_nothing_whatever_its_name() -> None:
    text = "#ifndef MY_USE_CUDA\n#define MY_USE_CUDA\na;\n#endif\n#if !defined(LIB_HIP)\n#define LIB_HIP 1\nb;\n#endif\n"

    assert guards(text)["a;"] is Guard.NONE
    assert guards(text)["b;"] is Guard.NONE


def test_a_macro_of_the_project_is_learnt_from_the_headers_in_its_branches() -> None:
    text = (
        "#if defined(ACME_GPU_A)\n#include <hip/hip_runtime.h>\n#elif defined(ACME_GPU_N)\n#include <cuda_runtime.h>\n#endif\n"
        "#ifdef ACME_GPU_A\na;\n#else\nb;\n#endif\n#ifdef ACME_GPU_N\nc;\n#endif\n"
    )

    assert guards(text) == {"a;": Guard.AMD, "b;": Guard.NVIDIA, "c;": Guard.NVIDIA}


def test_a_macro_defined_in_one_vendors_branch_tells_that_vendor() -> None:
    text = (
        "#ifndef __HIP_PLATFORM_AMD__\n#define HAS_PTX\n#define WIDE 1\n#else\n#define WIDE 2\n#endif\n"
        "#ifdef HAS_PTX\na;\n#else\nb;\n#endif\n#if WIDE > 1\nc;\n#endif\n"
    )

    assert {k: v for k, v in guards(text).items() if k in "a;b;c;"} == {
        "a;": Guard.NVIDIA,
        "b;": Guard.AMD,
        "c;": Guard.NONE,
    }


def test_a_selection_macro_with_one_alternative_per_vendor_is_handled_on_both() -> None:
    text = "FREE((void)cudaFree(p), (void)hipFree(p), free(p));\ncudaFree(p);\n"

    assert list(guards(text).values()) == [Guard.EITHER, Guard.NONE]


def test_conditions_over_several_lines_and_stray_directives_are_survived() -> None:
    text = (
        "#endif\n#else\n#if defined(USE_ROCM) || \\\n    defined(__HIPCC__)\na;\n#endif\n#elif X\nb;\n#if Y\n"
    )

    assert guards(text) == {"a;": Guard.AMD, "b;": Guard.NONE}


def test_directives_are_regions_with_the_guard_of_their_surroundings() -> None:
    text = "#ifdef USE_CUDA\n#if __CUDA_ARCH__ >= 800 // fast\n#endif\n#endif\n"
    found = regions(text, RegionKind.DIRECTIVE)

    assert [(r.text, r.line, r.guard) for r in found] == [
        ("USE_CUDA", 1, Guard.NONE),
        ("__CUDA_ARCH__ >= 800", 2, Guard.NVIDIA),
    ]


def test_includes_carry_their_target_and_form() -> None:
    found = regions('#include <a/b.h> // c\n#  include "d.h"\n#include MACRO\n', RegionKind.INCLUDE)

    assert [(r.text, r.line, r.column, r.context) for r in found] == [
        ("a/b.h", 1, 11, ("angle",)),
        ("d.h", 2, 13, ("quote",)),
    ]


def test_the_body_of_a_macro_is_code() -> None:
    found = regions("#define CHECK(x) \\\n  do { cudaCheck(x); } while (0)\n", RegionKind.CODE)

    assert [(r.text, r.line, r.column, r.context) for r in found] == [
        ("do { cudaCheck(x); } while (0)", 2, 3, ("define:CHECK",))
    ]


def test_strings_name_the_call_around_them() -> None:
    found = regions('x = std::getenv("A") + f(g(1), "B"); y = "C"; z = h<int>("D");\n', RegionKind.STRING)

    assert [(r.text, r.context) for r in found] == [
        ("A", ("call:std::getenv",)),
        ("B", ("call:f",)),
        ("C", ()),
        ("D", ("call:h",)),
    ]


def test_the_template_of_an_asm_statement_is_one_region_with_true_places() -> None:
    text = 'asm volatile("{\\n"\n    "mov.u32 %0, 1;\\n"\n    : "=r"(x) : "l"(p));\n'
    (found,) = regions(text, RegionKind.ASM)
    lines = found.text.split("\n")

    assert (found.line, found.column) == (1, 15)
    assert lines[0] == "{   "
    assert lines[1] == "     mov.u32 %0, 1;  "
    assert regions(text, RegionKind.STRING) == []


def test_device_source_in_adjoining_strings_is_one_kernel() -> None:
    text = 'const char* k =\n  "__global__ void f() {\\n"\n  "  __shfl(1, 2);\\n"\n  "}\\n";\n'
    (found,) = regions(text, RegionKind.KERNEL)

    assert (found.line, found.column) == (2, 4)
    assert found.text.split("\n")[1].index("__shfl") == 5
    assert regions(text, RegionKind.STRING) == []


@given(st.text(alphabet='#ifdefelsnd USE_ROCM("\\\n)asm:/*;', max_size=120))
def test_broken_input_never_raises_and_every_line_has_a_guard(text: str) -> None:
    file, found = parse(text)

    assert len(file.guards) == len(text.split("\n"))
    assert all(1 <= r.line <= len(file.guards) for r in found)


def test_a_macro_of_nvidia_that_a_port_defines_for_amd_tells_nothing() -> None:
    text = (
        "#ifdef USE_ROCM\n#define __CUDA_ARCH__ 800\n#endif\n#if __CUDA_ARCH__ >= 700\na;\n#endif\n"
        "#if __CUDA_ARCH__ == 1210\nb;\n#endif\n#if defined(__CUDA_ARCH__) && !defined(USE_ROCM)\nc;\n#endif\n"
    )

    assert guards(text) == {"a;": Guard.NONE, "b;": Guard.NVIDIA, "c;": Guard.NVIDIA}


def test_a_switch_that_is_0_for_everyone_else_asks_for_its_vendor() -> None:
    text = (
        "#if !defined(USE_ROCM) && FAST\n#define X 1\n#else\n#define X 0\n#endif\n"
        "#if X\na;\n#else\nb;\n#endif\n#ifdef X\nc;\n#endif\n"
    )

    assert guards(text) == {"a;": Guard.NVIDIA, "b;": Guard.NONE, "c;": Guard.NONE}


PIECES = st.sampled_from([
    "cudaFree(p);\n", "#if defined(USE_ROCM)\n", "#else\n", "#endif\n", "#define A(x) \\\n  f(x, \"a\") \\\n  g()\n",
    "#include \"a.h\"\n", "s = \"x\" \"y\\\n z\";\n", "asm(\"mov %0;\\n\"\n \"add\" : \"=r\"(i) : \"r\"(x));\n",
    "k = R\"(__global__ void f() {\n v; })\";\n", "/* c \n */ b;\n", "// d\n", "code += \"v = __shfl(v, 1);\";\n", "\n",
])  # fmt: skip


@given(st.lists(PIECES, max_size=14), st.sets(st.integers(1, 30)))
def test_only_code_and_text_of_the_lines_asked_for_is_cut_out(pieces: list[str], lines: set[int]) -> None:
    text = "".join(pieces)
    count = text.count("\n") + 1
    hits = sorted(line for line in lines if line <= count)
    whole, some = parse(text)[1], parse(text, hits=hits)[1]

    always = (RegionKind.INCLUDE, RegionKind.ASM, RegionKind.KERNEL)
    asked = [
        r for r in whole if r.kind in always or lines & set(range(r.line, r.line + r.text.count("\n") + 1))
    ]
    assert set(asked) <= set(some) <= set(whole)
    assert list(some) == [r for r in whole if r in set(some)]
