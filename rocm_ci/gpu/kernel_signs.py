"""What a kernel message means, from `rules/tables/kernel-log.yaml`. Pure.

The kernel prints names that a program chose (its own, a file's). So a sign only counts behind an
origin that stands at the very beginning of the line and that no program can write there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal

import msgspec

from rocm_ci.model.base import Frozen
from rocm_ci.model.incident import IncidentKind
from rocm_ci.registry import data_folder

MAX_TEXT = 1_000
_ADDRESS = r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]"
_ORIGINS = {
    "gpu": re.compile(
        rf"(?:amdgpu {_ADDRESS}: |amdgpu: |kfd(?: kfd)?: |(?=\[drm[^\]]{{0,120}}\]{{1,2}} ))(?:amdgpu: )?"
        r"(?:\[drm[^\]]{0,120}\]{1,2} )?(?:\*ERROR\* |ERROR: )?(?:\{\d+\} ?)?"
    ),
    "pci": re.compile(rf"(?:pcieport|amdgpu|pci|vfio-pci) {_ADDRESS}: (?:amdgpu: )?|AER: (?={_ADDRESS})"),
    "host": re.compile(r"(?:------------\[ cut here \]------------ ?)?"),
}
_ANY_ADDRESS = re.compile(rf"(?<![0-9a-f:]){_ADDRESS}(?![0-9a-f])")
# What the drivers tell of a program, its name included, and all that follows.
_PROGRAM = re.compile(r"\b[Pp]rocess (?:information: process )?.{0,40}? pid \d")
# Messages that begin with the name of a program (at most 15 characters), whatever that name is.
_BY_PROGRAM = re.compile(
    r".{1,16}?(?:\[\d{1,10}\]:? |\(\d{1,10}\): | invoked oom-killer|: page allocation failure)"
)
# Cheap: most lines of a kernel log are none of our business.
_WORTH = re.compile(
    r"amdgpu|kfd|\[drm|pcieport|AER|AMD-Vi|ut of memory|BUG|Oops|fault|INFO: |rcu|panic|WARNING|error|mce"
    r"|Error|nvme|XFS|EXT4",
)


class Sign(Frozen, frozen=True, kw_only=True):
    """One row of the table."""

    id: str
    origin: Literal["gpu", "pci", "host"] = msgspec.field(name="from")
    pattern: str
    blame: Literal["machine", "note", "change"]
    text: str
    kind: str | None = None
    device: bool = False
    ambiguous: bool = False
    sample: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()


class _Table(Frozen, frozen=True, kw_only=True):
    signs: tuple[Sign, ...]


@dataclass(frozen=True, slots=True)
class Meaning:
    """A message that tells something. `addresses` are the PCI addresses it names, the first its origin's."""

    sign: Sign
    text: str
    addresses: tuple[str, ...]

    @property
    def kind(self) -> IncidentKind | None:
        """The kind of incident; None for what the code under test did."""
        return IncidentKind(self.sign.kind) if self.sign.kind else None


@cache
def table() -> tuple[Sign, ...]:
    """All signs, the more telling first."""
    import msgspec.yaml  # noqa: PLC0415 - PyYAML is only needed where the kernel said something

    text = (data_folder("rules") / "tables" / "kernel-log.yaml").read_bytes()
    return msgspec.yaml.decode(text, type=_Table).signs


@cache
def _compiled() -> tuple[tuple[Sign, re.Pattern[str]], ...]:
    return tuple((sign, re.compile(sign.pattern)) for sign in table())


def meaning(text: str) -> Meaning | None:
    """What one message (without its time stamp) says; None when it is nothing to us."""
    text = text[:MAX_TEXT]
    if not _WORTH.search(text) or _BY_PROGRAM.match(text):
        return None
    program = _PROGRAM.search(text)
    end = program.start() if program else len(text)
    starts = {name: match.end() for name, form in _ORIGINS.items() if (match := form.match(text))}
    for sign, pattern in _compiled():
        start = starts.get(sign.origin)
        if start is None:
            continue
        # What the drivers say may follow a word or two of theirs; a message of the host starts with it.
        is_host = sign.origin == "host"
        found = pattern.match(text, start) if is_host else pattern.search(text, start, end)
        if found:
            return Meaning(sign, text, tuple(dict.fromkeys(_ANY_ADDRESS.findall(text))))
    return None
