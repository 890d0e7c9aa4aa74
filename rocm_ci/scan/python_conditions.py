"""What a Python condition says about the vendor of the machine, when it holds and when it does not."""

from __future__ import annotations

import ast
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from rocm_ci.scan import vendor
from rocm_ci.scan.outcome import (
    HAS_AMD,
    HAS_NVIDIA,
    IS_AMD,
    IS_NVIDIA,
    UNKNOWN,
    Outcome,
    joined,
    names_amd,
    presence,
)
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocm_ci.scan.python_names import Names


_EXACT = {
    "torch.version.hip": IS_AMD,
    "torch.version.rocm": IS_AMD,
    "torch.version.cuda": IS_NVIDIA,
    "torch.utils.cpp_extension.IS_HIP_EXTENSION": IS_AMD,
    "torch.utils.cpp_extension.ROCM_HOME": HAS_AMD,
    "torch.utils.cpp_extension.CUDA_HOME": HAS_NVIDIA,
    "ROCM_HOME": HAS_AMD,
    "CUDA_HOME": HAS_NVIDIA,
    "runtime.is_hip": IS_AMD,  # of CuPy
    # What only type checkers read is never reached: as good as code for the other vendor.
    "TYPE_CHECKING": Outcome(Guard.NVIDIA, Guard.NONE),
}
# On ROCm builds of torch these hold as well, whatever they are called.
_NEUTRAL = re.compile(
    r"(^|\.)torch\.(cuda|backends)\b|\.is_cuda$|(?i:cuda_?(is_)?available$|^(use|has|with)_?cuda$)|^(cp|cupy)\."
)
_AFFIRMATIVE = frozenset(
    {"is", "on", "has", "have", "running", "platform", "detect", "check", "using", "use", "supports"}
)
_VENDOR_NAME = re.compile(
    r"(?i)backend|vendor|provider|platform|toolkit|stack|flavou?r|gpu_?(type|kind)|runtime|variant|compute"
)
_PROBE_CALLS = re.compile(
    r"(^|\.)(which|find_executable|find_library|find_spec|exists|isfile|isdir|is_file|is_dir|access|lexists"
    r"|is_\w*available|package_exists|has_package|module_exists|importable)$"
)
_ENVIRONMENT = re.compile(r"(^|\.)(environ\.get|getenv)$")
_TARGET = re.compile(r"(?i)target|backend|vendor|platform|device_type|accelerator|gpu_type")
# Kernel libraries of NVIDIA whose names are no words of the vocabulary.
_BACKEND = re.compile(r"(?i)cute_?dsl|deep_?gemm|flash_?infer|flash_?mla|trt_?llm|machete|(^|_)fa[34](_|$)")
_NVIDIA_VERSION = re.compile(r"(?i)(flash_?attn|fa)_version$")  # 3 and 4 are for Hopper and Blackwell
_ON, _OFF = frozenset({"1", "true", "on", "yes", "y"}), frozenset({"0", "false", "off", "no", "n"})


