"""How severe a rule is here: what `scan.rules` says of it, and `scan.per-path` for some files."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from rocm_ci.model.finding import Severity, Topic

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from rocm_ci.config.options import ScanOptions


class Spec(Protocol):
    """What pathspec makes of a pattern."""

    def match_file(self, file: str) -> bool:
        """Whether the pattern matches a path."""
        ...


EVERY = "*"
OFF = "off"


class Levels:
    """The configured levels of one scan. What stands later in `scan.per-path` wins.

    Rules in `asked` are off wherever the options do not name them.
    """

    def __init__(self, options: ScanOptions, asked: Collection[str] = ()) -> None:
        self._rules = options.rules
        self._asked = frozenset(asked).difference(options.rules)
        self._per_path = options.per_path

    @cached_property
    def _paths(self) -> list[tuple[str, Spec, Mapping[str, str]]]:
        if not self._per_path:
            return []
        # 45 ms to import, and most projects have no such option.
        import pathspec  # noqa: PLC0415

        return [
            (glob, pathspec.GitIgnoreSpec.from_lines([glob]), levels)
            for glob, levels in self._per_path.items()
        ]

    def may_report(self, rule: str, topic: Topic) -> bool:
        """Whether a rule is on, for some path at least."""
        if self._rules.get(rule) != OFF and rule not in self._asked:
            return True
        names = (rule,) if rule in self._asked else (rule, topic.value, EVERY)
        return any(v != OFF for levels in self._per_path.values() for k, v in levels.items() if k in names)

    def of(self, rule: str, topic: Topic, path: str, severity: Severity) -> tuple[Severity | None, str]:
        """(the severity, None for off; the path pattern that turned it off, if one did)."""
        asked = rule in self._asked
        level: str = OFF if asked else self._rules.get(rule, severity.value)
        by = ""
        for glob, spec, levels in self._paths:
            said = levels.get(rule) or (None if asked else levels.get(topic.value) or levels.get(EVERY))
            if said is not None and spec.match_file(path):
                level, by = said, glob
        return (None if level == OFF else Severity(level)), by

    def unknown(self, rules: Collection[str]) -> Iterator[str]:
        """A sentence for each name in the options that is neither a rule nor a topic."""
        topics = {topic.value for topic in Topic}
        named = [("scan.rules", name) for name in self._rules if name not in rules]
        for glob, levels in self._per_path.items():
            known = {*rules, *topics, EVERY}
            named += [(f"scan.per-path[{glob!r}]", name) for name in levels if name not in known]
        for where, name in named:
            yield f"{where}: {_nearest(name, [*rules, *(topics if 'per-path' in where else ())])}"


def _nearest(name: str, known: Collection[str]) -> str:
    import difflib  # noqa: PLC0415 - only after a typing mistake

    near = difflib.get_close_matches(name, known, n=1)
    return f"no rule is called `{name}`" + (f"; did you mean `{near[0]}`?" if near else "")
