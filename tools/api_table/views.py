"""The master table → one list per rule, as the scanner loads it: a name, its replacement, what is known.

A line reads `NAME [HIP|-] [key=value …]`. Keys: `since` first release of the HIP name (from 6.0 on), `roc`
the name of the library behind, `deprecated` and `removed` the CUDA release, `hint` a line of hints.txt, `by`
which of HIPIFY and torch's hipify renames it, where not both. The second line of a view holds the beginnings
of its names: a scan reads on only where one of them occurs.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tools.api_table.merge import NEWER
from tools.api_table.row import NONE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from tools.api_table.row import Row

_NEEDLE = 6
_MANY = 500
_RUNTIME = re.compile(r"cuda[A-Z]\w*|make_cuda[A-Z]\w*|CUDART_\w+|(?:texture|surface)Reference|cudal\w+")
_DRIVER = re.compile(
    r"cu[A-Z]\w*|make_cu[A-Z]\w*|CU[a-z]\w*|CU_\w+|CUDA_\w+|CUGL\w+|CUGPU\w+|CUCore\w+|CIG_\w+|NVCL_\w+"
)
# Rules about precision, memory scopes and launches look at these: what matters is not their name.
_ELSEWHERE = re.compile(
    r"__nv_fp[468](?:x[24])?_\w+|__nv_cvt_\w*fp[468]\w*|__NV_E[45]M[32]|__NV_SATFINITE|__nv_saturation_t"
    r"|(?:__)?nv_bfloat16\w*|nv_half2?|__nv_half"
    r"|atomic\w+_block|cudaStream(?:FireAndForget|TailLaunch)"
)
_RUNTIME_LIBRARIES = frozenset({"runtime", "driver", "cucomplex", "device"})
_TOOLKIT = _RUNTIME_LIBRARIES | {"thrust", "cub", "nvrtc"}
_OLD = 6  # the first major release of HIP that is worth a word


def texts(rows: Mapping[str, Row], hints: Sequence[tuple[str, re.Pattern[str]]]) -> dict[str, str]:
    """Every view by file name."""
    made = {}
    for name, (title, wanted) in VIEWS.items():
        mine = [row for _, row in sorted(rows.items()) if wanted(row)]
        lines = [_line(row, hints, releases=name == _OUTDATED) for row in mine]
        head = f"# {title} Made from cuda-api.tsv by `python -m tools.api_table`.\n"
        made[f"{name}.txt"] = (
            head + f"# needles: {' '.join(needles(r.name for r in mine))}\n" + "\n".join(lines) + "\n"
        )
    return made


def needles(names: Iterable[str]) -> list[str]:
    """Beginnings of which every name has one; few names stand for themselves."""
    every = set(names)
    return sorted(every if len(every) < _MANY else {name[:_NEEDLE] for name in every})


def group(row: Row) -> str:
    """Which rules look at a name: device code, the runtime, the driver, a library; headers have two."""
    if row.kind == "header":
        return "toolkit-header" if row.library in _TOOLKIT else "library-header"
    if row.library in ("nvml", "nvtx", "caffe2"):
        return row.library
    if _ELSEWHERE.fullmatch(row.name):
        return "elsewhere"
    if _RUNTIME.fullmatch(row.name) or (row.library == "device" and row.hip):
        return "runtime"
    if row.library == "device":
        return "device"
    if row.library in _RUNTIME_LIBRARIES or row.name.startswith("CUDA_"):
        return "driver" if _DRIVER.fullmatch(row.name) else "library"
    return "library"


def _renamed(*groups: str) -> Callable[[Row], bool]:
    return lambda row: bool(row.hip) and group(row) in groups


def _without(*groups: str) -> Callable[[Row], bool]:
    return lambda row: not row.hip and group(row) in groups


def _is_outdated(row: Row) -> bool:
    """What HIP kept although NVIDIA gave it up; of what HIP lacks its own line says so."""
    return bool(row.hip and (row.cuda_removed or row.cuda_deprecated)) and row.kind == "function"


_HEADERS = ("toolkit-header", "library-header")
VIEWS: dict[str, tuple[str, Callable[[Row], bool]]] = {
    "runtime-renames": ("Names of the CUDA runtime that HIP has under another name.", _renamed("runtime")),
    "driver-renames": ("Names of the CUDA driver API that HIP has under another name.", _renamed("driver")),
    "library-renames": ("Names of CUDA libraries that ROCm has under another name.", _renamed("library")),
    "nvtx-renames": ("Names of NVTX that roctx has under another name.", _renamed("nvtx")),
    "cuda-headers": ("CUDA headers that have a counterpart in ROCm.", _renamed(*_HEADERS)),
    "api-without-hip": (
        "Names of CUDA's runtime and driver that HIP lacks.",
        _without("runtime", "driver"),
    ),
    "library-without-hip": ("Names of CUDA libraries that ROCm lacks.", _without("library")),
    "nvtx-without-roctx": ("Names of NVTX that roctx lacks.", _without("nvtx")),
    "nvml-names": ("Names of NVML, and where to look in AMD SMI.", _without("nvml")),
    "nvidia-intrinsics": (
        "Names of CUDA's device code that HIP lacks.",
        _without("device"),
    ),
    "headers-without-hip": ("Headers of the CUDA toolkit without a counterpart.", _without("toolkit-header")),
    "nvidia-headers": ("Headers of NVIDIA's libraries without a counterpart.", _without("library-header")),
    "outdated-names": ("Functions that NVIDIA calls deprecated or has removed.", _is_outdated),
}
_OUTDATED = "outdated-names"
_OLD_HINT = "old"
_BOTH = "hipify,torch"


def _line(row: Row, hints: Sequence[tuple[str, re.Pattern[str]]], *, releases: bool) -> str:
    known = {}
    if row.hip and not releases and _is_recent(row.hip_since):
        known["since"] = row.hip_since
    if not row.hip and row.roc:
        known["roc"] = row.roc
    if row.cuda_removed and (releases or not row.hip):
        known["removed"] = row.cuda_removed
    elif row.cuda_deprecated and (releases or not row.hip):
        known["deprecated"] = row.cuda_deprecated
    if releases or not row.hip or row.hip_since == NEWER:
        mine = (
            key for key, names in hints if key.startswith(_OLD_HINT) is releases and names.fullmatch(row.name)
        )
        if key := next(mine, None):
            known["hint"] = key
    if row.hip and not releases and row.renamed_by != _BOTH:
        known["by"] = row.renamed_by or NONE
    words = [row.name]
    if row.hip or known:
        words.append(row.hip or NONE)
    return " ".join([*words, *(f"{key}={value}" for key, value in known.items())])


def _is_recent(release: str) -> bool:
    return bool(release) and (release.startswith(">") or int(release.split(".", maxsplit=1)[0]) >= _OLD)
