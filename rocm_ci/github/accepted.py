"""Which of the remembered acceptances are real: a maintainer said so in this conversation, and still may.

The comment's payload says that a regression may pass. But whoever can write under our login (another
workflow of the repository that repeats a stranger's text, say) can write a payload too. What nobody can
forge is the author of a comment: so each acceptance needs the comment that gave it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.github.client import PermissionRefusedError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.github.port import People
    from rocm_ci.github.sticky import Look
    from rocm_ci.model.past import Acceptance

_QUOTES = "\"'“”„‘’«»"
_COMMAND = re.compile(r"^/rocm-ci[ \t]+accept-perf[ \t]+([^\r\n]+)", re.IGNORECASE | re.MULTILINE)


def believed(github: People, repository: str, look: Look) -> tuple[Acceptance, ...]:
    """Those that somebody who may write to the repository asked for; deleting that comment takes it back.

    Asks once for each person, and nothing where nothing was accepted. A token that may not ask believes
    nobody.
    """
    stamp = look.stamp
    if stamp is None or not stamp.accepted:
        return ()
    backed = [
        one
        for one in stamp.accepted
        if any(_is_about(said, _plain(one.name)) for said in _said(look, one.by))
    ]
    may = {by: _may(github, repository, by) for by in sorted({one.by for one in backed})}
    return tuple(one for one in backed if may[one.by])


def _said(look: Look, login: str) -> Iterator[str]:
    for comment in look.comments:
        if login and comment.author.casefold() == login.casefold():
            yield from (_plain(arguments) for arguments in _COMMAND.findall(comment.body[:65_536]))


def _is_about(said: str, name: str) -> bool:
    """Whether the arguments begin with the name, in quotation marks or not: a reason may name others."""
    rest = said.lstrip(_QUOTES).lstrip()
    after = rest[len(name) :].lstrip(_QUOTES)
    return bool(name) and rest.startswith(name) and after[:1] == " "


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _may(github: People, repository: str, login: str) -> bool:
    try:
        return github.permission(repository, login) in ("admin", "write")
    except PermissionRefusedError:
        return False
