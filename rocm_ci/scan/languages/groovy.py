"""Jenkins pipelines: steps, images and environment, under the guards of their stages.

A script of `sh` is shell, of `bat` and `powershell` that of Windows. `NAME = '…'` is a KEY and a VALUE
region, context `env:NAME`; a string behind a word (`image '…'`, `args '…'`) is a VALUE region, context that
word. A stage, a label or a condition that names one vendor guards its block.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.scan import batch, powershell, shell, vendor
from rocm_ci.scan.language import Language, Parsed
from rocm_ci.scan.shell_lexer import Places
from rocm_ci.scan.source import Guard, Region, RegionKind
from rocm_ci.scan.windows_conditions import of as of_condition

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import PurePosixPath

    from rocm_ci.scan.source import Source

_TOKEN = re.compile(
    r"(?P<skip>//[^\n]*|/\*.*?(?:\*/|$)|\s+)"
    r"|(?P<string>'''.*?(?:'''|$)|\"\"\".*?(?:\"\"\"|$)|'(?:[^'\\\n]|\\.)*'?|\"(?:[^\"\\\n]|\\.)*\"?)"
    r"|(?P<word>[A-Za-z_][\w.]*)|(?P<mark>.)",
    re.DOTALL,
)
_READERS: dict[str, Callable[..., list[Region]]] = {
    "sh": shell.regions, "bat": batch.regions, "powershell": powershell.regions, "pwsh": powershell.regions,
}  # fmt: skip
_MESSAGES = frozenset({"echo", "println", "error", "unstable", "description"})
_MOST_WORDS = 60  # of one statement


@dataclass(slots=True)
class _Block:
    outer: Guard
    words: tuple[str, ...]  # what stood before the bracket


class Groovy:
    """`Jenkinsfile`, `Jenkinsfile.*`, `*.jenkinsfile`."""

    name = "jenkins"

    def claims(self, path: PurePosixPath, head: str) -> bool:  # noqa: ARG002 - the name says it
        """By name."""
        return path.name.lower().startswith("jenkinsfile") or path.suffix.lower() == ".jenkinsfile"

    def parse(self, source: Source) -> Parsed:
        """Strings and the blocks around them."""
        walk = _Walk(source)
        for token in _TOKEN.finditer(source.text):
            if token.lastgroup != "skip":
                walk.token(token)
        return Parsed(source, tuple(walk.found))


class _Walk:
    def __init__(self, source: Source) -> None:
        self.found: list[Region] = []
        self._places = Places(source.text, 1, 1)
        self._guard = vendor.of_path(source.path, beside=source.beside)
        self._blocks: list[_Block] = []
        self._statement: list[str] = []  # words and strings since the last bracket or line
        self._row = 0
        self._word_at = 0

    def token(self, token: re.Match[str]) -> None:
        text = token.group()
        row = self._places.of(token.start())[0]
        if row != self._row and self._statement and self._statement[-1] not in ("(", ",", ":", "="):
            self._statement = []
        self._row = row
        if text == "{":
            self._open()
        elif text == "}":
            self._close()
        elif text == ";":
            self._statement = []
        elif token.lastgroup == "string":
            self._string(text, token.start())
            self._statement.append(text.strip("'\""))
        else:
            self._statement.append(text)
            if token.lastgroup == "word":
                self._word_at = token.start()
        del self._statement[:-_MOST_WORDS]

    def _open(self) -> None:
        words = tuple(self._statement)
        outer = self._guard
        self._blocks.append(_Block(outer, words))
        if words[:1] == ("if",) or words[:2] == ("else", "if"):
            self._guard = vendor.both(outer, of_condition(" ".join(words)).true)
        elif words[:1] == ("stage",):
            self._guard = vendor.both(outer, vendor.of(" ".join(words[1:]), labels=True))
        self._statement = []

    def _close(self) -> None:
        if self._blocks:
            block = self._blocks.pop()
            # What `agent` and `when` say holds for the stage around them.
            if block.words[:1] not in (("agent",), ("when",), ("expression",)):
                self._guard = block.outer
        self._statement = []

    def _string(self, text: str, start: int) -> None:
        width = 3 if text[:3] in ("'''", '"""') else 1
        inner = text[width : -width if len(text) >= 2 * width else None]
        words = [w for w in self._statement if w not in ("(", ",", "[")]
        name = words[-1] if words else ""
        if name in (":", "="):
            name = words[-2] if len(words) > 1 else ""
        first = words[0] if words else ""
        place = self._places.of(start + width)
        if self._says_where(name, inner):
            return
        if first in _READERS or name in _READERS or (name == "script" and words):
            reader = _READERS.get(first) or _READERS.get(name) or shell.regions
            self.found += reader(inner, *place, guard=self._guard, context=(f"step:{first or name}",))
        elif first not in _MESSAGES and inner and "\n" not in inner:
            self._value(name, inner, place, is_setting=words[-1:] == ["="])

    def _says_where(self, name: str, text: str) -> bool:
        """`label 'nvidia'`, and the value in `expression { params.BACKEND == 'cuda' }`."""
        inside = self._blocks[-1].words[:1] if self._blocks else ()
        if name in ("label", "node"):
            self._guard = vendor.both(self._guard, vendor.of(text, labels=True))
            return True
        if inside in (("expression",), ("when",)):
            said = " ".join((*self._statement, f'"{text}"'))
            self._guard = vendor.both(
                self._guard, of_condition(said.replace(".", "_").replace("= =", "==")).true
            )
            return True
        return False

    def _value(self, name: str, text: str, place: tuple[int, int], *, is_setting: bool) -> None:
        line, column = place
        context = (f"env:{name}",) if is_setting else (name, "options") if name == "args" else (name,)
        if is_setting:
            self.found.append(
                Region(RegionKind.KEY, name, *self._places.of(self._word_at), self._guard, context)
            )
        self.found.append(Region(RegionKind.VALUE, text, line, column, self._guard, context))


LANGUAGE: Language = Groovy()
