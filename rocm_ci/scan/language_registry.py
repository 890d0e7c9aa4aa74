"""Which language a file is written in: every module of `languages` exports one as `LANGUAGE`.

A language is imported when a file may be its own, a detector when a rule that names it is tried.
"""

from __future__ import annotations

import importlib
from functools import cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, cast

from rocm_ci import registry
from rocm_ci.scan import detectors as detectors_package
from rocm_ci.scan import languages as languages_package

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocm_ci.scan.language import Detector, Language

HEAD = 512
# Which languages are asked about a file, in the order of their modules: what a suffix alone leaves
# possible. Of any other suffix, and of names that say more than their suffix does, every one is asked.
_C, _PYTHON, _TEXT = ("c",), ("python",), ("cmake", "meson", "requirements", "setup_cfg")
_BY_SUFFIX_ALONE = (_C, _PYTHON, ("shell",), ("cmake",), ())
_OF_SUFFIX: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("c", "cc", "cpp", "cxx", "cu", "hip", "h", "hh", "hpp", "hxx", "cuh", "inl", "inc"), _C),
    **dict.fromkeys(("py", "pyi", "pyx", "pxd", "pxi", "ipynb"), _PYTHON),
    **dict.fromkeys(("sh", "bash", "zsh"), ("shell",)),
    **dict.fromkeys(("yml", "yaml"), ("lock_files", "yaml")),
    "json": ("yaml",),
    "toml": ("lock_files", "toml"),
    "txt": _TEXT,
    "cmake": ("cmake",),
    "cfg": ("setup_cfg",),
    "mk": ("makefile",),
    "dockerfile": ("dockerfile",),
    **dict.fromkeys(("md", "rst", "csv", "js", "ts", "tsx", "html", "css", "svg", "jsonl", "proto"), ()),
}
_WITHOUT_SUFFIX = (
    *("apptainer", "bazel", "dockerfile", "groovy", "makefile", "python", "settings_lines", "shell", "toml"),
)
_HIDDEN = (*_WITHOUT_SUFFIX[:2], "cmake", *_WITHOUT_SUFFIX[2:])
_TELLING = (
    "dockerfile",
    "containerfile",
    "jenkinsfile",
    "singularity",
    "apptainer",
    "makefile",
    "make.",
    ".env",
)


@cache
def languages() -> Mapping[str, Language]:
    """Every language plug-in by name."""
    return cast("Mapping[str, Language]", registry.load(languages_package, "LANGUAGE", object))


@cache
def detectors() -> Mapping[str, Detector]:
    """Every detector plug-in by name; each module of `detectors` exports one as `DETECTOR`."""
    return cast("Mapping[str, Detector]", registry.load(detectors_package, "DETECTOR", object))


@cache
def detector(name: str) -> Detector:
    """One detector by name: its module is called after it, with or without the kind of files in front."""
    stem = name.replace("-", "_")
    modules = (stem, f"c_{stem}", f"build_{stem}")
    return cast("Detector", registry.one(detectors_package, "DETECTOR", object, name, modules))


def language_of(path: str, head: str) -> Language | None:
    """The language that claims a file; `head` is its first characters."""
    pure = PurePosixPath(path)
    return next((one for one in _possible(path) if one.claims(pure, head)), None)


def is_source(path: str) -> bool:
    """Whether a language claims a file by its name. Most suffixes say so without any language loaded."""
    name = path.rpartition("/")[2]
    asked = _OF_SUFFIX.get(name.rpartition(".")[2]) if "." in name[1:] else None
    if asked in _BY_SUFFIX_ALONE and not name.lower().startswith(_TELLING):
        return bool(asked)
    return language_of(path, "") is not None


def _possible(path: str) -> tuple[Language, ...]:
    name = path.rpartition("/")[2]
    if name.lower().startswith(_TELLING):
        return tuple(languages().values())
    if "." not in name[1:]:
        return _of_modules(_HIDDEN if name.startswith(".") else _WITHOUT_SUFFIX)
    asked = _OF_SUFFIX.get(name.rpartition(".")[2])
    return tuple(languages().values()) if asked is None else _of_modules(asked)


@cache
def _of_modules(names: tuple[str, ...]) -> tuple[Language, ...]:
    package = languages_package.__name__
    return tuple(importlib.import_module(f"{package}.{name}").LANGUAGE for name in names)
