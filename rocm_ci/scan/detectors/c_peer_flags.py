"""Flags between GPUs with the scope of one GPU."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan.c_calls import arguments
from rocm_ci.scan.c_source import CFile
from rocm_ci.scan.language import Detector, Match, Parsed, Surroundings
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Iterator

_PEER = re.compile(
    r"(?:[pP]eer|PEER|[rR]emote(?!_cast)|[nN]eighbou?r_?(?:[fF]lag|[gG]pu|[rR]ank|[dD]ev)|[oO]ther_?(?:[gG]pu|[dD]ev|[rR]ank)|[iI]pc|IPC"
    r"|[mM]ulti_?[gG]pu|[cC]ross_?(?:[gG]pu|[dD]evice)|[wW]orld_?[sS]ize|\bn_?gpus|num_?(?:gpus|ranks|devices)|ngpus|nranks)"
)
_FENCE = re.compile(r"__threadfence(?<![\w.>]__threadfence)\s*\(\s*\)")
_SCOPE = re.compile(
    r"(?<![\w.>])(?:__hip_atomic_\w+|__scoped_atomic_\w+|__builtin_amdgcn_fence|__atomic_work_item_fence)\s*\("
)
_NARROW = re.compile(
    r"\b(?:__HIP_MEMORY_SCOPE_(?:AGENT|WORKGROUP)|__MEMORY_SCOPE_(?:DEVICE|WRKGRP))\b|\"\s*\""
)
_FLAG_ATOMIC = re.compile(
    r"(?P<call>atomic(?<![\w.>]atomic)(?:Add|Exch|CAS|Or|Max|Sub|Inc))\s*\(\s*(?P<target>[^,;]+),"
)
_MALLOC = re.compile(
    r"\b(?P<call>(?:hip|cuda)Malloc)\s*\(\s*(?:\([\w\s*]+\)\s*)?&\s*(?P<name>[\w.>\[\]-]*(?:[fF]lag|[sS]ignal|[bB]arrier|[sS]emaphore)\w*)"
)
_SHARED_OUT = tuple(
    f"{vendor}{call}"
    for vendor in ("hip", "cuda")
    for call in ("IpcGetMemHandle", "DeviceEnablePeerAccess", "IpcOpenMemHandle")
)


class PeerFlags:
    """Fences and atomics of one device, and coarse-grained memory, for what another GPU reads."""

    name = "peer-flags"
    needles = ("__threadfence", "__hip_atomic_", "__scoped_atomic_", "atomic", "Malloc")

    def find(self, parsed: Parsed, surroundings: Surroundings) -> Iterator[Match]:  # noqa: ARG002
        """See `Detector`."""
        file = parsed.tree
        if not isinstance(file, CFile):
            return
        both = (Guard.NONE, Guard.AMD)
        for found, _, _ in file.search(_FENCE, guards=both):
            function = file.functions.at(found.start())
            if function is not None and _PEER.search(file.code, function.header, function.end):
                yield _at(
                    file,
                    found.start(),
                    found.end(),
                    "`{match}` orders writes for this GPU only; another one reads them here",
                )
        for found, _, _ in file.search(_SCOPE, guards=both):
            given = arguments(file.code, found.end())
            narrow = next((m[0] for one in given if (m := _NARROW.fullmatch(one.strip()))), None)
            if narrow and given and _PEER.search(given[0]):
                start = file.code.index(narrow, found.end())
                yield _at(
                    file,
                    start,
                    start + len(narrow),
                    "`{match}` does not reach the other GPU whose memory this is",
                )
        for found, _, _ in file.search(_FLAG_ATOMIC, guards=both):
            if _PEER.search(found["target"]):
                yield _at(
                    file,
                    found.start("call"),
                    found.end("call"),
                    "`{match}` has the scope of this GPU; the flag is another one's",
                )
        if any(word in file.code for word in _SHARED_OUT):
            for found, _, _ in file.search(_MALLOC, guards=both):
                yield _at(
                    file,
                    found.start("call"),
                    found.end("call"),
                    "`{match}` gives coarse-grained memory: another GPU sees its flags only after the kernel",
                )


def _at(file: CFile, start: int, end: int, message: str) -> Match:
    line, column = file.lexed.place(start)
    text = file.code[start:end].split("\n")[0]
    return Match(line, column, column + len(text), text, message=message)


DETECTOR: Detector = PeerFlags()
