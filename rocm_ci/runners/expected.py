"""The list of tests that a suite is expected to run, and what of it did not. Pure but for `read`.

One test id on each line: ours (`classname::name`) or the tool's own (`tests/test_a.py::test_b[1]`,
`Suite.Name`, a name of CTest). `*` stands for anything, `#` at the beginning of a line for a comment.
An id that stands there twice is expected twice: some tools give several tests one name.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rocm_ci.errors import ConfigError
from rocm_ci.model.case import Case, CaseStatus, Ending
from rocm_ci.runners.excerpt import clean, shortened
from rocm_ci.tools import file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_BYTES = 20_000_000
MAX_TESTS = 500_000
MAX_LINE = 4_000
# Each of these has to be held against every test.
MAX_OPEN = 200
# So many vanished tests are one fault, not many: the rest is only counted.
MAX_NAMED = 200
_HINT = "write it anew with `rocm-ci junit --write-expected FILE REPORT…`"


@dataclass(frozen=True, kw_only=True)
class Expected:
    """The list: `lines` are the line's number and text, `name` what to call the file."""

    name: str
    lines: tuple[tuple[int, str], ...]


@dataclass(frozen=True, kw_only=True)
class Compared:
    """What of the list did not run, and what ran without standing in it (ids, in the order they ran)."""

    vanished: tuple[tuple[int, str], ...]
    unlisted: tuple[str, ...]


def of(path: str | None, root: Path) -> Expected | str | None:
    """The list that a suite names, or why it cannot be used. Before any test runs: it could write there."""
    try:
        return read(path, root) if path else None
    except ConfigError as error:
        return str(error)


def read(path: str, root: Path) -> Expected:
    """The list `path` of the checkout `root`. Raises `ConfigError` for one that cannot be used."""
    whole = root / path
    try:
        inside = whole.resolve().is_relative_to(root.resolve()) and not whole.is_symlink()
    except (OSError, ValueError, RuntimeError):
        inside = False
    if not inside:
        raise _unusable(path, "it is a link, or lies outside of the checkout")
    return read_file(whole, path)


def read_file(path: Path, name: str) -> Expected:
    """The list in a file that may stand anywhere. Raises `ConfigError`."""
    source = file.read(path)
    if source is None:
        why = (
            "it is no regular file that can be read"
            if path.exists() or path.is_symlink()
            else "it is not there"
        )
        raise _unusable(name, why)
    with source:
        data = source.read(MAX_BYTES + 1)
    return parse(data, name)


def parse(data: bytes, name: str) -> Expected:
    """The list from its bytes. Raises `ConfigError`."""
    if len(data) > MAX_BYTES:
        raise _unusable(name, f"it is over {MAX_BYTES // 1_000_000} MB")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _unusable(name, f"it is no text in UTF-8 (byte {error.start})") from error
    if "\0" in text:
        raise _unusable(name, "it holds NUL bytes: it is no text")
    lines, opens = [], 0
    for number, raw in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        if len(line) > MAX_LINE:
            raise _unusable(name, f"line {number} has over {MAX_LINE} characters")
        if line.lstrip("*") == "":
            raise _unusable(name, f"line {number} is `{line[:20]}`, which every test fits")
        lines.append((number, line))
        opens += line.startswith("*")
        if opens > MAX_OPEN:
            raise _unusable(name, f"over {MAX_OPEN} of its lines begin with `*`")
        if len(lines) > MAX_TESTS:
            raise _unusable(name, f"it lists over {MAX_TESTS} tests")
    if not lines:
        raise _unusable(name, "it lists no test")
    return Expected(name=clean(name), lines=tuple(lines))


def compare(expected: Expected, cases: Iterable[Case]) -> Compared:
    """The list beside all tests of a suite, its parts joined. A skipped test is there, too."""
    order = list(cases)
    there = Counter(case.id for case in order)
    free = Counter(there)
    vanished: list[tuple[int, str]] = []
    globs: list[tuple[int, str]] = []
    for number, line in expected.lines:
        known = next((spelled for spelled in _spellings(line) if spelled in there), None)
        if known is None:
            (globs if "*" in line else vanished).append((number, line))
        elif free[known]:
            free[known] -= 1
        else:
            vanished.append((number, line))
    ids, covered = sorted(there), set()
    for number, line in globs:
        fitting = {id_ for form in _spellings(line) for id_ in _fitting(form, ids)}
        covered |= fitting
        if not fitting:
            vanished.append((number, line))
    rest = (id_ for id_, count in free.items() if count and id_ not in covered)
    return Compared(vanished=tuple(sorted(vanished)), unlisted=tuple(rest))


