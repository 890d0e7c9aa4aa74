"""Serial numbers and unique ids name one single device: they leave the machine only when asked for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

HIDDEN = "(id withheld)"
# What ids look like: the runtime's, the tools' 64 bit numbers, UUIDs, and what is called a serial number.
_LOOKS = re.compile(
    r"\bGPU-[0-9a-fA-F]{8,40}\b"
    r"|\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b"
    r"|\b0x[0-9a-fA-F]{13,16}\b"
    r"|(?<=serial)(?:[ _]?(?:number|no\.?))?[\"' ]*[:=#][\"' ]*[\w-]{4,64}"
    r"|(?<=unique id)[\"' ]*[:=#][\"' ]*[\w-]{4,64}",
    re.IGNORECASE,
)
_MIN = 6


def withheld(text: str, known: Iterable[str] = ()) -> str:
    """The text without anything that looks like an id, and without the ids that are `known`."""
    for secret in known:
        if len(secret) >= _MIN:
            text = re.sub(re.escape(secret.removeprefix("0x")), HIDDEN, text, flags=re.IGNORECASE)
    return _LOOKS.sub(lambda found: _label(found.group()), text)


def without_ids(value: Any, known: Iterable[str] = ()) -> Any:
    """A boundary value with every text in it treated by `withheld`; keys of mappings stay."""
    secrets = tuple(known)

    def visit(part: Any) -> Any:
        if isinstance(part, str):
            return withheld(part, secrets)
        if isinstance(part, dict):
            return {key: visit(inner) for key, inner in part.items()}
        return [visit(inner) for inner in part] if isinstance(part, (list, tuple)) else part

    return msgspec.convert(visit(msgspec.to_builtins(value)), type(value))


def _label(found: str) -> str:
    """Keeps what stands before a labelled value (`number: `), so that the line can still be read."""
    label = re.match(r"(?:[ _]?(?:number|no\.?))?[\"' ]*[:=#][\"' ]*", found, re.IGNORECASE)
    return (label.group() if label else "") + HIDDEN
