"""What pyproject.toml asks for is what the program imports, no more and no less."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found]

ROOT = Path(__file__).resolve().parents[2]
# Distribution → what one imports of it, where the names differ.
IMPORTED_AS = {
    "pygithub": "github",
    "pyyaml": "yaml",
    "ahocorasick-rs": "ahocorasick_rs",
    "markdown-it-py": "markdown_it",
}
# pytest and pytest-benchmark are for the example's suites; torch is asked about in a child process.
STARTED = {"pytest", "pytest-benchmark", "torch"}


def third_party() -> set[str]:
    found = set()
    for path in (ROOT / "rocm_ci").rglob("*.py"):
        if path.parent.name == "plugins":
            continue  # runs inside of the tools of a project, with what is there
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                found |= {a.name.split(".")[0] for a in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module.split(".")[0])
    return found - sys.stdlib_module_names - {"rocm_ci"}


def declared(*extras: str) -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lists = [project["dependencies"], *(project["optional-dependencies"][e] for e in extras)]
    names = {re.split(r"[^A-Za-z0-9._-]", line)[0].lower() for one in lists for line in one}
    return {IMPORTED_AS.get(n, n) for n in names}


def test_every_import_is_declared() -> None:
    assert third_party() <= declared("perf")


def test_every_declared_dependency_is_used() -> None:
    assert declared("perf", "gpu", "demo") - STARTED <= third_party()
