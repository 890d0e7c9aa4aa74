"""The allow list: what names CUDA and works on ROCm is never told, however it is used."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from rocm_ci import registry
from rocm_ci.changes import whole_tree
from rocm_ci.config.options import DEFAULT_ARCHS, ScanOptions
from rocm_ci.scan.engine import scan
from rocm_ci.scan.rulebook import RuleBook, shipped

BOOK = RuleBook(shipped())
TABLE = registry.data_folder("rules") / "tables" / "python-legal.txt"
NAMES = [line for line in TABLE.read_text().splitlines() if line and not line.startswith("#")]


@dataclass
class One:
    """A tree of one file."""

    text: str

    def read(self, path: str) -> bytes | None:
        return self.text.encode() if path == "pkg/mod.py" else None


def told(text: str) -> list[tuple[int, str]]:
    changes = whole_tree(("pkg/mod.py",))
    found = scan(One(text), changes, ScanOptions(), DEFAULT_ARCHS, book=BOOK, prefilter=False).findings
    return [(f.line, f.rule) for f in found]


@pytest.mark.parametrize("name", NAMES)
def test_a_legal_name_is_never_told(name: str) -> None:
    module, _, last = name.rpartition(".")
    imported = f"from {module} import {last}\n" if module else ""
    text = (
        f"import {name.partition('.')[0]}\nimport {module or name}\n{imported}"
        f"{name}\n{name}()\nx = {name}\nf({name}, key={name})\nif {name}:\n    pass\nprint({name!r})\n"
        f"def g(a={name}):\n    with {name}:\n        return {name}(0)\nhasattr(a, {name!r})\n"
    )

    assert told(text) == []


@pytest.mark.parametrize(
    "line",
    [
        "x = x.cuda()",
        "x = x.cuda(0, non_blocking=True)",
        "x = x.to('cuda')",
        "x = torch.zeros(3, device='cuda:0')",
        "d = torch.device('cuda', 1)",
        "d = 'cuda' if torch.cuda.is_available() else 'cpu'",
        "with torch.autocast('cuda', dtype=torch.bfloat16): pass",
        "if x.device.type == 'cuda': pass",
        "if device.startswith('cuda'): pass",
        "dist.init_process_group('nccl')",
        "dist.init_process_group(backend='nccl', init_method='env://')",
        "dist.init_process_group('cpu:gloo,cuda:nccl')",
        "os.environ['CUDA_VISIBLE_DEVICES'] = '0,1'",
        "os.environ.get('CUDA_VISIBLE_DEVICES', '')",
        "env = dict(os.environ, CUDA_VISIBLE_DEVICES='0')",
        "os.environ['NCCL_DEBUG'] = 'INFO'",
        "os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'expandable_segments:True'",
        "torch.backends.cuda.matmul.allow_tf32 = False",
        "torch.backends.cudnn.benchmark = True",
        "ext = CUDAExtension('a._C', ['a.cu'], extra_compile_args={'cxx': ['-O3'], 'nvcc': ['-O3', '-std=c++17']})",
        "m = load(name='a', sources=['a.cpp', 'a.cu'], extra_cuda_cflags=['-O3'])",
        "a.__cuda_array_interface__['data'][0]",
        "class A:\n    @property\n    def __cuda_array_interface__(self):\n        return {'version': 3}",
        "parser.add_argument('--device', choices=['cuda', 'cpu'], default='cuda')",
        "@torch.library.impl('ns::op', 'CUDA')\ndef op(x): return x",
        "lib.impl('op', f, 'CUDA')",
        "activities = [torch.profiler.ProfilerActivity.CUDA]",
        "x = cp.asarray(y); cp.cuda.Stream.null.synchronize()",
        "print(torch.version.cuda, torch.version.hip)",
        "info = {'cuda': torch.version.cuda}",
        "torch.cuda.get_device_capability()",
        "FILES = glob('csrc/*.cu') + glob('csrc/**/*.cuh')",
        "from my_ext import fused_adam_cuda, scaled_softmax_cuda",
        "import apex, amp_C, flash_attn, xformers, transformer_engine, bitsandbytes, deepspeed, cupy, triton",
    ],
)
def test_a_legal_line_is_never_told(line: str) -> None:
    assert told(f"import os\nimport torch\n{line}\n") == []
