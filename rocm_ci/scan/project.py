"""What the scanner must know of the project around a file: is it translated at build, what is aliased."""

from __future__ import annotations

import re
from functools import cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocm_ci.scan.files import FileSource

# Where a project says that its CUDA sources are translated when it is built for ROCm, and how.
# CUDAExtension: torch.utils.cpp_extension runs hipify on a ROCm build of torch.
_SIGNS = {
    "setup.py": re.compile(rb"\bCUDAExtension\s*\(|hipify"),
    "pyproject.toml": re.compile(rb"\bhipify"),
    "CMakeLists.txt": re.compile(rb"hipify|HIPIFY"),
    "cmake/hipify.py": re.compile(rb"hipify"),
    "cmake/utils.cmake": re.compile(rb"hipify"),
    "cmake/HIP.cmake": re.compile(rb"hipify"),
    "op_builder/builder.py": re.compile(rb"hipify|\bCUDAExtension\s*\("),
    "tools/amd_build/build_amd.py": re.compile(rb"hipify"),
    "configure": re.compile(rb"hipify"),
    "Makefile": re.compile(rb"hipify"),
}
# What torch.utils.hipify translates (DEFAULT_EXTENSIONS of hipify_python.py).
_TRANSLATED = frozenset({".cu", ".cuh", ".c", ".cc", ".cpp", ".h", ".in", ".hpp", ".cxx", ".hxx", ".inl"})
_INCLUDE_FOLDERS = ("", "include", "src", "csrc")
_MOST_HEADERS = 40
_ALIAS = re.compile(
    rb"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:\([^)\n]*\))?[ \t]+\S"
    rb"|^[ \t]*using[ \t]+(\w+)[ \t]*="
    rb"|^[ \t]*namespace[ \t]+(\w+)[ \t]*="
    rb"|^[ \t]*typedef\b[^;\n]*?\b(\w+)[ \t]*;",
    re.MULTILINE,
)
_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]', re.MULTILINE)
_CUDA_WORD = re.compile(r"(?<![A-Za-z])cuda(?![A-Za-z])")
_FOREIGN = re.compile(rb"\b(?:cu|CU|nv|NV|__nv|__)\w+")


class Project:
    """Reads a few files of the tree around the changed ones, each at most once."""

    def __init__(self, source: FileSource) -> None:
        self._read = cache(source.read)
        self._translates = cache(self._folder_translates)
        self._aliases_of = cache(self._aliases_of_text)

    def translates(self, path: str) -> bool:
        """Whether a source file is run through hipify before it is compiled for AMD."""
        pure = PurePosixPath(path)
        return pure.suffix in _TRANSLATED and any(self._translates(str(f)) for f in pure.parents)

    def _folder_translates(self, folder: str) -> bool:
        return any(
            sign.search(data)
            for name, sign in _SIGNS.items()
            if (data := self._read(str(PurePosixPath(folder, name)))) is not None
        )

    def aliases(self, path: str) -> frozenset[str]:
        """Names that a C file, or a project header it includes, defines itself.

        `#define cudaMalloc hipMalloc` makes `cudaMalloc` legal below it.
        """
        names: set[str] = set()
        queue, seen = [path], {path}
        while queue:
            here = queue.pop()
            mine, headers = self._aliases_of(here)
            names |= mine
            for header in headers:
                for candidate in _candidates(here, header):
                    if (
                        candidate not in seen
                        and len(seen) < _MOST_HEADERS
                        and self._read(candidate) is not None
                    ):
                        seen.add(candidate)
                        queue.append(candidate)
                        break
        return frozenset(names)

    def has_header(self, path: str, header: str) -> bool:
        """Whether an include that is written in quotes names a file of the project."""
        return any(self._read(candidate) is not None for candidate in _candidates(path, header))

    def has_amd_twin(self, path: str) -> bool:
        """Whether the file is the NVIDIA half of a pair, e.g. `cuda/sort.cu` beside `hip/sort.hip`."""
        return any(self._read(twin) is not None for twin in _twins(path))

    def _aliases_of_text(self, path: str) -> tuple[frozenset[str], tuple[str, ...]]:
        data = self._read(path) or b""
        names = (next(filter(None, found.groups())) for found in _ALIAS.finditer(data))
        headers = tuple(h.decode("utf-8", "surrogateescape") for h in _INCLUDE.findall(data))
        return frozenset(n.decode() for n in names if _FOREIGN.fullmatch(n)), headers


def _candidates(includer: str, header: str) -> Iterable[str]:
    """Where an included project header may lie, the likeliest place first."""
    if header.startswith("/"):
        return
    here = PurePosixPath(includer).parent
    places = [here, *here.parents, *(PurePosixPath(f) for f in _INCLUDE_FOLDERS)]
    for place in dict.fromkeys(places):
        candidate = _normal(place / header)
        if candidate is not None:
            yield candidate


def _twins(path: str) -> Iterable[str]:
    """Where the AMD half of a pair would lie."""
    pure = PurePosixPath(path)
    for vendor in ("hip", "rocm"):
        folder = PurePosixPath(*(_renamed(part, vendor) for part in pure.parts[:-1]))
        stem = _renamed(pure.stem, vendor)
        for suffix in dict.fromkeys((pure.suffix, ".hip", ".hip.cpp")):
            twin = folder / (stem + suffix)
            if twin != pure:
                yield str(twin)


def _renamed(part: str, vendor: str) -> str:
    """`cuda_sort` → `hip_sort`; a name without that word stays."""
    return _CUDA_WORD.sub(vendor, part)


def _normal(path: PurePosixPath) -> str | None:
    parts: list[str] = []
    for part in path.parts:
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)
