"""What logs, letters and containers put before every line of a tool's output, taken off again.

`docker compose` and `kubectl --prefix` write a name, `gh run view --log` job, step and time, a quoted
letter `> `, `srun --label` the task. Such a margin is taken off only where nearly all lines have the same
one: what several hosts wrote side by side would become one host's otherwise.
"""

from __future__ import annotations

import re

_MARGINS = (
    # job <tab> step <tab> time
    re.compile(r"([^\t\n]{1,100}\t[^\t\n]{1,100}\t)\ufeff?(?:\d{4}-\d\d-\d\dT[\d:.]{8,20}Z ?)?"),
    # name | text
    re.compile(r"([\w./-]{1,80} *\| ?)"),
    # [pod/name/container] text
    re.compile(r"(\[pod/[\w./-]{1,200}\] )"),
    re.compile(r"((?:> ?){1,3})"),
    # [1,0]<stdout>: text, and 0: text
    re.compile(r"(\[\d{1,4},\d{1,4}\]<std(?:out|err)>:)"),
    re.compile(r"(\d{1,4}: )"),
)
_MIN_LINES = 3
_SHARE = 0.95
_MAX_LINES = 200_000


def without_margin(text: str) -> str:
    """The text without the margin that its lines share; the text itself when they share none."""
    lines = text.split("\n")
    full = [line for line in lines[:_MAX_LINES] if line.strip()]
    if len(full) < _MIN_LINES:
        return text
    for margin in _MARGINS:
        first = margin.match(full[0])
        if first is None:
            continue
        kept = first.group(1).rstrip()
        mine = [m for line in full if (m := margin.match(line)) and m.group(1).rstrip() == kept]
        # Blank lines lose the blanks at their end, and with them a part of the margin.
        blank = sum(line.rstrip() == kept for line in full)
        if len(mine) + blank >= _SHARE * len(full) and len(mine) >= _MIN_LINES:
            return "\n".join(_cut(margin, line, kept) for line in lines)
    return text


def _cut(margin: re.Pattern[str], line: str, kept: str) -> str:
    found = margin.match(line)
    if found and found.group(1).rstrip() == kept:
        return line[found.end() :]
    return "" if line.rstrip() == kept else line
