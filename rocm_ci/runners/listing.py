"""A command cut down to what lists its tests: the test tool, and what a shell needs before it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.runners.shell import simple_commands

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocm_ci.runners.base import Slot
    from rocm_ci.runners.shell import Simple

# Change the shell, not the world; `tee` only reads what the tool before it wrote.
_HARMLESS = frozenset({"cd", "export", "set", "source", ".", "ulimit", "unset", "umask", "true", ":", "tee"})
_RESERVED = frozenset(
    {"if", "for", "while", "until", "case", "select", "function", "time", "eval", "exec", "{", "!"}
)
_NESTED = ("$(", "`", "<(", "<<")
LIMIT_S = 120.0
_MAX_BYTES = 64_000_000


@dataclass(frozen=True, kw_only=True)
class Listing:
    """`command` lists and runs nothing else; `is_whole`: the original runs nothing else either."""

    command: str
    is_whole: bool


def listing(command: str, is_tool: Callable[[Simple], bool], options: str) -> Listing | None:
    """`command` with `options` after each call of its tool; None when there is none, or too much shell."""
    parts, whole, found = [], True, False
    if any(mark in command for mark in _NESTED):
        return None
    for simple in simple_commands(command):
        word = simple.words[0]
        if word.text in _RESERVED:
            return None
        is_wanted = is_tool(simple)
        if not is_wanted and word.text not in _HARMLESS:
            whole = False
            continue
        if word.text == "tee":
            continue
        begin = min(one.start for one in (*simple.assignments, word))
        text = command[begin : simple.words[-1].end]
        parts.append(f"{text} {options}".rstrip() if is_wanted else text)
        found |= is_wanted
    return Listing(command=" && ".join(parts), is_whole=whole) if found else None


def output(found: Listing, slot: Slot, environment: dict[str, str] | None = None) -> str | None:
    """What it prints; None when it does not end well, in time and within bounds."""
    done = slot.run.capture(
        ["bash", "-c", found.command],
        cwd=slot.root,
        env={**slot.environment, **(environment or {})},
        timeout_s=LIMIT_S,
        limit=_MAX_BYTES,
    )
    return None if done.timed_out or done.truncated or done.exit_code else done.text
