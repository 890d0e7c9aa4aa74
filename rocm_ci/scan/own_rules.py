"""The rules a project keeps for itself, below `.github/rocm-ci/rules/`: one YAML file each, like ours."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.errors import ConfigError
from rocm_ci.scan.rule import decode
from rocm_ci.scan.rulebook import RuleBook

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rocm_ci.scan.ahead import Ahead
    from rocm_ci.scan.files import Folder
    from rocm_ci.scan.rule import Rule

FOLDER = ".github/rocm-ci/rules"
MOST_RULES = 200
MOST_BYTES = 200_000  # of one file; ours have some 2 kB


def beside(ahead: Ahead, folder: Folder) -> RuleBook:
    """The book that is got ready, with the rules of a checkout."""
    return with_own(ahead.book, folder.names(FOLDER), folder.read)


def with_own(book: RuleBook, names: Iterable[str], read: Callable[[str], bytes | None]) -> RuleBook:
    """The book with the rules among these file names of `FOLDER`.

    Raises `ConfigError` for a file that is no rule, an id that is taken, an unknown language or detector: a
    rule that silently does not count would look like a clean project.
    """
    files = sorted(name for name in names if name.endswith((".yaml", ".yml")))
    if not files:
        return book
    if len(files) > MOST_RULES:
        message = f"{FOLDER}: {len(files)} rules, more than {MOST_RULES}"
        raise ConfigError(message, hint="join the patterns of rules that say the same")
    own = []
    for path in (f"{FOLDER}/{name}" for name in files):
        data = read(path)
        if data is None or len(data) > MOST_BYTES:
            message = f"{path}: not a plain file of at most {MOST_BYTES // 1000} kB"
            raise ConfigError(message, hint="put the rule itself there, no link")
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            message = f"{path}: not UTF-8 at byte {error.start}"
            raise ConfigError(message, hint="save the rule as UTF-8") from error
        rule = decode(text, path, documentation=False)
        _check_patterns(rule, path)
        own.append(rule)
    joined = RuleBook([*(compiled.rule for compiled in book.rules), *own], book.tables)
    joined.check()
    return joined


def _check_patterns(rule: Rule, path: str) -> None:
    """Ours are compiled when a file needs them; a mistake in a project's must not wait for such a file."""
    patterns = [rule.not_path]
    for spec in rule.match:
        patterns += [spec.pattern, spec.context, spec.not_context, spec.not_pattern]
    for pattern in filter(None, patterns):
        _check_pattern(pattern, path)


def _check_pattern(pattern: str, path: str) -> None:
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        message = f"{path}: the pattern {pattern[:80]!r} is no regular expression: {error}"
        raise ConfigError(message, hint="see the syntax of Python's `re`") from error
