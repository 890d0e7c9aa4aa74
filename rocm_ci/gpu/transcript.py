"""A terminal session taken apart: what was typed at each prompt, and what was printed then."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# `user@host:~/x$ `, `[root@host x]# `, `(venv) host:/$ `, or the bare sign.
_PROMPT = re.compile(
    r"^(?:\([\w.-]{1,40}\) )?(?P<who>\S{0,80}[~:/]\S{0,80}|\[[^\]\n]{1,80}\])?"
    r"(?P<sign>[$#]|❯|➜ {1,2}\S{1,40}) (?P<typed>\S.*)$"
)
_HEADING = re.compile(r"(?m)^==> (/\S+) <==$")
# A bare `# ` may as well begin a comment or a headline.
_SHELL = re.compile(
    r"^(?:sudo )?(?:\w+=\S+ )*(cat|head|tail|grep|readlink|ls|id|uname|env|printenv|echo|lspci|modinfo|"
    r"hip\S+|rocm\S*|amd-smi|python\S*|pip\S*|lscpu|nproc|free|hostnamectl|lsb_release|clang\S*|gcc|cmake|ninja|"
    r"ccache|dpkg\S*|rpm|apt|lsmod|dmesg|journalctl|docker|podman|kubectl|nvcc|/\S+)\b"
)


def sections(text: str) -> Iterator[tuple[str, str]]:
    """(command, what it printed) for each prompt line; nothing when the text is no transcript.

    What stands before the first prompt has an empty command.
    """
    command, body = "", list[str]()
    for line in text.splitlines():
        heading, typed = _HEADING.match(line), _typed(line)
        if heading or typed:
            if command or any(line.strip() for line in body):
                yield command, "\n".join(body) + "\n"
            command, body = f"cat {heading.group(1)}" if heading else typed, []
        else:
            body.append(line)
    if command:
        yield command, "\n".join(body) + "\n"


def _typed(line: str) -> str:
    found = _PROMPT.match(line)
    if found is None:
        return ""
    typed = found.group("typed")
    certain = found.group("who") or found.group("sign") not in ("$", "#")
    return typed if certain or _SHELL.match(typed) else ""
