"""C, C++, CUDA and HIP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.scan.c_source import parse
from rocm_ci.scan.language import Language, Parsed

if TYPE_CHECKING:
    from pathlib import PurePosixPath

    from rocm_ci.scan.source import Source

_SUFFIXES = frozenset({
    ".c", ".cc", ".cpp", ".cxx", ".c++", ".cu", ".hip", ".h", ".hh", ".hpp", ".hxx", ".h++", ".cuh", ".hiph",
    ".inl", ".ipp", ".tpp", ".tcc", ".inc",
})  # fmt: skip
# Templates that a build fills in: kernel.cu.in, config.h.in, kernel.cu.jinja
_TEMPLATES = frozenset({".in", ".jinja", ".jinja2", ".tmpl", ".mako"})


class CFamily:
    """The `Language` of C-family files; `tree` is a `CFile`."""

    name = "c"

    def claims(self, path: PurePosixPath, head: str) -> bool:  # noqa: ARG002 - the contract's signature
        """By suffix alone."""
        suffix = path.suffix.lower()
        if suffix in _TEMPLATES and len(path.suffixes) > 1:
            suffix = path.suffixes[-2].lower()
        return suffix in _SUFFIXES

    def parse(self, source: Source) -> Parsed:
        """See `c_source`."""
        file, regions = parse(source.text, source.macros, source.hits)
        return Parsed(source, regions, file)


LANGUAGE: Language = CFamily()
