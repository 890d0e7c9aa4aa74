"""A page for every entry of the error library, and an index by category and by the words of a log."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.knowledge.article import article, general
from rocm_ci.model.diagnostic import Category
from rocm_ci.tools import needles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocm_ci.knowledge.entry import Entry

_MADE = "<!-- Written by `make gen` from rules/errors; do not edit. -->\n\n"
_WHAT = {
    Category.COMPILE: "configuring, compiling and linking",
    Category.RUNTIME: "programs and their libraries on the GPU",
    Category.PERFORMANCE: "right results that came slowly",
    Category.NUMERIC: "results that are not what they should be",
    Category.INFRA: "the machine, the container, the network, the runner",
}
_LEAST_WORDS = 8


def page(entry: Entry) -> str:
    """One entry."""
    return _MADE + article(entry, link=lambda one: f"[{one}]({one}.md)") + "\n[All errors](README.md)\n"


def index(entries: Sequence[Entry]) -> str:
    """The list of all."""
    intro = (
        f"{len(entries)} errors, each with what it is, why it happens, what to do, and where it was seen. "
        "`rocm-ci explain build.log` says which of them a log shows, `rocm-ci explain ID` shows one. A "
        "project adds its own below `.github/rocm-ci/errors/CATEGORY/`; `rocm-ci explain --draft LOG` writes "
        "the skeleton."
    )
    links = [f"[{c.value}](#{c.value})" for c in Category]
    jump = f"By category: {' · '.join(links)} · [by signature](#by-signature)"
    parts = [f"{_MADE}# Errors that rocm-ci knows", intro, jump]
    for category in Category:
        mine = [entry for entry in entries if entry.category is category]
        rows = [f"| [{e.id}]({e.id}.md) | {_cell(general(e.title))} | {e.blame.value} |" for e in mine]
        table = "| error | what it is | whose fault |\n|---|---|---|\n" + "\n".join(rows)
        parts.append(f"## {category.value}\n\n{len(mine)}: {_WHAT[category]}\n\n{table}")
    rows = [f"| `{words}` | {', '.join(f'[{i}]({i}.md)' for i in ids)} |" for words, ids in _words(entries)]
    parts.append("## By signature\n\n| words of the log | error |\n|---|---|\n" + "\n".join(rows))
    return "\n\n".join(parts) + "\n"


def _words(entries: Sequence[Entry]) -> list[tuple[str, list[str]]]:
    """What stands in a line of the log → the entries that it can mean, by the alphabet."""
    found: dict[str, list[str]] = {}
    for entry in entries:
        for signature in entry.signatures:
            words = signature.words or sorted(needles.of_pattern(signature.pattern) or ())
            for word in words[:6]:
                shown = word.strip()
                if len(shown) >= _LEAST_WORDS and entry.id not in found.setdefault(shown, []):
                    found[shown].append(entry.id)
    kept = {words: ids for words, ids in found.items() if "`" not in words and ids}
    return sorted(
        ((_cell(w), ids) for w, ids in kept.items()), key=lambda one: re.sub(r"\W", "", one[0]).lower()
    )


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
