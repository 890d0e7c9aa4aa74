"""What no matcher can say about Python and settings, as (line, text)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocm_ci.scan.detectors import (
    build_mixed_visibility,
    py_capability,
    py_capability_floor,
    py_exact_arch,
    py_fnuz_arch,
    py_fp8_dtype,
    py_fp8_dtype_fixed,
    py_fp8_limit,
    py_inline_ptx,
    py_warp_size,
)
from rocm_ci.scan.language import Surroundings
from rocm_ci.scan.language_registry import language_of
from rocm_ci.scan.source import Source

if TYPE_CHECKING:
    from rocm_ci.scan.language import Detector


def seen(detector: Detector, text: str, path: str = "pkg/a.py") -> list[tuple[int, str]]:
    language = language_of(path, text[:512])
    assert language is not None
    parsed = language.parse(Source(path, text, tuple(text.split("\n"))))
    found = list(detector.find(parsed, Surroundings(archs=("gfx942",), tables={})))
    for match in found:
        assert parsed.source.lines[match.line - 1][match.column - 1 :].startswith(match.text)
    return sorted((m.line, m.text) for m in found)


CAP = "import torch\n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "a = torch.cuda.get_device_capability() >= (8, 9)",
            [(2, "torch.cuda.get_device_capability() >= (8, 9)")],
        ),
        ("c = torch.cuda.get_device_capability()\nif c[0] == 9: pass", [(3, "c[0] == 9")]),
        ("x, y = torch.cuda.get_device_capability()\nz = x * 10 + y\nok = z >= 90", [(4, "z >= 90")]),
        ("props = torch.cuda.get_device_properties(0)\nok = props.major >= 9", [(3, "props.major >= 9")]),
        # Triton's target has a text there.
        ("t = driver.active.get_current_target()\nok = t.arch >= 80", [(3, "t.arch >= 80")]),
        (
            "ok = driver.active.get_current_target().arch == 90",
            [(2, "driver.active.get_current_target().arch == 90")],
        ),
        ("t = driver.active.get_current_target()\nok = t.backend == 'cuda' and t.arch >= 80", []),
        (
            "ok = torch.cuda.get_device_properties(0).major > 8",
            [(2, "torch.cuda.get_device_properties(0).major > 8")],
        ),
        # Behind a helper, an attribute, a number made of it, a list of targets, a text.
        (
            "def cap():\n    return torch.cuda.get_device_capability()\nok = cap()[0] >= 9",
            [(4, "cap()[0] >= 9")],
        ),
        (
            "class A:\n def __init__(self):\n  self.cc = torch.cuda.get_device_capability()\n def f(self):\n  return self.cc == (9, 0)",
            [(6, "self.cc == (9, 0)")],
        ),
        (
            "p = torch.cuda.get_device_properties(0)\nif int(f'{p.major}{p.minor}') >= 90: pass",
            [(3, "int(f'{p.major}{p.minor}') >= 90")],
        ),
        (
            "ok = 'sm_90' in torch.cuda.get_arch_list()",
            [(2, "'sm_90' in torch.cuda.get_arch_list()")],
        ),
        (
            "cc = float(jax.devices()[0].compute_capability)",
            [(2, "float(jax.devices()[0].compute_capability)")],
        ),
        # A floor below every AMD number, or beside a question for the vendor.
        ("ok = torch.cuda.get_device_capability() >= (8, 0)", []),
        ("if 7 > torch.cuda.get_device_capability()[0]: pass", []),
        ("if torch.cuda.get_device_capability() == (9, 0) and torch.version.cuda: pass", []),
        # Not a decision, or not about this.
        ("print(torch.cuda.get_device_capability())", []),
        ("c = torch.cuda.get_device_capability()\nd = f'{c}'", []),
        ("if torch.version.hip is None and torch.cuda.get_device_capability() >= (8, 0): pass", []),
        ("version.major >= 8", []),
        ("def f():\n    c = torch.cuda.get_device_capability()\ndef g(c):\n    return c >= (8, 0)", []),
    ],
)
def test_capability_as_a_feature(text: str, found: list[tuple[int, str]]) -> None:
    assert seen(py_capability.DETECTOR, CAP + text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ok = torch.cuda.get_device_capability() >= (8, 0)", [2]),
        ("ok = torch.cuda.get_device_capability()[0] < 8", [2]),
        ("ok = platform.has_device_capability(90)", [2]),
        ("ok = torch.cuda.get_device_capability() >= (8, 9)", []),
        ("ok = torch.version.cuda and platform.has_device_capability(90)", []),
    ],
)
def test_a_minimum_that_amd_passes_is_worth_a_note(text: str, found: list[int]) -> None:
    assert [line for line, _ in seen(py_capability_floor.DETECTOR, CAP + text)] == found


def test_in_a_test_a_capability_decides_about_the_test_alone() -> None:
    text = "import torch\nif torch.cuda.get_device_capability() >= (9, 0): pass\n"

    assert seen(py_capability.DETECTOR, text, "tests/test_a.py") == []
    assert [line for line, _ in seen(py_capability_floor.DETECTOR, text, "tests/test_a.py")] == [2]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("T = torch.float8_e4m3fn", [2]),
        ("y = x.to(torch.float8_e5m2), 1", [2]),
        ("if x.dtype == torch.float8_e4m3fn: pass", []),
        ("OK = (torch.float8_e4m3fn, torch.float16)", []),
        ("N = {'fp8': torch.float8_e4m3fn}", []),
        ("T = torch.float8_e4m3fnuz if is_hip() else torch.float8_e4m3fn", []),
        (
            "def f():\n    if is_fnuz():\n        return torch.float8_e4m3fnuz\n    return torch.float8_e4m3fn",
            [],
        ),
        ("assert x.dtype in [torch.float8_e4m3fn]", []),
    ],
)
def test_a_fixed_flavour_of_the_8_bit_float(text: str, lines: list[int]) -> None:
    assert [line for line, _ in seen(py_fp8_dtype_fixed.DETECTOR, CAP + text)] == lines
    # A file that knows of AMD and does it nevertheless is warned about.
    assert [line for line, _ in seen(py_fp8_dtype.DETECTOR, CAP + text + "\ngfx942 = 1")] == lines


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("WARP_SIZE = 32", [(1, "WARP_SIZE = 32")]),
        ("warp_size: int = 32", [(1, "warp_size: int = 32")]),
        ("f(warp_size=32)", [(1, "warp_size=32")]),
        ("def f(a, threads_per_warp=32): pass", [(1, "threads_per_warp")]),
        ("n = num_warps * 32", [(1, "num_warps * 32")]),
        ("n = 32 * self.num_warps", [(1, "32 * self.num_warps")]),
        ("lane = tid % 32", [(1, "tid % 32")]),
        ("BLOCK = 32", []),
        ("n = size * 32", []),
        ("col = tid % 32", []),
        ("WARP_SIZE = 64 if is_hip() else 32", []),
        ("if not is_hip():\n    WARP_SIZE = 32", []),
        ("import cutlass\nWARP_SIZE = 32", []),
    ],
)
def test_thirty_two_lanes(text: str, found: list[tuple[int, str]]) -> None:
    assert seen(py_warp_size.DETECTOR, text) == found


def asm(text: str) -> str:
    return f"import triton.language as tl\ntl.inline_asm_elementwise({text}, '=f,f', [x])\n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (asm("'ex2.approx.ftz.f32 $0, $1;'"), [(2, "ex2.approx.ftz.f32")]),
        (asm("'''\n{\n  .reg .b32 t;\n  mov.b32 t, $1;\n}'''"), [(4, ".reg .b32")]),
        (asm("'{ mov.b32 a, $1; '\n  'mov.b32 b, $2; }'"), [(2, "mov.b32")]),
        (asm("'mov.u32 $0, %smid;'"), [(2, "mov.u32")]),
        (asm("'v_exp_f32 $0, $1'"), []),
        (asm("'s_nop 0'"), []),
        (asm("''"), []),
        (asm("'ex2.approx.f32 $0, $1;'").replace("tl.inline", "is_hip() or tl.inline"), []),
    ],
)
def test_ptx_in_triton(text: str, found: list[tuple[int, str]]) -> None:
    assert seen(py_inline_ptx.DETECTOR, text) == found


@pytest.mark.parametrize(
    ("path", "text", "lines"),
    [
        ("a.sh", "export HIP_VISIBLE_DEVICES=0\nexport CUDA_VISIBLE_DEVICES=0\n", [2]),
        ("a.sh", "ROCR_VISIBLE_DEVICES=0 HIP_VISIBLE_DEVICES=0 run\n", [1]),
        ("a.sh", "HIP_VISIBLE_DEVICES=0 run\nCUDA_VISIBLE_DEVICES=0 run\n", []),
        ("a.sh", "export CUDA_VISIBLE_DEVICES=0\nexport CUDA_VISIBLE_DEVICES=1\n", []),
        ("Dockerfile", "FROM a\nENV HIP_VISIBLE_DEVICES=0\nENV ROCR_VISIBLE_DEVICES=0\n", [3]),
        (
            "a.py",
            "import os\nos.environ['HIP_VISIBLE_DEVICES'] = '0'\nos.environ['CUDA_VISIBLE_DEVICES'] = '0'\n",
            [3],
        ),
        (
            "a.py",
            "import os\ndel os.environ['HIP_VISIBLE_DEVICES']\nos.environ['CUDA_VISIBLE_DEVICES'] = '0'\n",
            [],
        ),
        (
            "c.yml",
            "services:\n  a:\n    environment:\n      HIP_VISIBLE_DEVICES: 0\n      ROCR_VISIBLE_DEVICES: 0\n",
            [5],
        ),
        (
            "c.yml",
            "services:\n  a:\n    environment: [HIP_VISIBLE_DEVICES=0]\n  b:\n    environment: [ROCR_VISIBLE_DEVICES=0]\n",
            [],
        ),
    ],
)
def test_variables_that_select_devices_side_by_side(path: str, text: str, lines: list[int]) -> None:
    assert [line for line, _ in seen(build_mixed_visibility.DETECTOR, text, path)] == lines


ARCH = "import torch\ndef props(i=0): return torch.cuda.get_device_properties(i)\n"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("ok = props().gcnArchName == 'gfx942'", [3]),
        ("ok = 'gfx90a' != props().gcnArchName", [3]),
        ("ok = props().gcnArchName.lower() in ['gfx90a', 'gfx942']", [3]),
        ("def f():\n    name = str(props().gcnArchName)\n    return name == 'gfx950'", [5]),
        ("def arch():\n    return props().gcnArchName\nok = arch() == 'gfx942'", [5]),
        (
            "class A:\n def __init__(self):\n  self.arch = props().gcnArchName\n  self.ok = self.arch == 'gfx942'",
            [6],
        ),
        ("ok = getattr(props(), 'gcnArchName', '') == 'gfx942'", [3]),
        # Cut at the colon, searched, of a GPU without features, or another variable of that name.
        ("ok = props().gcnArchName.split(':')[0] == 'gfx942'", []),
        ("name = props().gcnArchName\nname = name.split(':')[0]\nok = name == 'gfx942'", []),
        ("ok = 'gfx942' in props().gcnArchName", []),
        ("ok = props().gcnArchName.startswith('gfx942')", []),
        ("ok = props().gcnArchName == 'gfx1100'", []),
        ("ok = props().gcnArchName == 'gfx942:sramecc+:xnack-'", []),
        ("def f():\n    name = props().gcnArchName\ndef g(name):\n    return name == 'gfx942'", []),
    ],
)
def test_an_architecture_that_is_compared_with_its_features(text: str, lines: list[int]) -> None:
    assert [line for line, _ in seen(py_exact_arch.DETECTOR, ARCH + text)] == lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("if 'gfx94' in name or 'gfx95' in name:\n    dtype = torch.float8_e4m3fnuz", [1]),
        ("dtype = torch.float8_e5m2fnuz if arch.startswith(('gfx94', 'gfx950')) else torch.float8_e5m2", [1]),
        ("def is_fnuz(arch):\n    return arch in ('gfx942', 'gfx950')", [2]),
        ("def is_fp8_fnuz(arch):\n    if 'gfx12' in arch:\n        return True\n    return False", [2]),
        ("USE_FNUZ = any(x in arch for x in ['gfx94', 'gfx95'])", [1]),
        (
            "if not arch.startswith('gfx11') and arch != 'x' and 'gfx95' in arch:\n    d = 'float8_e4m3fnuz'",
            [1],
        ),
        (
            "if 'gfx95' in name:\n    dtype = torch.float8_e4m3fn\nelse:\n    dtype = torch.float8_e4m3fnuz",
            [],
        ),
        ("dtype = torch.float8_e4m3fn if 'gfx95' in name else torch.float8_e4m3fnuz", []),
        ("dtype = torch.float8_e4m3fnuz if 'gfx95' not in name else torch.float8_e4m3fn", []),
        ("def is_fnuz(arch):\n    return 'gfx94' in arch and not 'gfx95' in arch", []),
        ("def supports_fp8(arch):\n    return 'gfx94' in arch or 'gfx95' in arch  # fnuz or not", []),
        ("def is_fnuz(arch):\n    if 'gfx95' in arch:\n        return False\n    return 'gfx94' in arch", []),
    ],
)
def test_a_gpu_with_ocp_floats_taken_for_one_without(text: str, lines: list[int]) -> None:
    assert [line for line, _ in seen(py_fnuz_arch.DETECTOR, text)] == lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("FP8_MAX = 448.0", [1]),
        ("FP8_MAX: tl.constexpr = tl.constexpr(448.0)", [1]),
        ("FP8_MAX = torch.tensor(448.0)", [1]),
        ("WIDTH = tl.constexpr(448)", []),
        ("FP8_MAX = finfo(dtype).max", []),
    ],
)
def test_the_largest_ocp_number(text: str, lines: list[int]) -> None:
    assert [line for line, _ in seen(py_fp8_limit.DETECTOR, text)] == lines
