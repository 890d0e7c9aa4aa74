"""The compatibility matrix, as `rules/tables/compat.yaml` writes it down."""

from __future__ import annotations

from functools import cache

from rocm_ci.model.base import Frozen
from rocm_ci.registry import data_folder


class Sourced(Frozen, frozen=True, kw_only=True):
    """Numbers of drivers that are accepted, and who says so."""

    accepted: tuple[str, ...]
    source: str


class Row(Frozen, frozen=True, kw_only=True):
    """One line of releases. `os` and `dropped` map a system's id to its versions."""

    source: tuple[str, ...]
    drivers: Sourced | None = None
    os: dict[str, tuple[str, ...]] = {}
    dropped: dict[str, tuple[str, ...]] = {}
    torch: tuple[str, ...] = ()
    gfx: tuple[str, ...] = ()


class Since(Frozen, frozen=True, kw_only=True):
    """The release that brought a target."""

    release: str
    source: str


class Targets(Frozen, frozen=True, kw_only=True):
    """The targets of a line's wheels."""

    gfx: tuple[str, ...]
    source: str


class Bundles(Frozen, frozen=True, kw_only=True):
    """The firmware bundles that a release names, by GPU."""

    bundles: dict[str, tuple[str, ...]]
    source: str


class Partitioning(Frozen, frozen=True, kw_only=True):
    """The lowest versions that partitions of a card need."""

    kernel: str
    module: str
    amd_smi: str


class Matrix(Frozen, frozen=True, kw_only=True):
    """The whole of `compat.yaml`."""

    sources: dict[str, str]
    modules: dict[str, str]
    first_release: dict[str, Since]
    wheel_targets: dict[str, Targets]
    kernels: dict[str, dict[str, str]]
    partitioning: Partitioning
    firmware: dict[str, Bundles]
    releases: dict[str, Row]


@cache
def matrix() -> Matrix:
    """The table, read once."""
    import msgspec.yaml  # noqa: PLC0415 - PyYAML is only needed where a machine is checked

    text = (data_folder("rules") / "tables" / "compat.yaml").read_bytes()
    return msgspec.yaml.decode(text, type=Matrix)
