"""`--select` and `--ignore`: a few rules of all."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from msgspec.structs import replace

from rocm_ci.errors import UsageError
from rocm_ci.model.finding import Topic
from rocm_ci.scan.suppression import OWN_RULES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocm_ci.config.options import ScanOptions
    from rocm_ci.scan.rulebook import RuleBook


def chosen(
    options: ScanOptions, book: RuleBook, selected: Iterable[str], ignored: Iterable[str]
) -> ScanOptions:
    """The options with every other rule off. Names are rules or topics, commas may join them.

    Raises `UsageError` for a name that is neither.
    """
    topics = {c.rule.id: c.rule.topic.value for c in book.rules}
    topics |= dict.fromkeys(OWN_RULES, "")
    wanted, unwanted = _names(selected, topics), _names(ignored, topics)
    off = {
        rule
        for rule, topic in topics.items()
        if (wanted and not {rule, topic} & wanted) or {rule, topic} & unwanted
    }
    per_path = {
        glob: {name: level for name, level in levels.items() if name not in off}
        for glob, levels in options.per_path.items()
    }
    return replace(options, rules={**options.rules, **dict.fromkeys(off, "off")}, per_path=per_path)


def _names(given: Iterable[str], topics: dict[str, str]) -> set[str]:
    known = {*topics, *(topic.value for topic in Topic)}
    names = {name.strip() for part in given for name in part.split(",") if name.strip()}
    for name in sorted(names - known):
        near = difflib.get_close_matches(name, known, n=1)
        message = f"no rule or topic is called {name!r}"
        raise UsageError(
            message, hint=f"did you mean {near[0]}?" if near else "see rocm-ci scan --list-rules"
        )
    return names
