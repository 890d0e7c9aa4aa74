"""A scan of a few files in two processes: Python files in one, C-family files in the other.

Neither then reads what only the other needs: rules, who imports whom, who includes whom, what is built.
"""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import posixpath
import signal
from typing import TYPE_CHECKING

from rocm_ci.scan.includes import SUFFIXES
from rocm_ci.scan.scanned import Scanned

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rocm_ci.model.changes import FileChange

    Scan = Callable[[Sequence[FileChange]], Scanned]

LEAST_FILES = 8  # of each half; fewer are scanned before the other process has begun
FILE_WALL_S = 60  # after which a file is beyond what the processor time limit can end, such as a hung call


def split(files: Sequence[FileChange]) -> tuple[list[FileChange], list[FileChange]] | None:
    """The two halves, or None where one process is as quick.

    A C-family file takes twice as long as a Python module: build files and scripts go to the lighter half.
    """
    python = [change for change in files if change.path.endswith((".py", ".ipynb", ".pyx", ".pxd"))]
    c_family = [c for c in files if posixpath.splitext(c.path)[1].lower() in SUFFIXES]
    theirs, ours = set(c_family), set(python)
    with_python = [change for change in files if change not in theirs]
    with_c = [change for change in files if change not in ours]
    ways = [(with_python, c_family), (python, with_c)]
    if len(python) > 2 * len(c_family):
        ways.reverse()
    return next((way for way in ways if min(map(len, way)) >= LEAST_FILES), None)


def scanned(
    here: Sequence[FileChange], there: Sequence[FileChange], scan: Scan
) -> tuple[Scanned, Scanned | None]:
    """The outcomes of both halves; None for the second one where its process could not be had, or died."""
    child = _started(there, scan)
    if child is None:
        return scan(here), None
    pid, reading = child
    is_done = False
    try:
        with open(reading, "rb") as pipe:  # noqa: PTH123 - a descriptor
            mine = scan(here)
            sent = pipe.read()
        is_done = True
    finally:
        if not is_done:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
    # Of a process that is our own copy: nothing of the scanned tree says what is made of these bytes.
    return mine, pickle.loads(sent) if status == 0 else None  # noqa: S301


def _started(files: Sequence[FileChange], scan: Scan) -> tuple[int, int] | None:
    """(process id, descriptor that its outcome is read from) of a copy of this process that scans files."""
    reading, writing = os.pipe()
    try:
        pid = os.fork()
    except (OSError, MemoryError):  # no processes left, or no memory
        os.close(reading)
        os.close(writing)
        return None
    if pid:
        os.close(writing)
        return pid, reading
    code = 1
    try:
        # Our own handlers, inherited by fork, would tell a traceback when it is ended.
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.alarm(FILE_WALL_S * len(files))
        # Pages that are shared stay so, and syntax trees hold no cycles to look for.
        gc.freeze()
        gc.disable()
        with open(writing, "wb") as pipe:  # noqa: PTH123
            pipe.write(pickle.dumps(scan(files)))
        code = 0
    finally:
        os._exit(code)
