"""The JUnit files of one attempt: the old ones put away, the new ones found, wherever they were written."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import shutil
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, BinaryIO

from rocm_ci.model.case import CaseStatus
from rocm_ci.runners import junit
from rocm_ci.tools import file

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

    from rocm_ci.runners.base import Prepared, Slot
    from rocm_ci.runners.junit import Document, Reading

MAX_REPORTS = 10_000
# Of all reports of one attempt together: files with holes cost those who make them nothing, but us the time
# to read them, and the GPUs are kept meanwhile.
MAX_BYTES = junit.MAX_BYTES
MAX_CASES = 1_000_000
# A suite may leave a million files behind; its report lies near the top.
_MAX_LOOKED_AT = 50_000
_MAX_SORTED = 500_000
_MAX_DEPTH = 8
_MAX_STRAY = 200
_HEAD = 4_096
_MAX_TOUCHED = 100_000
_CHUNK = 1_048_576
_NEVER = frozenset({".git", ".hg", ".venv", "node_modules", "__pycache__"})
_RED = (CaseStatus.FAILED, CaseStatus.ERRORED)


@dataclass(frozen=True, kw_only=True)
class Found:
    """What was read; `strays` are the places in the checkout where nobody had asked for it.

    `foreign` are such places of which nothing was taken, as it may be another suite's.
    """

    reading: Reading | None
    strays: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()


def clear(slot: Slot, prepared: Prepared) -> int:
    """Away with the reports of an earlier run: they would pass for this one's. When this was (ns)."""
    file.remove(slot.folder)
    for stale in (slot.xml, *prepared.reports):
        with contextlib.suppress(OSError):
            stale.unlink()
    slot.folder.mkdir(parents=True, exist_ok=True)
    # The clock of the file system, which its files are held against, moves in steps of milliseconds:
    # what is written from here on must lie behind what was written before.
    since_ns = slot.folder.stat().st_ctime_ns
    for _ in range(_MAX_TOUCHED):
        slot.folder.touch()
        if slot.folder.stat().st_ctime_ns != since_ns:
            break
    return since_ns


def found(
    slot: Slot, prepared: Prepared, suite: str, since_ns: int, *, heard: Collection[str] | None = None
) -> Found:
    """Every report that was written; copies of those that lie elsewhere are kept beside ours.

    `heard` is given when other suites ran meanwhile: of reports that nobody had asked for only these tests,
    of which the suite itself spoke, are its own.
    """
    paths = [slot.xml] if _exists(slot.xml) else []
    with contextlib.suppress(OSError):
        paths += sorted(itertools.islice(slot.folder.glob("*.xml"), MAX_REPORTS))
    for index, report in enumerate(prepared.reports):
        if _exists(report):
            paths.append(report)
            _keep(report, slot.folder / f"report-{index + 1}.xml")
    strays: tuple[str, ...] = ()
    if not paths:
        strays, paths = _strays(slot, since_ns)
    with contextlib.suppress(OSError):
        slot.folder.rmdir()  # only succeeds when nothing was put into it
    if not paths:
        return Found(reading=None)
    reading = junit.joined(_documents(paths, suite))
    if len(reading.cases) > MAX_CASES:
        problem = f"{len(reading.cases)} test cases, over {MAX_CASES}"
        reading = junit.Reading(readable=False, problems=(problem,))
    if strays and heard is not None:
        cases = tuple(case for case in reading.cases if case.id in heard)
        if not cases:
            return Found(reading=None, foreign=strays)
        reading = replace(reading, cases=cases, suite_errors=())
    return Found(reading=reading, strays=strays)


def _documents(paths: Iterable[Path], suite: str) -> Iterator[tuple[str, Document]]:
    room = MAX_BYTES
    for path in paths:
        with contextlib.suppress(OSError):
            room -= path.stat().st_size
        if room >= 0:
            yield path.name, junit.read_file(path, suite=suite)
        else:
            problem = f"all reports together have over {MAX_BYTES} bytes"
            yield path.name, junit.Document(readable=False, problem=problem)
            return


def only(reading: Reading, wanted: Collection[str]) -> Reading:
    """Without tests that ran although they were not asked for, as fixtures of others do, and passed."""
    cases = tuple(case for case in reading.cases if case.id in wanted or case.status in _RED)
    return reading if len(cases) == len(reading.cases) else replace(reading, cases=cases)


def _strays(slot: Slot, since_ns: int) -> tuple[tuple[str, ...], list[Path]]:
    """Reports in the checkout, written since then: where they lay, and our copies of them."""
    places: list[str] = []
    copies: list[Path] = []
    known: set[bytes] = set()
    room = MAX_BYTES
    for path in _written(slot, since_ns):
        source = file.read(path)
        if source is None:
            continue
        with source:
            if b"<testsuite" not in source.read(_HEAD):
                continue
            source.seek(0)
            size = os.fstat(source.fileno()).st_size
            room -= size
            digest = _digest(source, size) if room >= 0 else b""
            if not digest or digest in known:
                continue
            known.add(digest)
            source.seek(0)
            copy = slot.folder / f"found-{len(copies) + 1}.xml"
            with contextlib.suppress(OSError), file.create(copy) as target:
                _copied(source, target, size)
                places.append(str(path.relative_to(slot.root)))
                copies.append(copy)
        if len(copies) >= _MAX_STRAY or room < 0:
            break
    return tuple(places), copies


def _digest(source: BinaryIO, size: int) -> bytes:
    """Of so much of it: somebody may make it longer meanwhile."""
    digest = hashlib.sha256()
    while size > 0 and (chunk := source.read(min(size, _CHUNK))):
        digest.update(chunk)
        size -= len(chunk)
    return digest.digest()


def _copied(source: BinaryIO, target: BinaryIO, size: int) -> None:
    while size > 0 and (chunk := source.read(min(size, _CHUNK))):
        target.write(chunk)
        size -= len(chunk)


def _written(slot: Slot, since_ns: int) -> Iterator[Path]:
    """XML files below the checkout that changed since then. Nothing but a write can renew a ctime."""
    folders, looked_at = [(slot.root, 0)], 0
    while folders:
        folder, depth = folders.pop()
        try:
            with os.scandir(folder) as every:
                some = itertools.islice(every, _MAX_SORTED)
                entries = sorted(some, key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            looked_at += 1
            if looked_at > _MAX_LOOKED_AT:
                return
            with contextlib.suppress(OSError):
                path = folder / entry.name
                if entry.is_dir(follow_symlinks=False):
                    is_ours = path == slot.folder.parent or entry.name in _NEVER
                    if depth < _MAX_DEPTH and not is_ours:
                        folders.append((path, depth + 1))
                elif (
                    entry.name.lower().endswith(".xml")
                    and entry.is_file(follow_symlinks=False)
                    and entry.stat(follow_symlinks=False).st_ctime_ns > since_ns
                ):
                    yield path


def _exists(path: Path) -> bool:
    try:
        return path.is_symlink() or path.exists()
    except OSError:
        return False


def _keep(report: Path, copy: Path) -> None:
    with contextlib.suppress(OSError):
        if report.is_file() and report.stat().st_size <= junit.MAX_BYTES:
            shutil.copyfile(report, copy)
