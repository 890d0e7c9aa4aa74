"""Changes → findings: prefilter on bytes, parse what may hold something, match, keep added lines."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from rocm_ci.model.changes import ChangeKind
from rocm_ci.model.finding import Finding, Topic
from rocm_ci.model.scan_note import NoteKind, ScanNote
from rocm_ci.scan import files, suppression
from rocm_ci.scan.c_splices import spliced
from rocm_ci.scan.counting import Counting
from rocm_ci.scan.drafts import Drafts
from rocm_ci.scan.embedded import device_sources
from rocm_ci.scan.language import Match, Parsed, Surroundings
from rocm_ci.scan.language_registry import HEAD, is_source, language_of
from rocm_ci.scan.levels import Levels
from rocm_ci.scan.limits import STRIKES, OutOfTime, Stopwatch
from rocm_ci.scan.project import Project
from rocm_ci.scan.rulebook import EMBEDDED, RuleBook
from rocm_ci.scan.scanned import Scanned, encodable, told
from rocm_ci.scan.scope import Chosen, Lines, Look, Scope
from rocm_ci.scan.source import Source
from rocm_ci.scan.texts import Texts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from rocm_ci.config.options import ScanOptions
    from rocm_ci.model.changes import Changes, FileChange
    from rocm_ci.scan.files import FileSource
    from rocm_ci.scan.matching import CompiledRule

MOST_FINDINGS_PER_RULE_AND_FILE = 200


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
    scope = Scope(options, source, changes)
    chosen = scope.chosen(changes)
    with Stopwatch() as stopwatch:
        scanner = Scanner(
            source, options, archs, book, stopwatch=stopwatch, chosen=chosen, prefilter=prefilter
        )
        return scanner.scan(chosen.files).joined(Scanned((), 0, 0, scope.notes()))


class Scanner:
    """Scans files one by one. A file that goes wrong costs itself a note, and the others nothing."""

    def __init__(
        self,
        source: FileSource,
        options: ScanOptions,
        archs: Sequence[str],
        book: RuleBook,
        *,
        stopwatch: Stopwatch,
        chosen: Chosen,
        prefilter: bool = True,
    ) -> None:
        self._source = source
        self._archs = tuple(archs)
        self._book = book
        self._stopwatch = stopwatch
        self._chosen = chosen
        self._prefilter = prefilter
        self._project = Project(source)
        self._surroundings = Surroundings(archs=self._archs, tables=book.tables)
        self._topics = {c.rule.id: c.rule.topic for c in book.rules}
        self._topics |= dict.fromkeys(suppression.OWN_RULES, Topic.CUDA_TOOL)
        self._levels = Levels(options, book.asked)
        self._counting = Counting(self._levels, self._topics)
        self._on = frozenset(c.rule.id for c in book.rules if self._is_on(c))
        self._failed: set[str] = set()  # rules that could not be tried on the file at hand
        self._memo: dict[str, object] = {}
        self._files = 0
        self._notes: list[ScanNote] = []

    def scan(self, changes: Iterable[FileChange]) -> Scanned:
        """The findings of these files, some of the chosen ones, sorted by place."""
        found: list[Finding] = []
        for change in changes:
            found += self._guarded(change)
        silenced, notes = tuple(self._counting.taken()), tuple(self._notes)
        done = Scanned(tuple(found), len(silenced), self._files, notes, silenced).joined()
        self._files, self._notes = 0, []
        return done

    def _guarded(self, change: FileChange) -> Iterable[Finding]:
        try:
            return self._told_once(change.path, list(self._file(change)))
        except OutOfTime:
            self._stopwatch.stop()
            self._note(NoteKind.UNFINISHED, change.path, "given up while it was read: it took too long")
        except MemoryError:
            self._note(NoteKind.UNFINISHED, change.path, "given up: out of memory")
        except Exception as error:  # noqa: BLE001 - one file must not cost the findings of all others
            self._note(NoteKind.UNFINISHED, change.path, f"given up: {told(error)}")
        finally:
            self._stopwatch.stop()
        return ()

    def _told_once(self, path: str, found: list[Finding]) -> list[Finding]:
        """Nothing but a note for a file that is a copy of another one in the tree."""
        first = self._chosen.copies.first(path) if found and self._chosen.copies else None
        if first is None:
            return found
        self._note(
            NoteKind.COPY, path, f"its {len(found)} findings are those of {first}, of which it is a copy"
        )
        return []

    def _note(
        self, kind: NoteKind, path: str, reason: str, *, rule: str | None = None, line: int | None = None
    ) -> None:
        reason = encodable(reason)
        self._notes.append(ScanNote(kind=kind, path=encodable(path), reason=reason, rule=rule, line=line))

    def _read(self, path: str) -> bytes | None:
        """The bytes of a text as UTF-8; what cannot be had is noted where its name is that of a source."""
        data = self._source.read(path)
        if data is not None and not files.is_binary(data):
            return files.utf8(data)
        if is_source(path):
            reason = "binary content" if data is not None else files.refusal(self._source, path)
            if reason:
                self._note(NoteKind.SKIPPED, path, reason)
        return None

    def _file(self, change: FileChange) -> Iterable[Finding]:
        path = change.path
        data = self._read(path)
        language = language_of(path, data[:HEAD].decode("utf-8", "replace")) if data is not None else None
        if data is None or language is None:
            return ()
        self._files += 1
        if language.name == EMBEDDED:
            data = spliced(data)
        rules, embedded = self._candidates(language.name, data)
        rules = tuple(r for r in rules if r.is_about(path))
        marked = suppression.MARK in data
        if not (rules or embedded or marked) or self._project.has_amd_twin(path):
            return ()
        self._stopwatch.start(len(data))
        text, lines, overlong = files.decoded(data)
        added = self._added(change)
        if overlong and (added is None or any(n in added for n in overlong)):
            self._note(NoteKind.PARTIAL, path, _overlong(len(overlong)), line=overlong[0])
        marks = suppression.Marks(suppression.find(lines) if marked else ())
        look = Look(language, lines, added, marks.reach(added))
        self._failed = set()
        found: list[Finding] = []
        if rules or embedded:
            hits = self._book.of_language(language.name).hits(data, rules) if self._prefilter else None
            nvidia = embedded or any(r.minds_nvidia for r in rules)
            source = self._opened(path, text, lines, hits, language.name)
            parsed = language.parse(replace(source, nvidia=nvidia))
            for reason in parsed.notes:
                self._note(NoteKind.FALLBACK, path, reason)
            found += self._findings(parsed, rules, look)
            if embedded:
                found += self._embedded(parsed, look)
        return self._counting.of(found, path, lines, marks=marks, added=added, was_tried=self._was_tried)

    def _opened(
        self, path: str, text: str, lines: tuple[str, ...], hits: tuple[int, ...] | None, language: str
    ) -> Source:
        return Source(
            path,
            text,
            lines,
            hits=hits,
            macros=self._project.macros(path) if language == EMBEDDED else {},
            beside=self._beside(path),
            read=self._source.read,
            memo=self._memo,
        )

    def _added(self, change: FileChange) -> Lines | None:
        """The lines that count; None for all of them."""
        if change.is_binary:
            # A stray NUL, or UTF-16: git shows no lines of it, so which are new is not known.
            self._note(
                NoteKind.PARTIAL, change.path, "git takes it for binary, so every line counts as added"
            )
            return None
        # A file that git does not track yet is new without any hunk: all of it is added.
        is_new = change.kind is ChangeKind.ADDED and not change.added
        return None if self._chosen.whole or is_new else Lines(change.added)

    def _beside(self, path: str) -> Callable[[str], bool]:
        folder = PurePosixPath(path).parent
        return lambda name: self._source.read(str(folder / name)) is not None

    def _candidates(self, language: str, data: bytes) -> tuple[tuple[CompiledRule, ...], bool]:
        mine = self._book.of_language(language)
        rules, embedded = mine.possible(data) if self._prefilter else (mine.rules, True)
        return tuple(r for r in rules if self._is_on(r)), embedded

    def _is_on(self, compiled: CompiledRule) -> bool:
        rule = compiled.rule
        return self._levels.may_report(rule.id, rule.topic) and compiled.holds_for(self._archs)

    def _was_tried(self, rule: str) -> bool:
        return rule in self._on and rule not in self._failed

    def _embedded(self, parsed: Parsed, look: Look) -> Iterator[Finding]:
        for inner, language in device_sources(parsed):
            rules, _ = self._candidates(language.name, inner.source.text.encode("utf-8", "surrogateescape"))
            yield from self._findings(inner, rules, look.within(language))

    def _findings(self, parsed: Parsed, rules: Iterable[CompiledRule], look: Look) -> list[Finding]:
        texts = Texts(parsed)
        drafts = Drafts(self._project, parsed, look.language.name, look.lines)
        found: list[Finding] = []
        for compiled in rules:
            if not self._may_try(compiled, parsed.source.path):
                continue
            try:
                self._stopwatch.rule()
                matches = self._matches(compiled, drafts, texts, look)
                found += (drafts.finding(compiled.rule, match) for match in matches)
            except OutOfTime:
                self._stopwatch.stop()
                self._stopwatch.strikes[compiled.rule.id] += not self._stopwatch.is_over
                self._unfinished(compiled, parsed, "the rule ran out of time in this file")
            except MemoryError:
                self._unfinished(compiled, parsed, "the rule ran out of memory in this file")
            except Exception as error:  # noqa: BLE001 - one rule must not cost the findings of all others
                self._unfinished(compiled, parsed, f"the rule failed in this file: {told(error)}")
        return found

    def _may_try(self, compiled: CompiledRule, path: str) -> bool:
        if self._stopwatch.is_over:
            reason = "not tried: the file took too long"
        elif self._stopwatch.strikes[compiled.rule.id] >= STRIKES:
            reason = f"not tried: the rule ran out of time in {STRIKES} files before"
        else:
            return True
        self._failed.add(compiled.rule.id)
        self._note(NoteKind.UNFINISHED, path, reason, rule=compiled.rule.id)
        return False

    def _unfinished(self, compiled: CompiledRule, parsed: Parsed, reason: str) -> None:
        self._failed.add(compiled.rule.id)
        self._note(NoteKind.UNFINISHED, parsed.source.path, reason, rule=compiled.rule.id)

    def _matches(self, compiled: CompiledRule, drafts: Drafts, texts: Texts, look: Look) -> Iterator[Match]:
        """What a rule says about the lines we look at. Only those that count are limited in number."""
        count = 0
        for match in compiled.find(drafts.parsed, texts, self._surroundings):
            if look.reach is not None and match.line not in look.reach:
                continue
            if drafts.is_own(compiled.rule, match):
                continue
            if look.added is None or match.line in look.added:
                count += 1
            if count > MOST_FINDINGS_PER_RULE_AND_FILE:
                reason = f"only the first {count - 1} places of this rule are listed"
                path = drafts.parsed.source.path
                self._note(NoteKind.PARTIAL, path, reason, rule=compiled.rule.id, line=match.line)
                return
            yield match
            if compiled.rule.once and count:
                return


def _overlong(count: int) -> str:
    lines = "1 line" if count == 1 else f"{count} lines"
    return f"{lines} of more than {files.MAX_LINE} characters not looked at"
