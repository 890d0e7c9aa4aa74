"""How many GPUs a job was given, and how many its programs saw."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.knowledge.detector import Detector, Sighted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rocm_ci.knowledge.sweep import Hit

_GIVEN = {
    "label": r"(?:[Rr]unner|[Mm]achine|runs-on|[Ll]abel).{0,80}?[-_.](?P<given>[1-9]\d?)[-_.]?gpus?\b",
    "wanted": r"amd\.com/gpu\W{1,6}(?P<given>[1-9]\d?)\b",
}
_SEEN = {
    "jax": r"^(?P<seen>[1-9]\d{0,2}) AMD (?:Instinct|Radeon)",
    "ggml": r"found (?P<seen>[1-9]\d{0,2}) ROCm devices",
    "torch": r"(?:device_count\(?\)?|[Nn]umber of GPUs|visible GPUs?|GPU count)\W{1,8}(?P<seen>[1-9]\d{0,2})\b",
}


class GpuCount:
    """`more`: whether it is told when more are seen than were given, or when fewer are."""

    patterns = {**_GIVEN, **_SEEN}

    def __init__(self, name: str, *, more: bool) -> None:
        self.name = name
        self._more = more

    def look(self, hits: Mapping[str, Sequence[Hit]]) -> Sighted | None:
        """The place where the wrong number is seen, and the two numbers."""
        given = [int(h.values["given"]) for name in _GIVEN for h in hits.get(name, ())]
        if not given or len(set(given)) > 1:
            return None
        seen = sorted((h for name in _SEEN for h in hits.get(name, ())), key=lambda h: h.line)
        for hit in seen:
            count = int(hit.values["seen"])
            if count > given[0] if self._more else count < given[0]:
                return Sighted(hit=hit, values={"given": str(given[0]), "seen": str(count)}, confidence=0.96)
        return None


DETECTOR: Detector = GpuCount("more-gpus-than-given", more=True)
