"""`#if` … `#endif` of a C file as chains of conditions."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

_MACRO = re.compile(r"\w+(?:\([^()]*\))?")

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocm_ci.scan.c_source import Directive


@dataclass
class Chain:
    """The conditions of one `#if`, from the first to the last, and what its branches include.

    `defines` are the macros that each branch defines, as `name(parameters)` where they have any.
    """

    conditions: list[Directive]
    depth: int
    last_line: int
    includes: list[str] = field(default_factory=list)
    defines: list[list[str]] = field(default_factory=lambda: [[]])
    has_else: bool = False

    @property
    def first_line(self) -> int:
        """The 1-based line of the `#if`."""
        return self.conditions[0].line


def chains(directives: Iterable[Directive]) -> Iterator[Chain]:
    """Every chain, inner ones first; one without `#endif` ends with the file."""
    stack: list[Chain] = []
    for one in directives:
        if one.name in ("if", "ifdef", "ifndef"):
            stack.append(Chain([one], len(stack), one.line))
        elif not stack:
            continue
        elif one.name in ("elif", "elifdef", "elifndef"):
            stack[-1].conditions.append(one)
            stack[-1].defines.append([])
        elif one.name == "else":
            stack[-1].defines.append([])
            stack[-1].has_else = True
        elif one.name == "define":
            found = _MACRO.match(one.text)
            stack[-1].defines[-1].append(found[0] if found else "")
        elif one.name == "include":
            stack[-1].includes.append(one.text)
        elif one.name == "endif":
            stack[-1].last_line = one.line
            yield stack.pop()
    yield from stack
