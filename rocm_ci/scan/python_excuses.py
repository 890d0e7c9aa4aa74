"""Why a finding in a Python module is no more than a note: what it stands in is not for ROCm."""

from __future__ import annotations

import ast
import posixpath
import re
from functools import cache
from typing import TYPE_CHECKING

from rocm_ci.scan import vendor
from rocm_ci.scan.languages.python import PythonTree
from rocm_ci.scan.nvidia_packages import NvidiaPackages
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocm_ci.scan.inventory import Inventory
    from rocm_ci.scan.language import Parsed

# What kernels for NVIDIA are written in or taken from. Code around it is written anew for ROCm, not mended.
_KERNELS = r"(?:import|from)[ \t]+(cutlass|cuda\.(?:bindings|core|tile|cccl)|flashinfer|quack)\b"
_AT_TOP = re.compile(rf"^{_KERNELS}", re.MULTILINE)
_ANYWHERE = re.compile(rf"^[ \t]*{_KERNELS}", re.MULTILINE)
_AMD = re.compile(r"(?i)rocm|(?<![a-z])hip(?![a-z])|(?<![a-z])amd(?![a-z])|gfx\d|aiter")
# Classes that wrap what NVIDIA alone has; FA3 and FA4 are FlashAttention for Hopper and Blackwell.
_CLASS = re.compile(
    r"_*(?:FA[34](?![a-z])|Flash[iI]nfer|Deep(?:Gemm|GEMM)|(?i:trt_?llm)|Cute(?:Dsl|DSL)|C(?:utlass|UTLASS)|Machete"
    r"|(?:Sm|SM)\d{2,3}(?!\d)|Blackwell|Hopper)"
)
_TOP_IMPORT = re.compile(r"^(?:import|from)[ \t]+(\w+)", re.MULTILINE)
_ADDS = re.compile(r"(\w+)\.(?:append|extend|insert)\(")
_BEGUN = r"^{}[ \t]*(?::[^=\n]*)?=[ \t]*(?:\[\]|list\(\))[ \t]*$"
_OPENED = "cuda-library-opened"
_ITSELF = "cuda-only-import"
_LEAST_MODULES, _MOST_MODULES = 3, 60
_LONGEST = 500_000


class PythonExcuses:
    """Answers for the modules of one tree."""

    def __init__(self, read: Callable[[str], bytes | None], inventory: Inventory) -> None:
        self._read = read
        self._inventory = inventory
        self._packages = NvidiaPackages(read, inventory)
        self._of_folder = cache(self._folder)

    def of(self, parsed: Parsed, rule: str, line: int) -> str:
        """The reason why a finding in a line does not count; empty when it does."""
        path = parsed.source.path
        lines = parsed.source.lines
        if rule == _ITSELF or (line <= len(lines) and _TOP_IMPORT.match(lines[line - 1])):
            return ""
        if unused := _unused(parsed, line):
            return f"in {unused}, which nothing calls"
        if rule == _OPENED and (collected := self._collected(parsed, line)):
            return f"only put into {collected}, which nothing reads"
        top = _AT_TOP.search(parsed.source.text)
        if top is not None and (at := parsed.source.text.count("\n", 0, top.start()) + 1) != line:
            return f"in a module that needs {top[1]}, see line {at}"
        return (
            _of_class(parsed, line)
            or self._required(parsed)
            or self._of_folder(posixpath.dirname(path))
            or self._overridden(parsed, line)
        )

    def _collected(self, parsed: Parsed, line: int) -> str:
        """The list of a module that a line adds to and that neither it nor a module beside it reads."""
        lines, path = parsed.source.lines, parsed.source.path
        found = _ADDS.match(lines[line - 1]) if line <= len(lines) else None
        if found is None:
            return ""
        name = found[1]
        is_begun = re.search(_BEGUN.format(name), parsed.source.text, re.MULTILINE)
        written = re.compile(rf"{_BEGUN.format(name)}|^{name}\.(?:append|extend|insert)\(", re.MULTILINE)
        named = re.compile(rf"\b{name}\b")
        if not is_begun or named.search(written.sub("", parsed.source.text)):
            return ""
        folder = posixpath.dirname(path)
        beside = (n for n in self._inventory.names(folder) if n.endswith(".py"))
        others = (posixpath.join(folder, n) for n in beside if n != posixpath.basename(path))
        read = any(named.search((self._read(o) or b"")[:_LONGEST].decode("utf-8", "replace")) for o in others)
        return "" if read else name

    def _required(self, parsed: Parsed) -> str:
        """Whether a module is about a package that only the list for NVIDIA names."""
        named = {*parsed.source.path.removesuffix(".py").split("/"), *_TOP_IMPORT.findall(parsed.source.text)}
        found = next((n for n in sorted(named) if n in self._packages.names), None)
        return f"about {found}, which {self._packages.names[found]} alone asks for" if found else ""

    def _folder(self, folder: str) -> str:
        """Whether most modules of a package use NVIDIA's kernels, one of them at once, and none knows AMD."""
        names = self._inventory.names(folder)
        modules = sorted(n for n in names if n.endswith(".py") and n != "__init__.py")
        if "__init__.py" not in names or not _LEAST_MODULES <= len(modules) <= _MOST_MODULES:
            return ""
        using, first = 0, ""
        for name in modules:
            path = posixpath.join(folder, name)
            text = (self._read(path) or b"")[:_LONGEST].decode("utf-8", "replace")
            if _AMD.search(text):
                return ""
            using += _ANYWHERE.search(text) is not None
            if not first and (top := _AT_TOP.search(text)):
                line = text.count("\n", 0, top.start()) + 1
                first = f"in a package for NVIDIA, most of which needs {top[1]} as {path}:{line} does"
        return first if using * 2 > len(modules) else ""

    def _overridden(self, parsed: Parsed, line: int) -> str:
        """Whether the class for AMD in the same folder defines the method around a line anew."""
        method = _method(parsed, line)
        if method is None:
            return ""
        folder = posixpath.dirname(parsed.source.path)
        for name in sorted(self._inventory.names(folder)):
            if name.endswith(".py") and vendor.of(name.removesuffix(".py")) is Guard.AMD:
                path = posixpath.join(folder, name)
                if at := _redefined(self._read(path) or b"", *method):
                    return f"not run on ROCm: {path}:{at} has a {method[1]} of its own"
        return ""


