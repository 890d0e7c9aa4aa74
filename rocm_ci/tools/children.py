"""Children for a short command: started in a group of their own, and never left behind."""

from __future__ import annotations

import contextlib
import os
import subprocess
from typing import TYPE_CHECKING

from rocm_ci.tools import tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

# Every process below us inherits it: by its values a step's own are told from another step's.
TAG = "ROCM_CI_STEP"


def tagged(env: Mapping[str, str], tag: str) -> dict[str, str]:
    """The environment of a child: with a mark of its own behind those that we were given ourselves."""
    return {**env, TAG: f"{env.get(TAG, '')}/{tag}"}


@contextlib.contextmanager
def started(
    argv: Sequence[str], cwd: Path | None, env: Mapping[str, str]
) -> Iterator[tuple[subprocess.Popen[bytes], tree.Tree] | str]:
    """A child with three pipes, and its tree; on the way out, however that happens, what is left is ended.

    When the program cannot be started it is the reason instead.
    """
    tag = os.urandom(8).hex()
    before = tree.children()

    def begin() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            list(argv),
            cwd=cwd,
            env=tagged(env, tag),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    try:
        child = tree.start(begin, tag)
    except (OSError, ValueError) as error:
        yield f"cannot start {argv[0]}: {getattr(error, 'strerror', None) or error}"
        return
    below = tree.Tree(child, tag, before)
    try:
        yield child, below
    finally:
        if not below.is_over():
            below.end()
        tree.over(child)
        for pipe in (child.stdin, child.stdout, child.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
