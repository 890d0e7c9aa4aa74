"""What a shell condition says about the machine: `command -v nvcc`, `[ "$BACKEND" = rocm ]`."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING

from rocm_ci.scan import vendor
from rocm_ci.scan.outcome import HAS_AMD, HAS_NVIDIA, IS_AMD, IS_NVIDIA, UNKNOWN, Outcome, joined, presence
from rocm_ci.scan.shell_lexer import unquoted
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Mapping

_NOTHING: Mapping[str, Outcome] = MappingProxyType({})
_LOOKUPS = frozenset(
    {"command", "which", "type", "hash", "whereis", "ls", "stat", "dpkg", "rpm", "conda", "module"}
)
_STARTS = frozenset({"sudo", "timeout", "time", "env", "nice", "srun"})
_STARTS_VALUE = re.compile(r"\d+[smhd]?$|\w+=")
_SEARCHES = frozenset({"grep", "egrep", "fgrep", "rg"})
_TRUE = frozenset({"1", "true", "TRUE", "True", "ON", "on", "yes", "YES", "y", "Y"})
_FALSE = frozenset({"0", "false", "FALSE", "False", "OFF", "off", "no", "NO", "n", "N", ""})
_VARIABLE = re.compile(r"^\$\{?#?!?(\w+)")
_NVIDIA_TOOL = re.compile(r"^(nvidia-smi|nvcc|nvidia-\w[\w-]*|nsys|ncu|cuda-\w+)$")
_AMD_TOOL = re.compile(
    r"^(rocm-smi|amd-smi|rocminfo|hipcc|hipconfig|rocprof\w*|rocm_agent_enumerator|amdgpu-\w+)$"
)
_IMPORTS = re.compile(r"(?:import|from) (\w+)")
# One image of several: what is not for ROCm is for CUDA.
_NAMES_IMAGE = re.compile(r"(?i)image|base|flavou?r|variant|index|tag$|torch|wheel|whl|backend|platform")
_IS_IMAGE = re.compile(r"(?i)image|base")
# `check_gpu nvidia-smi`, `command_exists nvcc`: functions of the script that look for what they are given.
_ASKS = frozenset({
    "is", "has", "have", "check", "detect", "using", "use", "available", "exists", "exist", "installed",
    "found",
})  # fmt: skip
_CUT = re.compile(r"\$\{(\w+)(?:##?|%%?|//?)\*?([\w./-]+)\*?/?\}$")
_NAMES_DEVICE = re.compile(r"(?i)device")


def of_command(words: list[str], known: Mapping[str, Outcome] = _NOTHING) -> Outcome:
    """What it says that a simple command succeeds. `known` are variables that hold the answer to a lookup."""
    if not words:
        return UNKNOWN
    negated = words[0] == "!"
    words = [unquoted(w) for w in words[1:]] if negated else [unquoted(w) for w in words]
    if not words:
        return UNKNOWN
    while len(words) > 1 and (words[0] in _STARTS or _STARTS_VALUE.match(words[0])):
        words = words[1:]
    outcome = _command(words[0].rsplit("/", 1)[-1], words[1:], known)
    return ~outcome if negated else outcome


def _command(name: str, arguments: list[str], known: Mapping[str, Outcome]) -> Outcome:
    if name in ("[", "test", "[["):
        return _test([a for a in arguments if a not in ("]", "]]")], known)
    if name in _LOOKUPS or name in _SEARCHES:
        return presence(a for a in arguments if not a.startswith("-"))
    if _NVIDIA_TOOL.match(name):
        return HAS_NVIDIA
    if _AMD_TOOL.match(name):
        return HAS_AMD
    if name.startswith("python") and any("version.hip" in a for a in arguments):
        return IS_AMD
    if name.startswith("python") and (module := _IMPORTS.match(arguments[-1] if arguments else "")):
        return {Guard.AMD: HAS_AMD, Guard.NVIDIA: HAS_NVIDIA}.get(vendor.of(module[1]), UNKNOWN)
    found = vendor.words(name)
    if found and (found[0] in _ASKS or found[-1] in _ASKS):
        outcome = {Guard.AMD: HAS_AMD, Guard.NVIDIA: HAS_NVIDIA}.get(vendor.of_words(found), UNKNOWN)
        return outcome or presence(a for a in arguments if _NVIDIA_TOOL.match(a) or _AMD_TOOL.match(a))
    return UNKNOWN


def _test(words: list[str], known: Mapping[str, Outcome]) -> Outcome:
    """The inside of `[ … ]` or `[[ … ]]`."""
    for symbols, conjunction in ((("||", "-o"), False), (("&&", "-a"), True)):
        if any(s in words for s in symbols):
            parts: list[list[str]] = [[]]
            for word in words:
                if word in symbols:
                    parts.append([])
                else:
                    parts[-1].append(word)
            return joined([_test(p, known) for p in parts], conjunction=conjunction)
    match words:
        case ["!", *rest]:
            return ~_test(rest, known)
        case ["(", *rest, ")"]:
            return _test(rest, known)
        case ["-n" | "-v", value] | [value]:
            return _set(value, known)
        case ["-z", value]:
            return ~_set(value, known)
        case [flag, path] if flag.startswith("-"):
            return presence([path])
        case [left, "=" | "==" | "=~" | "-eq", right]:
            return _equal(left, right)
        case [left, "!=" | "-ne", right]:
            return ~_equal(left, right)
        case _:
            return UNKNOWN


def _set(value: str, known: Mapping[str, Outcome]) -> Outcome:
    """A variable that is not empty, or the output of a lookup."""
    if "command -v" in value or "which " in value or "type -p" in value:
        return presence([value])
    name = _VARIABLE.match(value)
    if name and name[1] in known:
        return known[name[1]]
    verdict = vendor.of(name[1]) if name else Guard.NONE
    return {Guard.AMD: HAS_AMD, Guard.NVIDIA: HAS_NVIDIA}.get(verdict, UNKNOWN)


def _equal(left: str, right: str) -> Outcome:
    if _VARIABLE.match(right) and not _VARIABLE.match(left):
        left, right = right, left
    if cut := _CUT.match(left):  # `${X#rocm/}` is `$X`: there is no such start
        return ~of_pattern(cut[2], subject=cut[1])
    name = _VARIABLE.match(left)
    subject = name[1] if name else left
    if subject == "?":
        return UNKNOWN
    if right in _TRUE or right in _FALSE:
        verdict = vendor.of(subject)
        outcome = {Guard.AMD: IS_AMD, Guard.NVIDIA: IS_NVIDIA}.get(verdict, UNKNOWN)
        return outcome if right in _TRUE else ~outcome
    if ":" in right and _IS_IMAGE.search(subject) and vendor.of(right) is Guard.NONE:
        return Outcome(Guard.NONE, Guard.EITHER)  # the image for the CPU, else whatever was asked for
    return of_pattern(right, subject=subject)


def of_pattern(pattern: str, *, subject: str = "") -> Outcome:
    """A value or a glob that a variable is compared with: `rocm`, `*cuda*`, `nvidia|cuda` of a `case`."""
    verdict = vendor.of(pattern.replace("*", " "))
    if verdict is Guard.AMD:
        said = [w.rstrip("0123456789") for w in vendor.words(pattern)]
        exact = all(w in ("amd", "rocm", "hip", "amdgpu", "radeon", "") for w in said) or (
            _NAMES_IMAGE.search(subject) is not None and bool({"rocm", "amd", "hip"} & set(said))
        )
        return IS_AMD if exact else Outcome(Guard.AMD, Guard.NONE)
    if verdict is Guard.NVIDIA and not (_NAMES_DEVICE.search(subject) and "nvidia" not in pattern.lower()):
        exact = all(w in ("nvidia", "cuda", "nv") for w in vendor.words(pattern))
        return IS_NVIDIA if exact else Outcome(Guard.NVIDIA, Guard.NONE)
    return UNKNOWN
