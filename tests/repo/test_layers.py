"""The house plan, checked over the syntax trees: imports point down only, modules stay small."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "rocm_ci"
MODULES = sorted(PACKAGE.rglob("*.py"))
# From the top down. A module may import from any lower row, and from its own package.
ROWS = (
    ("cli",),
    ("pipeline", "sinks", "bot"),
    ("stages", "report"),
    ("scan", "build", "kernels", "gpu", "runners", "perf", "schedule", "conformance", "knowledge", "plan"),
    ("context",),
    ("config", "event", "changes", "registry"),
    ("log",),
    ("tools", "github"),
    ("model", "errors"),
)
ROW_OF = {name: row for row, names in enumerate(ROWS) for name in names}
# Stand alone: the launcher runs on the host with nothing but the standard library.
ALONE = {"launch", "launcher", "__init__", "__main__"}


def unit(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(path: Path) -> set[str]:
    """Top-level parts of `rocm_ci` that a module imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = (
                [f"{node.module}.{a.name}" for a in node.names] if node.module == "rocm_ci" else [node.module]
            )
        elif isinstance(node, ast.Import):
            names = [a.name for a in node.names]
        else:
            continue
        found |= {n.split(".")[1] for n in names if n.startswith("rocm_ci.")}
    return found - {"__version__"}


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_point_down(path: Path) -> None:
    here = unit(path)
    if here in ALONE:
        assert imported(path) <= ({"launch"} if here.startswith("launch") else {"cli"})
        return

    assert here in ROW_OF, f"{here} has no row: add it to the layer picture"
    upward = {there for there in imported(path) if there != here and ROW_OF[there] <= ROW_OF[here]}

    assert upward == set()


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_a_module_stays_under_300_lines(path: Path) -> None:
    assert len(path.read_text().splitlines()) < 300, "is there a second noun in it?"


def test_the_median_module_stays_under_120_lines() -> None:
    sizes = sorted(len(p.read_text().splitlines()) for p in MODULES)

    assert sizes[len(sizes) // 2] < 120


@pytest.mark.parametrize(
    "path", [PACKAGE / "launcher.py", *(PACKAGE / "launch").glob("*.py")], ids=lambda p: p.name
)
def test_launcher_needs_only_the_standard_library(path: Path) -> None:
    import sys

    for node in ast.walk(ast.parse(path.read_text(), feature_version=(3, 8))):
        if isinstance(node, ast.Import):
            assert all(a.name.split(".")[0] in sys.stdlib_module_names for a in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            assert module.startswith("rocm_ci.launch") or module.split(".")[0] in sys.stdlib_module_names


@pytest.mark.parametrize("package", ["scan", "report", "github", "sinks", "bot"])
def test_scanner_and_reporter_import_no_numeric_stack(package: str) -> None:
    for path in (PACKAGE / package).rglob("*.py"):
        text = path.read_text()

        assert not any(f"import {heavy}" in text for heavy in ("numpy", "scipy", "torch"))


def test_only_the_command_line_reads_the_environment() -> None:
    for path in MODULES:
        # A plug-in for other people's tools runs in their processes.
        if unit(path) in ("cli", "launcher") or path.name == "process.py" or path.parent.name == "plugins":
            continue
        names = {n.attr for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Attribute)}

        assert not names & {"environ", "getenv"}, path
