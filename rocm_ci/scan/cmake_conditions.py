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


def of(words: list[str]) -> Outcome:
    """The condition of an `if()` or `elseif()`, given as its arguments."""
    outcome, _ = _or(words, 0)
    return outcome


def of_expression(text: str) -> Outcome:
    """A generator expression in front of a value: `$<COMPILE_LANGUAGE:CUDA>`, `$<BOOL:${USE_HIP}>`."""
    negated = "$<NOT:" in text
    language = re.search(r"COMPILE_LANGUAGE:([^>]*)|COMPILE_LANG_AND_ID:([^>]*)|LINK_LANGUAGE:([^>]*)", text)
    if language:
        some = next(g for g in language.groups() if g is not None)
        outcome = {Guard.AMD: IS_AMD, Guard.NVIDIA: IS_NVIDIA}.get(vendor.of(some), UNKNOWN)
    else:
        outcome = _name(_REFERENCE.sub(r"\1", text))
    return ~outcome if negated else outcome


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
