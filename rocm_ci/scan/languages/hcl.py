"""Docker's bake files in HCL: the arguments and images of each target, under the guard of its name.

A string behind `NAME =` is a VALUE region, context `arg:NAME`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan import vendor
from rocm_ci.scan.language import Language, Parsed
from rocm_ci.scan.shell_lexer import Places
from rocm_ci.scan.source import Guard, Region, RegionKind

if TYPE_CHECKING:
    from pathlib import PurePosixPath

    from rocm_ci.scan.source import Source

_TOKEN = re.compile(
    r"(?P<skip>(?:#|//)[^\n]*|/\*.*?(?:\*/|$))|(?P<block>\b(?:target|variable|group)\s+\"([^\"\n]*)\")"
    r"|(?P<open>\{)|(?P<close>\})|(?P<named>(?<![\w.-])([\w.-]+|\"[\w.-]+\")\s*=\s*(?=\"))|(?P<string>\"((?:[^\"\\\n]|\\.)*)\")",
    re.DOTALL,
)


class Hcl:
    """`docker-bake*.hcl`."""

    name = "hcl"

    def claims(self, path: PurePosixPath, head: str) -> bool:  # noqa: ARG002 - the name says it
        """By name."""
        return path.suffix == ".hcl" and "bake" in path.name

    def parse(self, source: Source) -> Parsed:
        """Strings with their names."""
        places = Places(source.text, 1, 1)
        outer = vendor.of_path(source.path, beside=source.beside)
        stack: list[Guard] = []
        guard, label, name, variable = outer, "", "", ""
        found: list[Region] = []
        for token in _TOKEN.finditer(source.text):
            kind = token.lastgroup
            if kind == "block" or token["block"]:
                label = token[3]
            elif token["open"]:
                stack.append(guard)
                guard, variable = vendor.both(guard, vendor.of(label)), label or variable
                label = ""
            elif token["close"]:
                guard = stack.pop() if stack else outer
            elif token["named"]:
                name = token[7].strip('"')
            elif token["string"] and token[9]:
                line, column = places.of(token.start(9))
                context = (f"arg:{variable if name == 'default' else name}",)
                found.append(Region(RegionKind.VALUE, token[9], line, column, guard, context))
        return Parsed(source, tuple(found))


LANGUAGE: Language = Hcl()
