"""Names that headers (or bindings made of them) declare, from a folder or a wheel."""

from __future__ import annotations

import re
import zipfile
from typing import TYPE_CHECKING

from tools.api_table.row import Row

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_SUFFIXES = (".h", ".hpp", ".pxd", ".pyi", ".pyx", ".py")
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_IDENTIFIER = re.compile(r"\b[A-Za-z_]\w+")
# The headers of the runtime and the driver; what they declare for CUDA's own use has a telling name.
_API = re.compile(
    r"(?:^|/)(?:cuda|cudaGL|cudaEGL|cudaVDPAU|cudaProfiler|cuda_runtime_api|cuda_runtime|driver_types|"
    r"cuda_profiler_api|cuda_gl_interop|cuda_egl_interop|cuda_vdpau_interop|cuda_device_runtime_api|"
    r"surface_types|texture_types|library_types|device_types|cuda_occupancy)\.h$"
)
_NAME = re.compile(
    r"(?:cuda[A-Z]|cu[A-Z]|CU[a-z]|CU_|CUDA_(?:SUCCESS|ERROR|R_|C_|ARRAY|MEMCPY|LAUNCH|KERNEL|MEMSET|HOST|EXTERNAL|"
    r"EXT|POINTER|RESOURCE|TEXTURE|GRAPH|CHILD|CONDITIONAL|EVENT|BATCH|MEM|CHECKPOINT|EGL|ENABLE))\w+"
)
_SHORTEST = 6
_INTERNAL = re.compile(r"_pts[zd]$|Reserved\d|PADDING|_INCLUDED|_H$|^cuda_|__$")


def texts(place: Path) -> Iterator[tuple[str, str]]:
    """(path, text) of every header."""
    if place.is_dir():
        for file in sorted(place.rglob("*")):
            if file.suffix in _SUFFIXES and file.is_file():
                yield file.as_posix(), file.read_text(encoding="utf-8", errors="replace")
        return
    with zipfile.ZipFile(place) as wheel:
        for name in sorted(wheel.namelist()):
            if name.endswith(_SUFFIXES):
                yield name, wheel.read(name).decode("utf-8", "replace")


def declared(places: Iterable[Path]) -> frozenset[str]:
    """Every identifier of the headers, comments left out: what is not there does not exist."""
    names: set[str] = set()
    for place in places:
        for _, text in texts(place):
            names.update(_IDENTIFIER.findall(_COMMENT.sub(" ", text)))
    return frozenset(names)


def rows(places: Iterable[Path]) -> dict[str, Row]:
    """The names of CUDA's runtime and driver headers, without any HIP name."""
    found: dict[str, Row] = {}
    for place in places:
        for path, text in texts(place):
            if not _API.search(path):
                continue
            code = _COMMENT.sub(" ", text)
            for match in _IDENTIFIER.finditer(code):
                name = match[0]
                if (
                    name not in found
                    and _NAME.fullmatch(name)
                    and not _INTERNAL.search(name)
                    and len(name) > 5
                ):
                    found[name] = _row(name, code[match.end() : match.end() + 40])
    return found


def _is_api(name: str) -> bool:
    return len(name) >= _SHORTEST and bool(_NAME.fullmatch(name)) and not _INTERNAL.search(name)


def _row(name: str, after: str) -> Row:
    library = "runtime" if name.startswith("cuda") else "driver"
    follows = after.lstrip()
    if follows.startswith("(") and name[0] == "c":
        kind = "function"
    elif follows.startswith(("=", ",")) or name.startswith(("CU_", "CUDA_ERROR", "CUDA_SUCCESS")):
        kind = "enum"
    else:
        kind = "type"
    return Row(name=name, library=library, kind=kind, source="headers")
