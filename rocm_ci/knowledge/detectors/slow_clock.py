"""A GPU that is busy at a fraction of its clock and power, beside neighbours that are not (rocm-smi's table)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.knowledge.detector import Detector, Sighted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rocm_ci.knowledge.sweep import Hit

# Busy this much, and yet below these shares: of what a neighbour reaches, and of the power limit.
_BUSY_PCT, _CLOCK_SHARE, _POWER_SHARE = 90.0, 0.5, 0.6
# Where no neighbour tells: no GPU that works runs slower than this.
_LEAST_MHZ = 300.0


class SlowClock:
    """Rows of `rocm-smi` and of `amd-smi monitor`."""

    name = "slow-clock"
    patterns = {
        "row": r"^(?P<gpu>\d{1,3})\s.{0,120}?(?P<watt>\d{1,4}(?:\.\d+)?)W\s.{0,60}?(?P<mhz>\d{1,5})Mhz\s+\d{1,5}Mhz\s"
        r".{0,40}?(?P<cap>\d{1,4}(?:\.\d+)?)W\s+\d{1,3}%\s+(?P<busy>\d{1,3})%",
    }

    def look(self, hits: Mapping[str, Sequence[Hit]]) -> Sighted | None:
        """The slowest of the busy ones."""
        busy = [h for h in hits.get("row", ()) if float(h.values["busy"]) >= _BUSY_PCT]
        for hit in sorted(busy, key=lambda h: float(h.values["mhz"])):
            mhz, watt, cap = (float(hit.values[name]) for name in ("mhz", "watt", "cap"))
            best = max((float(h.values["mhz"]) for h in busy), default=0.0)
            is_slow = mhz < _CLOCK_SHARE * best if best > mhz else mhz < _LEAST_MHZ
            if is_slow and (not cap or watt < _POWER_SHARE * cap):
                return Sighted(hit=hit, values={**hit.values, "best": f"{best:.0f}"})
        return None


DETECTOR: Detector = SlowClock()
