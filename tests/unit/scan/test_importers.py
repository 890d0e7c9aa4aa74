"""Imports of NVIDIA's packages in modules that are loaded lazily, for CUDA only, or by nobody."""

from __future__ import annotations

from rocm_ci.model.finding import Finding, Severity
from tests.unit.scan.trees import scan_all

KERNELS = "import pynvml\n\ndef run():\n    return pynvml\n"
PACKAGE: dict[str, str | bytes] = {
    "serve/__init__.py": "from serve import engine\n",
    "serve/engine.py": "from serve.layers import norm\n",
    "serve/layers/__init__.py": "",
    "serve/layers/norm.py": "",
    "serve/layers/fast.py": KERNELS,
}


def fast(**changed: str) -> Finding:
    """The finding in `serve/layers/fast.py` with some modules written anew."""
    files = PACKAGE | {f"serve/{name.replace('__', '/')}.py": text for name, text in changed.items()}
    (found,) = [f for f in scan_all(files).findings if f.path == "serve/layers/fast.py"]
    return found


def test_a_module_that_is_imported_with_the_project_keeps_its_error() -> None:
    assert fast(layers__norm="from .fast import run\n").severity is Severity.ERROR
    assert fast(layers__norm="import serve.layers.fast as f\n").severity is Severity.ERROR
    assert fast(layers__norm="from . import (\n    fast,\n)\n").severity is Severity.ERROR


def test_a_module_that_nobody_imports_keeps_its_error() -> None:
    assert fast().severity is Severity.ERROR


def test_a_module_that_functions_import_has_a_note_that_names_one() -> None:
    found = fast(layers__norm="def norm(x):\n    from serve.layers.fast import run\n    return run()\n")

    assert found.severity is Severity.NOTE
    assert "not loaded before it is used: serve/layers/norm.py:2" in found.message


def test_one_import_that_is_made_at_once_outweighs_all_lazy_ones() -> None:
    lazy = "def norm(x):\n    from serve.layers.fast import run\n    return run()\n"

    assert fast(layers__norm=lazy, engine="from serve.layers import norm, fast\n").severity is Severity.ERROR


def test_a_condition_at_the_top_of_a_module_counts_by_its_vendor() -> None:
    for_cuda = "import torch\nif torch.version.hip is None:\n    from serve.layers import fast\n"
    for_debug = "import os\nif os.environ.get('DEBUG'):\n    from serve.layers import fast\n"

    assert fast(layers__norm=for_cuda).severity is Severity.NOTE
    assert fast(layers__norm=for_debug).severity is Severity.ERROR


def test_an_import_whose_failure_is_handled_is_no_error() -> None:
    handled = "try:\n    from .fast import run\nexcept ImportError:\n    run = None\n"

    assert fast(layers__norm=handled).severity is Severity.NOTE


def test_a_function_that_imports_it_for_amd_makes_it_an_error_again() -> None:
    for_amd = "import torch\n\ndef norm(x):\n    if torch.version.hip:\n        from .fast import run\n"

    assert fast(layers__norm=for_amd).severity is Severity.ERROR
    in_amd = "def norm(x):\n    from serve.layers.fast import run\n"
    assert fast(rocm__norm=in_amd, rocm____init__="").severity is Severity.ERROR


def test_a_module_that_only_a_lazy_module_imports_is_lazy_too() -> None:
    chain = {
        "layers__norm": "def norm(x):\n    from . import middle\n    return middle\n",
        "layers__middle": "from .fast import run\n",
    }
    assert fast(**chain).severity is Severity.NOTE


def test_modules_that_import_each_other_do_not_load_themselves() -> None:
    chain = {
        "layers__norm": "def norm(x):\n    from . import middle\n    return middle\n",
        "layers__middle": "from .fast import run\n",
        "layers__fast": f"{KERNELS}from . import middle\n",
    }
    assert fast(**chain).severity is Severity.NOTE


def test_tests_and_benchmarks_do_not_load_a_module() -> None:
    files = PACKAGE | {
        "serve/layers/norm.py": "def norm(x):\n    from .fast import run\n",
        "tests/test_fast.py": "from serve.layers.fast import run\n",
        "benchmarks/fast.py": "from serve.layers.fast import run\n",
    }
    found = [f.severity for f in scan_all(files).findings if f.path == "serve/layers/fast.py"]
    assert found == [Severity.NOTE]


def test_other_findings_count_unless_the_module_is_imported_for_cuda_only() -> None:
    text = "import torch\n\ndef run():\n    import pynvml\n    return pynvml\n"
    lazy = "def norm(x):\n    from .fast import run\n    return run()\n"
    guarded = (
        "import torch\n\ndef norm(x):\n    if torch.version.hip is not None:\n        return x\n"
        "    from .fast import run\n    return run()\n"
    )

    assert fast(layers__fast=text, layers__norm=lazy).severity is Severity.WARNING
    found = fast(layers__fast=text, layers__norm=guarded)
    assert found.severity is Severity.NOTE
    assert "not loaded on ROCm: serve/layers/norm.py:6" in found.message


def test_a_registry_that_names_a_module_loads_it_anywhere() -> None:
    text = "def run():\n    import pynvml\n    return pynvml\n"
    guarded = "import torch\nif torch.version.hip is None:\n    from .fast import run\n"

    assert fast(layers__fast=text, layers__norm=guarded).severity is Severity.NOTE
    registry = 'LAYERS = {"fast": "serve.layers.fast:run"}\n'
    assert fast(layers__fast=text, layers__norm=guarded, registry=registry).severity is Severity.WARNING


def test_a_package_that_nothing_else_imports_stands_for_itself() -> None:
    files: dict[str, str | bytes] = {
        "flash/__init__.py": "from flash import api\n",
        "flash/api.py": "",
        "flash/next/__init__.py": "from .interface import run\n",
        "flash/next/interface.py": "import cuda.bindings.driver as cuda\nfrom .mask import m\n",
        "flash/next/mask.py": "import cuda.bindings.driver as cuda\nm = 1\n",
    }
    assert {f.severity for f in scan_all(files).findings} == {Severity.NOTE}
    files["flash/api.py"] = "from flash.next import run\n"
    assert {f.severity for f in scan_all(files).findings} == {Severity.ERROR}


def test_a_script_beside_no_package_keeps_its_error() -> None:
    (found,) = scan_all({"monitor.py": KERNELS, "main.py": "def f():\n    import monitor\n"}).findings

    assert found.severity is Severity.ERROR
