"""Finding JSON documents in a stream that also carries warnings, cut-off text or worse."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

# Every try may read to the end of the text, so hostile input is bounded by this.
_TRIES = 400
_BUDGET = 40_000_000
_START = re.compile(r"[\[{]")


def documents(text: str, wanted: Callable[[Any], bool]) -> list[Any]:
    """Every JSON object or list in the text that `wanted` accepts, in order.

    Braces in a warning line are passed over. Of a document that was cut off, the complete parts
    that `wanted` accepts are found.
    """
    found: list[Any] = []
    decoder = json.JSONDecoder()
    position, spent = 0, 0
    for _ in range(_TRIES):
        start = _START.search(text, position)
        if start is None or spent > _BUDGET:
            break
        position = start.start()
        try:
            value, end = decoder.raw_decode(text, position)
        except (ValueError, RecursionError) as error:
            spent += (getattr(error, "pos", len(text)) or len(text)) - position
            position += 1
            continue
        spent += end - position
        if wanted(value):
            found.append(value)
            position = end
        else:
            position += 1
    return found
