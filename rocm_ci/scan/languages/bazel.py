"""Bazel: BUILD files and Starlark, which is Python enough to be read as Python.

`if_cuda([…])`, `if_rocm([…])` and the branches of `select({…})` carry the guard of their name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.scan import vendor
from rocm_ci.scan.languages.python import cut

if TYPE_CHECKING:
    from pathlib import PurePosixPath

    from rocm_ci.scan.language import Language, Parsed
    from rocm_ci.scan.source import Source

_NAMES = frozenset({"BUILD", "WORKSPACE", "BUCK", "TARGETS"})


class Bazel:
    """`BUILD`, `BUILD.bazel`, `WORKSPACE`, `MODULE.bazel`, `*.bzl`; Buck's files look the same."""

    name = "bazel"

    def claims(self, path: PurePosixPath, head: str) -> bool:  # noqa: ARG002 - the name says it
        """By name."""
        return path.name in _NAMES or path.suffix in (".bazel", ".bzl", ".BUILD")

    def parse(self, source: Source) -> Parsed:
        """Strings with the rule and attribute around them: `call:cc_library`, `kw:deps`."""
        return cut(source, vendor.of_path(source.path, beside=source.beside))


LANGUAGE: Language = Bazel()
