"""`{name}` in a configured command. Replaced by plain text, quoted as its place in the shell asks."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, TypeAlias

from rocm_ci.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

Value: TypeAlias = str | tuple[str, ...]

# Only `{word}`, `{word;}` and `{word,}` are ours. `${VAR}`, `{{word}}` of templates, `{ …; }` groups,
# `{a,b}` expansions and awk bodies keep their braces.
_PLACE = re.compile(r"(?<![${\\])\{(?P<name>[A-Za-z][A-Za-z_-]*[;,]?)\}(?!\})")
_TOKEN = re.compile(r"\\.|['\"]|" + _PLACE.pattern, re.DOTALL)
_PLAIN = re.compile(r"[\w@%+=:,./-]*", re.ASCII)
_NEAR = 0.75


def fill(template: str, values: Mapping[str, Value], *, option: str) -> str:
    """`template` with every known placeholder replaced.

    A tuple is a list: `{arch}` gives its words, `{arch;}` and `{arch,}` one word joined by that
    sign. Outside quotes a value is escaped so that `bash` reads it back as it is (`{arch;}` does
    not end the command); inside quotes it fits those quotes. An unknown name that looks like a
    known one is a `ConfigError` naming `option`; any other stays as it stands.
    """
    known = _expanded(values)
    quote = ""

    def replaced(match: re.Match[str]) -> str:
        nonlocal quote
        token = match.group()
        name = match.group("name")
        if name is None:
            # A backslash means nothing inside single quotes, so the sign after it may close them.
            if quote == "'" and token[0] == "\\":
                quote = "" if token[1:] == "'" else quote
            elif token in ("'", '"'):
                quote = {"": token, token: ""}.get(quote, quote)
            return token
        if name in known:
            return " ".join(_quoted(word, quote) for word in known[name])
        _refuse_near(name, known, option)
        return token

    return _TOKEN.sub(replaced, template)


def names(template: str) -> frozenset[str]:
    """The placeholders a command contains, known or not."""
    return frozenset(match.group("name") for match in _PLACE.finditer(template))


def _expanded(values: Mapping[str, Value]) -> dict[str, tuple[str, ...]]:
    known: dict[str, tuple[str, ...]] = {}
    for name, value in values.items():
        if isinstance(value, str):
            known[name] = (value,)
        else:
            known[name] = value
            known |= {f"{name}{sign}": (sign.join(value),) for sign in ";,"}
    return known


def _quoted(word: str, quote: str) -> str:
    if quote == "'":
        return word.replace("'", "'\\''")
    if quote == '"':
        return re.sub(r'[\\"$`]', r"\\\g<0>", word)
    if _PLAIN.fullmatch(word):
        return word
    return "".join(c if _PLAIN.fullmatch(c) else "$'\\n'" if c == "\n" else f"\\{c}" for c in word)


def _refuse_near(name: str, known: Mapping[str, object], option: str) -> None:
    near = difflib.get_close_matches(name.casefold(), sorted(known), n=1, cutoff=_NEAR)
    if near:
        message = f"{option}: there is no placeholder {{{name}}}"
        every = ", ".join(f"{{{one}}}" for one in sorted(known))
        raise ConfigError(message, hint=f"did you mean {{{near[0]}}}? Known here: {every}")
