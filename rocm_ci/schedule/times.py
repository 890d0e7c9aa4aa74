"""Durations of suites and tests, kept on this host from run to run, one file for each repository.

The commands of a change can reach these files, so nothing in them is believed: what is damaged counts as not
there, what is odd is left out, and all that a wrong time can do is a worse order.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import math
import os
import re
import statistics
from typing import TYPE_CHECKING

import msgspec

from rocm_ci.model.case import CaseStatus
from rocm_ci.model.result import TestResult
from rocm_ci.model.times import Times
from rocm_ci.model.verdict import Verdict
from rocm_ci.tools import file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from rocm_ci.context import Clock
    from rocm_ci.model.report import Report
    from rocm_ci.model.result import Suite

FOLDER = "times"
# The median of so many: one slow run changes nothing, a test that has become slower is known after three.
KEPT = 5
MAX_SUITES = 500
MAX_TESTS = 100_000
MAX_NAME = 1000
MAX_BYTES = 64_000_000
MAX_S = 7 * 24 * 3600.0
_LOCK_WAIT_S = 5.0
_LOCK_LOOK_S = 0.05
_RAN = (CaseStatus.PASSED, CaseStatus.FAILED, CaseStatus.FLAKY)

_Durations = dict[str, list[float]]


class _Kept(msgspec.Struct):
    version: int = 1
    suites: _Durations = {}
    tests: dict[str, _Durations] = {}


def known(state: Path, repository: str) -> Times:
    """The medians of what is recorded; nothing of what is damaged."""
    kept = _read(_path(state, repository))
    return Times(
        suites=_medians(kept.suites),
        tests={suite: _medians(tests) for suite, tests in kept.tests.items()},
    )


def record(
    state: Path, repository: str, suites: Iterable[Suite], *, took: Mapping[str, float], clock: Clock
) -> str:
    """Add the times of a run; `took` are seconds of whole suites, those that ran to their end.

    Answers why it could not be done, or nothing.
    """
    path = _path(state, repository)
    try:
        with _locked(path, clock) as is_ours:
            if not is_ours:
                return "another run holds the recorded times"
            kept = _read(path)
            for name, seconds in took.items():
                _add(kept.suites, name, seconds)
            for suite in suites:
                tests = kept.tests.pop(suite.name, {})
                for case in suite.cases:
                    if case.status in _RAN and case.duration_s is not None:
                        _add(tests, case.id, case.duration_s)
                if tests:
                    kept.tests[suite.name] = tests
            _cut(kept)
            file.write(path, msgspec.json.encode(kept))
    except OSError as error:
        return f"{path}: {error.strerror or error}"
    return ""


def of_report(report: Report) -> Times:
    """What a report of an earlier run tells."""
    suites: dict[str, float] = {}
    tests: dict[str, dict[str, float]] = {}
    for result in report.results:
        for suite in result.suites if isinstance(result, TestResult) else ():
            for case in suite.cases:
                if case.status in _RAN and _is_time(case.duration_s):
                    tests.setdefault(suite.name, {})[case.id] = float(case.duration_s or 0.0)
            if ran(suite):
                # Of shards that ran at the same time only their tests say what the whole takes.
                alone_s = suite.duration_s if suite.shards == 1 else sum(tests.get(suite.name, {}).values())
                suites[suite.name] = suites.get(suite.name, 0.0) + alone_s
    return Times(suites=suites, tests=tests)


def ran(suite: Suite) -> bool:
    """Whether a suite ran to its end, so that its time says something about the next."""
    is_whole = suite.verdict not in (Verdict.SKIPPED, Verdict.ERROR) and not suite.timed_out
    return is_whole and _is_time(suite.duration_s) and suite.duration_s > 0


def _path(state: Path, repository: str) -> Path:
    name = repository.casefold()  # GitHub does not tell them apart by case
    plain = re.sub(r"[^a-z0-9._-]+", "-", name).strip("-.")[:60]
    key = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return state / FOLDER / f"{plain or 'local'}-{key}.json"


def _read(path: Path) -> _Kept:
    opened = file.read(path)
    if opened is None:
        return _Kept(suites={}, tests={})
    try:
        with opened:
            data = opened.read(MAX_BYTES + 1)
        kept = msgspec.json.decode(data if len(data) <= MAX_BYTES else b"", type=_Kept)
    except (OSError, msgspec.DecodeError, RecursionError):
        return _Kept(suites={}, tests={})
    return kept if kept.version == 1 else _Kept(suites={}, tests={})


def _medians(kept: _Durations) -> dict[str, float]:
    sane = {name: [s for s in times[-KEPT:] if _is_time(s)] for name, times in kept.items()}
    return {name: statistics.median(times) for name, times in sane.items() if times}


def _is_time(seconds: float | None) -> bool:
    return seconds is not None and math.isfinite(seconds) and 0 <= seconds <= MAX_S


def _add(kept: _Durations, name: str, seconds: float) -> None:
    """The newest last, in both senses: what was not seen for long is what goes first."""
    if _is_time(seconds) and len(name) <= MAX_NAME:
        kept[name] = [*kept.pop(name, []), round(seconds, 3)][-KEPT:]


def _cut(kept: _Kept) -> None:
    for name in list(kept.suites)[:-MAX_SUITES]:
        del kept.suites[name]
    for name in list(kept.tests)[:-MAX_SUITES]:
        del kept.tests[name]
    surplus = sum(map(len, kept.tests.values())) - MAX_TESTS
    for tests in kept.tests.values():
        for name in list(tests)[: max(0, surplus)]:
            del tests[name]
            surplus -= 1


@contextlib.contextmanager
def _locked(path: Path, clock: Clock) -> Iterator[bool]:
    """Alone with the file, among all runs of the host; False when that cannot be had within seconds."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(
        path.with_suffix(".lock"),
        os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC,
        0o666,
    )
    try:
        deadline = clock.monotonic() + _LOCK_WAIT_S
        while not _lock(descriptor):
            if clock.monotonic() > deadline:
                yield False
                return
            clock.sleep(_LOCK_LOOK_S)
        yield True
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
