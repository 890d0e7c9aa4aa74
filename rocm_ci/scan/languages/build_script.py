"""What a Rust crate or a Go package links: `build.rs` and the `#cgo` lines of Go. Rules see `build-script`.

A folder that is searched is a VALUE region, context `link-search`, a library one with context `link-lib`;
an option behind `#cgo` is a VALUE region, context `cgo`. Features of a crate and build tags of Go guard.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan import vendor
from rocm_ci.scan.language import Language, Parsed
from rocm_ci.scan.outcome import IS_AMD, IS_NVIDIA, UNKNOWN, Outcome
from rocm_ci.scan.shell_lexer import Places
from rocm_ci.scan.source import Guard, Region, RegionKind
from rocm_ci.scan.windows_blocks import Blocks

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import PurePosixPath

    from rocm_ci.scan.source import Source

_TOKEN = re.compile(
    r"(?P<skip>//[^\n]*|/\*.*?(?:\*/|$))|(?P<cfg>#!?\[cfg\(([^\]\n]*)\)\])|(?P<string>\"((?:[^\"\\]|\\.)*)\")"
    r"|(?P<word>\b(?:if|else|match|fn)\b)|(?P<open>\{)|(?P<close>\})|(?P<end>;)",
    re.DOTALL,
)
_LINK = re.compile(r"cargo::?rustc-link-(search|lib)=(?:[\w,:+-]+=)?(.+)$")
_TAGS = re.compile(r"//go:build (.+)|// \+build (.+)")
_CGO = re.compile(r"[ \t]*(?://)?[ \t]*#cgo\b([^:\n]*):")


class BuildScript:
    """`build.rs` and `*.go`."""

    name = "build-script"

    def claims(self, path: PurePosixPath, head: str) -> bool:  # noqa: ARG002 - the name says it
        """By name."""
        return path.name == "build.rs" or path.suffix == ".go"

    def parse(self, source: Source) -> Parsed:
        """Links with their guards."""
        outer = vendor.of_path(source.path, beside=source.beside)
        reader = _of_go if source.path.endswith(".go") else _of_rust
        return Parsed(source, tuple(reader(source, outer)))


def _of_go(source: Source, outer: Guard) -> Iterator[Region]:
    for number, line in enumerate(source.lines, 1):
        if tags := _TAGS.match(line):
            outer = vendor.both(outer, _said((tags[1] or tags[2]).replace("!", " no ")).true)
        elif cgo := _CGO.match(line):
            guard = vendor.both(outer, vendor.of(cgo[1]))
            for option in re.compile(r"\S+").finditer(line, cgo.end()):
                yield Region(RegionKind.VALUE, option.group(), number, option.start() + 1, guard, ("cgo",))


def _of_rust(source: Source, outer: Guard) -> Iterator[Region]:
    places = Places(source.text, 1, 1)
    blocks = Blocks(outer)
    asked: list[str] | None = None  # the strings of a condition, until its bracket
    for token in _TOKEN.finditer(source.text):
        if token["cfg"]:
            blocks.expect(_said(token[3].replace("not(", " no ")))
        elif token["word"] == "if":
            asked = []
        elif token["word"] == "else":
            blocks.expect(UNKNOWN, otherwise=True)
        elif token["open"]:
            if asked is not None:
                blocks.expect(_said(" ".join(asked)))
                asked = None
            blocks.open()
        elif token["close"]:
            blocks.close()
        elif token["string"]:
            if asked is not None:
                asked.append(token[5])
            elif link := _LINK.match(token[5]):
                place = places.of(token.start(5) + link.start(2))
                yield Region(RegionKind.VALUE, link[2], *place, blocks.guard, (f"link-{link[1]}",))


def _said(text: str) -> Outcome:
    """`CARGO_FEATURE_CUDA`, `feature = "hip"`, `cuda && linux`."""
    return {Guard.AMD: IS_AMD, Guard.NVIDIA: IS_NVIDIA}.get(vendor.of(text), UNKNOWN)


LANGUAGE: Language = BuildScript()
