"""HIPIFY's own tables, `src/CUDA2HIP*.cpp`, as rows: the richest source there is."""

from __future__ import annotations

import re
import tarfile
from typing import TYPE_CHECKING

from tools.api_table.row import Row
from tools.api_table.versions import release

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

_ENTRY = re.compile(
    r'^\s*\{"(?P<name>[^"]+)",\s*\{"(?P<hip>[^"]*)",\s*"(?P<roc>[^"]*)",\s*CONV_(?P<conv>\w+),\s*API_(?P<api>\w+),'
    r"\s*[^,}]+?\s*(?:,\s*(?P<flags>[A-Z0-9_| ]+))?\}\}",
    re.MULTILINE,
)
_RELEASES = re.compile(
    r'^\s*\{"(?P<name>[^"]+)",\s*\{(?P<releases>(?:CUDA|CUDNN|CUTENSOR|HIP)_\w+[^}]*)\}\}', re.MULTILINE
)
_LIBRARIES = {
    "DRIVER": "driver", "RUNTIME": "runtime", "COMPLEX": "cucomplex", "BLAS": "cublas", "RAND": "curand",
    "DNN": "cudnn", "FFT": "cufft", "SPARSE": "cusparse", "SOLVER": "cusolver", "CUB": "cub",
    "CAFFE2": "caffe2", "RTC": "nvrtc", "TENSOR": "cutensor",
}  # fmt: skip
_KINDS = {
    "TYPE": "type", "DEVICE_TYPE": "device-type", "NUMERIC_LITERAL": "enum", "LITERAL": "enum",
    "DEFINE": "macro", "DEVICE_FUNC": "device", "LIB_DEVICE_FUNC": "device",
    "INCLUDE": "header", "INCLUDE_CUDA_MAIN_H": "header", "INCLUDE_CUDA_MAIN_V2_H": "header",
}  # fmt: skip
_DEPRECATED = frozenset({"CUDA_DEPRECATED", "DEPRECATED"})
_REMOVED = frozenset({"CUDA_REMOVED", "REMOVED"})
_NEVER = ("", "", "")
_NO_HIP = frozenset({"UNSUPPORTED", "HIP_UNSUPPORTED", "HIP_REMOVED", "REMOVED"})
_NO_ROC = frozenset({"UNSUPPORTED", "ROC_UNSUPPORTED", "ROC_REMOVED", "REMOVED"})


def texts(place: Path) -> dict[str, str]:
    """The table files of an unpacked source tree or of its archive, by file name."""
    if place.is_dir():
        files = sorted(place.rglob("CUDA2HIP*.cpp"))
        return {f.name: f.read_text(encoding="utf-8") for f in files}
    found = {}
    with tarfile.open(place) as archive:
        for member in archive:
            name = member.name.rpartition("/")[2]
            handle = archive.extractfile(member) if re.fullmatch(r"CUDA2HIP\w*\.cpp", name) else None
            if handle is not None:
                found[name] = handle.read().decode("utf-8")
    return dict(sorted(found.items()))


def rows(files: Mapping[str, str]) -> dict[str, Row]:
    """Every name of the tables. A name of two libraries belongs to the one that gives it a HIP name."""
    releases = _releases(files.values())
    found: dict[str, Row] = {}
    for file, text in files.items():
        for entry in _ENTRY.finditer(text):
            row = _row(entry, releases, in_device_file="_Device_" in file)
            known = found.get(row.name)
            if known is None or (row.hip and not known.hip):
                found[row.name] = row
    return found


def proposed(files: Mapping[str, str]) -> dict[str, str]:
    """The HIP name of every entry, also of those that HIP does not have (yet)."""
    return {e["name"]: e["hip"] for text in files.values() for e in _ENTRY.finditer(text) if e["hip"]}


def _row(entry: re.Match[str], releases: Mapping[str, tuple[str, str, str]], *, in_device_file: bool) -> Row:
    flags = {flag.strip() for flag in (entry["flags"] or "").split("|")}
    hip = "" if flags & _NO_HIP else entry["hip"]
    cuda = releases.get(entry["name"], _NEVER)
    theirs = releases.get(hip, _NEVER) if hip else _NEVER
    return Row(
        name=entry["name"],
        library="device" if in_device_file else _LIBRARIES.get(entry["api"], entry["api"].lower()),
        kind=_KINDS.get(entry["conv"], "function"),
        hip=hip,
        roc="" if flags & _NO_ROC else entry["roc"],
        cuda_since=cuda[0],
        # The maps of releases also hold plans; only the flags say that it came to that.
        cuda_deprecated=cuda[1] if flags & (_DEPRECATED | _REMOVED) else "",
        cuda_removed=cuda[2] if flags & _REMOVED else "",
        hip_since=theirs[0],
        hip_deprecated=theirs[1],
        hip_removed=theirs[2],
        source="hipify",
    )


def _releases(files: Iterable[str]) -> dict[str, tuple[str, str, str]]:
    """(first, deprecated, removed) of every CUDA, HIP and ROCm name."""
    found = {}
    for text in files:
        for entry in _RELEASES.finditer(text):
            releases = [release(r) for r in entry["releases"].split(",")]
            if len(releases) >= len(_NEVER):  # the maps of changed signatures have one
                found[entry["name"]] = (releases[0], releases[1], releases[2])
    return found
