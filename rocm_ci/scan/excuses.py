"""Why a finding in a C-family file is no more than a note: AMD's compiler never sees the file as it is."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from rocm_ci.model.finding import Topic
from rocm_ci.scan import vendor
from rocm_ci.scan.c_source import CFile
from rocm_ci.scan.source import Guard, RegionKind

if TYPE_CHECKING:
    from rocm_ci.scan.language import Match, Parsed
    from rocm_ci.scan.project import Project
    from rocm_ci.scan.rule import Rule
    from rocm_ci.scan.source import Region

# Folders of other backends, and how they are called. Their code is not compiled as HIP.
_BACKENDS = {
    "sycl": "SYCL", "dpct": "SYCL", "xpu": "XPU", "vulkan": "Vulkan", "metal": "Metal", "mps": "Metal",
    "cann": "CANN", "ascend": "Ascend", "npu": "NPU", "musa": "MUSA", "opencl": "OpenCL", "webgpu": "WebGPU",
    "hpu": "Gaudi", "maca": "MACA", "mlu": "MLU", "hexagon": "Hexagon", "cpu": "CPU",
}  # fmt: skip
_GPU_WORDS = frozenset({"gpu", "cuda", "hip", "rocm", "amd", "device", "kernels"})
# What a file for the CPU may not be excused: it is compiled in every build, by the host's compiler.
_ON_HOST = frozenset({Topic.CUDA_INCLUDE, Topic.CUDA_API, Topic.CUDA_LIBRARY, Topic.HARDCODED_PATH})
_ELSEWHERE = frozenset({Topic.CUDA_INCLUDE, Topic.HARDCODED_PATH})
_SYCL_HEADER = re.compile(r"(?:CL/)?sycl(?:/|\.hpp)|dpct/|oneapi/")
# A file that needs these is written anew for ROCm, not mended: what else is in it follows from that.
_NVIDIA_TEMPLATES = re.compile(r"cut(?:lass|e)/")
_FOLLOWS = frozenset({
    Topic.CUDA_LIBRARY, Topic.WARP_SIZE, Topic.INTRINSICS, Topic.INLINE_ASM, Topic.MEMORY_MODEL,
    Topic.PRECISION,
})  # fmt: skip
_FOLLOWING = frozenset({"uncast-kernel", "empty-kernel"})  # rules of other topics, of which that is as true

_UNITS = (".cu", ".cpp", ".cc", ".cxx", ".hip", ".c")
_LAST_NAME = re.compile(r"[A-Za-z_]\w*(?=\W*\Z)")
_BOUNDS = re.compile(r"\b(?:f?min|f?max|fminf|fmaxf|clamp|__hmin|__hmax)\s*(?:<[\w ]+>)?\s*\Z")
_ARGUMENT = re.compile(r"[(,]\s*-?\s*\Z")
_LONGEST_CALL = 300


class Excuses:
    """The excuses of one parsed file."""

    def __init__(self, project: Project, parsed: Parsed) -> None:
        self._project = project
        self._parsed = parsed
        self._path = parsed.source.path

    def of(self, rule: Rule, match: Match) -> str:
        """The reason why a match is only a note; empty when it counts."""
        backend = self._backend
        if backend and rule.topic not in (_ON_HOST if backend == "CPU" else _ELSEWHERE):
            return f"in a file of the {backend} backend"
        return (
            self._unreached
            or self._of_templates(rule, match)
            or (
                _clamp(self._parsed, match)
                if rule.id == "fp8-limit-448"
                else _never_called(self._parsed, match)
            )
        )

    def _of_templates(self, rule: Rule, match: Match) -> str:
        first = self._first_template
        if first is None or match.line == first.line:
            return ""
        is_further = rule.topic is Topic.CUDA_INCLUDE and _NVIDIA_TEMPLATES.match(match.text)
        if rule.topic in _FOLLOWS or rule.id in _FOLLOWING or is_further:
            return f"in a file that needs CUTLASS, see line {first.line}"
        return ""

    @cached_property
    def _unreached(self) -> str:
        return self._project.excuse(self._path)

    @cached_property
    def _backend(self) -> str:
        """The backend whose folder a file lies in, or whose header it includes everywhere."""
        for folder in reversed(self._path.split("/")[:-1]):
            words = vendor.words(folder)
            found = next((_BACKENDS[word] for word in words if word in _BACKENDS), "")
            if found or not _GPU_WORDS.isdisjoint(words):
                return found if _GPU_WORDS.isdisjoint(words) else ""
        return "SYCL" if any(_SYCL_HEADER.match(one.text) for one in self._includes) else ""

    @cached_property
    def _first_template(self) -> Region | None:
        return next((one for one in self._includes if _NVIDIA_TEMPLATES.match(one.text)), None)

    @cached_property
    def _includes(self) -> list[Region]:
        """What the file includes under no condition."""
        regions = (r for r in self._parsed.regions if r.kind is RegionKind.INCLUDE)
        conditional = _conditional(self._parsed)
        return [r for r in regions if r.guard is not Guard.NVIDIA and r.line not in conditional]


def _never_called(parsed: Parsed, match: Match) -> str:
    """Why a template has no instance on AMD: all that the file calls it for is for NVIDIA.

    A header may be called from elsewhere, and what is no template is compiled without a caller.
    """
    file = parsed.tree
    if (
        not isinstance(file, CFile)
        or not parsed.source.path.endswith(_UNITS)
        or match.line > len(file.guards)
    ):
        return ""
    function = file.functions.at(file.lexed.line_starts[match.line - 1] + max(match.column - 1, 0))
    if function is None or "template" not in function.text or not function.name.isidentifier():
        return ""
    lines = [
        file.line_of(one.start())
        for one in re.finditer(rf"\b{function.name}\b", file.code)
        if not function.header <= one.start() <= function.end
    ]
    if not lines or any(file.guard_at(line) is not Guard.NVIDIA for line in lines):
        return ""
    return f"a template that is used for CUDA only, in line {lines[0]}"


def _clamp(parsed: Parsed, match: Match) -> str:
    """Why a limit overflows nothing: it only bounds values that are then converted."""
    file, name = parsed.tree, _LAST_NAME.search(match.text.partition("448")[0])
    if not isinstance(file, CFile) or name is None:
        return ""
    at = file.lexed.line_starts[match.line - 1] + match.column - 1
    function = file.functions.at(at)
    start, end = (function.start, function.end) if function is not None else (0, len(file.code))
    uses = [start + m.start() for m in re.finditer(rf"\b{name[0]}\b", file.code[start:end])]
    uses = [use for use in uses if not at <= use <= at + len(match.text)]
    if not uses or not all(_is_bound(file.code, use) for use in uses):
        return ""
    return "only the bound of a conversion, which HIP limits by itself"


def _is_bound(code: str, at: int) -> bool:
    """Whether what stands at an offset is, by itself, an argument of a minimum or a maximum."""
    before = code[max(0, at - _LONGEST_CALL) : at]
    closed = 0
    for place in range(len(before) - 1, -1, -1) if _ARGUMENT.search(before) else ():
        closed += (before[place] == ")") - (before[place] == "(")
        if closed < 0:
            return _BOUNDS.search(before[:place]) is not None
    return False


def _conditional(parsed: Parsed) -> frozenset[int]:
    """The lines of the directives that stand in some `#if` other than an include guard."""
    if not isinstance(parsed.tree, CFile):
        return frozenset()
    found: set[int] = set()
    depth, directives = 0, parsed.tree.directives
    names = [(one.name, one.text.split()[:1]) for one in directives[:2]]
    is_guarded = [name for name, _ in names] == ["ifndef", "define"] and names[0][1] == names[1][1]
    for one in directives[1:] if is_guarded else directives:
        if one.name in ("if", "ifdef", "ifndef"):
            depth += 1
        elif one.name == "endif":
            depth -= 1
        elif depth > 0:
            found.add(one.line)
    return frozenset(found)
