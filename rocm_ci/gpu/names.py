"""The table of AMD GPUs by PCI device id, and what to call a device whose tools do not know its name."""

from __future__ import annotations

import re
from functools import cache

from rocm_ci.model.base import Frozen
from rocm_ci.registry import data_folder

# What drivers and tools say when they do not know the product.
_BARE = re.compile(
    r"(?:Advanced Micro Devices.*|AMD|ATI|AMD/ATI|\[AMD/ATI\]|(?:AMD )?Radeon(?:\(TM\))?(?: Graphics)?|"
    r"AMD Instinct|AMD Radeon(?: RX| Pro)?|AMD GPU|Device(?: [0-9a-f]{4})?|0x[0-9a-f]+|gfx[0-9a-f]+|"
    r"Display controller|ip discovery)",
    re.IGNORECASE,
)


class Mode(Frozen, frozen=True, kw_only=True):
    """A compute partition mode: dies in one device, and the memory modes it goes with, where known."""

    xcc: int
    memory: tuple[str, ...] = ()


class Model(Frozen, frozen=True, kw_only=True):
    """One row of `rules/tables/gpus.yaml`. `cu` and `vram_gib` are those of one whole device.

    Of the card, which has `dies` devices: `tbps` in TB/s, `peaks` in TFLOPS by precision (those in
    `computed` are not from a vendor's table), `gemm_floors` in GFLOPS by precision and initialisation.
    """

    gfx: str
    name: str | None = None
    cu: int | None = None
    wave: int | None = None
    lds_kib: int | None = None
    lds_wgp_kib: int | None = None
    vram_gib: int | None = None
    fp8: str | None = None
    vf_of: str | None = None
    integrated: bool = False
    dies: int = 1
    tbps: float | None = None
    peaks: dict[str, float] = {}
    computed: tuple[str, ...] = ()
    gemm_floors: dict[str, dict[str, int]] = {}
    modes: dict[str, Mode] = {}
    revisions: dict[str, str] = {}


class _Table(Frozen, frozen=True, kw_only=True):
    instinct: dict[str, Model]
    radeon: dict[str, Model]
    integrated: dict[str, Model]


@cache
def table() -> dict[str, Model]:
    """Device id (`0x74a1`) → model."""
    import msgspec.yaml  # noqa: PLC0415 - PyYAML is only needed where there is a GPU

    text = (data_folder("rules") / "tables" / "gpus.yaml").read_bytes()
    decoded = msgspec.yaml.decode(text, type=_Table)
    apus = {i: msgspec.structs.replace(m, integrated=True) for i, m in decoded.integrated.items()}
    return {**decoded.instinct, **decoded.radeon, **apus}


def by_id(device_id: str | None) -> Model | None:
    """The model behind a PCI device id; None when it is not in the table."""
    return table().get(device_id.lower()) if device_id else None


def product(device_id: str | None, revision: str | None) -> str | None:
    """The product's name; None for an unknown id, or one of several products and an unlisted revision."""
    model = by_id(device_id)
    if model is None:
        return None
    if model.name:
        return model.name
    digits = (revision or "").lower().removeprefix("0x")
    return model.revisions.get(digits.zfill(2)) if digits else None


def mode_of(model: Model, xcc: int | None) -> str | None:
    """The compute partition mode in which a device has so many dies; None when that tells nothing."""
    fits = [name for name, mode in model.modes.items() if mode.xcc == xcc]
    return fits[0] if len(fits) == 1 else None


def is_bare(name: str | None) -> bool:
    """Whether a name says nothing about the product (`AMD Radeon Graphics`)."""
    return name is None or _BARE.fullmatch(name.strip()) is not None


def is_instinct(gfx: str | None) -> bool:
    """Whether a target is a compute accelerator's (CDNA), where a spoofed target is never right."""
    return gfx in ("gfx906", "gfx908", "gfx90a", "gfx940", "gfx941", "gfx942", "gfx950", "gfx1250")
