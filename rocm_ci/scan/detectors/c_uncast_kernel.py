"""Kernels handed by name to functions of HIP that take `const void*`: CUDA has a template there, HIP none.

Source: hip_runtime_api.h of HIP 6.4.3. The occupancy functions and hipLaunchCooperativeKernel do have one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.model.edit import Edit
from rocm_ci.scan.c_calls import arguments_and_end
from rocm_ci.scan.c_source import CFile
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings
from rocm_ci.scan.translators import Translator

if TYPE_CHECKING:
    from collections.abc import Iterator

_CALL = re.compile(
    r"(?<![\w.>])(?P<name>(?:cuda|hip)(?:Func(?:SetAttribute|SetCacheConfig|SetSharedMemConfig|GetAttributes)|LaunchKernel))\s*\("
)
_AT = {"FuncGetAttributes": 1}  # which argument is the kernel, where it is not the first
_TEMPLATE = re.compile(r"&?\s*(?:::)?[A-Za-z_][\w:]*\s*<.*>\Z", re.DOTALL)
_CAST = re.compile(r"(?:static|reinterpret|const|dynamic|bit)_cast\s*<|std::|.*_v\s*<")
_CASTED = "reinterpret_cast<const void*>"
_NAME = re.compile(r"(&?)\s*([A-Za-z_]\w*)\Z")
_JOINED = re.compile(r"\\?\s*\n\s*")


class UncastKernel:
    """`hipFuncSetAttribute(kernel, …)`, where the name is known to be that of a kernel."""

    name = "uncast-kernel"
    needles = (
        "FuncSetAttribute",
        "FuncSetCacheConfig",
        "FuncSetSharedMemConfig",
        "FuncGetAttributes",
        "LaunchKernel",
    )

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        file = parsed.tree
        if not isinstance(file, CFile):
            return
        kernels: frozenset[str] | None = None
        for found, _, _ in file.search(_CALL):
            given = _whole(arguments_and_end(file.code, found.end())[0])
            at = _AT.get(found["name"].removeprefix("cuda").removeprefix("hip"), 0)
            if len(given) < 2:
                continue
            kernel = given[at].replace("\\", " ").strip()
            if kernels is None:
                kernels = frozenset(_kernels(file.code))
            if _is_kernel(kernel, file, found.start(), kernels):
                yield _match(file, found, at, kernel)


def _whole(given: list[str]) -> list[str]:
    """Arguments whose commas within `<…>` do not count: `scale<T, 4>`."""
    made: list[str] = []
    for part in given:
        if made and made[-1].count("<") > made[-1].count(">") - made[-1].count("->"):
            made[-1] += f", {part}"
        else:
            made.append(part)
    return made


def _kernels(code: str) -> Iterator[str]:
    """The `__global__` functions that a file declares."""
    for found in re.finditer(r"\b__global__\b", code):
        header = re.match(r"[^;{}]*", code[found.end() : found.end() + 600])
        text = header[0] if header else ""
        named = re.search(
            r"(?<!__launch_bounds__)(?<!__attribute__)\b([A-Za-z_]\w*)\s*\(", _without_bounds(text)
        )
        if named:
            yield named[1]


def _without_bounds(header: str) -> str:
    """A header without `__launch_bounds__(…)` and attributes, whose parentheses may nest once."""
    return re.sub(r"__(?:launch_bounds|attribute)__\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)", " ", header)


def _is_kernel(kernel: str, file: CFile, offset: int, kernels: frozenset[str]) -> bool:
    if _CAST.match(kernel):
        return False
    if _TEMPLATE.match(kernel):
        return True
    named = _NAME.match(kernel)
    if named is None:
        return False
    pointer = _declared(named[2], file, offset)
    if pointer is not None:
        # The address of a pointer is a `void*`, if not the right one.
        return not named[1] and (pointer or _is_launched(named[2], file))
    return named[2] in kernels or (not named[1] and _is_launched(named[2], file))


def _is_launched(name: str, file: CFile) -> bool:
    """`kernel<<<`: what is launched so is a kernel or points to one, and never a `void*`."""
    return re.search(rf"\b{name}\s*<<<", file.code) is not None


def _declared(name: str, file: CFile, offset: int) -> bool | None:
    """Whether a name is a variable here that points to a kernel; None where it is no variable.

    `auto kernel = &scale<T>;`, `void (*kernel)(float*) = …`. Any other type may be `const void*`.
    """
    function = file.functions.at(offset)
    start = function.header if function is not None else max(0, offset - 2000)
    before = file.code[start:offset]
    found = list(
        re.finditer(
            rf"(?P<pointer>\(\s*\*\s*(?:const\s+)?{name}\s*\)\s*\()"
            rf"|\bauto\s*(?:const\s*)?[&*]{{0,2}}\s*{name}\s*=\s*(?P<value>[^;]*)"
            rf"|(?P<other>[\w>\]]\s*(?:[*&]+\s*|(?<!return)(?<!else)\s)(?:const\s+)?\b{name}\s*[=,);])",
            before,
        )
    )
    if not found:
        return None
    last = found[-1]
    if last["pointer"]:
        return True
    if last["value"] is None:
        # A word before the name is its type; what else ends so is an expression, `x * kernel)`.
        return False
    value = _JOINED.sub(" ", last["value"]).strip()
    return bool(not _CAST.match(value) and _TEMPLATE.match(value)) or value.lstrip("& ") in _kernels(
        file.code
    )


def _match(file: CFile, found: re.Match[str], at: int, kernel: str) -> Match:
    name = found["name"]
    line, column = file.lexed.place(found.start())
    cast = f"{_CASTED}({' '.join(kernel.split())})"
    return Match(
        line,
        column,
        column + len(name),
        name,
        name=name,
        edits=_edits(file, found.end(), at, kernel),
        hint=f"`{cast}`",
        renamed_by=(Translator.HIPIFY.value,),
    )


def _edits(file: CFile, offset: int, at: int, kernel: str) -> tuple[Edit, ...]:
    """The cast around an argument, which may be written over several lines."""
    if at:
        offset = file.code.index(",", offset) + 1
    spelled = r"[\s\\]*".join(map(re.escape, "".join(kernel.split())))
    written = re.compile(rf"[\s\\]*({spelled})").match(file.code, offset)
    if written is None:
        return ()
    (first, start), (last, end) = (file.lexed.place(written.start(1)), file.lexed.place(written.end(1)))
    if first == last:
        return (Edit(line=first, column=start, end=end, text=f"{_CASTED}({written[1]})"),)
    return (
        Edit(line=first, column=start, end=start, text=f"{_CASTED}("),
        Edit(line=last, column=end, end=end, text=")"),
    )


DETECTOR: Detector = UncastKernel()
