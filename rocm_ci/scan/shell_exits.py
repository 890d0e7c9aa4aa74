"""How a piece of shell ends: quietly, by giving up, or with a fallback behind `||`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocm_ci.scan.shell_lexer import Token

_GIVE_UP = frozenset({"exit", "die", "fail", "abort", "return"})
_LOOKED_AT = 200  # tokens; a command that is longer has no fallback that anybody sees
_ENDS_CHAIN = frozenset({"\n", ";", "&", "&&", ";;"})


def how_it_leaves(body: Sequence[Token]) -> str:
    """`quietly` (`exit 0`, `return`), `loudly` (`exit 1`), or empty when what follows is reached."""
    texts = [t.text for t in body if t.text not in ("\n", ";")]
    match texts[-2:]:
        case ["exit" | "return", "0"] | [_, "return" | "continue" | "break"] | ["return"]:
            return "quietly"
        case ["exit" | "return", _] | [_, "exit"]:
            return "loudly"
        case _:
            return ""


def leaves_alternative(tokens: Sequence[Token], start: int, *, probe: bool) -> bool:
    """Whether what follows `||` or `&&` leaves: `|| { echo; exit 1; }`; quietly, if a tool was asked for."""
    if tokens[start : start + 1] and tokens[start].text in ("exit", "return"):
        body = tokens[start : start + 2]
    elif tokens[start : start + 1] and tokens[start].text == "{":
        ends = (i for i in range(start, min(len(tokens), start + _LOOKED_AT)) if tokens[i].text == "}")
        body = tokens[start + 1 : next(ends, start + 1)]
    else:
        return False
    leaves = how_it_leaves([t for t in body if t.text not in ("||", "&&")])
    return leaves == "quietly" or (leaves == "loudly" and not probe)


def has_fallback(tokens: Sequence[Token], start: int) -> bool:
    """Whether the command at `start` is followed by `||` and something that does not give up."""
    depth = 0
    for index in range(start, min(len(tokens), start + _LOOKED_AT)):
        text = tokens[index].text
        depth += (text in ("(", "{")) - (text in (")", "}"))
        if depth < 0 or (depth == 0 and text in _ENDS_CHAIN):
            return False
        if depth == 0 and text == "||":
            return not _gives_up(tokens[index + 1 : index + _LOOKED_AT])
    return False


def _gives_up(tokens: Sequence[Token]) -> bool:
    """`exit 1`, `{ echo …; exit 1; }`: an alternative that ends the script."""
    if not tokens:
        return False
    if tokens[0].text in _GIVE_UP:
        return True
    grouped = tokens[0].text in ("{", "(")
    for token in tokens:
        if token.text in ("}", ")") or (token.text == "\n" and not grouped):
            return False
        if token.text in ("exit", "return"):
            return True
    return False
