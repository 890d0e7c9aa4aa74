"""What a C file shows about the groups of lanes it works with."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan.c_calls import arguments

if TYPE_CHECKING:
    from rocm_ci.scan.c_source import CFile

SHUFFLE = re.compile(r"\b__shfl(?:_up|_down|_xor)?(?P<sync>_sync)?\s*\(")
_WARP_CODE = re.compile(
    r"\b(?:__shfl|__ballot|__any|__all|__activemask|__syncwarp|__match|__reduce_\w+_sync)\w*\s*\("
)
_TILE_OF_32 = re.compile(r"\btiled_partition\s*<\s*32\s*>|\bthread_block_tile\s*<\s*32\b")


def uses_warps(file: CFile) -> bool:
    """Whether it calls warp functions at all."""
    return _WARP_CODE.search(file.code) is not None


def states_width(sync: bool, given: list[str]) -> bool:  # noqa: FBT001 - half of a shuffle's name
    """Whether a shuffle call with these arguments has a width of its own."""
    return len(given) > (3 if sync else 2)


def works_in_groups_of_32(file: CFile) -> bool:
    """Whether its groups are 32 lanes on purpose: every shuffle states its width, or tiles do the work.

    Groups smaller than a wave are legal on AMD.
    """
    calls = [
        states_width(bool(f["sync"]), arguments(file.code, f.end())) for f in SHUFFLE.finditer(file.code)
    ]
    if calls:
        return all(calls)
    return _TILE_OF_32.search(file.code) is not None
