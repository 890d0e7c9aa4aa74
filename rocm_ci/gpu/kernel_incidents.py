"""Messages of the kernel → incidents of one lease: whose GPU, and whether the code can have done it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rocm_ci.gpu import kernel_signs
from rocm_ci.model.incident import Incident, IncidentKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rocm_ci.gpu.kernel_log import Line
    from rocm_ci.gpu.kernel_signs import Meaning
    from rocm_ci.gpu.watched import Watched

_AMBIGUOUS = "; a faulty kernel can do this to a healthy GPU, so the same test on another GPU decides"
_AFTER_FAULT = (
    "; a memory access fault came first, so the code under test may have caused it:"
    " the same test on another GPU decides"
)


@dataclass(frozen=True, slots=True)
class _Said:
    found: Meaning
    device: Watched | None


@dataclass(kw_only=True)
class Reading:
    """Reads for one lease. `ancestors` are the bridges above each device, `cards` all GPUs of the host.

    `faulty` remembers which devices the code under test was seen to misuse.
    """

    devices: tuple[Watched, ...]
    ancestors: Mapping[str, frozenset[str]]
    cards: int
    faulty: set[str] = field(default_factory=set)

    def concerns(self, line: Line) -> bool:
        """Whether a line may be shown with this lease: it is about no GPU, or about one of ours."""
        found = kernel_signs.meaning(line.text)
        return found is None or not found.addresses or bool(self._owners(_named(found, line)))

    def incidents(self, lines: Iterable[Line]) -> list[Incident]:
        """One for each kind of trouble and device, the most telling first."""
        groups: dict[tuple[str, str], list[_Said]] = {}
        for line in lines:
            found = kernel_signs.meaning(line.text)
            if found is not None:
                for device in self._devices(found, line):
                    name = device.id if device else ""
                    if found.sign.blame == "change":
                        self.faulty.add(name)
                    else:
                        groups.setdefault((found.sign.id, name), []).append(_Said(found, device))
        rank = {sign.id: index for index, sign in enumerate(kernel_signs.table())} if groups else {}
        return [self._incident(groups[key]) for key in sorted(groups, key=lambda key: rank[key[0]])]

    def _devices(self, found: Meaning, line: Line) -> Sequence[Watched | None]:
        """Whom a message is about: devices of ours, None for the host or a GPU without a name; or nobody."""
        named = _named(found, line)
        owners = self._owners(named)
        if owners or found.sign.origin == "host":
            return owners or (None,)
        if named or found.sign.origin == "pci" or not self.devices:
            return ()
        # The driver named no GPU: it is ours where there is no other.
        return self.devices if self.cards == len(self.devices) == 1 else (None,)

    def _owners(self, named: frozenset[str]) -> tuple[Watched, ...]:
        own = tuple(device for device in self.devices if device.bus in named)
        return own or tuple(d for d in self.devices if self.ancestors[d.id] & named)

    def _incident(self, group: Sequence[_Said]) -> Incident:
        found, device = group[0].found, group[0].device
        sign = found.sign
        is_caused = sign.ambiguous and (device.id if device else "") in self.faulty
        text = f"{device.label}: {sign.text}" if device else sign.text
        text += f" ({len(group)} times)" if len(group) > 1 else ""
        text += f": «{found.text[:200]}»"
        if sign.ambiguous and sign.origin == "gpu":
            text += _AFTER_FAULT if is_caused else _AMBIGUOUS
        return Incident(
            kind=found.kind or IncidentKind.DRIVER,
            text=text,
            source="kernel log",
            gpu=device.label if device else None,
            is_gpu=sign.device and device is not None and not is_caused,
            is_note=sign.blame == "note",
        )


def _named(found: Meaning, line: Line) -> frozenset[str]:
    return frozenset(found.addresses) | ({line.device} if line.device else set())
