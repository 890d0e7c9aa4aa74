"""Which language a file is written in: every module of `languages` exports one as `LANGUAGE`.

A language is imported when a file may be its own, a detector when a rule that names it is tried.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, cast

from rocm_ci import registry
from rocm_ci.scan import detectors as detectors_package
from rocm_ci.scan import languages as languages_package

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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
# How names begin that say more than their suffix: with a suffix it still may win (`Dockerfile.c`).
_OF_START = {"dockerfile": "dockerfile", "containerfile": "dockerfile", "jenkinsfile": "groovy"}
_TELLING = (*_OF_START, "singularity", "apptainer", "makefile", "make.", ".env")
_OF_NO_LANGUAGE = frozenset(
    {"LICENSE", "NOTICE", "CODEOWNERS", "VERSION", ".gitignore", ".dockerignore", ".gitattributes"}
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
    return next((one for one in _possible(path, head) if one.claims(pure, head)), None)


def is_source(path: str) -> bool:
    """Whether a language claims a file by its name. Most suffixes say so without any language loaded."""
    name = path.rpartition("/")[2]
    asked = _OF_SUFFIX.get(name.rpartition(".")[2]) if "." in name[1:] else None
    if asked in _BY_SUFFIX_ALONE and not name.lower().startswith(_TELLING):
        return bool(asked)
    return language_of(path, "") is not None


def _possible(path: str, head: str) -> Iterator[Language]:
    name = path.rpartition("/")[2]
    if "." in name[1:]:
        asked = None if name.lower().startswith(_TELLING) else _OF_SUFFIX.get(name.rpartition(".")[2])
        return map(_of_module, _all_modules() if asked is None else asked)
    told = next((module for start, module in _OF_START.items() if name.lower().startswith(start)), None)
    if told is not None:
        return map(_of_module, (told,))
    if name in _OF_NO_LANGUAGE and not head.startswith("#!"):
        return iter(())
    return map(_of_module, _HIDDEN if name.startswith(".") else _WITHOUT_SUFFIX)


@cache
def _of_module(name: str) -> Language:
    found: Language = importlib.import_module(f"{languages_package.__name__}.{name}").LANGUAGE
    return found


@cache
def _all_modules() -> tuple[str, ...]:
    return tuple(sorted(info.name for info in pkgutil.iter_modules(languages_package.__path__)))
