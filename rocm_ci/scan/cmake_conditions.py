"""What an `if()` of CMake says about the backend that is built."""

from __future__ import annotations

import re

from rocm_ci.scan import vendor
from rocm_ci.scan.outcome import HAS_AMD, HAS_NVIDIA, IS_AMD, IS_NVIDIA, UNKNOWN, Outcome, joined
from rocm_ci.scan.source import Guard

_COMPARES = frozenset({"STREQUAL", "MATCHES", "EQUAL", "IN_LIST", "STRGREATER", "STRLESS"})
_UNARY = frozenset({"DEFINED", "TARGET", "EXISTS", "COMMAND", "POLICY", "TEST", "IS_DIRECTORY"})
_FALSE = frozenset({"OFF", "FALSE", "NO", "N", "0", "IGNORE", "NOTFOUND", ""})
_TRUE = frozenset({"ON", "TRUE", "YES", "Y", "1"})
# Says that something is there, not that it was chosen.
_FOUND = re.compile(
    r"(?i)_FOUND$|_COMPILER$|TOOLKIT|_ROOT|_PATH|_HOME|_DIR$|_VERSION|^TARGET |^EXISTS |_LIBRAR"
)
_REFERENCE = re.compile(r"\$(?:ENV|CACHE)?\{([^}]*)\}")
_EXPRESSION = re.compile(r"\$<([A-Z_]+):(.*)>$", re.DOTALL)
_DEEPEST = 40
# Set where a backend is built, but being unset says nothing: `if(NOT DEFINED CMAKE_HIP_ARCHITECTURES)`.
_SETTING = re.compile(r"(?i)_ARCH(S|ITECTURES?|_LIST)?$|_FLAGS(_\w+)?$|_STANDARD$|_TARGETS$")


def of(words: list[str]) -> Outcome:
    """The condition of an `if()` or `elseif()`, given as its arguments."""
    outcome, _ = _or(words, 0)
    return outcome


def of_expression(text: str, depth: int = 0) -> Outcome:
    """The condition of a generator expression: `$<COMPILE_LANGUAGE:CUDA>`, `$<BOOL:${USE_HIP}>`."""
    text = text.strip()
    found = _EXPRESSION.match(text)
    if found is None or depth > _DEEPEST:
        return _name(_REFERENCE.sub(r"\1", text))
    name, arguments = found[1], _arguments(found[2])
    if name in ("AND", "OR"):
        return joined([of_expression(a, depth + 1) for a in arguments], conjunction=name == "AND")
    if name == "NOT":
        return ~of_expression(found[2], depth + 1)
    if name == "BOOL":
        return of_expression(found[2], depth + 1)
    if name in ("STREQUAL", "IN_LIST") and len(arguments) == 2:
        return _compare(arguments[0], name, arguments[1])
    if name.startswith(("COMPILE_LANG", "LINK_LANG")):
        return {Guard.AMD: IS_AMD, Guard.NVIDIA: IS_NVIDIA}.get(vendor.of(found[2]), UNKNOWN)
    if name == "TARGET_EXISTS":
        return _name(f"TARGET {found[2]}")
    return _name(found[2]) if name.endswith("COMPILER_ID") else UNKNOWN


def _arguments(text: str) -> list[str]:
    """The arguments of a generator expression, split at the commas that are not inside another."""
    found, depth = [""], 0
    for at, char in enumerate(text):
        depth += (char == "<" and text[at - 1 : at] == "$") - (char == ">")
        if char == "," and depth == 0:
            found.append("")
        else:
            found[-1] += char
    return found


def _or(words: list[str], at: int) -> tuple[Outcome, int]:
    parts = []
    while True:
        part, at = _and(words, at)
        parts.append(part)
        if at >= len(words) or words[at] != "OR":
            return joined(parts, conjunction=False), at
        at += 1


def _and(words: list[str], at: int) -> tuple[Outcome, int]:
    parts = []
    while True:
        part, at = _one(words, at)
        parts.append(part)
        if at >= len(words) or words[at] != "AND":
            return joined(parts, conjunction=True), at
        at += 1


def _one(words: list[str], at: int) -> tuple[Outcome, int]:
    if at >= len(words):
        return UNKNOWN, at
    word = words[at]
    if word == "NOT":
        outcome, at = _one(words, at + 1)
        return ~outcome, at
    if word == "(":
        outcome, at = _or(words, at + 1)
        return outcome, at + 1 if at < len(words) and words[at] == ")" else at
    if word in _UNARY:
        return _name(f"{word} {words[at + 1]}" if at + 1 < len(words) else ""), at + 2
    if at + 2 < len(words) and words[at + 1] not in ("AND", "OR", ")"):
        return _compare(word, words[at + 1], words[at + 2]), at + 3
    return _name(word), at + 1


def _name(word: str) -> Outcome:
    verdict = vendor.of(_REFERENCE.sub(r"\1", word))
    if verdict is not Guard.NONE and _SETTING.search(word):
        return Outcome(verdict, Guard.NONE)
    found = bool(_FOUND.search(word))
    if verdict is Guard.AMD:
        return HAS_AMD if found else IS_AMD
    if verdict is Guard.NVIDIA:
        return HAS_NVIDIA if found else IS_NVIDIA
    return UNKNOWN


def _compare(left: str, operator: str, right: str) -> Outcome:
    if operator not in _COMPARES:
        # A version of CUDA is compared: only where CUDA is built.
        verdict = vendor.of(_REFERENCE.sub(r"\1", left))
        return Outcome(verdict, Guard.NONE) if verdict is not Guard.NONE else UNKNOWN
    if operator == "IN_LIST":
        return _value(left)
    if right.upper() in _TRUE or right.upper() in _FALSE:
        outcome = _name(left)
        return outcome if right.upper() in _TRUE else ~outcome
    outcome = _value(right)
    return outcome or _value(left)


def _value(text: str) -> Outcome:
    if _REFERENCE.search(text):
        return UNKNOWN
    verdict = vendor.of(text)
    if verdict is Guard.NONE:
        return UNKNOWN
    exact = all(w in ("amd", "rocm", "hip", "nvidia", "cuda") for w in vendor.words(text))
    if verdict is Guard.AMD:
        return IS_AMD if exact else Outcome(Guard.AMD, Guard.NONE)
    return IS_NVIDIA if exact else Outcome(Guard.NVIDIA, Guard.NONE)
