"""A scan of many files, spread over the processors. A worker that dies takes no file with it silently."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.model.scan_note import NoteKind, ScanNote
from rocm_ci.scan import halves
from rocm_ci.scan.engine import Scanner, scan
from rocm_ci.scan.limits import Stopwatch
from rocm_ci.scan.scanned import Scanned, encodable
from rocm_ci.scan.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkContext, ForkProcess

    from rocm_ci.config.options import ScanOptions
    from rocm_ci.model.changes import Changes, FileChange
    from rocm_ci.scan.files import FileSource
    from rocm_ci.scan.rulebook import RuleBook

LEAST_FILES = 400  # below, starting the workers costs more than they save: two halves at most
MOST_WORKERS = 8
_CHUNKS_PER_WORKER = 24
_ATTEMPTS = 2  # for one file alone; the second is made by a worker that has scanned nothing before
_MOST_DEATHS = 40  # after which something is wrong with the machine and not with one file
FILE_WALL_S = 60  # after which a file is beyond what the processor time limit can end, such as a hung call


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
    if workers < 2 or len(changes.files) < 2 * halves.LEAST_FILES:
        with _uncollected() if len(changes.files) < LEAST_FILES else contextlib.nullcontext():
            return scan(source, changes, options, archs, book=book)
    scope = Scope(options, source, changes)
    chosen = scope.chosen(changes)
    watch = Stopwatch()
    scanner = Scanner(source, options, archs, book, stopwatch=watch, chosen=chosen)
    if len(changes.files) < LEAST_FILES:
        with _uncollected():
            return Scanned((), 0, 0, scope.notes()).joined(*_few(scanner, watch, chosen.files))
    pool = _Pool(scanner, watch)
    size = -(-max(1, len(chosen.files)) // (workers * _CHUNKS_PER_WORKER))
    parts = [_Part(chosen.files[at : at + size]) for at in range(0, len(chosen.files), size)]
    done = pool.scan(parts, workers)
    return Scanned((), 0, 0, scope.notes()).joined(*done)


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """Inside, nobody looks for garbage: syntax trees hold no cycles, and a few files fill no memory."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _few(scanner: Scanner, watch: Stopwatch, files: Sequence[FileChange]) -> list[Scanned]:
    def scan_these(these: Sequence[FileChange]) -> Scanned:
        with watch:
            return scanner.scan(these)

    both = halves.split(files)
    if both is None:
        return [scan_these(files)]
    mine, theirs = halves.scanned(*both, scan_these)
    if theirs is None:
        return [mine, *_Pool(scanner, watch).scan([_Part((change,)) for change in both[1]], 1)]
    return [mine, theirs]


@dataclass(frozen=True, slots=True)
class _Part:
    """Files that one worker scans in one go."""

    changes: tuple[FileChange, ...]
    attempt: int = 1

    def again(self) -> list[_Part]:
        """What to try after a worker died of it: its files one by one, and the last one once more."""
        if len(self.changes) > 1:
            return [_Part((change,)) for change in self.changes]
        return [_Part(self.changes, self.attempt + 1)] if self.attempt < _ATTEMPTS else []


@dataclass(slots=True)
class _Worker:
    process: ForkProcess
    pipe: Connection
    part: _Part | None = None


class _Pool:
    """Workers, each with a pipe: the part that a dead one was at is known, and tried again in pieces."""

    def __init__(self, scanner: Scanner, watch: Stopwatch) -> None:
        # 30 ms to import, which a small scan need not pay.
        import multiprocessing  # noqa: PLC0415

        self._context: ForkContext = multiprocessing.get_context("fork")
        self._scanner = scanner
        self._watch = watch
        self._queue: deque[_Part] = deque()
        self._workers: list[_Worker] = []
        self._done: list[Scanned] = []
        self._deaths = 0

    def scan(self, parts: Sequence[_Part], workers: int) -> list[Scanned]:
        """The outcome of every part, in no order."""
        self._queue.extend(parts)
        try:
            while len(self._workers) < min(workers, len(parts)) and self._started():
                pass
            self._run()
        finally:
            for worker in self._workers:
                worker.pipe.close()
                worker.process.terminate()
            for worker in self._workers:
                worker.process.join()
        if self._queue:  # no process could be had for these
            with self._watch:
                rest = [change for part in self._queue for change in part.changes]
                self._done.append(self._scanner.scan(rest))
        return self._done

    def _run(self) -> None:
        from multiprocessing.connection import wait  # noqa: PLC0415 - see above

        for worker in tuple(self._workers):
            self._give(worker)
        while busy := {worker.pipe: worker for worker in self._workers if worker.part is not None}:
            for pipe in wait(list(busy)):
                worker = busy[pipe]  # type: ignore[index]
                try:
                    self._done.append(worker.pipe.recv())
                    worker.part = None
                    self._give(worker)
                except (EOFError, OSError):
                    self._bury(worker)

    def _give(self, worker: _Worker) -> None:
        if not self._queue:
            return
        worker.part = self._queue.popleft()
        try:
            worker.pipe.send(worker.part.changes)
        except OSError:
            self._bury(worker)

    def _bury(self, worker: _Worker) -> None:
        """A worker died, whatever the reason: its part is tried again, by a new one."""
        self._workers.remove(worker)
        worker.pipe.close()
        worker.process.join()
        part = worker.part
        if part is None:
            return
        self._deaths += 1
        again = part.again() if self._deaths < _MOST_DEATHS else []
        if not again:
            self._done += (_lost(change, worker.process.exitcode) for change in part.changes)
        if self._deaths == _MOST_DEATHS:
            self._done += (_lost(change, None) for part in self._queue for change in part.changes)
            self._queue.clear()
        # At the front: what is tried once more is then the first that the new worker gets.
        self._queue.extendleft(reversed(again))
        if self._queue and self._started():
            self._give(self._workers[-1])

    def _started(self) -> bool:
        """Whether another worker could be had."""
        try:
            here, there = self._context.Pipe()
        except OSError:
            return False
        others = [worker.pipe for worker in self._workers]
        process = self._context.Process(target=self._work, args=(there, [*others, here]), daemon=True)
        try:
            process.start()
        except (OSError, MemoryError):  # no processes left, or no memory
            here.close()
            return False
        finally:
            there.close()
        self._workers.append(_Worker(process, here))
        return True

    def _work(self, pipe: Connection, others: Sequence[Connection]) -> None:
        """In a worker, until its pipe is closed."""
        # Our own handlers, inherited by fork, would tell a traceback when the pool ends it.
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        for other in others:
            other.close()
        # Syntax trees hold no cycles, but looking for some among them takes a tenth of the time.
        gc.freeze()
        gc.disable()
        with self._watch:
            while True:
                try:
                    changes = pipe.recv()
                except (EOFError, OSError):
                    return
                signal.alarm(FILE_WALL_S * len(changes))
                outcome = self._scanner.scan(changes)
                signal.alarm(0)
                pipe.send(outcome)
                gc.collect()


def _lost(change: FileChange, exit_code: int | None) -> Scanned:
    if exit_code is None:
        reason = f"not tried: {_MOST_DEATHS} processes that scanned other files died"
    elif exit_code == -signal.SIGALRM:
        reason = f"given up: no end after {FILE_WALL_S} s"
    else:
        cause = f"signal {-exit_code}" if exit_code < 0 else f"exit code {exit_code}"
        reason = f"given up: the process that scanned it died ({cause})"
    note = ScanNote(kind=NoteKind.UNFINISHED, path=encodable(change.path), reason=reason)
    return Scanned((), 0, 0, (note,))
