"""A failure nobody knows yet → a skeleton entry, with the lines that tell it apart cut out and masked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.knowledge.plain import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rocm_ci.knowledge.plain import Plain

MOST_LINES = 2_000_000
_MOST_SHOWN = 6
_CONTEXT = 2
# How much a line looks like the cause: the first of the best is proposed.
_LOUD = (
    (6, re.compile(r"\b(?:HSA_STATUS_ERROR|hipError|rocblas_status|NCCL WARN|miopenStatus)\w*")),
    (5, re.compile(r"(?:^|: )(?:fatal )?error: |^CMake Error|^E  +\w*(?:Error|Exception)\b")),
    (5, re.compile(r"^(?:[\w.:]{1,100}[.:])?\w{0,60}(?:Error|Exception): ")),
    (
        4,
        re.compile(
            r"\b(?:undefined symbol|cannot open shared object|No space left|Permission denied|not found)\b"
        ),
    ),
    (4, re.compile(r"terminate called|what\(\):|Assertion .{1,200} failed|Memory access fault|GPU Hang")),
    (3, re.compile(r"\b(?:FATAL|ERROR|CRITICAL)\b")),
    (2, re.compile(r"\b(?:[Ff]ailed|[Cc]annot|[Cc]ould not|[Uu]nable to|Aborted|Segmentation fault)\b")),
)
_AFTER = re.compile(
    r"^(?:ninja: build stopped|make(?:\[\d+\])?: \*\*\*|FAILED: |.*subprocess-exited-with-error|.*exit code"
    r"|\d+ errors? generated)"
)
# What differs from run to run and from machine to machine.
_MASKS = (
    (re.compile(r"\b0x[0-9a-fA-F]{4,16}"), "…"),
    (
        re.compile(
            r"/(?:home|root|src|work|workspace|tmp|build|github|__w|runner)(?:/[\w.+@-]{1,80}){1,12}/"
        ),
        "…/",
    ),
    (re.compile(r"\b[0-9a-f]{12,64}\b"), "…"),
    (re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b"), "ADDRESS"),
    (re.compile(r"\b[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,4}\b"), "PERSON"),
)
_NUMBER = re.compile(r"\d+(?:\\?\.\d+)?")
_LAYERS = (
    ("cmake", r"CMake"), ("lld", r"ld\.lld|/ld: "), ("clang", r"clang|error: "), ("rccl", r"NCCL|RCCL"),
    ("miopen", r"MIOpen"),
    ("rocblas", r"rocBLAS|rocblas|hipblas"), ("hsa", r"HSA_|hsa_"), ("hip", r"hip[A-Z]|HIP"),
    ("triton", r"triton"),
    ("torch", r"torch"), ("kernel", r"amdgpu|kfd"), ("python", r"Error: |Exception"),
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A skeleton: its YAML, and the line of the log that it is about (0: no line looks like a failure)."""

    text: str
    line: int


def draft(lines: Iterable[str], mask: Callable[[str], str] = lambda text: text) -> Draft:
    """From a log that nothing is recognised in. `mask` hides what the run itself calls secret."""
    best: list[tuple[int, int, Plain]] = []
    recent: list[tuple[int, Plain]] = []
    around: dict[int, list[tuple[int, str]]] = {}
    for number, raw in enumerate(lines, 1):
        if number > MOST_LINES:
            break
        said = plain(raw.rstrip("\n"))
        for start, kept in around.items():
            if start < number <= start + _CONTEXT:
                kept.append((number, said.text))
        score = _score(said.text)
        if score and (len(best) < _MOST_SHOWN or score > min(one[0] for one in best)):
            best.append((score, number, said))
            best = sorted(best, key=lambda one: (-one[0], one[1]))[:_MOST_SHOWN]
            around[number] = [(n, p.text) for n, p in recent[-_CONTEXT:]] + [(number, said.text)]
            around = {n: kept for n, kept in around.items() if any(n == one[1] for one in best)}
        recent = [*recent[-_CONTEXT:], (number, said)]
    if not best:
        return Draft(text=_yaml([], [], 1, "tool"), line=0)
    first = best[0]
    sample = around[first[1]]
    shown = [mask(masked(text)) for _, text in sample]
    at = next(i for i, (number, _) in enumerate(sample, 1) if number == first[1])
    patterns = list(
        dict.fromkeys(pattern(mask(masked(one[2].text))) for one in best if one[0] >= first[0] - 1)
    )
    return Draft(text=_yaml(patterns[:3], shown, at, _layer(first[2].text)), line=first[1])


def _score(text: str) -> int:
    if len(text) < 8 or _AFTER.match(text):
        return 0
    return max((points for points, loud in _LOUD if loud.search(text)), default=0)


def masked(text: str) -> str:
    """Without what names a machine, a person or a place on a disk."""
    for found, shown in _MASKS:
        text = found.sub(shown, text)
    return text[:400]


def pattern(text: str) -> str:
    """A regular expression for lines like this one: numbers and what was masked may be others."""
    words = re.escape(text.strip()[:160]).replace(r"\ ", " ")
    words = _NUMBER.sub(r"\\d+", words)
    return words.replace("…", ".{0,80}").replace("ADDRESS", ".{0,60}").replace("PERSON", ".{0,60}")


def _layer(text: str) -> str:
    return next((layer for layer, sign in _LAYERS if re.search(sign, text)), "tool")


def _yaml(patterns: list[str], sample: list[str], line: int, layer: str) -> str:
    quoted = [f"  - pattern: '{one.replace(chr(39), chr(39) * 2)}'\n    layer: {layer}\n" for one in patterns]
    log = "".join(f"      {one}\n" for one in sample) or "      (the lines that show it)\n"
    signatures = (
        "".join(quoted) or "  - pattern: '(the words that do not change from run to run)'\n    layer: tool\n"
    )
    return (
        "# Save it as .github/rocm-ci/errors/CATEGORY/ID.yaml, CATEGORY being one of compile, runtime,\n"
        "# performance, numeric, infra;\n"
        "# or as rules/errors/CATEGORY/ID.yaml of rocm-ci, and fill in what stands in capitals.\n"
        "id: SHORT-NAME-OF-THE-ERROR\n"
        "title: WHAT IT IS, IN ONE LINE\n"
        "blame: either   # change, machine or either\n"
        "signatures:\n"
        f"{signatures}"
        "symptom: WHAT ONE SEES\n"
        "cause: WHY IT HAPPENS\n"
        "fixes:\n"
        "  - do: WHAT TO DO FIRST\n"
        "is-not: []\n"
        "references: [OWNER/REPOSITORY#NUMBER]\n"
        "samples:\n"
        "  - log: |\n"
        f"{log}"
        f"    line: {line}\n"
    )
