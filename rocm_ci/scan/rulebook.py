"""All rules of one scan, their tables, and the prefilter of each language."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from rocm_ci import registry
from rocm_ci.errors import ConfigError
from rocm_ci.scan import ready
from rocm_ci.scan.language_registry import detectors, languages
from rocm_ci.scan.matching import CompiledRule
from rocm_ci.scan.prefilter import Need, Prefilter
from rocm_ci.scan.rule import Rule, decode
from rocm_ci.scan.tables import Tables

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from pathlib import Path

    from rocm_ci.scan.prefilter import Way

# Device source inside a string is scanned with the rules of this language.
EMBEDDED = "c"
_EMBEDDED_SIGNS = ((Need(frozenset({
    b"__global__", b"__device__", b"__shared__", b"cdef extern", b"cuda_sources", b"RawKernel", b"RawModule",
    b"ElementwiseKernel", b"ReductionKernel", b"SourceModule", b"rtcCreateProgram", b"_compile_kernel",
    b"import_source", b"#include <cu", b"#include <nv",
})),),)  # fmt: skip


def rule_files(folder: Path) -> list[Path]:
    """Every rule file below a folder, sorted by path."""
    return sorted(folder.glob("*/*.yaml"))


def shipped(*, documentation: bool = False) -> list[Rule]:
    """The rules that come with rocm-ci."""
    found: list[Rule] = []
    for path in rule_files(registry.data_folder("rules") / "scan"):
        file, data = f"{path.parent.name}/{path.name}", path.read_bytes()
        rule = None if documentation else ready.rule_of(file, data)
        found.append(rule or decode(data.decode("utf-8"), file, documentation=documentation))
    return found


class RuleBook:
    """Rules ready for matching, by language."""

    def __init__(self, rules: Iterable[Rule], tables: Tables | None = None) -> None:
        self.tables = tables or Tables()
        self.rules = tuple(CompiledRule(rule, self.tables) for rule in rules)
        self.ids = frozenset(rule.rule.id for rule in self.rules)
        self.asked = frozenset(rule.rule.id for rule in self.rules if not rule.rule.default)
        self._per_language: dict[str, LanguageRules] = {}

    def of_language(self, name: str) -> LanguageRules:
        """The rules for files of one language."""
        if name not in self._per_language:
            mine = [rule for rule in self.rules if name in rule.rule.languages]
            self._per_language[name] = LanguageRules(name, mine, self.tables)
        return self._per_language[name]

    def check(self) -> None:
        """Raise `ConfigError` for an id used twice, an unknown language or an unknown detector."""
        seen: set[str] = set()
        for compiled in self.rules:
            rule = compiled.rule
            if rule.id in seen:
                message = f"two rules are called {rule.id}"
                raise ConfigError(message, hint="rename one")
            seen.add(rule.id)
            for language in rule.languages:
                if language not in languages():
                    message = f"rule {rule.id}: no language {language!r}"
                    raise ConfigError(message, hint=f"languages are {', '.join(languages())}")
            for spec in rule.match:
                if spec.detector is not None and spec.detector not in detectors():
                    message = f"rule {rule.id}: no detector {spec.detector!r}"
                    raise ConfigError(message, hint=f"detectors are {', '.join(detectors())}")


class LanguageRules:
    """The rules of one language behind their prefilter."""

    def __init__(self, name: str, rules: Sequence[CompiledRule], tables: Tables) -> None:
        self.name = name
        self.rules = tuple(rules)
        self._tables = tables

    def prepare(self) -> None:
        """Build the prefilter now: the first file need not wait for it."""
        _ = self._prefilter

    @cached_property
    def _prefilter(self) -> Prefilter:
        return Prefilter([*(self._ways(one.rule) for one in self.rules), _EMBEDDED_SIGNS])

    def _ways(self, rule: Rule) -> tuple[Way, ...]:
        ways = ready.ways_of(rule, self.name) if self._tables.are_shipped else None
        if ways is None:
            # Only for a rule that was written after the last `make gen`: it loads every detector.
            from rocm_ci.scan.sieve import ways_of  # noqa: PLC0415

            ways = ways_of(rule, self._tables, self.name)
        return ways

    def possible(self, data: bytes) -> tuple[tuple[CompiledRule, ...], bool]:
        """The rules that could match, and whether the file may hold embedded device source."""
        indices = self._prefilter.possible(data)
        count = len(self.rules)
        return tuple(self.rules[i] for i in sorted(indices) if i < count), count in indices

    def hits(self, data: bytes, rules: Collection[CompiledRule]) -> tuple[int, ...] | None:
        """Lines that hold a needle of some rules, or a sign of device source; None when they have none."""
        wanted = {i for i, compiled in enumerate(self.rules) if compiled in rules}
        return self._prefilter.lines(data, wanted | {len(self.rules)})
