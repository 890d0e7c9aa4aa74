"""What conditions of PowerShell and of batch files say about the machine."""

from __future__ import annotations

import re

from rocm_ci.scan import vendor
from rocm_ci.scan.outcome import HAS_AMD, HAS_NVIDIA, IS_AMD, IS_NVIDIA, UNKNOWN, Outcome, joined, presence
from rocm_ci.scan.shell_conditions import of_pattern
from rocm_ci.scan.source import Guard

_LOOKUP = re.compile(r"(?i)(?:Get-Command|Test-Path|where(?:\.exe)?|exist)\s+(?:-\w+\s+)*[\"']?([^\s\"')]+)")
_COMPARED = re.compile(
    r"(?i)[\"']?[%$!{]*(?:env:)?(\w+)[%}!]*[\"']?\s*(-i?eq|-like|-i?match|-i?ne|-notlike|==|equ|neq)\s*[\"']?([^\"'\s)]*)"
)
_VARIABLE = re.compile(r"(?i)(?:\$\{?(?:env:)?|defined\s+|%)(\w+)")
_NEGATED = re.compile(r"(?i)^\s*\(*\s*(?:-not\b|!|not\s)")


def of(text: str) -> Outcome:
    """`Get-Command nvcc`, `$Backend -eq "cuda"`, `"%GPU%"=="hip"`, `defined CUDA_PATH`."""
    for operator, conjunction in ((r"(?i)\s-or\s", False), (r"(?i)\s-and\s", True)):
        parts = re.split(operator, text)
        if len(parts) > 1:
            return joined([of(p) for p in parts], conjunction=conjunction)
    negated = _NEGATED.match(text) is not None
    outcome = _one(text)
    return ~outcome if negated else outcome


def _one(text: str) -> Outcome:
    if lookup := _LOOKUP.search(text):
        return presence([lookup[1]])
    if compared := _COMPARED.search(text):
        name, operator, value = compared[1], compared[2].lower(), compared[3]
        if value.lower() in ("1", "on", "true", "$true"):
            outcome = {Guard.AMD: IS_AMD, Guard.NVIDIA: IS_NVIDIA}.get(vendor.of(name), UNKNOWN)
        else:
            outcome = of_pattern(value, subject=name)
        return ~outcome if operator in ("neq", "-ne", "-ine", "-notlike") else outcome
    name = _VARIABLE.search(text)
    verdict = vendor.of(name[1]) if name else Guard.NONE
    return {Guard.AMD: HAS_AMD, Guard.NVIDIA: HAS_NVIDIA}.get(verdict, UNKNOWN)
