"""A rule over a parsed file → matches."""

from __future__ import annotations

import fnmatch
import re
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from rocm_ci.scan.language import Match
from rocm_ci.scan.language_registry import detector
from rocm_ci.scan.source import Guard, RegionKind
from rocm_ci.scan.tables import parts, renamers
from rocm_ci.scan.translators import LISTED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rocm_ci.scan.language import Parsed, Surroundings
    from rocm_ci.scan.rule import MatchSpec, Rule
    from rocm_ci.scan.source import Region
    from rocm_ci.scan.tables import Tables
    from rocm_ci.scan.texts import Texts

_MOST_OF_A_DETECTOR = 2000  # matches in one file, more than are ever listed
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*")


class CompiledRule:
    """A rule with its patterns compiled on first use: most rules never meet a file that needs them."""

    def __init__(self, rule: Rule, tables: Tables) -> None:
        self.rule = rule
        self._tables = tables

    @cached_property
    def _not_path(self) -> re.Pattern[str] | None:
        return re.compile(self.rule.not_path) if self.rule.not_path else None

    @cached_property
    def _matchers(self) -> tuple[_TextMatcher | str, ...]:
        return tuple(
            spec.detector if spec.detector is not None else _TextMatcher(spec, self._tables)
            for spec in self.rule.match
        )

    @cached_property
    def minds_nvidia(self) -> bool:
        """Whether the rule looks at what only NVIDIA reaches, as one about every machine's paths does."""
        return any(spec.detector is None and Guard.NVIDIA in spec.guards for spec in self.rule.match)

    def holds_for(self, archs: Sequence[str]) -> bool:
        """Whether the rule is about one of the configured targets."""
        globs = self.rule.archs
        return not globs or any(fnmatch.fnmatchcase(a.split(":")[0], g) for a in archs for g in globs)

    def is_about(self, path: str) -> bool:
        """Whether the rule looks at a file of this path."""
        return self._not_path is None or not self._not_path.search(path)

    def find(self, parsed: Parsed, texts: Texts, surroundings: Surroundings) -> Iterator[Match]:
        """Every match in file order. What has no repair is told once per line."""
        seen: dict[tuple[int, int], Match] = {}
        told: set[tuple[int, str]] = set()
        for matcher in self._matchers:
            if isinstance(matcher, str):
                all_of_it = detector(matcher).find(parsed, surroundings)
                found: Iterator[Match] = islice(all_of_it, _MOST_OF_A_DETECTOR)
            else:
                found = matcher.find(texts)
            for match in found:
                seen.setdefault((match.line, match.column), match)
        repairs = self.rule.replace is not None or self.rule.repair is not None
        for place in sorted(seen):
            match = seen[place]
            has_own = repairs or match.replacement is not None or match.edits
            if has_own or (match.line, match.text) not in told:
                told.add((match.line, match.text))
                yield self._naming_target(match, surroundings.archs)

    def _naming_target(self, match: Match, archs: Sequence[str]) -> Match:
        """`{arch}` in the message of a rule becomes the first target that it is about."""
        message = match.message or self.rule.message
        if "{arch}" not in message:
            return match
        globs = self.rule.archs
        mine = (a for a in archs if any(fnmatch.fnmatchcase(a.split(":")[0], g) for g in globs))
        return replace(match, message=message.replace("{arch}", next(mine, "the target")))


class _TextMatcher:
    """Looks at the text of regions."""

    def __init__(self, spec: MatchSpec, tables: Tables) -> None:
        self._spec = spec
        self._kinds = spec.kinds
        self._guards = spec.guards
        self._tables = tables
        self._renamed_by: tuple[str, ...] = spec.renamed_by

    # Half of all expressions are about what surrounds a match: most files have none.

    @cached_property
    def _context(self) -> re.Pattern[str] | None:
        return re.compile(self._spec.context) if self._spec.context else None

    @cached_property
    def _not_context(self) -> re.Pattern[str] | None:
        return re.compile(self._spec.not_context) if self._spec.not_context else None

    @cached_property
    def _not_pattern(self) -> re.Pattern[str] | None:
        return re.compile(self._spec.not_pattern) if self._spec.not_pattern else None

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        if self._spec.pattern:
            return re.compile(self._spec.pattern, re.MULTILINE)
        return re.compile(_any_of(self._spec.names)) if self._spec.names else _IDENTIFIER

    @cached_property
    def _names(self) -> Mapping[str, str] | None:
        if self._spec.names:
            return dict.fromkeys(self._spec.names, "")
        return self._tables[self._spec.table] if self._spec.table else None

    @cached_property
    def _not_names(self) -> list[Mapping[str, str]]:
        return [self._tables[name] for name in self._spec.not_tables]

    def find(self, texts: Texts) -> Iterator[Match]:
        last: Region | None = None
        for region, found, shift in texts.search(self._pattern, self._kinds, self._guards):
            # A statement of assembly is one thing, however many instructions it has.
            if region is last and region.kind is RegionKind.ASM:
                continue
            word = found.group()
            if word and self._is_wanted(word) and self._right_context(region):
                last = region
                replacement, facts = parts(self._names[word]) if self._names is not None else ("", {})
                match = _match(region, found.start() - shift, found.end() - shift)
                if facts or replacement or self._renamed_by is not LISTED:
                    match = replace(
                        match,
                        replacement=replacement or None,
                        hint=self._tables.advice(facts) if facts else None,
                        renamed_by=renamers(facts, self._renamed_by),
                    )
                yield match

    def _is_wanted(self, word: str) -> bool:
        if self._names is not None and word not in self._names:
            return False
        if any(word in names for names in self._not_names):
            return False
        return self._not_pattern is None or not self._not_pattern.search(word)

    def _right_context(self, region: Region) -> bool:
        wanted, unwanted = self._context, self._not_context
        if wanted is not None and not any(wanted.search(c) for c in region.context):
            return False
        return unwanted is None or not any(unwanted.search(c) for c in region.context)


def _any_of(names: Sequence[str]) -> str:
    return rf"(?<![\w$])(?:{'|'.join(map(re.escape, sorted(names, key=len, reverse=True)))})(?![\w$])"


def _match(region: Region, start: int, end: int) -> Match:
    text = region.text
    line_start = text.rfind("\n", 0, start) + 1
    line = region.line + text.count("\n", 0, start)
    shift = region.column if line_start == 0 else 1
    column = start - line_start + shift
    line_end = text.find("\n", start, end)
    shown = text[start:end] if line_end < 0 else text[start:line_end]
    return Match(
        line=line,
        column=column,
        end=column + len(shown),
        text=shown.strip() or shown,
    )
