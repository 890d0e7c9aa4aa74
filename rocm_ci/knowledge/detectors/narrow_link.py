"""A PCIe link with fewer lanes than card and slot have (lspci, amd-smi, sysfs)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.knowledge.detector import Detector, Sighted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rocm_ci.knowledge.sweep import Hit

_NEAR = 8


class NarrowLink:
    """The width decides: an idle GPU lowers the speed of its link by itself."""

    name = "narrow-link"
    patterns = {
        "can": r"LnkCap:.{0,80}Width x(?P<width>\d{1,2})|max_link_width\W{1,6}(?P<width2>\d{1,2})|MAX_PCIE_WIDTH\W{1,6}(?P<width3>\d{1,2})",
        "has": r"LnkSta:.{0,80}Width x(?P<width>\d{1,2})|current_link_width\W{1,6}(?P<width2>\d{1,2})|\bPCIE_WIDTH\W{1,6}(?P<width3>\d{1,2})",
    }

    def look(self, hits: Mapping[str, Sequence[Hit]]) -> Sighted | None:
        """The nearest statement above of what it can do belongs to the same device."""
        for hit in hits.get("has", ()):
            above = [h for h in hits.get("can", ()) if 0 <= hit.line - h.line <= _NEAR]
            if above and 0 < _width(hit) < _width(above[-1]):
                return Sighted(hit=hit, values={"has": str(_width(hit)), "can": str(_width(above[-1]))})
        return None


def _width(hit: Hit) -> int:
    return int(next((v for k, v in hit.values.items() if k.startswith("width")), "0"))


DETECTOR: Detector = NarrowLink()
