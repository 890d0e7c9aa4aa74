"""The tests of a ctest call, asked of ctest itself: their names, and the numbers by which it takes them."""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING

from rocm_ci.runners.listing import listing, output
from rocm_ci.tools import file

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from rocm_ci.runners.base import Slot
    from rocm_ci.runners.shell import Simple

_NUMBERED = re.compile(r"\s*Test\s+#(?P<number>\d+): (?P<name>.+)")
_DISABLED = " (Disabled)"


def names(
    command: str, simple: Simple, slot: Slot, *, is_ctest: Callable[[Simple], bool], has_run: bool
) -> tuple[str, ...] | None:
    """What one call of the command would run, in order (ctest 3.14 and later); None where it cannot tell."""
    whole = listing(command, is_ctest, "")
    if whole is None or not (whole.is_whole or has_run):
        return None
    text = _asked(command, simple, slot, "--show-only=json-v1")
    if text is None:
        return None
    try:
        tests = json.loads(text[text.find("{") :])["tests"]
        return tuple(str(test["name"]) for test in tests)
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def numbers(command: str, simple: Simple, slot: Slot, wanted: Collection[str]) -> list[int] | None:
    """The numbers of the `wanted` tests in one call; none is an answer, None is not."""
    text = _asked(command, simple, slot, "-N")
    if text is None:
        return None
    chosen = []
    for line in text.splitlines():
        match = _NUMBERED.fullmatch(line)
        if match and (match["name"] in wanted or match["name"].removesuffix(_DISABLED) in wanted):
            chosen.append(int(match["number"]))
    return chosen


def _asked(command: str, simple: Simple, slot: Slot, option: str) -> str | None:
    """What one call prints with `option`; a report that it names stays as it is."""
    begin = simple.words[0].start
    unwanted = slot.folder.with_suffix(".list.xml")
    if simple.option("--output-junit"):
        option += f" --output-junit {shlex.quote(str(unwanted))}"
    found = listing(command, lambda other: other.words[0].start == begin, option)
    try:
        return output(found, slot) if found else None
    finally:
        file.remove(unwanted)
