"""Python: its syntax tree, cut into regions that know on which vendor they are reached."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from rocm_ci.scan import python_tokens as tokens
from rocm_ci.scan import vendor
from rocm_ci.scan.language import Language, Parsed
from rocm_ci.scan.outcome import UNKNOWN, Outcome
from rocm_ci.scan.python_callers import with_callers
from rocm_ci.scan.python_carriers import with_carriers, with_imported
from rocm_ci.scan.python_expressions import Cutter
from rocm_ci.scan.python_flow import Flow
from rocm_ci.scan.python_learning import learn
from rocm_ci.scan.python_modules import Modules
from rocm_ci.scan.python_names import Names, constant_strings
from rocm_ci.scan.python_regions import Site
from rocm_ci.scan.python_repair import Tree, tree_of
from rocm_ci.scan.python_requirements import requirement_nodes
from rocm_ci.scan.python_statements import statements
from rocm_ci.scan.source import Guard, Region

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import PurePosixPath

    from rocm_ci.scan.source import Source

_CYTHON = frozenset({"pyx", "pxd", "pxi"})
_SUFFIXES = frozenset({".py", ".pyi", ".pyw", ".scons", ".ipynb", *(f".{suffix}" for suffix in _CYTHON)})
# Build files of SCons and Waf.
_NAMES = frozenset(
    {"SConstruct", "Sconstruct", "sconstruct", "SConscript", "Sconscript", "sconscript", "wscript"}
)
_SHEBANG = re.compile(r"#!.*\bpython[\d.]*\b")
# A module or folder named after what exists for NVIDIA alone is imported where that can be used.
_BACKEND = re.compile(
    r"(?i)(^|[/_.-])(cute_?dsl|cute_?utils|cute|deep_?gemm|flash_?infer|flashmla|mnnvl|tcgen05|wgmma|deepstream"
    r"|pynvvideocodec|trt_?llm|machete|marlin|cutlass|nvfp4|cupti|nvshmem|sm\d{2,3}a?|hopper|blackwell)(?=[/_.-]|\d)"
)
# Values that a file may use far from where it got them: no function can be left out.
_FOLLOWED = re.compile(
    r"gcnArchName|get_current_target|get_build_info|get_device_capability|compute_capability"
    r"|get_cuda_capability|getDeviceCapability"
)
_ALIASED = re.compile(
    r"=[ \t]*[\w.]+\.(?:cuda|version|CUDA_HOME)[ \t]*(?:#.*)?$", re.MULTILINE
)  # Names.follows
_UNDECODED = re.compile("[\udc80-\udcff]")


@dataclass(frozen=True, slots=True)
class PythonTree:
    """What detectors get: the module, what its names stand for, and places with their guards."""

    module: ast.Module
    names: Names
    sites: tuple[Site, ...]
    memo: dict[str, object] = field(default_factory=dict, compare=False)  # what detectors share
    columns: Mapping[int, tuple[int, ...]] = field(default_factory=dict)  # of a notebook, see python_notebook


class Python:
    """`.py` files, scripts with a Python interpreter line, SCons and Waf files, notebooks and Cython."""

    name = "python"

    def claims(self, path: PurePosixPath, head: str) -> bool:
        """By suffix, else by name or `#!`."""
        if path.suffix:
            return path.suffix in _SUFFIXES
        return path.name in _NAMES or bool(_SHEBANG.match(head))

    def parse(self, source: Source) -> Parsed:
        """Regions of a module. Of a file that is no valid Python 3, only its top-level imports."""
        # Only torch has no other name than `cuda` for what runs on AMD.
        exists = (lambda path: source.read(path) is not None) if "torch" in source.text else None
        outer = vendor.of_path(source.path, beside=source.beside, code=True, exists=exists)
        if outer is Guard.NONE and _BACKEND.search(source.path):
            outer = Guard.NVIDIA
        if outer is Guard.NVIDIA and not source.nvidia:
            return Parsed(source, ())
        suffix = source.path.rpartition(".")[2]
        if suffix == "ipynb":
            return _notebook(source, outer)
        if suffix in _CYTHON:
            from rocm_ci.scan import python_cython as cython  # noqa: PLC0415 - nor Cython

            source = _readable(source)
            return Parsed(source, cython.regions(source, outer))
        return cut(source, outer)


def _notebook(source: Source, outer: Guard) -> Parsed:
    """The code cells of a notebook: those with one line to a line of the file as one module, others alone."""
    from rocm_ci.scan import python_magics as magics  # noqa: PLC0415 - few trees have notebooks
    from rocm_ci.scan import python_notebook as notebook  # noqa: PLC0415

    found, language = notebook.cells(source.text)
    if not notebook.is_python(language):
        return Parsed(source, ())
    apart = [cell for cell in found if not cell.scattered]
    text, columns = notebook.module([c for c in found if c.scattered], len(source.lines))
    parsed = cut(replace(source, text=text, lines=tuple(text.split("\n"))), outer)
    regions = [notebook.placed(r, r.line, columns.get(r.line, ())) for r in parsed.regions]
    for cell in apart:
        inner, lines = notebook.alone(cell)
        cut_out = cut(replace(source, text=inner, lines=tuple(inner.split("\n")), hits=None), outer)
        regions += [notebook.placed(r, *lines[r.line - 1]) for r in cut_out.regions if r.line <= len(lines)]
    tree = parsed.tree
    if isinstance(tree, PythonTree):
        tree = replace(tree, columns=columns)
    return replace(
        parsed, regions=(*regions, *(m for r in regions for m in magics.requirements(r))), tree=tree
    )


def cut(source: Source, outer: Guard) -> Parsed:
    """Parse a module whose every statement is reached under `outer`."""
    source = _readable(source)
    # What is used far from where it comes from needs every function.
    hits = None if _ALIASED.search(source.text) else source.hits
    if hits is not None and _FOLLOWED.search(source.text):
        hits = with_carriers(source.text, source.lines, hits, _FOLLOWED)
    if hits is not None:
        hits = with_imported(source.text, hits)
        hits = with_callers(source.text, source.lines, hits)
    source = replace(source, hits=hits)
    tree = tree_of(source.text, hits)
    if tree.module is not None:
        try:
            regions, python = _regions(source, tree.module, outer)
        except RecursionError:
            tree = Tree(None, reason="expressions are nested too deeply to follow")
        else:
            if not tree.aside:
                return Parsed(source, regions, python)
            note = f"{tree.reason}; {len(tree.aside)} lines read as tokens, their guards unknown"
            more = tokens.regions(source, outer, tree.aside)
            return Parsed(source, (*regions, *more), python, notes=(note,))
    note = f"{tree.reason}, read as tokens: guards could not be followed"
    return Parsed(source, tuple(tokens.regions(source, outer)), notes=(note,))


def _readable(source: Source) -> Source:
    """Bytes that are no UTF-8 as Latin-1 and NULs as spaces: neither can be parsed otherwise."""
    text = source.text
    if "\0" not in text and (text.isascii() or not _UNDECODED.search(text)):
        return source
    text = _UNDECODED.sub(lambda found: chr(ord(found.group()) - 0xDC00), text.replace("\0", " "))
    return replace(source, text=text, lines=tuple(text.split("\n")))


def _regions(source: Source, module: ast.Module, outer: Guard) -> tuple[tuple[Region, ...], PythonTree]:
    found = statements(module)
    names = Names(found)
    conditions = learn(found, names, source.text, elsewhere(source, names))
    texts = constant_strings(found)
    wanted = requirement_nodes(found, names, source.path)
    cutter = Cutter(source, names, conditions, texts, wanted)
    flow = Flow(cutter)
    flow.body(module.body, outer)
    excused = frozenset(
        name
        for name, guards in cutter.calls.items()
        if name in flow.defined
        and set(guards) == {Guard.NVIDIA}
        # Functions that were passed over may call it as well.
        and len(re.findall(rf"\b{name}\b(?!\s*=)", source.text)) <= len(guards) + 1
    )
    if excused:
        cutter = Cutter(source, names, conditions, texts, wanted)
        Flow(cutter, excused=excused).body(module.body, outer)
    return tuple(cutter.regions), PythonTree(module, names, tuple(cutter.sites))


def elsewhere(source: Source, names: Names) -> Callable[[str], Outcome]:
    """Answers for the names that a file imports from other modules of the project."""
    modules = source.memo.get("python-modules")
    if not isinstance(modules, Modules):
        modules = Modules(source.read)
        source.memo["python-modules"] = modules

    def resolve(full: str) -> Outcome:
        return modules.outcome(source.path, full) if names.is_imported(full) else UNKNOWN

    return resolve


LANGUAGE: Language = Python()
