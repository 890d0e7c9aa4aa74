"""Python → regions with guards."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from rocm_ci.scan.languages.python import LANGUAGE
from rocm_ci.scan.source import Guard, RegionKind, Source
from tests.unit.scan.languages.cut import context_of, guards, places, regions

NV, AMD, NONE, EITHER = Guard.NVIDIA, Guard.AMD, Guard.NONE, Guard.EITHER


def guard_of(text: str, wanted: str, path: str = "pkg/mod.py") -> Guard:
    return guards(LANGUAGE, "import torch\n" + text, path, code=False)[wanted]


@pytest.mark.parametrize(
    ("condition", "then", "otherwise"),
    [
        ("torch.version.hip", AMD, NV),
        ("torch.version.hip is not None", AMD, NV),
        ("not torch.version.hip", NV, AMD),
        ("torch.version.hip is None", NV, AMD),
        ("torch.version.cuda", NV, AMD),
        ("getattr(torch.version, 'hip', None)", AMD, NV),
        ("cupy.cuda.runtime.is_hip", AMD, NV),
        ("runtime.is_hip", AMD, NV),
        ("hasattr(torch.version, 'hip')", AMD, NV),
        ("is_hip()", AMD, NV),
        ("current_platform.is_rocm()", AMD, NV),
        ("current_platform.is_cuda()", NV, AMD),
        ("current_platform.is_cuda_alike()", NONE, NONE),
        ("backend == 'hip'", AMD, NV),
        ("backend == 'cuda'", NV, AMD),
        ("backend != 'cuda'", AMD, NV),
        ("vendor in ('nvidia',)", NV, AMD),
        ("'rocm' in torch.__version__", AMD, NV),
        ("props.gcnArchName.startswith('gfx94')", AMD, NV),
        ("shutil.which('nvcc')", NV, NONE),
        ("shutil.which('hipcc')", AMD, NV),
        ("os.path.exists('/usr/local/cuda')", NV, NONE),
        ("importlib.util.find_spec('pynvml')", NV, NONE),
        ("is_gfx942()", AMD, NONE),
        # These hold on AMD as well, whatever they are called.
        ("torch.cuda.is_available()", NONE, NONE),
        ("device == 'cuda'", NONE, NONE),
        ("x.is_cuda", NONE, NONE),
        ("use_cuda", NONE, NONE),
        ("torch.version.hip and ready", AMD, NONE),
        ("torch.version.hip or ready", NONE, NV),
        ("ready and not torch.version.hip", NV, NONE),
    ],
)
def test_a_condition_guards_both_branches(condition: str, then: Guard, otherwise: Guard) -> None:
    text = f"if {condition}:\n    a = 'then'\nelse:\n    a = 'otherwise'\n"

    assert (guard_of(text, "then"), guard_of(text, "otherwise")) == (then, otherwise)


def test_early_return_guards_what_follows() -> None:
    text = "def f():\n    if torch.version.hip:\n        return 'a'\n    return 'b'\n"

    assert (guard_of(text, "a"), guard_of(text, "b")) == (AMD, NV)


def test_refusing_amd_guards_what_follows() -> None:
    assert guard_of("if torch.version.hip:\n    raise SystemExit(1)\na = 'b'\n", "b") is NV


def test_demanding_a_toolkit_excuses_nothing() -> None:
    text = "import os\nfrom torch.utils import cpp_extension as e\nif e.CUDA_HOME is None:\n    raise OSError\na = 'b'\n"

    assert guard_of(text, "b") is NONE
    assert "demand" in context_of(LANGUAGE, text, "setup.py", "torch.utils.cpp_extension.CUDA_HOME")


def test_a_missing_toolkit_on_the_nvidia_side_is_no_demand() -> None:
    text = (
        "import torch\nfrom torch.utils import cpp_extension as e\n"
        "if e.CUDA_HOME is None and not torch.version.hip:\n    raise OSError\n"
    )

    assert "demand" not in context_of(LANGUAGE, text, "setup.py", "torch.utils.cpp_extension.CUDA_HOME")


def test_short_circuits_guard_the_rest_of_the_expression() -> None:
    assert guard_of("a = torch.version.cuda and f('b')\n", "b") is NV
    assert guard_of("a = torch.version.hip or f('b')\n", "b") is NV
    assert guard_of("a = 'x' if torch.version.hip else 'b'\n", "b") is NV


def test_constants_and_helpers_of_the_file_are_learnt() -> None:
    text = (
        "def on_amd():\n    return torch.version.hip is not None\n"
        "mine = on_amd()\n"
        "if mine:\n    a = 'amd'\nelse:\n    a = 'nv'\n"
    )

    assert (guard_of(text, "amd"), guard_of(text, "nv")) == (AMD, NV)


def test_a_helper_written_as_if_return_is_learnt() -> None:
    text = "def check():\n    if torch.version.hip:\n        return True\n    return False\nif check():\n    a = 'amd'\n"

    assert guard_of(text, "amd") is AMD


@pytest.mark.parametrize(
    ("first", "guard"),
    [
        ("if not platform.is_cuda():\n        return False", NV),
        ("if torch.version.hip:\n        return False", NV),
        ("if not torch.version.hip:\n        return False", AMD),
        ("if not platform.is_device_capability_family(100):\n        return False", NV),
        ("if not platform.is_device_capability_family(90):\n        return False", NONE),
        ("if not platform.is_cuda():\n        return True", NONE),
        ("if not ready():\n        return False", NONE),
    ],
)
def test_a_helper_that_gives_up_at_once_is_learnt(first: str, guard: Guard) -> None:
    text = f"def _kernels(size):\n    {first}\n    if size > 1:\n        return False\n    return size != 7\n"

    assert guard_of(f"{text}if _kernels(3):\n    a = 'inner'\n", "inner") is guard


@pytest.mark.parametrize(
    ("handler", "guard"),
    [
        ("except ImportError:\n    pynvml = None", EITHER),
        ("except (ValueError, ModuleNotFoundError):\n    pass", EITHER),
        ("except Exception:\n    pass", EITHER),
        ("except:\n    pass", EITHER),
        ("except KeyError:\n    pass", NONE),
        ("except ImportError as e:\n    raise RuntimeError from e", NONE),
    ],
)
def test_an_import_is_guarded_by_a_handler_that_goes_on(handler: str, guard: Guard) -> None:
    assert guard_of(f"try:\n    import pynvml\n{handler}\n", "pynvml") is guard


def test_a_call_is_not_guarded_by_an_error_that_a_missing_program_does_not_raise() -> None:
    text = "try:\n    run(['a'])\nexcept subprocess.CalledProcessError:\n    pass\n"

    assert guard_of(text, "a") is NONE
    assert guard_of(text.replace("subprocess.CalledProcessError", "OSError"), "a") is EITHER


def test_what_an_import_left_behind_is_a_probe() -> None:
    text = "try:\n    import pynvml\n    HAS = True\nexcept ImportError:\n    HAS = False\nif HAS:\n    a = 'b'\n"

    assert guard_of(text, "b") is NV


def test_suppress_and_raises_handle_the_failure() -> None:
    assert guard_of("with contextlib.suppress(ImportError):\n    import pynvml\n", "pynvml") is EITHER
    assert guard_of("with pytest.raises(ImportError):\n    import_module('a')\n", "a") is EITHER


@pytest.mark.parametrize(
    "decorator",
    [
        "@unittest.skipIf(torch.version.hip is not None, 'why')",
        "@pytest.mark.skipif(torch.version.hip, reason='why')",
        "@pytest.mark.skipif(not is_cuda(), reason='why')",
        "@requires_nvidia",
        "@skip_if_rocm",
        "@skipIfRocm",
    ],
)
def test_decorators_guard_a_test(decorator: str) -> None:
    assert guard_of(f"{decorator}\ndef test_x():\n    a = 'b'\n", "b") is NV


def test_pytestmark_guards_the_module() -> None:
    assert guard_of("pytestmark = pytest.mark.skipif(torch.version.hip, reason='x')\na = 'b'\n", "b") is NV


def test_a_class_beside_its_amd_twin_is_for_nvidia() -> None:
    text = "class CudaPlatform:\n    a = 'cuda'\nclass RocmPlatform:\n    a = 'rocm'\n"

    assert guard_of(text, "cuda") is NV
    assert guard_of("class CudaPlatform:\n    a = 'cuda'\n", "cuda") is NONE


def test_a_private_helper_that_only_nvidia_calls_is_for_nvidia() -> None:
    helper = "def _ask():\n    return run('nvcc')\n"

    assert guard_of(f"{helper}if not torch.version.hip:\n    _ask()\n", "nvcc") is NV
    assert guard_of(f"{helper}if not torch.version.hip:\n    _ask()\nother(_ask)\n_ask()\n", "nvcc") is NONE


def test_below_the_import_of_an_nvidia_only_language_nothing_is_for_amd() -> None:
    text = "a = 'before'\nimport cutlass.cute as cute\nb = 'below'\n"

    assert (guard_of(text, "before"), guard_of(text, "cutlass.cute"), guard_of(text, "below")) == (
        NONE,
        NONE,
        NV,
    )


def test_match_statements_guard_their_cases() -> None:
    text = "match backend:\n    case 'cuda':\n        a = 'n'\n    case 'hip' | 'rocm':\n        a = 'h'\n"

    assert (guard_of(text, "n"), guard_of(text, "h")) == (NV, AMD)


def test_alternatives_that_know_both_vendors_are_a_fallback() -> None:
    assert guard_of("for t in ('nvidia-smi', 'rocm-smi'):\n    pass\n", "nvidia-smi") is EITHER
    assert guard_of("N = {'a': 'libcudart.so', 'b': 'libamdhip64.so'}\n", "libcudart.so") is EITHER
    assert guard_of("N = {'a': 'libcudart.so', 'b': 'libm.so'}\n", "libcudart.so") is NONE


def test_a_dictionary_by_vendor_guards_its_values() -> None:
    text = "F = {'cuda': ['--use_fast_math'], 'rocm': ['-ffast-math']}\n"

    assert (guard_of(text, "--use_fast_math"), guard_of(text, "-ffast-math")) == (NV, AMD)


def test_the_key_nvcc_of_torch_extensions_is_no_vendor() -> None:
    assert guard_of("E = {'cxx': [], 'nvcc': ['-O3']}\n", "-O3") is NONE


@pytest.mark.parametrize(
    ("path", "guard"),
    [
        ("tests/cuda/test_a.py", NV),
        ("pkg/backends/nvidia/a.py", NV),
        ("pkg/backends/rocm/a.py", AMD),
        ("pkg/nvml_stats.py", NV),
        ("pkg/hpu/a.py", NV),
        ("pkg/foo_cuda.py", NONE),
        ("csrc/cuda_utils/a.py", NONE),
    ],
)
def test_a_path_says_for_whom_a_module_is(path: str, guard: Guard) -> None:
    assert guard_of("a = 'b'\n", "b", path) is guard


def test_a_module_named_after_cuda_is_for_nvidia_beside_its_twin() -> None:
    assert guards(LANGUAGE, "a = 'b'\n", "pkg/foo_cuda.py", beside=("foo_rocm.py",))["b"] is NV


def test_documentation_and_messages_are_no_text() -> None:
    text = (
        '"""libcudart.so"""\n'
        "def f():\n"
        '    """nvcc"""\n'
        "    print('nvidia-smi')\n"
        "    logger.warning('set %s', 'CUDA_HOME')\n"
        "    raise ValueError('use nvcc')\n"
        "parser.add_argument('--x', help='path of nvcc')\n"
    )

    assert places(LANGUAGE, text, "a.py", RegionKind.STRING) == [(7, 22, "--x")]


def test_names_are_handed_out_in_full() -> None:
    text = "import torch as t\nfrom torch import version\nfrom torch.utils import cpp_extension as e\nf(t.version.cuda, version.cuda, e.CUDA_HOME)\n"
    found = {text for _, _, text in places(LANGUAGE, text, "a.py", RegionKind.CODE)}

    assert found == {"torch.version.cuda", "torch.utils.cpp_extension.CUDA_HOME"}


def test_a_variable_that_holds_the_version_is_followed() -> None:
    text = "import torch\nv = torch.version.cuda\nv.split('.')\n"

    assert (3, 1, "torch.version.cuda") in places(LANGUAGE, text, "a.py", RegionKind.CODE)


def test_imports_say_what_they_need() -> None:
    text = "import os, pynvml\nfrom cuda.bindings import driver as d\nfrom . import x\n"

    assert places(LANGUAGE, text, "a.py", RegionKind.INCLUDE) == [
        (1, 8, "os"),
        (1, 12, "pynvml"),
        (2, 6, "cuda.bindings.driver"),
        (3, 15, ".x"),
    ]


def test_strings_stand_where_they_are_written() -> None:
    text = 'a = ("-O3"  # why\n     "--fast")\nb = f"{x}/lib"; c = r"\\d"\nd = """one\n  two"""\n'

    assert places(LANGUAGE, text, "a.py", RegionKind.STRING) == [
        (1, 7, "-O3"),
        (2, 7, "--fast"),
        (3, 7, "{x}/lib"),
        (3, 23, "\\d"),
        (4, 8, "one\n  two"),
    ]


def test_columns_count_characters_and_not_bytes() -> None:
    assert places(LANGUAGE, "ä = 'ö'; b = 'c'\n", "a.py", RegionKind.STRING) == [(1, 6, "ö"), (1, 15, "c")]


def test_device_source_is_a_kernel_wherever_it_stands() -> None:
    text = 'import cupy\nSRC = r"""\n__global__ void f() {}\n"""\nk = cupy.RawKernel(SRC, "f")\n'

    assert places(LANGUAGE, text, "a.py", RegionKind.KERNEL) == [(2, 11, "\n__global__ void f() {}\n")]


def test_inline_assembly_is_handed_out_also_behind_a_name() -> None:
    text = "import triton.language as tl\nPTX = 'ex2.approx.f32 $0, $1;'\ntl.inline_asm_elementwise(PTX, '=f,f', [x])\n"

    assert places(LANGUAGE, text, "a.py", RegionKind.ASM) == [(2, 8, "ex2.approx.f32 $0, $1;")]


def test_requirements_of_a_setup_script_are_found_through_variables() -> None:
    text = (
        "from setuptools import setup\n"
        "need = ['torch']\n"
        "if x:\n    need.append('pynvml')\n"
        "setup(name='n', install_requires=need, extras_require={'cuda': ['nvtx']})\n"
    )
    found = {r.text: r.guard for r in regions(LANGUAGE, text, "setup.py") if r.kind is RegionKind.REQUIREMENT}

    assert found == {"torch": NONE, "pynvml": NONE}
    assert guards(LANGUAGE, text, "setup.py")["nvtx"] is EITHER


@pytest.mark.parametrize(
    "text", ["print 'a'\nimport pynvml\n", "{{ x }}\nimport pynvml\n", "def f(:\nimport pynvml\n"]
)
def test_of_what_is_no_python_3_only_the_imports_at_the_margin_remain(text: str) -> None:
    assert places(LANGUAGE, text, "a.py", RegionKind.INCLUDE) == [(2, 8, "pynvml")]


@pytest.mark.parametrize("text", ["", "\0", "(" * 3000, "x = " + "-" * 4000 + "1", "'" * 7, "é = '\udcff'"])
def test_broken_input_does_not_raise(text: str) -> None:
    LANGUAGE.parse(Source("a.py", text, tuple(text.split("\n"))))


def test_statements_without_a_line_that_matters_are_left_out() -> None:
    text = "a = 'top'\ndef f():\n    b = 'in f'\ndef g():\n    c = 'in g'\n    d = (\n        'also')\n    e = 'not'\n"
    found = LANGUAGE.parse(Source("a.py", text, tuple(text.split("\n")), hits=(5, 6))).regions

    assert {r.text for r in found if r.kind is RegionKind.STRING} == {"in g", "also"}


def test_what_a_statement_left_out_rules_out_still_holds() -> None:
    text = "import torch\ndef f():\n    if torch.version.hip:\n        return\n    c = 'in f'\n"
    found = LANGUAGE.parse(Source("a.py", text, tuple(text.split("\n")), hits=(5,))).regions

    assert [(r.text, r.guard) for r in found if r.kind is RegionKind.STRING] == [("in f", NV)]


def test_lines_that_name_what_was_imported_matter() -> None:
    text = "from torch.version import cuda as release\nx = 1\nmajor = release.split('.')\n"
    found = LANGUAGE.parse(Source("a.py", text, tuple(text.split("\n")), hits=(1,))).regions

    assert (3, "torch.version.cuda") in {(r.line, r.text) for r in found}


def test_scripts_are_claimed_by_their_first_line() -> None:
    assert LANGUAGE.claims(PurePosixPath("bin/tool"), "#!/usr/bin/env python3\n")
    assert not LANGUAGE.claims(PurePosixPath("bin/tool"), "#!/bin/sh\n")


@pytest.mark.parametrize(
    "path", ["SConstruct", "lib/SConscript", "wscript", "tools/app.scons", "stubs/a.pyi", "gui.pyw"]
)
def test_files_that_are_python_by_another_name(path: str) -> None:
    assert LANGUAGE.claims(PurePosixPath(path), "env = Environment()")


def test_a_value_with_something_in_its_place_is_not_what_a_call_gets() -> None:
    text = "import torch\nn = int(torch.version.cuda or '0')\nm = int(torch.version.cuda)\n"
    calls = [
        "call:int" in r.context for r in regions(LANGUAGE, text, "a.py") if r.text == "torch.version.cuda"
    ]
    assert calls == [False, True]


def test_a_constant_of_the_module_is_judged_by_itself() -> None:
    text = "a = '/usr/local/cuda/include'\nCUDA_ROOT = '/usr/local/cuda'\nroot = ['/usr/local/cuda']\n"
    text += "root += ['/opt/rocm']\nboth = '/usr/local/cuda:/opt/rocm'\n"
    found = {r.line: "twin" in r.context for r in regions(LANGUAGE, text, "paths.py") if "cuda" in r.text}
    assert found == {1: False, 2: True, 3: True, 5: True}


def test_a_text_whose_namesake_is_for_amd_is_for_nvidia() -> None:
    text = "_CUDA = 'a'\n_HIP = 'b'\nKERNEL_CUDA_F16 = 'c'\nOTHER_CUDA = 'd'\nKERNEL_ROCM_F16 = 'e'\n"
    found = {r.text: r.guard for r in regions(LANGUAGE, text, "kernels.py") if len(r.text) == 1}
    assert found == {"a": NV, "b": NONE, "c": NV, "d": NONE, "e": NONE}


def test_what_goes_to_the_compiler_goes_there_whatever_stands_around() -> None:
    text = "rocm = '/opt/rocm'\nenv.Append(CPPPATH=['/usr/local/cuda/include'])\nfind('/usr/local/cuda')\n"
    found = {r.line: "twin" in r.context for r in regions(LANGUAGE, text, "SConstruct") if "cuda" in r.text}
    assert found == {2: False, 3: True}


@pytest.mark.parametrize(
    ("text", "wanted", "guard"),
    [
        # A command that is put together first and started in an attempt below.
        (
            "def f():\n cmd = ['nvidia-smi', '-L']\n try:\n  run(cmd)\n except OSError:\n  return None\n",
            "nvidia-smi",
            EITHER,
        ),
        ("def f():\n cmd = ['nvidia-smi', '-L']\n run(cmd)\n", "nvidia-smi", NONE),
        (
            "def f():\n cmd = ['nvidia-smi', '-L']\n run(cmd)\n try:\n  run(cmd)\n except OSError:\n  pass\n",
            "nvidia-smi",
            NONE,
        ),
        # What fails first is the cause; what follows it is NVIDIA's.
        ("def f():\n nvml = load_nvml()\n lib = CDLL('libcuda.so.1')\n", "libcuda.so.1", NV),
        ("def f():\n from pkg.cute.interface import run\n return 'marker'\n", "marker", NV),
        ("from pkg.cute.interface import run\nx = 'marker'\n", "marker", NONE),
        # FA3 and FA4 are for Hopper and Blackwell.
        ("if self.fa_version == 3:\n x = 'marker'\n", "marker", NV),
        ("if self.fa_version == 2:\n x = 'marker'\n", "marker", NONE),
        ("if uses_fa4_kernel(dim):\n x = 'marker'\n", "marker", NV),
        # The same option for both vendors.
        ("args = ['-DCMAKE_CUDA_FLAGS=-O3', '-DCMAKE_HIP_FLAGS=-O3']\n", "-DCMAKE_CUDA_FLAGS=-O3", EITHER),
        ("args = ['-DCMAKE_CUDA_FLAGS=-O3', '-DCMAKE_CXX_FLAGS=-O3']\n", "-DCMAKE_CUDA_FLAGS=-O3", NONE),
    ],
)
def test_what_goes_before_and_beside(text: str, wanted: str, guard: Guard) -> None:
    found = {r.text: r.guard for r in regions(LANGUAGE, text, "pkg/mod.py")}
    assert found[wanted] is guard


@pytest.mark.parametrize(
    ("text", "mark", "stands"),
    [
        ("if force():\n x = 'marker'\nelif torch.version.hip:\n y = 1\n", "beside-amd", True),
        (
            "if force():\n x = 'marker'\nelif other():\n y = 1\nelif torch.version.hip:\n z = 1\n",
            "beside-amd",
            True,
        ),
        ("if force():\n x = 'marker'\nelif other():\n y = 1\n", "beside-amd", False),
        ("def f():\n if USE_FP4:\n  x = 'marker'\n", "switch", True),
        ("def f():\n if use_fp4:\n  x = 'marker'\n", "switch", False),
        ("if kind == 'fp8_e5m2':\n x = 'marker'\n", "asked-format", True),
        (
            "def f():\n os.environ['A'] = 'marker'\n try:\n  go()\n finally:\n  os.environ['A'] = old\n",
            "restored",
            True,
        ),
        ("def f():\n os.environ['A'] = 'marker'\n go()\n", "restored", False),
        ("@pytest.fixture\ndef f():\n return 'marker'\n", "fixture", True),
    ],
)
def test_marks_of_what_surrounds(text: str, mark: str, stands: bool) -> None:
    context = context_of(LANGUAGE, "import os, pytest, torch\n" + text, "pkg/mod.py", "marker")
    assert (mark in context) is stands


@pytest.mark.parametrize(
    ("path", "more", "found"),
    [
        ("tests/test_translate.py", "translate(text)", False),
        ("tests/test_kernel.py", "cupy.RawKernel(text, 'k')", True),
        ("pkg/mod.py", "translate(text)", True),
    ],
)
def test_a_test_of_a_tool_holds_device_source_that_nobody_compiles(path: str, more: str, found: bool) -> None:
    text = f"text = '''__global__ void k(int* x) {{}}'''\n{more}\n"
    kinds = [r.kind for r in regions(LANGUAGE, text, path)]
    assert (RegionKind.KERNEL in kinds) is found