def missing(expected: Expected, cases: Iterable[Case], *, suite: str) -> tuple[Case, ...]:
    """The vanished tests as cases that went wrong. Past `MAX_NAMED` one more case counts the rest."""
    vanished = compare(expected, cases).vanished
    found = [_case(suite, line, f"line {number} of {expected.name} expects it, and it did not run")
             for number, line in vanished[:MAX_NAMED]]  # fmt: skip
    more = len(vanished) - MAX_NAMED
    if more > 0:
        what = f"{more} more tests that {expected.name} expects did not run"
        found.append(_case(suite, f"{expected.name} (the rest)", what))
    return tuple(found)


def unlisted(expected: Expected, cases: Iterable[Case]) -> tuple[str, ...]:
    """The ids of tests that ran and that the list does not know."""
    return compare(expected, cases).unlisted


def written(cases: Iterable[Case]) -> str:
    """The list of these tests, sorted, as `read` takes it; ids that are no line of text are left out."""
    # pytest reports one test twice when it failed and its teardown did, too.
    bad: set[str] = set()
    good: list[str] = []
    for case in cases:
        if _is_line(case.id):
            (bad.add if case.status in (CaseStatus.FAILED, CaseStatus.ERRORED) else good.append)(case.id)
    ids = sorted([*good, *bad.difference(good)])
    head = "# The tests that have to run: one id on each line, `*` for anything. Made by rocm-ci junit.\n"
    return head + "".join(f"{id_}\n" for id_ in ids)


def _is_line(id_: str) -> bool:
    return bool(id_.strip()) and id_ == id_.strip() and not id_.startswith("#") and len(id_.splitlines()) == 1


def _spellings(line: str) -> Iterator[str]:
    """The ids that a line may mean, the likeliest first."""
    yield line
    path, separator, rest = line.partition("::")
    if separator and re.search(r"\.py$", path):
        # pytest: tests/test_a.py::TestB::test_c[x::y] → tests.test_a.TestB::test_c[x::y]
        body, bracket, parameter = rest.partition("[")
        *groups, name = body.split("::")
        yield ".".join([path[:-3].replace("/", "."), *groups]) + f"::{name}{bracket}{parameter}"
        if rest == "*":
            yield ".".join([path[:-3].replace("/", "."), "*"])
    elif "*" in line and "/" in line:
        yield line.replace("/", ".")
    if "::" not in line:
        for sign in ("#", "."):
            group, separator, name = line.partition(sign)
            if separator and group and name:
                yield f"{group}::{name}"
        group, separator, name = line.rpartition(".")
        if separator and group and name:
            yield f"{group}::{name}"
        yield f"{line}::{line}"


def _fitting(glob: str, ids: list[str]) -> Iterator[str]:
    """Those of the sorted ids that fit."""
    head = glob.partition("*")[0]
    for index in range(bisect_left(ids, head), len(ids)):
        if not ids[index].startswith(head):
            return
        if _fits(glob, ids[index]):
            yield ids[index]


def _fits(glob: str, text: str) -> bool:
    """Whether the whole text fits. From left to right, each piece at its first place: never slow."""
    first, *middle = glob.split("*")
    if not middle:
        return glob == text
    last = middle.pop()
    if len(text) < len(first) + len(last) or not text.startswith(first) or not text.endswith(last):
        return False
    at, end = len(first), len(text) - len(last)
    for piece in middle:
        found = text.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return True


def _case(suite: str, line: str, message: str) -> Case:
    shown = shortened(clean(line), 1_000)
    return Case(
        id=shown,
        suite=suite,
        name=shown,
        status=CaseStatus.ERRORED,
        message=message,
        ending=Ending.VANISHED,
    )


def _unusable(name: str, why: str) -> ConfigError:
    message = f"the list of expected tests {shortened(clean(name), 200)} cannot be used: {why}"
    return ConfigError(message, hint=_HINT)