def _unused(parsed: Parsed, line: int) -> str:
    """The function around a line of a setup.py, which no file imports, that it names nowhere else."""
    module = parsed.tree.module if isinstance(parsed.tree, PythonTree) else None
    if module is None or posixpath.basename(parsed.source.path) != "setup.py":
        return ""
    for one in module.body:
        if not isinstance(one, ast.FunctionDef) or not one.lineno <= line <= (one.end_lineno or 0):
            continue
        named = re.finditer(rf"\b{one.name}\b", parsed.source.text)
        rows = {parsed.source.text.count("\n", 0, found.start()) + 1 for found in named}
        is_alone = all(one.lineno <= row <= (one.end_lineno or 0) for row in rows)
        return one.name if is_alone and not one.decorator_list else ""
    return ""


def _of_class(parsed: Parsed, line: int) -> str:
    """Whether a line stands in a class for NVIDIA, by its name."""
    module = parsed.tree.module if isinstance(parsed.tree, PythonTree) else None
    for one in module.body if module is not None else ():
        if (
            isinstance(one, ast.ClassDef)
            and one.lineno <= line <= (one.end_lineno or 0)
            and _CLASS.match(one.name)
        ):
            return f"in {one.name}, a class for NVIDIA by its name"
    return ""


def _method(parsed: Parsed, line: int) -> tuple[str, str] | None:
    """(class, method) around a line, neither inside another definition."""
    module = parsed.tree.module if isinstance(parsed.tree, PythonTree) else None
    for outer in module.body if module is not None else ():
        if isinstance(outer, ast.ClassDef) and outer.lineno <= line <= (outer.end_lineno or 0):
            for inner in outer.body:
                is_around = inner.lineno <= line <= (inner.end_lineno or 0)
                if is_around and isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    return outer.name, inner.name
    return None


def _redefined(data: bytes, base: str, method: str) -> int:
    """The line in which a class derived from `base` defines `method` without that of `base`; 0 if none."""
    text = data.decode("utf-8", "replace")
    head = re.search(rf"^class \w+\((?:[\w.]+\.)?{base}\b[^)]*\):", text, re.MULTILINE)
    if head is None:
        return 0
    end = re.compile(r"^[^\s#)]", re.MULTILINE).search(text, head.end())
    body = text[head.end() : end.start() if end else len(text)]
    found = re.search(rf"^[ \t]+(?:async )?def {method}\(", body, re.MULTILINE)
    if found is None or re.search(rf"super\([^)]*\)\.{method}\b|\b{base}\.{method}\b", body):
        return 0
    return text.count("\n", 0, head.end() + found.end()) + 1
