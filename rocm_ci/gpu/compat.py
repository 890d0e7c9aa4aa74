"""Does this go with that: answers from `rules/tables/compat.yaml`, each with its reason and source.

An answer is yes, no or unknown. Unknown is never «incompatible»: it only says that no source was found, or
that something is newer than what the source knew of.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.gpu import release
from rocm_ci.gpu.matrix import matrix

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rocm_ci.gpu.matrix import Row
    from rocm_ci.gpu.release import Release


class Word(enum.Enum):
    """What the table says."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


@dataclass(frozen=True, kw_only=True)
class Reply:
    """An answer, the sentence behind it, and where that stands."""

    word: Word
    reason: str
    source: str = ""


def driver_number(module: str | None) -> str | None:
    """The number of the driver that a module version belongs to: `6.16.6` → `30.20`; None when unlisted.

    A number that is a driver's already (`30.20.1`) is cut to its line; those of the kernel's own tree
    and of unlisted modules have none.
    """
    given = release.numbers(module)
    if len(given) >= 2 and given[0] >= 30:
        return f"{given[0]}.{given[1]}"
    wanted = given[:3]
    return next((d for m, d in matrix().modules.items() if release.numbers(m) == wanted), None)


def driver(rocm: Release, module: str | None, *, in_tree: bool = False) -> Reply:
    """Is this driver accepted by this ROCm? `module` is what /sys/module/amdgpu/version says."""
    row = _row(rocm)
    if row is None or row.drivers is None:
        return _unknown(f"no source names the drivers for ROCm {_called(rocm)}")
    listed = row.drivers.accepted
    source = _source(row.drivers.source)
    if in_tree:
        return _unknown("the driver is the kernel's own, which AMD's matrix does not number", source)
    if not module:
        return _unknown("the driver's version is not known", source)
    number = driver_number(module)
    if number is None:
        return _unknown(f"module {module} is of no driver in the table", source)
    called = f"driver {number}" if number == module else f"driver {number} (module {module})"
    accepted = f"ROCm {_line(rocm)} is supported with the drivers {', '.join(listed)}"
    if number in listed:
        return Reply(word=Word.YES, reason=f"{called}: {accepted}", source=source)
    return _outside(number, listed, f"{called}: {accepted}", source)


def system(rocm: Release, name: str, version: str) -> Reply:
    """Is this operating system (`ubuntu`, `24.04`) one that this ROCm is supported on?"""
    row = _row(rocm)
    if row is None or not row.os:
        return _unknown(f"no source names the operating systems for ROCm {_called(rocm)}")
    source = _source(row.source[0])
    shown = f"{name} {version}"
    known = ", ".join(f"{n} {'/'.join(v)}" for n, v in row.os.items())
    if _same_system(version, row.dropped.get(name, ())):
        return Reply(
            word=Word.NO,
            reason=f"ROCm {_line(rocm)} no longer supports {shown}; it does {known}",
            source=source,
        )
    if _same_system(version, row.os.get(name, ())):
        return Reply(word=Word.YES, reason=f"ROCm {_line(rocm)} is supported on {shown}", source=source)
    return _unknown(f"{shown} is not among the systems that ROCm {_line(rocm)} names: {known}", source)


def kernel(name: str, version: str, running: str) -> Reply:
    """Is the running kernel at least the one that the system came with?"""
    known = matrix().kernels.get(name, {})
    lowest = known.get(version) or known.get(version.split(".", maxsplit=1)[0])
    if lowest is None:
        return _unknown(f"no source names a kernel for {name} {version}")
    reason = f"kernel {running}; {name} {version} comes with {lowest}"
    enough = release.numbers(running)[:2] >= release.numbers(lowest)
    # A container shows its own system beside the kernel of the host: an older kernel proves nothing.
    return Reply(word=Word.YES if enough else Word.UNKNOWN, reason=reason, source=_source("matrix-7.14"))


