"""What the scanner must know of the project around a file: is it translated at build, what is aliased."""

from __future__ import annotations

import posixpath
import re
from functools import cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from rocm_ci.scan.c_guards import vendor_macros
from rocm_ci.scan.c_lexer import lex
from rocm_ci.scan.files import decode

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocm_ci.scan.files import FileSource
    from rocm_ci.scan.source import Guard

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
_MOST_HEADERS = 200
_DEEPEST = 40  # includes within includes that are read for macros
_MAY_TEACH = re.compile(rb"CUDA|NVCC|NVIDIA|HIP|ROCM|AMD|HCC|__gfx|__GFX")
_ALIAS = re.compile(
    rb"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:\([^)\n]*\))?[ \t]+\S"
    rb"|^[ \t]*using[ \t]+(\w+)[ \t]*="
    rb"|^[ \t]*namespace[ \t]+(\w+)[ \t]*="
    rb"|^[ \t]*typedef\b[^;\n]*?\b(\w+)[ \t]*;"
    rb"|^[ \t]*\}[ \t]*(\w+)[ \t]*;"  # typedef enum { … } cublasStatus_t;
    rb"|^[ \t]*(?:(?:static|extern|inline|constexpr|const)[ \t]+)+[\w:*&<>]+[ \t]+[*&]?(\w+)[ \t]*[=;{]"
    rb"|^[A-Za-z_][\w \t*&:<>,]*[ \t*&](\w+)[ \t]*\([^;{}()]*\)[ \t\n]*\{",  # a function of this name
    re.MULTILINE,
)
_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]', re.MULTILINE)
_CUDA_WORD = re.compile(r"(?<![A-Za-z])cuda(?![A-Za-z])")
_FOREIGN = re.compile(rb"\b(?:cu|CU|nv|NV|__nv|__)\w+")


class Project:
    """Reads a few files of the tree around the changed ones; what they say is kept, their bytes are not."""

    def __init__(self, source: FileSource) -> None:
        self._read = source.read
        self._exists = cache(self._is_there)
        self._translates = cache(self._folder_translates)
        self._resolved = cache(self._resolve)
        self._own_aliases = cache(self._aliases_of_text)
        self._aliases = cache(self._all_aliases)
        self._taught = cache(self._macros_of_header)
        self._reading: set[str] = set()

    def translates(self, path: str) -> bool:
        """Whether a source file is run through hipify before it is compiled for AMD."""
        pure = PurePosixPath(path)
        return pure.suffix in _TRANSLATED and any(self._translates(str(f)) for f in pure.parents)

    def aliases(self, path: str) -> frozenset[str]:
        """Names that a C file, or a project header it includes, defines itself.

        `#define cudaMalloc hipMalloc` makes `cudaMalloc` legal below it.
        """
        return self._aliases(path)

    def macros(self, path: str) -> dict[str, Guard]:
        """Macros that the project headers a C file includes define for one vendor only."""
        return self._of_includes(path)

    def defines(self, path: str, name: str) -> bool:
        """Whether a C file may use a CUDA-looking name, because the project defines it for AMD."""
        return name in self.aliases(path)

    def has_header(self, path: str, header: str, *, in_quotes: bool) -> bool:
        """Whether an include names a file of the project; in angle brackets it rarely does."""
        return in_quotes and self._resolved(posixpath.dirname(path), header) is not None

    def has_amd_twin(self, path: str) -> bool:
        """Whether the file is the NVIDIA half of a pair, e.g. `cuda/sort.cu` beside `hip/sort.hip`."""
        return any(self._exists(twin) for twin in _twins(path))

    def _is_there(self, path: str) -> bool:
        return self._read(path) is not None

    def _folder_translates(self, folder: str) -> bool:
        return any(
            sign.search(data)
            for name, sign in _SIGNS.items()
            if (data := self._read(posixpath.normpath(posixpath.join(folder, name)))) is not None
        )

    def _all_aliases(self, path: str) -> frozenset[str]:
        names: set[str] = set()
        queue, seen = [path], {path}
        while queue:
            here = queue.pop()
            mine, headers = self._own_aliases(here)
            names |= mine
            for header in headers:
                found = self._resolved(posixpath.dirname(here), header)
                if found is not None and found not in seen and len(seen) < _MOST_HEADERS:
                    seen.add(found)
                    queue.append(found)
        return frozenset(names)

    def _of_includes(self, path: str) -> dict[str, Guard]:
        found: dict[str, Guard] = {}
        disputed: set[str] = set()
        for header in self._own_aliases(path)[1]:
            resolved = self._resolved(posixpath.dirname(path), header)
            # A header that is being read includes itself through others: it teaches nothing yet.
            if resolved is None or resolved in self._reading or len(self._reading) > _DEEPEST:
                continue
            for macro, guard in self._taught(resolved).items():
                if found.setdefault(macro, guard) is not guard:
                    disputed.add(macro)
        return {macro: guard for macro, guard in found.items() if macro not in disputed}

    def _macros_of_header(self, path: str) -> dict[str, Guard]:
        data = self._read(path) or b""
        self._reading.add(path)
        known = self._of_includes(path)
        self._reading.discard(path)
        if not known and not _MAY_TEACH.search(data):
            return {}
        text = decode(data)[0]
        return vendor_macros(lex(text).code, text, known)

    def _resolve(self, folder: str, header: str) -> str | None:
        """The file of the project that an include in `folder` names, if any."""
        return next((c for c in _candidates(folder, header) if self._exists(c)), None)

    def _aliases_of_text(self, path: str) -> tuple[frozenset[str], tuple[str, ...]]:
        data = self._read(path) or b""
        names = (next(filter(None, found.groups())) for found in _ALIAS.finditer(data))
        headers = tuple(h.decode("utf-8", "surrogateescape") for h in _INCLUDE.findall(data))
        return frozenset(n.decode() for n in names if _FOREIGN.fullmatch(n)), headers


def _candidates(folder: str, header: str) -> Iterable[str]:
    """Where an included project header may lie, the likeliest place first."""
    if header.startswith(("/", "hip/", "torch/", "ATen/", "c10/")) or "." not in header:
        return
    places = [folder]
    while folder:
        folder = posixpath.dirname(folder)
        places.append(folder)
    places += _INCLUDE_FOLDERS
    for place in dict.fromkeys(places):
        candidate = posixpath.normpath(posixpath.join(place, header))
        if not candidate.startswith("../"):
            yield candidate


def _twins(path: str) -> Iterable[str]:
    """Where the AMD half of a pair would lie: `cuda` in its path renamed, or `.cu` become `.hip`."""
    parts = path.split("/")
    stem, suffix = posixpath.splitext(parts[-1])
    suffixes = (suffix, ".hip", ".hip.cpp") if suffix in (".cu", ".cuh") else (suffix,)
    names = [*parts[:-1], stem]
    for vendor in ("hip", "rocm"):
        renamed = [_CUDA_WORD.sub(vendor, name) for name in names]
        forms = [renamed, *([*names[:n], renamed[n], *names[n + 1 :]] for n in range(len(names)))]
        for form in dict.fromkeys(map("/".join, forms)):
            yield from (form + other for other in suffixes if form + other != path)
