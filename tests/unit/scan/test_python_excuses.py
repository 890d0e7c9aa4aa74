"""Findings in Python modules that are for NVIDIA as a whole, by their package, their class or their library."""

from __future__ import annotations

import pytest

from rocm_ci.model.finding import Severity
from tests.unit.scan.trees import scan_all

CAPABILITY = "import torch\n\ndef fast():\n    return torch.cuda.get_device_capability()[0] == 12\n"
LISTS = {
    "requirements/common.txt": "requests\n",
    "requirements/cuda.txt": "-r common.txt\ntorch==2.9\nhumming-kernels[cu13]==0.1\n",
    "requirements/rocm.txt": "-r common.txt\npeft\ntimm\ntensorizer\n",
}
KERNELS = {
    "ops/__init__.py": "",
    "ops/a.py": "import cutlass\n",
    "ops/b.py": "def f():\n    import cutlass.cute as cute\n    return cute\n",
    "ops/c.py": CAPABILITY,
}


def loud(files: dict[str, str], path: str) -> bool:
    found = [f for f in scan_all(files).findings if f.path == path]
    assert found
    return any(f.severity > Severity.NOTE for f in found)


@pytest.mark.parametrize("path", ["pkg/humming/schema.py", "pkg/humming.py"])
def test_a_module_about_a_package_of_the_list_for_cuda_is_for_nvidia(path: str) -> None:
    assert not loud({path: CAPABILITY, **LISTS}, path)
    assert loud({path: CAPABILITY}, path)
    listed = {**LISTS, "requirements/rocm.txt": f"{LISTS['requirements/rocm.txt']}humming_kernels\n"}
    assert loud({path: CAPABILITY, **listed}, path)


@pytest.mark.parametrize("name", ["requirements/tpu.txt", "requirements/cuda-extra.txt"])
def test_a_list_that_has_no_twin_for_rocm_tells_nothing(name: str) -> None:
    files = {**LISTS, "requirements/cuda.txt": "torch\n", name: "humming-kernels\n"}

    assert loud({"pkg/humming.py": CAPABILITY, **files}, "pkg/humming.py")


def test_a_module_that_imports_such_a_package_at_its_top_is_for_nvidia() -> None:
    assert not loud({"x.py": f"from humming import run\n{CAPABILITY}", **LISTS}, "x.py")
    assert loud({"x.py": CAPABILITY, **LISTS}, "x.py")  # torch is in the list for CUDA alone


def test_in_a_package_of_cutlass_modules_the_others_are_for_nvidia_too() -> None:
    assert not loud(KERNELS, "ops/c.py")
    assert loud({**KERNELS, "ops/b.py": ""}, "ops/c.py")
    assert loud({**KERNELS, "ops/b.py": KERNELS["ops/b.py"] + "def rocm():\n    pass\n"}, "ops/c.py")


def test_a_module_that_needs_flashinfer_keeps_the_error_for_its_import_alone() -> None:
    text = f"import flashinfer\n{CAPABILITY}"
    found = scan_all({"x.py": text}).findings

    assert [f.line for f in found if f.severity > Severity.NOTE] == [1]
    assert any("needs flashinfer, see line 1" in f.message for f in found)


BASE = "class Platform:\n" + "".join(f"    {line}\n" for line in CAPABILITY.splitlines()[2:])
DERIVED = "from .interface import Platform\n\nclass RocmPlatform(Platform):\n    def fast(self):\n        return {}\n"


def test_a_method_that_the_class_for_amd_overrides_is_not_run_there() -> None:
    base = {"platforms/interface.py": f"import torch\n{BASE}"}
    own = DERIVED.format("False")

    assert not loud({**base, "platforms/rocm.py": own}, "platforms/interface.py")
    assert loud({**base, "platforms/rocm.py": DERIVED.format("super().fast()")}, "platforms/interface.py")
    assert loud({**base, "platforms/rocm.py": own.replace("def fast", "def slow")}, "platforms/interface.py")
    assert loud({**base, "platforms/xpu.py": own}, "platforms/interface.py")


def test_a_function_of_a_setup_script_that_nothing_calls_is_not_run() -> None:
    check = "import torch\n\ndef check():\n    return int(torch.version.cuda.split('.')[0])\n"

    assert not loud({"setup.py": check}, "setup.py")
    assert loud({"setup.py": f"{check}\ncheck()\n"}, "setup.py")
    assert loud({"setup.py": check.replace("def", "@register\ndef")}, "setup.py")
    assert loud({"probe.py": check}, "probe.py")


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("FA4DenseKernel", False),
        ("CutlassGemm", False),
        ("SM100Attention", False),
        ("Fast", True),
        ("Sma100", True),
    ],
)
def test_a_class_named_after_what_nvidia_alone_has_is_for_nvidia(name: str, counts: bool) -> None:
    text = f"import torch\n{BASE}".replace("class Platform:", f"class {name}:")

    assert loud({"kernels.py": text}, "kernels.py") is counts


@pytest.mark.parametrize(
    ("more", "counts"),
    [("", False), ("for path in backup: open(path)\n", True)],
    ids=["never-read", "read"],
)
def test_what_is_only_put_into_a_list_that_nothing_reads_is_a_note(more: str, counts: bool) -> None:
    text = f"backup = []\nbackup.append('lib/libcudart.so.11.0')\n{more}"
    [finding] = scan_all({"pkg/setup_paths.py": text}).findings
    assert (finding.rule, finding.severity is Severity.ERROR) == ("cuda-library-opened", counts)


def test_a_list_that_a_module_beside_reads_counts() -> None:
    files = {
        "pkg/paths.py": "backup: list = []\nbackup.append('lib/libcudart.so.11.0')\n",
        "pkg/load.py": "from pkg.paths import backup\n",
    }
    [finding] = scan_all(files).findings
    assert finding.severity is Severity.ERROR
