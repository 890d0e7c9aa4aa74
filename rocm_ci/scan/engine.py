"""Changes → findings: prefilter on bytes, parse what may hold something, match, keep added lines."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from rocm_ci.model.changes import ChangeKind
from rocm_ci.model.finding import Finding, Severity, Topic
from rocm_ci.model.scan_note import NoteKind, ScanNote
from rocm_ci.scan import files, suppression
from rocm_ci.scan.embedded import device_sources
from rocm_ci.scan.language import Match, Parsed, Surroundings
from rocm_ci.scan.language_registry import HEAD, language_of
from rocm_ci.scan.project import Project
from rocm_ci.scan.rulebook import EMBEDDED, RuleBook
from rocm_ci.scan.source import Source
from rocm_ci.scan.texts import Texts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from rocm_ci.config.options import ScanOptions
    from rocm_ci.model.changes import Changes, FileChange
    from rocm_ci.scan.files import FileSource
    from rocm_ci.scan.language import Language
    from rocm_ci.scan.matching import CompiledRule

_FIRST_NAME = re.compile(r"(?:::)?([A-Za-z_]\w*)")
MOST_FINDINGS_PER_RULE_AND_FILE = 200


@dataclass(frozen=True, slots=True)
class Scanned:
    """The outcome of one scan. `files` counts the files that were read; `notes` tell what was not."""

    findings: tuple[Finding, ...]
    suppressed: int
    files: int
    notes: tuple[ScanNote, ...] = ()

    @property
    def unfinished(self) -> bool:
        """Whether some file was given up, so that nobody knows what it holds."""
        return any(note.kind is NoteKind.UNFINISHED for note in self.notes)


def scan(
    source: FileSource,
    changes: Changes,
    options: ScanOptions,
    archs: Sequence[str],
    *,
    book: RuleBook,
    prefilter: bool = True,
) -> Scanned:
    """Scan the added lines of `changes`, reading files from `source`.

    `archs` are the targets the project builds for; rules about other targets are left out. With
    `prefilter=False` every file is parsed and every rule tried: slower, the same findings.
    """
    scanner = _Scanner(source, options, tuple(archs), book, prefilter=prefilter)
    scope = files.Scope(options)
    findings: list[Finding] = []
    for change in changes.files:
        if scope.includes(change):
            findings += scanner.file(change, whole=changes.whole_tree)
    findings.sort(key=lambda f: (f.path, f.line, f.column, f.rule))
    return Scanned(tuple(findings), scanner.suppressed, scanner.files, tuple(scanner.notes))


class _Scanner:
    def __init__(
        self,
        source: FileSource,
        options: ScanOptions,
        archs: tuple[str, ...],
        book: RuleBook,
        *,
        prefilter: bool,
    ) -> None:
        self._source = source
        self._options = options
        self._archs = archs
        self._book = book
        self._prefilter = prefilter
        self._project = Project(source)
        self._surroundings = Surroundings(archs=archs, tables=book.tables)
        self._topics = {c.rule.id: c.rule.topic for c in book.rules}
        self._topics |= dict.fromkeys(suppression.OWN_RULES, Topic.CUDA_TOOL)
        self._memo: dict[str, object] = {}
        self.suppressed = 0
        self.files = 0
        self.notes: list[ScanNote] = []

    def file(self, change: FileChange, *, whole: bool) -> Iterable[Finding]:
        data = self._source.read(change.path)
        if data is None or files.is_binary(data):
            return ()
        head = data[:HEAD].decode("utf-8", "replace")
        language = language_of(change.path, head)
        if language is None:
            return ()
        self.files += 1
        if language.name == EMBEDDED and self._project.has_amd_twin(change.path):
            return ()
        rules, embedded = self._candidates(language.name, data)
        rules = tuple(r for r in rules if r.is_about(change.path))
        marked = suppression.MARK in data
        if not (rules or embedded or marked):
            return ()
        text, lines = files.decode(data)
        # A file that git does not track yet is new without any hunk: all of it is added.
        is_new = change.kind is ChangeKind.ADDED and not change.added
        added = None if whole or is_new else _Lines(change.added)
        found: list[Finding] = []
        if rules or embedded:
            hits = self._book.of_language(language.name).hits(data, rules) if self._prefilter else None
            beside = self._beside(change.path)
            macros = self._project.macros(change.path) if language.name == EMBEDDED else {}
            source = Source(
                change.path,
                text,
                lines,
                hits=hits,
                macros=macros,
                beside=beside,
                read=self._source.read,
                memo=self._memo,
            )
            parsed = language.parse(source)
            for reason in parsed.notes:
                self.notes.append(
                    ScanNote(kind=NoteKind.FALLBACK, path=_encodable(change.path), reason=reason)
                )
            found += self._findings(parsed, language, rules, added)
            if embedded:
                found += self._embedded(parsed, added)
        return self._after_suppression(change.path, lines, found, added) if marked else found

    def _beside(self, path: str) -> Callable[[str], bool]:
        folder = PurePosixPath(path).parent
        return lambda name: self._source.read(str(folder / name)) is not None

    def _candidates(self, language: str, data: bytes) -> tuple[tuple[CompiledRule, ...], bool]:
        mine = self._book.of_language(language)
        rules, embedded = mine.possible(data) if self._prefilter else (mine.rules, True)
        return tuple(r for r in rules if self._is_on(r)), embedded

    def _is_on(self, compiled: CompiledRule) -> bool:
        return self._options.rules.get(compiled.rule.id) != "off" and compiled.holds_for(self._archs)

    def _embedded(self, parsed: Parsed, added: _Lines | None) -> Iterator[Finding]:
        for inner, language in device_sources(parsed):
            rules, _ = self._candidates(language.name, inner.source.text.encode("utf-8", "surrogateescape"))
            yield from self._findings(inner, language, rules, added)

    def _findings(
        self, parsed: Parsed, language: Language, rules: Iterable[CompiledRule], added: _Lines | None
    ) -> Iterator[Finding]:
        texts = Texts(parsed)
        for compiled in rules:
            most = 1 if compiled.rule.once else MOST_FINDINGS_PER_RULE_AND_FILE
            for match in compiled.find(parsed, texts, self._surroundings):
                if added is not None and match.line not in added:
                    continue
                if language.name == EMBEDDED and self._is_own(compiled.rule.topic, parsed, match):
                    continue
                yield self._finding(compiled, parsed.source.path, match)
                most -= 1
                if not most:
                    break

    def _is_own(self, topic: Topic, parsed: Parsed, match: Match) -> bool:
        """Whether a CUDA-looking name of a C file is the project's own: an alias or a header of its."""
        path = parsed.source.path
        if topic is Topic.CUDA_INCLUDE:
            line = parsed.source.lines[match.line - 1]
            return line[match.column - 2 : match.column - 1] == '"' and self._project.has_header(
                path, match.text
            )
        name = _FIRST_NAME.match(match.name or match.text)
        return name is not None and name[1] in self._project.aliases(path)

    def _finding(self, compiled: CompiledRule, path: str, match: Match) -> Finding:
        rule = compiled.rule
        severity = rule.severity
        if rule.translated is not None and self._project.translates(path):
            severity = min(severity, rule.translated)
        override = self._options.rules.get(rule.id)
        if override is not None and override != "off":
            severity = Severity(override)
        replacement = match.replacement
        if replacement is None and rule.replace is not None:
            changed = re.sub(rule.replace.from_, rule.replace.to, match.text)
            replacement = changed if changed != match.text else None
        message = match.message or rule.message
        fix = f"{rule.fix}; {match.hint}" if match.hint else rule.fix
        text = _encodable(match.text)
        return Finding(
            rule=rule.id,
            topic=rule.topic,
            severity=severity,
            path=_encodable(path),
            line=match.line,
            column=match.column,
            end=match.end,
            message=_encodable(message).replace("{match}", text).replace("{replacement}", replacement or ""),
            fix=fix.replace("{match}", text).replace("{replacement}", replacement or ""),
            docs=f"docs/rules/{rule.id}.md",
            replacement=replacement,
        )

    def _after_suppression(
        self, path: str, lines: Sequence[str], found: Iterable[Finding], added: _Lines | None
    ) -> list[Finding]:
        suppressions = suppression.find(lines)
        kept = []
        for finding in found:
            if suppression.silences(suppressions, finding):
                self.suppressed += 1
            else:
                kept.append(finding)
        for problem in suppression.problems(path, suppressions, self._topics):
            override = self._options.rules.get(problem.rule)
            if override == "off" or (added is not None and problem.line not in added):
                continue
            kept.append(problem)
        return kept


def _encodable(text: str) -> str:
    """Bytes that are no UTF-8 arrive as surrogates, which no report can encode: `\\udcff`."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


class _Lines:
    """Membership in sorted, inclusive line ranges."""

    def __init__(self, ranges: Iterable[tuple[int, int]]) -> None:
        self._ranges = tuple(ranges)

    def __contains__(self, line: int) -> bool:
        return any(first <= line <= last for first, last in self._ranges)
