"""A scan of many files, spread over the processors."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

from msgspec.structs import replace

from rocm_ci.scan.engine import scan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocm_ci.config.options import ScanOptions
    from rocm_ci.model.changes import Changes
    from rocm_ci.scan.files import FileSource
    from rocm_ci.scan.rulebook import RuleBook
    from rocm_ci.scan.scanned import Scanned

LEAST_FILES = 400  # below, starting the workers costs more than they save
MOST_WORKERS = 8
_CHUNKS_PER_WORKER = 8


class _Work:
    """What the workers inherit by fork: nothing is pickled but the findings."""

    def __init__(self) -> None:
        self.parts: list[Changes] = []
        self.arguments: tuple[FileSource, ScanOptions, Sequence[str], RuleBook] | None = None


_work = _Work()


def processors() -> int:
    """How many processors we may use."""
    return min(MOST_WORKERS, len(os.sched_getaffinity(0)))


def scan_all(
    source: FileSource,
    changes: Changes,
    options: ScanOptions,
    archs: Sequence[str],
    *,
    book: RuleBook,
    workers: int | None = None,
) -> Scanned:
    """Like `engine.scan`, with the same findings. Where no process can be forked, it scans alone."""
    workers = processors() if workers is None else workers
    if workers < 2 or len(changes.files) < LEAST_FILES:
        return scan(source, changes, options, archs, book=book)
    size = -(-len(changes.files) // (workers * _CHUNKS_PER_WORKER))
    _work.parts = [
        replace(changes, files=changes.files[at : at + size]) for at in range(0, len(changes.files), size)
    ]
    _work.arguments = (source, options, archs, book)
    try:
        done = _spread(workers)
    finally:
        _work.parts, _work.arguments = [], None
    if done is None:
        return scan(source, changes, options, archs, book=book)
    return done[0].joined(*done[1:])


def _spread(workers: int) -> list[Scanned] | None:
    """The parts, each scanned by some worker; None where workers cannot be had or one was killed."""
    # 30 ms to import, which a small scan need not pay.
    import multiprocessing  # noqa: PLC0415
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415
    from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415

    try:
        pool = ProcessPoolExecutor(workers, multiprocessing.get_context("fork"), _quiet)
    except (OSError, NotImplementedError):  # no semaphores in this container
        return None
    try:
        return list(pool.map(_part, range(len(_work.parts))))
    except (OSError, BrokenProcessPool):  # no processes left, or no memory
        return None
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _quiet() -> None:
    """In a worker: our own handlers, inherited by fork, would tell a traceback when the pool ends it."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _part(number: int) -> Scanned:
    assert _work.arguments is not None  # noqa: S101 - set before the fork
    source, options, archs, book = _work.arguments
    return scan(source, _work.parts[number], options, archs, book=book)
