"""Meson: strings with the calls around them, under the guards of `if`.

A call is a CODE region (its name); a string is a STRING region, context `call:NAME` and `kw:NAME`.
`required: false`, and `required:` of a feature option, make a call a probe.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.scan import vendor
from rocm_ci.scan.language import Language, Parsed
from rocm_ci.scan.outcome import HAS_AMD, HAS_NVIDIA, IS_AMD, IS_NVIDIA, UNKNOWN, Outcome, joined
from rocm_ci.scan.shell_lexer import Places
from rocm_ci.scan.source import Guard, Region, RegionKind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import PurePosixPath

    from rocm_ci.scan.source import Source

_TOKEN = re.compile(
    r"(?P<comment>#[^\n]*)|(?P<string>f?'''.*?'''|f?'(?:[^'\\\n]|\\.)*')|(?P<word>[A-Za-z_][\w.]*)|(?P<newline>\n)|(?P<mark>[^\s\w])|(?P<other>\w+)",
    re.DOTALL,
)
_DEEPEST = 60  # calls within calls
_MESSAGES = frozenset({"message", "warning", "error", "summary", "assert"})


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    offset: int


class Meson:
    """`meson.build`, `meson.options` and their older names."""

    name = "meson"

    def claims(self, path: PurePosixPath, head: str) -> bool:  # noqa: ARG002 - the name says it
        """By name."""
        return path.name in ("meson.build", "meson.options", "meson_options.txt")

    def parse(self, source: Source) -> Parsed:
        """Statement by statement."""
        found = [
            _Token(m.lastgroup or "", m.group(), m.start())
            for m in _TOKEN.finditer(source.text)
            if m.lastgroup != "comment"
        ]
        walk = _Walk(Places(source.text, 1, 1), vendor.of_path(source.path, beside=source.beside))
        for statement in _statements(found):
            walk.statement(statement)
        return Parsed(source, tuple(walk.found))


def _statements(found: Sequence[_Token]) -> list[list[_Token]]:
    """Tokens split at the newlines outside of brackets."""
    statements: list[list[_Token]] = [[]]
    depth = 0
    for token in found:
        if token.kind == "newline":
            if depth <= 0 and statements[-1]:
                statements.append([])
                depth = 0
            continue
        if token.kind == "mark":
            depth += (token.text in "([{") - (token.text in ")]}")
        statements[-1].append(token)
    return statements


class _Walk:
    def __init__(self, places: Places, outer: Guard) -> None:
        self.found: list[Region] = []
        self._places = places
        self._guard = outer
        self._blocks: list[tuple[Guard, Guard]] = []  # (outer, what holds in the next branch)
        self._known: dict[str, Outcome] = {}  # variables that hold what was looked for

    def statement(self, tokens: list[_Token]) -> None:
        if not tokens:
            return
        word = tokens[0].text
        if word == "if":
            outcome = _condition(tokens[1:], self._known)
            self._blocks.append((self._guard, vendor.both(self._guard, outcome.false)))
            self._guard = vendor.both(self._guard, outcome.true)
        elif word == "elif" and self._blocks:
            outcome = _condition(tokens[1:], self._known)
            outer, so_far = self._blocks[-1]
            self._guard = vendor.both(so_far, outcome.true)
            self._blocks[-1] = (outer, vendor.both(so_far, outcome.false))
        elif word == "else" and self._blocks:
            self._guard = self._blocks[-1][1]
        elif word == "endif" and self._blocks:
            self._guard = self._blocks.pop()[0]
        else:
            self._learn(tokens)
            self._emit(tokens, self._guard, ())

    def _learn(self, tokens: Sequence[_Token]) -> None:
        """`dep = dependency('cuda', required: get_option('cuda'))`."""
        texts = [t.text for t in tokens[:5]]
        if texts[1:2] == ["="] and len(texts) == 5 and texts[3] == "(":
            verdict = vendor.of(texts[4])
            if verdict is not Guard.NONE:
                self._known[texts[0]] = HAS_AMD if verdict is Guard.AMD else HAS_NVIDIA

    def _emit(self, tokens: Sequence[_Token], guard: Guard, context: tuple[str, ...]) -> None:
        at = 0
        while at < len(tokens):
            token = tokens[at]
            follows = tokens[at + 1].text if at + 1 < len(tokens) else ""
            if token.kind == "word" and follows == "(" and len(context) < _DEEPEST:
                end = _closing(tokens, at + 1)
                self._call(token, tokens[at + 2 : end], guard, context)
                at = end
            elif token.kind == "word" and follows == ":":
                context = (*(c for c in context if not c.startswith("kw:")), f"kw:{token.text}")
                at += 1
            elif token.kind == "string":
                self._string(token, guard, context)
            at += 1

    def _call(self, name: _Token, inside: Sequence[_Token], guard: Guard, context: tuple[str, ...]) -> None:
        if name.text in _MESSAGES:
            return
        inner = (*context, f"call:{name.text}")
        if _is_optional(inside):
            guard = vendor.both(guard, Guard.EITHER)
            inner = (*inner, "probe")
        line, column = self._places.of(name.offset)
        self.found.append(Region(RegionKind.CODE, name.text, line, column, guard, inner))
        self._emit(inside, guard, inner)

    def _string(self, token: _Token, guard: Guard, context: tuple[str, ...]) -> None:
        prefix = token.text.index("'")
        width = 3 if token.text[prefix : prefix + 3] == "'''" else 1
        text = token.text[prefix + width : -width]
        if text:
            line, column = self._places.of(token.offset + prefix + width)
            self.found.append(Region(RegionKind.STRING, text, line, column, guard, context))


def _closing(tokens: Sequence[_Token], at: int) -> int:
    depth = 0
    for index in range(at, len(tokens)):
        depth += (tokens[index].text in ("(", "[", "{")) - (tokens[index].text in (")", "]", "}"))
        if depth == 0:
            return index
    return len(tokens)


def _is_optional(inside: Sequence[_Token]) -> bool:
    for at, token in enumerate(inside[:-2]):
        if token.text == "required" and inside[at + 1].text == ":":
            return inside[at + 2].text != "true"
    return False


def _condition(tokens: Sequence[_Token], known: Mapping[str, Outcome]) -> Outcome:
    """`get_option('cuda')`, `use_rocm and not x`, `backend == 'hip'`, `cuda_dep.found()`."""
    words = [t.text for t in tokens]
    for word, conjunction in (("or", False), ("and", True)):
        if word in words:
            parts: list[list[_Token]] = [[]]
            for token in tokens:
                if token.text == word:
                    parts.append([])
                else:
                    parts[-1].append(token)
            return joined([_condition(p, known) for p in parts], conjunction=conjunction)
    negated = (words[:1] == ["not"]) != ("!" in words and "=" in words)
    said = [t.text for t in tokens if t.kind in ("word", "string")]
    outcome = next((known[n] for s in said if (n := s.removesuffix(".found")) in known), UNKNOWN)
    for text in (
        reversed(said) if not outcome else ()
    ):  # the value on the right says more than the variable on the left
        verdict = vendor.of(text)
        if verdict is not Guard.NONE:
            found = any(".found" in s or "find_program" in s for s in said)
            amd, nvidia = (HAS_AMD, HAS_NVIDIA) if found else (IS_AMD, IS_NVIDIA)
            outcome = amd if verdict is Guard.AMD else nvidia
            break
    return ~outcome if negated else outcome


LANGUAGE: Language = Meson()
