"""A match → its finding: what the project makes of it, its severity, its words, its repair."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from rocm_ci.model.finding import Finding, Severity, Topic
from rocm_ci.scan.repair import Repairs
from rocm_ci.scan.rulebook import EMBEDDED
from rocm_ci.scan.scanned import encodable
from rocm_ci.scan.translators import Translator

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocm_ci.scan.excuses import Excuses
    from rocm_ci.scan.language import Match, Parsed
    from rocm_ci.scan.project import Project
    from rocm_ci.scan.rule import Rule

_FIRST_NAME = re.compile(r"(?:::)?([A-Za-z_]\w*)")


class Drafts:
    """The findings of one parsed file. `lines` are those of the whole file, of which it may be a part."""

    def __init__(self, project: Project, parsed: Parsed, language: str, lines: Sequence[str]) -> None:
        self._project = project
        self.parsed = parsed
        self._language = language
        self._lines = lines
        self._path = parsed.source.path

    @cached_property
    def _translators(self) -> frozenset[Translator]:
        return self._project.translators(self._path)

    @cached_property
    def _excuses(self) -> Excuses | None:
        if self._language != EMBEDDED:
            return None
        from rocm_ci.scan.excuses import Excuses  # noqa: PLC0415 - the lexer of C

        return Excuses(self._project, self.parsed)

    @cached_property
    def _repairs(self) -> Repairs:
        return Repairs(self.parsed, self._language, self._lines, translates=bool(self._translators))

    def is_own(self, rule: Rule, match: Match) -> bool:
        """Whether a CUDA-looking name of a C file is the project's own: an alias or a header of its."""
        if self._language != EMBEDDED:
            return False
        if rule.topic is Topic.CUDA_INCLUDE:
            line = self.parsed.source.lines[match.line - 1]
            in_quotes = line[match.column - 2 : match.column - 1] == '"'
            return self._project.has_header(self._path, match.text, in_quotes=in_quotes)
        name = _FIRST_NAME.match(match.name or match.text)
        return name is not None and self._project.defines(self._path, name[1])

    def _excuse(self, rule: Rule, match: Match) -> str:
        """Why it is no more than a note; empty when it counts. Never asked for notes: it may take long."""
        if self._excuses is not None:
            return self._excuses.of(rule, match)
        if self._language == "shell":
            return self._project.script_excuse(self._path)
        if self._language != "python":
            return ""
        return self._project.module_excuse(self.parsed, rule.id, match.line)

    def _is_left(self, match: Match) -> bool:
        """Whether none of those who translate this file makes the right HIP name of a CUDA name."""
        return not any(who is Translator.OWN or who.value in match.renamed_by for who in self._translators)

    def finding(self, rule: Rule, match: Match) -> Finding:
        """What is reported."""
        severity, left = rule.severity, ""
        if rule.translated is not None and self._translators:
            if self._is_left(match):
                left = " and ".join(sorted(who.title for who in self._translators))
            else:
                severity = min(severity, rule.translated)
        excuse = "" if severity is Severity.NOTE else self._excuse(rule, match)
        if excuse:
            severity = Severity.NOTE
        repair = self._repairs.of(rule, match)
        written = match.replacement or repair.replacement or ""
        fix = f"{rule.fix}; {match.hint}" if match.hint else rule.fix
        if left and not match.edits:
            fix += "; for AMD alone, behind `USE_ROCM` or `__HIP_PLATFORM_AMD__`"
        text = encodable(match.text)
        does_not = "does not mend that" if match.edits else "does not make that of it"
        remark = excuse or (left and f"{left}, which this project runs, {does_not}")
        message = encodable(match.message or rule.message) + (f" ({remark})" if remark else "")
        return Finding(
            rule=rule.id,
            topic=rule.topic,
            severity=severity,
            path=encodable(self._path),
            line=match.line,
            column=match.column,
            end=self._end(match),
            message=message.replace("{match}", text).replace("{replacement}", written),
            fix=fix.replace("{match}", text).replace("{replacement}", written),
            docs=f"docs/rules/{rule.id}.md",
            replacement=repair.replacement,
            edits=repair.edits,
            unsafe=repair.unsafe,
        )

    def _end(self, match: Match) -> int:
        """Where a match ends on its line: what a name stands for may be longer than what is written."""
        if match.line > len(self._lines):
            return match.end
        return max(match.column, min(match.end, len(self._lines[match.line - 1]) + 1))
