"""Files of settings, one a line: `.env`, `.bazelrc`, `pip.conf`, `ld.so.conf.d/*.conf`. Rules see `settings`.

`NAME=VALUE` is a KEY and a VALUE region, context `env:NAME`. A line of `.bazelrc` is a VALUE region for
each of its options, context `config:NAME` when it is one of `--config=NAME`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan import vendor
from rocm_ci.scan.language import Language, Parsed
from rocm_ci.scan.source import Guard, Region, RegionKind

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import PurePosixPath

    from rocm_ci.scan.source import Source

_SETTING = re.compile(r"\s*(?:export\s+)?([A-Za-z_][\w.-]*)\s*=\s*[\"']?([^\"'#]*)")
_BAZEL = re.compile(r"\s*(?:build|test|run|common|query|fetch|startup|coverage)(?::([\w.-]+))?\s")
_OPTION = re.compile(r"--?[\w-]+(?:=(?:\"[^\"]*\"|[^\s\"]+|\"[^\"]*\")+)?|\S+")
_VARIABLE = re.compile(r"(?:--[\w-]*env=|^)(\w+)=(.*)$")


class Settings:
    """By name."""

    name = "settings"

    def claims(self, path: PurePosixPath, head: str) -> bool:  # noqa: ARG002 - the name says it
        """`.env`, `*.env`, `.env.*`, `.bazelrc`, `*.bazelrc`, `pip.conf`, `ld.so.conf.d/*.conf`."""
        name = path.name
        if name in (".env", "pip.conf", "pip.ini") or name.startswith(".env."):
            return not name.endswith((".py", ".ts", ".js"))
        if path.suffix == ".conf":
            return "ld.so.conf.d" in path.parts or name.startswith("ld.so")
        return path.suffix == ".env" or name == ".bazelrc" or path.suffix == ".bazelrc"

    def parse(self, source: Source) -> Parsed:
        """Line by line."""
        outer = vendor.of_path(source.path, beside=source.beside)
        bazel = source.path.endswith("bazelrc")
        found: list[Region] = []
        for number, line in enumerate(source.lines, 1):
            if line.strip() and line.lstrip()[0] not in "#;[":
                found += _options(line, number, outer) if bazel else _setting(line, number, outer)
        return Parsed(source, tuple(found))


def _setting(line: str, number: int, guard: Guard) -> Iterator[Region]:
    found = _SETTING.match(line)
    if found is None:
        text = line.strip()
        if text[0] == "/":
            yield Region(RegionKind.VALUE, text, number, line.index(text) + 1, guard, ("line",))
        return
    context = (f"env:{found[1]}",)
    yield Region(RegionKind.KEY, found[1], number, found.start(1) + 1, guard, context)
    if value := found[2].strip():
        yield Region(RegionKind.VALUE, value, number, found.start(2) + 1, guard, context)


def _options(line: str, number: int, guard: Guard) -> Iterator[Region]:
    """`build:rocm --action_env=X=1`: options for a configuration of that name."""
    head = _BAZEL.match(line)
    if head is None:
        return
    context: tuple[str, ...] = ("bazelrc",)
    if head[1]:
        guard = vendor.both(guard, vendor.of(head[1]))
        context = (*context, f"config:{head[1]}")
    for option in _OPTION.finditer(line, head.end()):
        if option.group().startswith("#"):
            return
        if variable := _VARIABLE.search(option.group()):
            place = option.start() + variable.start(1) + 1
            mine = (*context, f"env:{variable[1]}")
            yield Region(RegionKind.KEY, variable[1], number, place, guard, mine)
            value = variable[2].strip("\"'")
            if value:
                at = option.start() + variable.start(2) + 1 + (variable[2][0] in "\"'")
                yield Region(RegionKind.VALUE, value, number, at, guard, mine)
        else:
            yield Region(RegionKind.VALUE, option.group(), number, option.start() + 1, guard, context)


LANGUAGE: Language = Settings()
