"""Which repairs of a report may be offered in a review: safe ones that our second look finds as well.

The report chooses; what is offered, word for word, is what the second look made of GitHub's own diff.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

from msgspec.structs import replace

from rocm_ci.report import inert
from rocm_ci.report.suggestions import mechanical, suggestions
from rocm_ci.sinks import second_look

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from rocm_ci.config.options import Level
    from rocm_ci.model.finding import Finding, Severity
    from rocm_ci.model.report import Report
    from rocm_ci.report.suggestions import Suggestion
    from rocm_ci.sinks.second_look import Diff

MOST_LINES = 40  # of one suggestion
MOST_CHARACTERS = 4_000
_REPLACEMENT = "\ufffd"  # GitHub shows it for bytes that are no UTF-8, and would write it


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposals:
    """`offers`, the most urgent first; `repairs` counts the safe repairs of the report, offered or not.

    `seen` are the fingerprints of all that the second look found.
    """

    offers: tuple[Suggestion, ...]
    repairs: int
    seen: frozenset[str]


def offered(report: Report) -> bool:
    """Whether a report holds anything that might be suggested. Asks nobody."""
    return any(finding.excerpt for finding in mechanical(report))


def proposals(report: Report, diff: Diff, also: Collection[str] = ()) -> Proposals:
    """What of a report can be suggested on this diff. The second look takes in the files `also`, too."""
    wanted = mechanical(report)
    told = [finding for finding in wanted if finding.excerpt]
    levels: dict[str, Level] = {finding.rule: finding.severity.value for finding in told}
    paths = [f.path for f in told if diff.has(f.path)]
    seen = second_look.found(diff, _first({*also}, paths), levels)
    own = {_key(finding): finding for finding in seen if not finding.unsafe}
    both = {}
    for finding in told:
        mine = own.get(_key(finding))
        if mine is not None:
            # How much it matters is for the project's configuration to say, which the report read.
            both[_key(finding)] = replace(mine, severity=finding.severity)
    made = [one for one in suggestions(both.values()) if _is_sound(one, diff)]
    prints = frozenset(finding.fingerprint for finding in seen)
    return Proposals(offers=tuple(_urgent_first(made)), repairs=len(wanted), seen=prints)


def _first(also: set[str], paths: Sequence[str]) -> list[str]:
    """As many paths as the second look takes; those `also` asked for come first."""
    return list(dict.fromkeys([*sorted(also), *paths]))[: second_look.MOST_FILES]


def _key(finding: Finding) -> object:
    """What the report and the second look must agree on."""
    return finding.rule, finding.path, finding.line, finding.column, finding.edits, finding.excerpt


def _is_sound(suggestion: Suggestion, diff: Diff) -> bool:
    """Whether GitHub takes it, shows it as it is, and writes what it shows."""
    if inert.line(suggestion.path, limit=4096) != suggestion.path:
        return False
    first, last = suggestion.first, suggestion.last
    hunk = next((one for one in diff.hunks(suggestion.path) if one.adds(first, last)), None)
    before = hunk.text(first, last) if hunk is not None else None
    if before is None or len(suggestion.lines) != len(before) or before == suggestion.lines:
        return False
    size = sum(map(len, suggestion.lines))
    if len(before) > MOST_LINES or size > MOST_CHARACTERS:
        return False
    # A carriage return is refused with the rest: GitHub does not promise to keep such line ends.
    return all(_is_plain(line) for line in (*before, *suggestion.lines))


def _is_plain(line: str) -> bool:
    """No character that is not shown, or that stands for something else."""
    if line.isascii():
        return line.replace("\t", "").isprintable()
    plain = line.replace("\t", " ")
    return plain.isprintable() and _REPLACEMENT not in line and inert.block(plain) == plain


def _urgent_first(made: Iterable[Suggestion]) -> Iterator[Suggestion]:
    """By severity; within one, the first of each file, then the second of each, and so on."""
    groups: dict[Severity, dict[str, list[Suggestion]]] = {}
    for one in made:
        severity = max(finding.severity for finding in one.findings)
        groups.setdefault(severity, {}).setdefault(one.path, []).append(one)
    for severity in sorted(groups, reverse=True):
        for turn in zip_longest(*groups[severity].values()):
            yield from (one for one in turn if one is not None)