def torch(rocm: Release, version: str) -> Reply:
    """Does this wheel of PyTorch fit the ROCm that is installed beside it?

    A wheel brings its own runtime libraries. What breaks is a second major release in the same process:
    extensions built with the installed compiler load `libamdhip64.so` of that one.
    """
    wheel = release.of_wheel(version)
    if wheel is None:
        return _unknown(f"torch {version} has no ROCm in its version")
    if wheel.major != rocm.major:
        reason = (
            f"torch {version} brings libraries of ROCm {wheel}, what is compiled here loads those of {rocm}"
        )
        return Reply(word=Word.NO, reason=reason, source=_source("therock"))
    row = _row(rocm)
    number = ".".join(str(n) for n in release.numbers(version)[:2])
    if wheel.line == rocm.line:
        listed = row.torch if row is not None else ()
        told = f"torch {number} is listed for ROCm {_line(rocm)}" if number in listed else "the same line"
        return Reply(word=Word.YES, reason=f"{told}: wheel for {wheel}, installed {rocm}")
    return _unknown(f"torch {version} is for ROCm {wheel}, installed is {rocm}: no source names this pair")


def target(rocm: Release, gfx: str) -> Reply:
    """Is this GPU target supported by this ROCm?"""
    since = matrix().first_release.get(gfx)
    first = release.release(since.release) if since else None
    if since and first and _before(rocm, first):
        reason = f"{gfx} came with ROCm {first}, installed is {rocm}"
        return Reply(word=Word.NO, reason=reason, source=_source(since.source))
    row = _row(rocm)
    if row is None or not row.gfx:
        return _unknown(f"no source names the GPUs for ROCm {_called(rocm)}")
    source = _source(row.source[0])
    if gfx in row.gfx:
        return Reply(word=Word.YES, reason=f"ROCm {_line(rocm)} supports {gfx}", source=source)
    return _unknown(
        f"{gfx} is not among the targets that ROCm {_line(rocm)} names: {', '.join(row.gfx)}", source
    )


def wheel_target(version: str, gfx: str) -> Reply:
    """Does PyTorch's own wheel hold code for this target? AMD's wheels are built per family instead."""
    wheel = release.of_wheel(version)
    listed = matrix().wheel_targets.get(_line(wheel)) if wheel else None
    if wheel is None or listed is None:
        return _unknown(f"no source names the targets in torch {version}")
    if gfx in listed.gfx:
        reason = f"the wheels for ROCm {_line(wheel)} hold {gfx}"
        return Reply(word=Word.YES, reason=reason, source=_source(listed.source))
    return _unknown(
        f"{gfx} is not among the targets of PyTorch's wheels for ROCm {_line(wheel)}", _source(listed.source)
    )


def firmware(rocm: Release, gpu: str) -> Reply:
    """Which firmware bundles does this ROCm name for this GPU? Never yes: no tool of the host shows them."""
    row = matrix().firmware.get(_line(rocm))
    if row is None or gpu not in row.bundles:
        return _unknown(f"no source names firmware for {gpu} with ROCm {_line(rocm)}")
    return _unknown(
        f"ROCm {_line(rocm)} names {' or '.join(row.bundles[gpu])} for the {gpu}", _source(row.source)
    )


def _before(rocm: Release, first: Release) -> bool:
    """Whether it certainly is: of a release without a patch number only the line is known."""
    whole = str(rocm).count(".") >= 2
    return rocm < first if whole else rocm.line < first.line


def _row(rocm: Release) -> Row | None:
    return matrix().releases.get(_line(rocm))


def _called(rocm: Release) -> str:
    return str(rocm) if rocm.production else f"{rocm}, which is a preview"


def _line(rocm: Release) -> str:
    return f"{rocm.major}.{rocm.minor}"


def _source(key: str) -> str:
    return matrix().sources.get(key, key)


def _unknown(reason: str, source: str = "") -> Reply:
    return Reply(word=Word.UNKNOWN, reason=reason, source=source)


def _same_system(version: str, listed: Iterable[str]) -> bool:
    """`24.04.3` is of the list's `24.04`, `9` of its `9`, and `9.6` too when the list says only `9`."""
    mine = release.numbers(version)
    return any(mine[: len(want)] == want for item in listed if (want := release.numbers(item)))


def _outside(number: str, listed: Sequence[str], reason: str, source: str) -> Reply:
    """Older than all that are listed is refused; newer, or between, was not known to the list."""
    ordered = sorted(release.numbers(item) for item in listed)
    if release.numbers(number) < ordered[0]:
        return Reply(word=Word.NO, reason=f"too old: {reason}", source=source)
    return _unknown(f"not in the list, which may be older: {reason}", source)
