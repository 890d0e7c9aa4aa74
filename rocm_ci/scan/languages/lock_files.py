"""Lock files of resolvers, which nobody writes by hand: which packages they pin. Rules see `lock`.

A pinned package is a REQUIREMENT region. When the manifest beside it names something for CUDA itself,
that is the place to look at, and the lock file is left out.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from rocm_ci.scan import vendor
from rocm_ci.scan.language import Language, Parsed
from rocm_ci.scan.requirement_lines import requirement

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.scan.source import Guard, Region, Source

_NAMES = frozenset({"poetry.lock", "uv.lock", "pdm.lock", "Pipfile.lock", "pixi.lock", "pylock.toml"})
_MANIFESTS = ("pyproject.toml", "Pipfile", "pixi.toml", "environment.yml", "environment.yaml")
# `name = "x"` (poetry, uv, pdm, pylock), `- name: x` (conda-lock), `"x": {` (Pipfile), conda's file (pixi).
_PACKAGE = re.compile(
    r"\s*(?:name = \"|-? ?name: |\"(?=[\w.-]+\": ?\{)|- (?:conda|pypi): \S*/(?=[\w.-]+-\d))"
    r"([A-Za-z][\w.]*(?:-[A-Za-z]\w*)*)"
)
_FOR_CUDA = re.compile(rb"(?i)\bcu1[0-9]\d\b|nvidia|cupy-cuda|cudatoolkit|pytorch-cuda|\bcuda\d*\b")


class Lock:
    """By name."""

    name = "lock"

    def claims(self, path: PurePosixPath, head: str) -> bool:  # noqa: ARG002 - the name says it
        """The files of poetry, uv, pdm, pipenv, pixi and conda-lock."""
        return path.name in _NAMES or (path.suffix in (".yml", ".yaml") and "conda-lock" in path.name)

    def parse(self, source: Source) -> Parsed:
        """Nothing where the manifest says it all."""
        folder = PurePosixPath(source.path).parent
        for name in _MANIFESTS:
            data = source.read(str(folder / name))
            if data is not None and _FOR_CUDA.search(data):
                return Parsed(source, ())
        outer = vendor.of_path(source.path, beside=source.beside)
        return Parsed(source, tuple(_packages(source, outer)))


def _packages(source: Source, outer: Guard) -> Iterator[Region]:
    for number, line in enumerate(source.lines, 1):
        if found := _PACKAGE.match(line):
            yield requirement(found[1], number, found.start(1) + 1, outer, ("locked",))


LANGUAGE: Language = Lock()
