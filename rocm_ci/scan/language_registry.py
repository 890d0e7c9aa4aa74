"""Which language a file is written in: every module of `languages` exports one as `language`."""

from __future__ import annotations

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


@cache
def languages() -> Mapping[str, Language]:
    """Every language plug-in by name."""
    return cast("Mapping[str, Language]", registry.load(languages_package, "LANGUAGE", object))


@cache
def detectors() -> Mapping[str, Detector]:
    """Every detector plug-in by name; each module of `detectors` exports one as `detector`."""
    return cast("Mapping[str, Detector]", registry.load(detectors_package, "DETECTOR", object))


def language_of(path: str, head: str) -> Language | None:
    """The language that claims a file; `head` is its first characters."""
    pure = PurePosixPath(path)
    return next((one for one in languages().values() if one.claims(pure, head)), None)