class Conditions:
    """Evaluates tests of one module; learns the constants and helpers that it defines itself."""

    def __init__(self, names: Names, resolve: Callable[[str], Outcome] | None = None) -> None:
        """`resolve` answers for names that come from other modules of the project."""
        self._names = names
        self._resolve = resolve
        self._known: dict[str, Outcome] = {}
        self._probes: set[str] = set()

    @property
    def size(self) -> int:
        """How much was learnt so far."""
        return len(self._known) + len(self._probes)

    def learn(self, name: str, outcome: Outcome) -> None:
        """From here on, `name` (a variable, an attribute, or `f()`) answers as `outcome`."""
        if outcome:
            self._known[name] = outcome

    def learn_probe(self, function: str) -> None:
        """From here on, `function("x")` asks whether the package or tool `x` is there."""
        self._probes.add(function)

    def known(self, name: str) -> Outcome | None:
        """What was learnt about a name; None when nothing was."""
        found = self._known.get(name)
        if found is None and name.startswith(("self.", "cls.")):
            found = self._known.get(name.partition(".")[2])
        return found

    def _elsewhere(self, name: str) -> Outcome:
        return self._resolve(name) if self._resolve is not None else UNKNOWN

    def of(self, test: ast.expr | None) -> Outcome:
        """What a test says. `UNKNOWN` when it is about something else."""
        match test:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return ~self.of(operand)
            case ast.BoolOp(op=op, values=values):
                return joined([self.of(v) for v in values], conjunction=isinstance(op, ast.And))
            case ast.Name() | ast.Attribute():
                return self._name(test)
            case ast.Call():
                return self._call(test)
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return self._compare(left, op, right)
            case ast.NamedExpr(value=value):
                return self.of(value)
            case _:
                return UNKNOWN

    def _name(self, node: ast.expr) -> Outcome:
        full = self._names.dotted(node)
        known = self.known(full)
        if known is not None:
            return known
        for suffix, outcome in _EXACT.items():
            if full == suffix or full.endswith("." + suffix):
                return outcome
        return self._by_words(full, called=False) or self._elsewhere(full)

    def _by_words(self, full: str, *, called: bool) -> Outcome:
        """`is_rocm`, `USE_HIP`, `current_platform.is_cuda()`: by the words of the last part of the name."""
        last = full.rsplit(".", 1)[-1]
        if not last or _NEUTRAL.search(full + ("()" if called and last == "is_cuda" else "")):
            return UNKNOWN
        found, verdict = _vendor_words(last)
        if verdict is Guard.NONE:
            return Outcome(Guard.NVIDIA, Guard.NONE) if _BACKEND.search(last) else UNKNOWN
        if any(re.fullmatch(r"gfx\w+|cdna\d?|rdna\d?|mi\d+x?|fnuz|aiter", w) for w in found):
            return Outcome(Guard.AMD, Guard.NONE)
        if verdict is Guard.AMD:
            return IS_AMD
        if "cuda" in found:
            bound = found[0] in _AFFIRMATIVE and len(found) <= 3
            return (
                IS_NVIDIA
                if bound and (called or last.isupper() or last[0] == "_" or "." not in full)
                else UNKNOWN
            )
        return Outcome(Guard.NVIDIA, Guard.NONE)

    def _call(self, node: ast.Call) -> Outcome:
        full = self._names.callee(node.func)
        known = self.known(full + "()")
        if known is not None:
            return known
        if full in ("bool", "len", "any", "all", "str", "int") and len(node.args) == 1:
            return self.of(node.args[0])
        if full in ("hasattr", "getattr") and len(node.args) >= 2 and (texts := _literals(node)):
            return self._attribute(node.args[0], texts[0])
        if (
            _PROBE_CALLS.search(full)
            or _ENVIRONMENT.search(full)
            or full in (".exists", ".is_file", ".is_dir")
            or full in self._probes
        ):
            texts = _literals(node)
            return presence(texts) or (self._elsewhere(full + "()") if not texts else UNKNOWN)
        if full.endswith((".startswith", ".endswith", ".get", ".lower")):
            return presence(t for t in _literals(node) if names_amd(t))
        return self._by_words(full, called=True) or _of_generation(full, node) or self._elsewhere(full + "()")

    def _attribute(self, owner: ast.expr, name: str) -> Outcome:
        full = f"{self._names.dotted(owner)}.{name}"
        if full in ("torch.version.hip", "torch.version.rocm"):
            return IS_AMD
        return (
            Outcome(Guard.EITHER, Guard.NONE) if "cuda" in name.lower() or "nv" in name.lower() else UNKNOWN
        )

    def _compare(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> Outcome:
        negated = isinstance(op, (ast.NotEq, ast.IsNot, ast.NotIn))
        if isinstance(right, ast.Constant) and (right.value is None or right.value in ("", False)):
            return self.of(left) if negated else ~self.of(left)
        if isinstance(right, ast.Constant) and right.value is True:
            return ~self.of(left) if negated else self.of(left)
        if not isinstance(op, (ast.Eq, ast.NotEq, ast.Is, ast.IsNot, ast.In, ast.NotIn)):
            return UNKNOWN
        outcome = self._against_text(left, op, right)
        return ~outcome if negated else outcome

    def _against_text(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> Outcome:
        """`backend == "hip"`, `"rocm" in version`, `vendor in ("amd",)`, `sys.platform == "darwin"`."""
        if isinstance(op, (ast.In, ast.NotIn)) and isinstance(left, ast.Constant):
            if self._names.dotted(right).endswith("environ"):
                return presence(_texts(left))
            left, right = right, left
        if isinstance(right, ast.Constant) and right.value in (3, 4):
            named = _NVIDIA_VERSION.search(self._names.dotted(left))
            return Outcome(Guard.NVIDIA, Guard.NONE) if named else UNKNOWN
        texts = _texts(right)
        if not texts:
            return UNKNOWN
        switch = {t.lower() for t in texts}
        if switch <= _ON or switch <= _OFF:
            outcome = self.of(left)
            return outcome if switch <= _ON else ~outcome
        name = self._names.dotted(left) or _source_name(left)
        if isinstance(left, ast.Call) and _ENVIRONMENT.search(self._names.callee(left.func)):
            name += " ".join(f" {t} platform" for t in _texts_of_call(left) if _TARGET.search(t))
        if name == "sys.platform" or name.endswith("platform.system"):
            mac = all(t.lower() == "darwin" for t in texts)
            return Outcome(Guard.NVIDIA, Guard.NONE) if mac else UNKNOWN
        verdicts = {vendor.of(t) for t in texts}
        if verdicts == {Guard.AMD}:
            exact = all(t.lower() in ("amd", "rocm", "hip") for t in texts)
            return IS_AMD if exact else Outcome(Guard.AMD, Guard.NONE)
        if verdicts == {Guard.NVIDIA} and (
            _VENDOR_NAME.search(name) or all("nvidia" in t.lower() for t in texts)
        ):
            return IS_NVIDIA
        return UNKNOWN


def _of_generation(full: str, node: ast.Call) -> Outcome:
    """`platform.is_device_capability_family(100)`: asks for Blackwell or what is older."""
    asked = node.args[0] if full.endswith(".is_device_capability_family") and node.args else None
    if isinstance(asked, ast.Constant) and isinstance(asked.value, int):
        return Outcome(Guard.NVIDIA, Guard.NONE) if asked.value < 90 or asked.value == 100 else UNKNOWN
    return UNKNOWN


def is_switch(test: ast.expr) -> bool:
    """Whether a test is one of a constant parameter, `USE_FP4`: what is done only when told to."""
    match test:
        case ast.Name(id=name):
            return name.isupper()
        case ast.UnaryOp(operand=operand):
            return is_switch(operand)
        case ast.BoolOp(values=values):
            return any(map(is_switch, values))
        case ast.Compare(left=left):
            return is_switch(left)
        case _:
            return False


def asks_for_amd_later(node: ast.If | ast.While, conditions: Conditions) -> bool:
    """Whether a later arm of the same `if … elif …` is the one for AMD."""
    while isinstance(node, ast.If) and len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
        node = node.orelse[0]
        if conditions.of(node.test).true is Guard.AMD:
            return True
    return False


def _literals(node: ast.expr) -> list[str]:
    """Every string literal of an expression."""
    return [c.value for c in ast.walk(node) if isinstance(c, ast.Constant) and isinstance(c.value, str)]


@lru_cache(maxsize=4096)
def _vendor_words(name: str) -> tuple[tuple[str, ...], Guard]:
    """The words of a name and the vendor they name; the same few names come again and again."""
    found = vendor.words(name)
    return tuple(found), vendor.of_words(found)


def _texts(node: ast.expr) -> list[str]:
    elements = node.elts if isinstance(node, (ast.Tuple, ast.List, ast.Set)) else [node]
    texts = [e.value for e in elements if isinstance(e, ast.Constant) and isinstance(e.value, str)]
    return texts if len(texts) == len(elements) else []


def _texts_of_call(node: ast.Call) -> list[str]:
    return [a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]


def _source_name(node: ast.expr) -> str:
    """A readable name of any expression: enough to see that it is about a vendor or backend."""
    return " ".join(
        n.id if isinstance(n, ast.Name) else n.attr
        for n in ast.walk(node)
        if isinstance(n, (ast.Name, ast.Attribute))
    )
