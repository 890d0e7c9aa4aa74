"""Files worth a look that a run leaves in the output folder: what the kernel said meanwhile, core dumps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.tools import file

if TYPE_CHECKING:
    from pathlib import Path

    from rocm_ci.context import Context, Lease

MAX_KEPT = 50


def inside(path: Path, folder: Path) -> str:
    """A path as seen from the output folder, if it lies there."""
    return str(path.relative_to(folder)) if path.is_relative_to(folder) else str(path)


def kernel_log(ctx: Context, lease: Lease, run_log: Path) -> str:
    """Write the kernel's messages since the lease began beside the log of the run; where, or nothing.

    Each run of one lease adds to them, so the last file of a lease holds all.
    """
    text = ctx.gpus.kernel_log(lease)
    if not text:
        return ""
    path = run_log.with_name(f"{run_log.stem}.kernel.log")
    try:
        file.write(path, text.encode("utf-8", "replace"))
    except OSError as error:
        # A full disk must not take the result of the tests along.
        ctx.log.warning(f"the kernel's messages are not kept: {path.name}: {error.strerror or error}")
        return ""
    return inside(path, ctx.out)
