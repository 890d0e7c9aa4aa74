"""Which findings of a file count: on added lines, at their configured level, silenced by nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from rocm_ci.model.finding import Silenced, SilencedBy
from rocm_ci.scan.repair import excerpt, fingerprint, wide
from rocm_ci.scan.scanned import encodable

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

    from rocm_ci.model.finding import Finding, Topic
    from rocm_ci.scan.levels import Levels
    from rocm_ci.scan.suppression import Marks


class Counting:
    """Keeps apart what does not count. `topics` gives the topic of every known rule."""

    def __init__(self, levels: Levels, topics: Mapping[str, Topic]) -> None:
        self._levels = levels
        self._topics = topics
        self._silenced: list[Finding] = []

    def taken(self) -> list[Finding]:
        """The findings that did not count since this was asked last."""
        taken, self._silenced = self._silenced, []
        return taken

    def of(
        self,
        found: Iterable[Finding],
        path: str,
        lines: Sequence[str],
        *,
        marks: Marks,
        added: Container[int] | None,
        was_tried: Callable[[str], bool],
    ) -> Iterator[Finding]:
        """The findings of one file that count, and notes about its suppressions.

        `found` may hold others than those on `added` lines: they tell which suppressions are needed.
        """
        for finding in found:
            silenced = marks.silencing(finding)
            if added is None or finding.line in added:
                yield from self._levelled(finding, path, lines, added, silenced)
        for problem in marks.problems(path, self._topics, was_tried):
            if added is None or problem.line in added:
                yield from self._levelled(problem, path, lines, added, None)

    def _levelled(
        self,
        finding: Finding,
        path: str,
        lines: Sequence[str],
        added: Container[int] | None,
        silenced: Silenced | None,
    ) -> Iterator[Finding]:
        severity, by = self._levels.of(finding.rule, finding.topic, path, finding.severity)
        if severity is None and not by:
            return
        if severity is None and silenced is None:
            silenced = Silenced(by=SilencedBy.CONFIGURATION, reason=f"scan.per-path: {by}")
        line = lines[finding.line - 1] if finding.line <= len(lines) else ""
        text = line[finding.column - 1 : finding.end - 1]
        made = replace(
            finding,
            path=encodable(path),
            severity=severity or finding.severity,
            excerpt=excerpt(finding.edits, lines, added),
            fingerprint=fingerprint(finding.rule, path, line, text),
            silenced=silenced,
            wide=wide({finding.line, *(e.line for e in finding.edits)}, lines),
        )
        if silenced is None:
            yield made
        else:
            self._silenced.append(made)
