"""Python: its syntax tree, cut into regions that know on which vendor they are reached."""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.scan import vendor
from rocm_ci.scan.language import Language, Parsed
from rocm_ci.scan.outcome import UNKNOWN, Outcome
from rocm_ci.scan.python_expressions import Cutter
from rocm_ci.scan.python_flow import Flow
from rocm_ci.scan.python_learning import learn
from rocm_ci.scan.python_modules import Modules
from rocm_ci.scan.python_names import Names, constant_strings
from rocm_ci.scan.python_regions import Site
from rocm_ci.scan.python_requirements import requirement_nodes
from rocm_ci.scan.python_statements import statements
from rocm_ci.scan.source import Guard, Region, RegionKind

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import PurePosixPath

    from rocm_ci.scan.source import Source

_SHEBANG = re.compile(r"#!.*\bpython[\d.]*\b")
_IMPORT = re.compile(r"^(?:import|from)[ \t]+([A-Za-z_][\w.]*)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class PythonTree:
    """What detectors get: the module, what its names stand for, and places with their guards."""

    module: ast.Module
    names: Names
    sites: tuple[Site, ...]


class Python:
    """`.py` files and scripts with a Python interpreter line."""

    name = "python"

    def claims(self, path: PurePosixPath, head: str) -> bool:
        """By suffix, else by `#!`."""
        return path.suffix in (".py", ".pyi") or (not path.suffix and bool(_SHEBANG.match(head)))

    def parse(self, source: Source) -> Parsed:
        """Regions of a module. Of a file that is no valid Python 3, only its top-level imports."""
        outer = vendor.of_path(source.path, beside=source.beside, code=True)
        return cut(source, outer)


def cut(source: Source, outer: Guard) -> Parsed:
    """Parse a module whose every statement is reached under `outer`."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes in other people's strings
            module = ast.parse(source.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Parsed(source, _imports_only(source, outer))
    found = statements(module)
    names = Names(found)
    conditions = learn(found, names, source.lines, elsewhere(source, names))
    texts = constant_strings(found)
    wanted = requirement_nodes(found, names, source.path)
    cutter = Cutter(source, names, conditions, texts, wanted)
    flow = Flow(cutter)
    try:
        flow.body(module.body, outer)
        excused = frozenset(
            name
            for name, guards in cutter.calls.items()
            if name in flow.defined
            and name.startswith("_")
            and set(guards) == {Guard.NVIDIA}
            # Functions that were passed over may call it as well.
            and len(re.findall(rf"\b{name}\b(?!\s*=)", source.text)) <= len(guards) + 1
        )
        if excused:
            cutter = Cutter(source, names, conditions, texts, wanted)
            Flow(cutter, excused=excused).body(module.body, outer)
    except RecursionError:
        return Parsed(source, _imports_only(source, outer))
    return Parsed(source, tuple(cutter.regions), PythonTree(module, names, tuple(cutter.sites)))


def elsewhere(source: Source, names: Names) -> Callable[[str], Outcome]:
    """Answers for the names that a file imports from other modules of the project."""
    modules = source.memo.get("python-modules")
    if not isinstance(modules, Modules):
        modules = Modules(source.read)
        source.memo["python-modules"] = modules

    def resolve(full: str) -> Outcome:
        return modules.outcome(source.path, full) if names.is_imported(full) else UNKNOWN

    return resolve


def _imports_only(source: Source, outer: Guard) -> tuple[Region, ...]:
    """Python 2 and templates: an import at the left margin is unguarded in every dialect."""
    return tuple(
        Region(
            RegionKind.INCLUDE,
            found[1],
            source.text.count("\n", 0, found.start()) + 1,
            found.start(1) - found.start() + 1,
            outer,
        )
        for found in _IMPORT.finditer(source.text)
    )


LANGUAGE: Language = Python()
