"""Templates in YAML: Helm's `{{ if … }}` and conda's `{% if … %}`, blanked for the parser, kept as guards."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from rocm_ci.scan import vendor
from rocm_ci.scan.outcome import IS_AMD, IS_NVIDIA, UNKNOWN, Outcome
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Sequence

_TEMPLATE = re.compile(r"\{\{[^{}\n]{0,500}\}\}")
_TEMPLATE_LINE = re.compile(r"^[ \t]*\{(?:[%{]-?.*[%}]|#.*#)\}[ \t]*$", re.MULTILINE)
_COMMENT = re.compile(r"\{\{-?\s?/\*[^{}]{0,20000}?\*/\s?-?\}\}")
_STATEMENT = re.compile(
    r"\{[{%]-?\s*(if|elif|else if|else|end|endif|range|with|define|block|for|endfor)\b"
    r"([^{}\n]{0,500}?)-?[%}]\}"
)
_RESOURCE = re.compile(r"[ \t]*[\"']?nvidia\.com/[\w.-]+[\"']?[ \t]*:")
_LINE_SELECTOR = re.compile(r"#\s*\[([^\]]+)\]")


def uncommented(text: str) -> str:
    """Without the comments of templates, which may be several lines long; places hold."""
    if "/*" not in text:
        return text
    return _COMMENT.sub(lambda m: "".join(c if c == "\n" else " " for c in m.group()), text)


def blanked(text: str) -> str:
    """Templates replaced by blanks and letters, so that places hold."""
    text = uncommented(text)
    text = _TEMPLATE_LINE.sub(lambda m: " " * len(m.group()), text)
    return _TEMPLATE.sub(lambda m: "x" * len(m.group()), text)


def guards(lines: Sequence[str]) -> dict[int, Guard]:
    """1-based line → guard of the template branches around it, where there is one.

    That a resource of NVIDIA is asked for only where the user did so is no choice between vendors, unless
    there is one of AMD to choose.
    """
    found = _guards(lines)
    asked = [number for number, line in enumerate(lines, 1) if number in found and _RESOURCE.match(line)]
    if asked and not any("amd.com/" in line for line in lines):
        plain = _guards(
            [line if _RESOURCE.match(line) else line.replace("nvidia.com/", "") for line in lines]
        )
        for number in asked:
            found[number] = plain.get(number, Guard.NONE)
    return found


def _guards(lines: Sequence[str]) -> dict[int, Guard]:
    found: dict[int, Guard] = {}
    open_: list[_Branch] = []
    for number, line in enumerate(lines, 1):
        if "{{" in line or "{%" in line:
            for statement in _STATEMENT.finditer(line):
                _apply(statement[1], statement[2], open_)
        if open_ and open_[-1].guard is not Guard.NONE:
            found[number] = open_[-1].guard
    return found


class _Branch(NamedTuple):
    outer: Guard
    guard: Guard  # of the open branch, with what is around it
    otherwise: Guard  # what its `else` holds


def _apply(word: str, condition: str, open_: list[_Branch]) -> None:
    outer = open_[-1].guard if open_ else Guard.NONE
    if word in ("end", "endif", "endfor"):
        if open_:
            open_.pop()
    elif word in ("else", "elif", "else if"):
        condition = condition.removeprefix(" if") if word == "else" else condition
        before = open_.pop() if open_ else _Branch(Guard.NONE, Guard.NONE, Guard.NONE)
        outcome = of_condition(condition) if condition.strip() else UNKNOWN
        held = before.otherwise
        open_.append(_Branch(before.outer, vendor.both(held, outcome.true), vendor.both(held, outcome.false)))
    else:
        outcome = of_condition(condition) if word == "if" else UNKNOWN
        open_.append(_Branch(outer, vendor.both(outer, outcome.true), vendor.both(outer, outcome.false)))


def of_condition(text: str) -> Outcome:
    """`eq .Values.gpu.vendor "nvidia"`, `cuda_compiler_version != "None"`, `not .Values.rocm`."""
    negated = re.match(r"\s*(?:not|ne)\b", text) is not None
    none = re.search(r"[!=]=\s*[\"']None[\"']", text)
    if none:
        negated ^= none.group().startswith("==")
        text = text[: none.start()]
    verdict = vendor.of_words([w for w in vendor.words(text) if w not in ("not", "no")])
    outcome = {Guard.AMD: IS_AMD, Guard.NVIDIA: IS_NVIDIA}.get(verdict, UNKNOWN)
    return ~outcome if negated else outcome


def selector(line: str) -> Guard:
    """The vendor that conda's selector behind a line asks for: `# [cuda_compiler_version != "None"]`."""
    found = _LINE_SELECTOR.search(line)
    return of_condition(found[1]).true if found else Guard.NONE
