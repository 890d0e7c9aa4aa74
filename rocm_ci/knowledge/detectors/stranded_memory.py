"""GPU memory that is taken while nobody has the GPU: of a process that ended and whose context lives on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.knowledge.detector import Detector, Sighted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rocm_ci.knowledge.sweep import Hit

_UNITS = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
# An idle GPU has less than 1 GB in use. A fourth of a small one is much; of a large one a fixed amount is
# enough (46 of 262 GB were stranded in sgl-project/sglang#30431).
_LEAST_SHARE, _LEAST_BYTES, _ENOUGH_BYTES = 0.25, 2 * 2**30, 8 * 2**30
# Until tests have begun, nobody of the job can own it.
_NEAR = 60


class StrandedMemory:
    """Tables of rocm-smi and amd-smi, and PyTorch's own account of a failed allocation."""

    name = "stranded-memory"
    patterns = {
        "nobody": r"No KFD PIDs currently running|[Nn]o running processes (?:detected|found)|No JSON data to report.{0,40}process",
        "used": r"(?:GPU\[(?P<gpu>\d{1,3})\].{0,12})?(?:VRAM Total Used Memory \((?P<unit>[KMGi]{0,2}B)\)|USED_VRAM|VRAM_USED):\s{0,20}"
        r"(?P<used>\d{1,15})(?: (?P<after>[KMG]i?B))?",
        "total": r"(?:GPU\[(?P<gpu>\d{1,3})\].{0,12})?(?:VRAM Total Memory \((?P<unit>[KMGi]{0,2}B)\)|TOTAL_VRAM|VRAM_TOTAL):\s{0,20}"
        r"(?P<total>\d{1,15})(?: (?P<after>[KMG]i?B))?",
        "torch": r"has a total capacity of (?P<total>[\d.]{1,12}) GiB of which (?P<free>[\d.]{1,12}) (?P<free_unit>[KMG]iB) is free\."
        r".{0,300}?(?P<own>[\d.]{1,12}) (?P<own_unit>[KMG]iB) is allocated by PyTorch",
    }

    def look(self, hits: Mapping[str, Sequence[Hit]]) -> Sighted | None:
        """Taken memory and a statement that no process has it, both in the log."""
        if not hits.get("nobody"):
            return None
        totals = {h.values.get("gpu", ""): _bytes(h, "total") for h in reversed(hits.get("total", ()))}
        for hit in hits.get("used", ()):
            gpu, used = hit.values.get("gpu", ""), _bytes(hit, "used")
            total = totals.get(gpu, 0.0)
            near = any(abs(one.line - hit.line) <= _NEAR for one in hits["nobody"])
            if near and used >= _least(total):
                return Sighted(hit=hit, values=_told(gpu, used, total))
        for hit in hits.get("torch", ()):
            total = float(hit.values["total"]) * 2**30
            rest = total - _of(hit, "free") - _of(hit, "own")
            if rest >= _least(total):
                return Sighted(hit=hit, values=_told("", rest, total), confidence=0.85)
        return None


def _least(total: float) -> float:
    return min(_ENOUGH_BYTES, max(_LEAST_BYTES, _LEAST_SHARE * total))


def _told(gpu: str, used: float, total: float) -> dict[str, str]:
    return {"device": gpu or "?", "used": f"{used / 1e9:.1f} GB", "total": f"{total / 1e9:.1f} GB"}


def _bytes(hit: Hit, name: str) -> float:
    unit = hit.values.get("after") or hit.values.get("unit") or "MB"
    return float(hit.values[name]) * _UNITS.get(unit, 1)


def _of(hit: Hit, name: str) -> float:
    return float(hit.values[name]) * _UNITS[hit.values[f"{name}_unit"]]


DETECTOR: Detector = StrandedMemory()
