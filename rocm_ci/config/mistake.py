"""Turns what the decoder says of a wrong configuration into file, line and a way on. Pure."""

from __future__ import annotations

import difflib
import re
from typing import Any

import msgspec

from rocm_ci.config.options import Config, Duration, Gfx, Name, Percent
from rocm_ci.errors import ConfigError

DOCS = "see the configuration table in README.md"


def _pattern(kind: Any) -> str:
    return str(kind.__metadata__[0].pattern)


# Patterns of `options` → what they describe, and an example.
_SHAPES = {
    _pattern(Duration): ("time", "`90s`, `10m` or `1.5h`"),
    _pattern(Percent): ("percentage", "`3%`"),
    _pattern(Gfx): ("GPU target", "`gfx942` or `gfx90a:xnack-`"),
    _pattern(Name): ("name", "`unit tests`: letters, digits, spaces and ._+- up to 80 characters"),
}


def explained(problem: str, text: str, path: str) -> ConfigError:
    """Turn msgspec's `… - at `$.test[0].name`` into file, line and, for a key, the nearest name."""
    found = re.search(r" - at (?:`key` in )?`(\$[^`]*)`", problem)
    trail = _trail(found.group(1)) if found else []
    what = problem[: found.start()] if found else problem
    unknown = re.search(r"unknown field `([^`]*)`", what)
    if unknown:
        trail = [*trail, unknown.group(1)]
        known = _known_keys(trail[:-1])
        near = difflib.get_close_matches(unknown.group(1), known, n=1, cutoff=0.5)
        hint = f"did you mean `{near[0]}`?" if near else f"known here: {', '.join(sorted(known))}"
        what = f"unknown key `{unknown.group(1)}`"
    else:
        dotted = _dotted(trail)
        what = f"`{dotted}`: {what[0].lower() + what[1:]}" if dotted else what
        what, hint = _plain(what)
    return located(trail, what, hint, text, path)


def located(trail: list[str | int], what: str, hint: str, text: str, path: str) -> ConfigError:
    """A mistake at the place in the file that `trail` leads to."""
    line = _line_of(text, trail) if text else None
    where = f"{path}:{line}" if line else path
    return ConfigError(f"{where}: {what}", hint=hint)


def _plain(what: str) -> tuple[str, str]:
    """A decoder's sentence without regular expressions and type names, and what to write instead."""
    for pattern, (name, example) in _SHAPES.items():
        if f"matching regex {pattern!r}" in what:
            return what.split("expected `str` matching", maxsplit=1)[
                0
            ] + f"this is no {name}", f"write it like {example}"
    if "expected `array`, got `str`" in what:
        return what.replace("expected `array`, got `str`", "a list is expected"), "put it in brackets: [a, b]"
    return what, DOCS


def _trail(path: str) -> list[str | int]:
    # `[...]` stands for a key or value of a mapping that the decoder does not name.
    parts = re.findall(r"\.([^.\[]+)|\[(\d+)\]", path.replace("[...]", ""))
    return [name or int(index) for name, index in parts]


def _dotted(trail: list[str | int]) -> str:
    text = ""
    for part in trail:
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
    return text.removeprefix(".")


def _known_keys(trail: list[str | int]) -> list[str]:
    kind: Any = Config
    for part in trail:
        if isinstance(part, int):
            continue
        info = {f.encode_name: f.type for f in msgspec.structs.fields(kind)}
        kind = info[part]
        args = getattr(kind, "__args__", ())
        kind = args[0] if args and isinstance(args[0], type) else kind
    return [f.encode_name for f in msgspec.structs.fields(kind)]


def _line_of(text: str, trail: list[str | int]) -> int | None:
    """The 1-based line of the node that `trail` leads to, or of the deepest one on the way."""
    import yaml  # noqa: PLC0415 - only after a mistake

    node = yaml.compose(text, Loader=yaml.SafeLoader)
    line = node.start_mark.line + 1 if node else None
    for part in trail:
        if isinstance(node, yaml.MappingNode):
            hit = next(((k, v) for k, v in node.value if k.value == part), None)
            if hit is None:
                return line
            line, node = hit[0].start_mark.line + 1, hit[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = node.start_mark.line + 1
        else:
            return line
    return line
