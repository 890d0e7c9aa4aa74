"""The samples file: `{version: 1, series: [{name, unit, better, base: [[…]], head: [[…]], control}]}`."""

from __future__ import annotations

import math

import msgspec

from rocm_ci.errors import UsageError
from rocm_ci.model.base import Frozen
from rocm_ci.model.perf import Series

VERSION = 1
_HINT = "see `rocm-ci perf compare --help` for the layout"


class Samples(Frozen, frozen=True, kw_only=True):
    """The whole file."""

    version: int
    series: tuple[Series, ...]


def decode(raw: bytes, *, path: str) -> tuple[Series, ...]:
    """Read a samples file strictly; a bad one is a usage error that names the place."""
    try:
        samples = msgspec.json.decode(raw, type=Samples)
    except (msgspec.ValidationError, msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        message = f"{path}: not a samples file: {error}"
        raise UsageError(message, hint=_HINT) from error
    if samples.version != VERSION:
        message = f"{path}: version {samples.version} of the samples file, this rocm-ci reads {VERSION}"
        raise UsageError(message, hint="use the rocm-ci that wrote it")
    names = [s.name for s in samples.series]
    twice = next((n for n in names if names.count(n) > 1), None) if len(names) < 10_000 else None
    if twice is not None:
        message = f"{path}: the series {twice!r} is given twice"
        raise UsageError(message, hint="give every series a name of its own")
    for one in samples.series:
        if not all(math.isfinite(v) for process in (*one.base, *one.head) for v in process):
            message = f"{path}: the series {one.name!r} holds a value that is not finite"
            raise UsageError(message, hint="leave failed measurements out")
    return samples.series


def encode(series: tuple[Series, ...]) -> bytes:
    """The file's content."""
    return msgspec.json.format(msgspec.json.encode(Samples(version=VERSION, series=series)), indent=1)
