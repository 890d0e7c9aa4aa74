"""Rows of several sources → the master table."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tools.api_table.row import Row, changed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

NEWER = ">7.0"
SAME = "="
KEEP = "."
NONE = "-"
# HIPIFY lists plain words of device code (`umin`, `saturate`, `texture`) that others use for their own.
_DISTINCTIVE = re.compile(
    r"_*(?:make_)?(?:cuda|CUDA|cu[A-Z]|CU[A-Za-z_]|cub[a-z]|cufft|curand|cusparse|cusolver|cudnn|cutensor|cufile|cupti"
    r"|nvrtc|NVRTC|nv[a-z]|NV[A-Z]|Cub[A-Z]|nccl|NCCL)\w*"
    r"|__[a-z]\w*|__NV_\w+|MAX_CUFFT_ERROR|CIG_DATA_TYPE\w+|(?:texture|surface)Reference|libraryPropertyType(?:_t)?"
    r"|(?:syevj|gesvdj|csr(?:qr|lu|chol)|prune|bsr\w+2|csr\w+2)Info(?:Host)?(?:_t)?|atomic\w+_block|REGISTER_CUDA\w+"
)
_HEADER = re.compile(r"[\w./]+\.(?:h|hpp|cuh)")
# PyTorch's own and names whose «translation» is a number or an expression.
_NOT_FOR_US = frozenset({"cuda_stream", "CUDAContext", "__CUDACC__", "cuSPARSELt", "curand"})
# Libraries whose headers are in none of the packages that the table is made of.
_ELSEWHERE = re.compile(r"roctx\w+|hipFile\w+|HIPFILE\w+|hipsparseLt\w+|HIPSPARSELT\w+|[\w./]+\.(?:h|hpp)")


@dataclass(frozen=True, kw_only=True)
class Sources:
    """What the table is made of.

    `proposed` are HIPIFY's names also for what HIP lacks, `declared` the identifiers of HIP headers up to
    7.0, `newer` those of a later release.
    """

    hipify: Mapping[str, Row]
    proposed: Mapping[str, str]
    torch: Mapping[str, Row]
    headers: Mapping[str, Row]
    declared: frozenset[str]
    newer: frozenset[str]
    additions: tuple[tuple[str, Mapping[str, str]], ...]


def table(sources: Sources) -> dict[str, Row]:
    """The master table.

    HIPIFY decides; torch adds names, and a HIP name where HIPIFY has none; headers add names. The additions
    have the last word. Names that HIP shares are left out.
    """
    found = {name: row for name, row in sources.hipify.items() if is_distinctive(name)}
    for name, row in sources.torch.items():
        if is_distinctive(name) and row.library != "nvml":
            known = found.get(name) or changed(row, {"hip": ""})
            usable = row.hip and not known.hip and _exists(row.hip, sources)
            found[name] = changed(known, {"hip": row.hip, "source": "torch"}) if usable else known
    for name, row in sources.headers.items():
        found.setdefault(name, row)
    found = {name: _completed(row, sources) for name, row in found.items()}
    for name, values in sources.additions:
        found[name] = _with_addition(found.get(name) or Row(name=name), values)
    return {name: _with_renamers(row, sources) for name, row in found.items() if not row.is_identity}


def _with_renamers(row: Row, sources: Sources) -> Row:
    """With who translates the name; nobody is asked about what HIP lacks."""
    if not row.hip:
        return row
    theirs = {"hipify": sources.hipify.get(row.name), "torch": sources.torch.get(row.name)}
    who = [
        label
        for label, one in theirs.items()
        if one is not None and (one.hip == row.hip or (one.hip and _is_there(one, sources)))
    ]
    return changed(row, {"renamed_by": ",".join(who)})


def _is_there(row: Row, sources: Sources) -> bool:
    """Whether the name that a translator writes exists. HIPIFY's do; torch has some of its own invention."""
    name = row.hip.split(" ", maxsplit=1)[0]
    return row.source == "hipify" or row.kind == "header" or _exists(name, sources)


def _exists(hip: str, sources: Sources) -> bool:
    """Torch translates some names to what no header declares."""
    return hip in sources.declared or hip in sources.newer or bool(_ELSEWHERE.fullmatch(hip))


def is_distinctive(name: str) -> bool:
    """Whether a name is CUDA's beyond doubt, or a header."""
    if name.startswith(("caffe2/", "tensorpipe/")):  # of PyTorch, not of CUDA
        return False
    return name not in _NOT_FOR_US and bool(_DISTINCTIVE.fullmatch(name) or _HEADER.fullmatch(name))


def _completed(row: Row, sources: Sources) -> Row:
    """With the HIP name that headers show and no translator knows yet."""
    if row.library == "cudnn":
        # What HIPIFY calls supported was the retired hipDNN; today's has other functions under the same name.
        hip = sources.proposed.get(row.name, row.hip)
        known = hip in sources.newer
        return changed(row, {"hip": hip if known else "", "hip_since": NEWER if known else ""})
    if row.hip:
        return row
    names = (sources.proposed.get(row.name, ""), *_guesses(row.name))
    hip = next((n for n in names if n != row.name and (n in sources.declared or n in sources.newer)), "")
    if not hip:
        return row
    return changed(row, {"hip": hip, "hip_since": "" if hip in sources.declared else NEWER})


def _guesses(name: str) -> Iterator[str]:
    """What HIP calls a name of CUDA's runtime, if it keeps its habits."""
    if name.startswith("cudaDevAttr"):
        yield "hipDeviceAttribute" + name.removeprefix("cudaDevAttr")
    if name.startswith("cuda"):
        yield "hip" + name.removeprefix("cuda")


def _with_addition(row: Row, values: Mapping[str, str]) -> Row:
    settled = {}
    for column, value in values.items():
        if value != KEEP:
            settled[column] = "" if value == NONE else row.name if value == SAME else value
    return changed(row, {**settled, "source": "kept"})
