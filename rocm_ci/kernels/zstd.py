"""zstd, which Python has only since 3.14: a module that is there, or the program of that name."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

    from rocm_ci.kernels.bundle import Zstd
    from rocm_ci.tools.process import Runner

_TIMEOUT_S = 60.0


def decompressor(run: Runner, environment: Mapping[str, str]) -> Zstd:
    """A function from compressed bytes to at most so many bytes; None when nothing here can do it."""
    standard, package = _module("compression.zstd"), _module("zstandard")

    def decompress(packed: bytes, size: int) -> bytes | None:
        try:
            if standard is not None:
                return bytes(standard.ZstdDecompressor().decompress(packed, max_length=size))
            if package is not None:
                reader: Any = package.ZstdDecompressor().stream_reader(packed)
                return bytes(reader.read(size))
        except Exception:  # noqa: BLE001 - each module has its own error class, and the data is a stranger's
            return None
        # `head` bounds what a forged frame unpacks to.
        argv = ["bash", "-c", f"zstd -dcq | head -c {size}"]
        done = run.capture(argv, env=environment, stdin=packed, timeout_s=_TIMEOUT_S)
        return (done.stdout or None) if done.exit_code == 0 else None

    return decompress


def _module(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None
