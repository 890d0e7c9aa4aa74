"""Dockerfiles: base images, arguments, environment, and the shell inside `RUN`.

Context: `from` for base images, `arg:NAME` and `env:NAME` for defaults and settings, `stage:NAME`
for the build stage, and that of the shell within RUN, CMD, ENTRYPOINT and HEALTHCHECK.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from rocm_ci.scan import pip_torch, shell, vendor
from rocm_ci.scan.language import Language, Parsed
from rocm_ci.scan.shell_lexer import Places
from rocm_ci.scan.source import Guard, Region, RegionKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import PurePosixPath

    from rocm_ci.scan.source import Source

_INSTRUCTION = re.compile(r"[ \t]*([A-Za-z]+)[ \t]+")
_FROM = re.compile(r"(?:--platform=\S+[ \t]+)?(\S+)(?:[ \t]+[Aa][Ss][ \t]+(\S+))?")
_PAIR = re.compile(r"([A-Za-z_]\w*)=(\"(?:[^\"\\]|\\.)*\"|'[^']*'|\S*)|\\\s*")
_OLD_PAIR = re.compile(r"([A-Za-z_]\w*)[ \t]+(.+)$")
_ARGUMENT = re.compile(r"\$\{?(\w+)(?::-[^}]*)?\}?")
_HEREDOC = re.compile(r"<<-?[\"']?(\w+)[\"']?")
_FLAG = re.compile(r"--[\w-]+(?:=\S+)?[ \t]+")
_EXEC = re.compile(r"\[\s*\"")
_ITEM = re.compile(r"\"((?:[^\"\\\n]|\\.)*)\"")
_ONLY_EXPORT = re.compile(r"export[ \t]+[^;&|`\n]*(?<!\\)\s*")
_SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ash"})
_SHELL = frozenset({"RUN", "CMD", "ENTRYPOINT", "HEALTHCHECK"})


@dataclass(frozen=True, slots=True)
class _Instruction:
    """`body` keeps the lines of the file, comments between them blanked; it begins at `line`, `column`."""

    name: str
    body: str
    line: int
    column: int
    is_document: bool = False  # the body of a here-document


class Dockerfile:
    """`Dockerfile`, `Dockerfile.*`, `*.Dockerfile`, `Containerfile`."""

    name = "dockerfile"

    def claims(self, path: PurePosixPath, head: str) -> bool:  # noqa: ARG002 - the name says it
        """By name."""
        lower = path.name.lower()
        return lower.startswith(("dockerfile", "containerfile")) or lower.endswith(
            (".dockerfile", ".docker", ".containerfile")
        )

    def parse(self, source: Source) -> Parsed:
        """Stages named after a vendor carry its guard."""
        outer = vendor.of_path(source.path, beside=source.beside)
        return Parsed(source, tuple(_regions(list(_instructions(source.lines)), outer, source.text)))


def _instructions(lines: tuple[str, ...]) -> Iterator[_Instruction]:
    at = 0
    while at < len(lines):
        found = _INSTRUCTION.match(lines[at])
        if found is None or lines[at].lstrip().startswith("#"):
            at += 1
            continue
        first = at
        parts = [lines[at][found.end() :]]
        while parts[-1].rstrip().endswith("\\") and at + 1 < len(lines):
            at += 1
            # A comment line between continuation lines is no part of the instruction.
            parts.append("\\" if lines[at].lstrip().startswith("#") else lines[at])
            if not lines[at].strip():
                parts[-1] = "\\"
        name = found[1].upper()
        yield _Instruction(name, "\n".join(parts), first + 1, found.end() + 1)
        at += 1
        document = _HEREDOC.search(parts[0])
        if document and name in ("RUN", "COPY", "ADD"):
            start = at
            while at < len(lines) and lines[at].strip() != document[1]:
                at += 1
            if name == "RUN":
                yield _Instruction(name, "\n".join(lines[start:at]), start + 1, 1, is_document=True)
            at += 1


def _regions(instructions: list[_Instruction], outer: Guard, text: str) -> Iterator[Region]:
    stages = [m[2] or "" for i in instructions if i.name == "FROM" and (m := _FROM.match(i.body))]
    has_amd = any(vendor.of(s) is Guard.AMD for s in stages)
    guard = outer
    context: tuple[str, ...] = ()
    images: dict[str, str] = {}  # what stages and arguments stand for
    for instruction in instructions:
        if instruction.name == "FROM":
            base = _FROM.match(instruction.body)
            stage = base[2] or "" if base else ""
            named = vendor.of(stage)
            # A stage that says `cuda` is one choice of several only beside one for AMD.
            guard = vendor.both(outer, named) if named is Guard.AMD or has_amd else outer
            context = (f"stage:{stage}",) if stage else ()
            image = _image(base[1], images) if base else ""
            images[stage] = image
            if base and base[1] not in stages:
                column = instruction.column + base.start(1)
                yield Region(RegionKind.VALUE, base[1], instruction.line, column, guard, (*context, "from"))
            if brings := pip_torch.of_image(image, text):
                context = (*context, brings)
        elif instruction.name in ("ARG", "ENV", "LABEL"):
            if instruction.name == "ARG" and (default := _PAIR.match(instruction.body)) and default[1]:
                images[default[1]] = default[2].strip("\"'")
            if instruction.name != "LABEL":
                yield from _pairs(instruction, guard, context)
        elif instruction.name in _SHELL:
            yield from _shell(instruction, guard, context)
        elif instruction.name == "ONBUILD" and (inner := _INSTRUCTION.match(instruction.body)):
            place = instruction.column + inner.end()
            later = _Instruction(inner[1].upper(), instruction.body[inner.end() :], instruction.line, place)
            if later.name in _SHELL:
                yield from _shell(later, guard, context)
        elif instruction.name in ("COPY", "ADD", "WORKDIR", "VOLUME"):
            yield from _words(instruction, guard, (*context, f"instruction:{instruction.name}"))


def _image(written: str, known: Mapping[str, str]) -> str:
    """A base image with the defaults of its arguments; of a stage its own base."""
    image = _ARGUMENT.sub(lambda m: known.get(m[1], ""), written)
    return known.get(image, image)


def _pairs(instruction: _Instruction, guard: Guard, context: tuple[str, ...]) -> Iterator[Region]:
    kind = instruction.name.lower()
    for offset, text in enumerate(instruction.body.split("\n")):
        start = instruction.column if offset == 0 else 1
        pairs = [p for p in _PAIR.finditer(text) if p[1]]
        old = _OLD_PAIR.match(text) if not pairs and offset == 0 else None
        for pair in [old] if old else pairs:
            mine = (*context, f"{kind}:{pair[1]}")
            line = instruction.line + offset
            yield Region(RegionKind.KEY, pair[1], line, start + pair.start(1), guard, mine)
            value = pair[2].strip("\"'")
            if value:
                column = start + pair.start(2) + (pair[2][:1] in "\"'")
                yield Region(RegionKind.VALUE, value, line, column, guard, mine)


def _shell(instruction: _Instruction, guard: Guard, context: tuple[str, ...]) -> Iterator[Region]:
    body, column = instruction.body, instruction.column
    while flag := _FLAG.match(body):
        body, column = body[flag.end() :], column + flag.end()
    if instruction.name == "HEALTHCHECK" and body.startswith("CMD "):
        body, column = body[4:], column + 4
    if _HEREDOC.search(body.split("\n")[0]) and not instruction.is_document:
        return
    if _EXEC.match(body):
        yield from _exec_form(body, Places(body, instruction.line, column), guard, context)
        return
    if instruction.name == "RUN" and _ONLY_EXPORT.fullmatch(body):
        guard = vendor.both(guard, Guard.EITHER)  # gone with the shell that sets it
    yield from shell.regions(body, instruction.line, column, guard=guard, context=context)


def _exec_form(body: str, places: Places, guard: Guard, context: tuple[str, ...]) -> Iterator[Region]:
    """`["bash", "-lc", "a && b"]`: what is given to a shell is a script, the rest one command."""
    items = [(m.start(1), m[1]) for m in _ITEM.finditer(body)]
    if not items:
        return
    names = [text.rsplit("/", 1)[-1] for _, text in items]
    first = 1 if names[0] == "env" and len(names) > 1 else 0
    if names[first] in _SHELLS:
        for (_, option), (start, script) in pairwise(items[first + 1 :]):
            if option.startswith("-") and option.endswith("c"):
                line, column = places.of(start)
                # The same width, so that places hold.
                text = script.replace('\\"', ' "')
                yield from shell.regions(text, line, column, guard=guard, context=context)
                return
    lines: dict[int, list[tuple[int, str]]] = {}
    for start, text in items:
        line, column = places.of(start)
        lines.setdefault(line, []).append((column, text))
    for line, found in lines.items():
        text = " ".join(word for _, word in found)
        yield Region(RegionKind.CODE, text, line, found[0][0], guard, (*context, f"command:{names[first]}"))


def _words(instruction: _Instruction, guard: Guard, context: tuple[str, ...]) -> Iterator[Region]:
    for offset, text in enumerate(instruction.body.split("\n")):
        start = instruction.column if offset == 0 else 1
        for word in re.finditer(r"[^\s\\]+", text):
            yield Region(
                RegionKind.VALUE,
                word.group(),
                instruction.line + offset,
                start + word.start(),
                guard,
                context,
            )


LANGUAGE: Language = Dockerfile()
