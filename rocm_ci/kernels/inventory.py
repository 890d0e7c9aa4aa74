"""All kernels of some built files, with readable names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from rocm_ci.kernels import fatbin, metadata, zstd
from rocm_ci.kernels.demangle import demangled

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from rocm_ci.model.kernel import Kernel
    from rocm_ci.tools.process import Runner

MAX_KERNELS = 200_000


class Inventory(msgspec.Struct, frozen=True, kw_only=True):
    """What was found, sorted by name and arch; `problems` name the file first."""

    kernels: tuple[Kernel, ...] = ()
    problems: tuple[str, ...] = ()


def of(files: Iterable[tuple[Path, str]], run: Runner, environment: Mapping[str, str]) -> Inventory:
    """Read `(file, name to show)` pairs. Never raises for what is in the files."""
    unpack = zstd.decompressor(run, environment)
    found: list[Kernel] = []
    problems: list[str] = []
    for path, shown in files:
        binary = fatbin.read(path, zstd=unpack)
        problems += [f"{shown}: {problem}" for problem in binary.problems]
        if not binary.entries and not binary.problems:
            problems.append(f"{shown}: no GPU code in it")
        for entry in binary.entries:
            if len(found) < MAX_KERNELS:
                found += metadata.kernels(entry, shown)
    names = demangled({k.name for k in found}, run, environment)
    readable = [msgspec.structs.replace(k, name=names[k.name]) for k in found]
    readable.sort(key=lambda k: (k.name, k.arch, k.artifact))
    return Inventory(kernels=tuple(readable), problems=tuple(problems))
