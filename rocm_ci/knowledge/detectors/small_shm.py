"""/dev/shm as df shows it: Docker's default of 64 MB, or less room than a segment wants."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.knowledge.detector import Detector, Sighted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rocm_ci.knowledge.sweep import Hit

_UNIT = {"": 1024, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_DEFAULT_BYTES = 64 * 2**20


class SmallShm:
    """A row of df, in any of its units, and what failed for want of room."""

    name = "small-shm"
    patterns = {
        "df": r"^\S{1,40}\s+(?P<size>[\d.]{1,15}[KMGT]?)\s+[\d.]{1,15}[KMGT]?\s+(?P<free>[\d.]{1,15}[KMGT]?)\s+\d{1,3}%\s+/dev/shm$",
        "wants": r"/dev/shm/.{0,200}(?: to |size )(?P<wants>\d{4,15})\b",
        "failed": r"(?:/dev/shm|shared memory|shm_open|bus error|Bus error).{0,200}",
    }

    def look(self, hits: Mapping[str, Sequence[Hit]]) -> Sighted | None:
        """Too small for what was wanted; or small, and something about it failed."""
        wants = [int(h.values["wants"]) for h in hits.get("wants", ())]
        for hit in hits.get("df", ()):
            size, free = _bytes(hit.values["size"]), _bytes(hit.values["free"])
            others = [h for h in hits.get("failed", ()) if h.line != hit.line and "df " not in h.said.text]
            if (wants and free < max(wants)) or (size <= _DEFAULT_BYTES and (wants or others)):
                values = {"size": hit.values["size"], "free": hit.values["free"]}
                return Sighted(hit=hit, values={**values, "need": str(max(wants, default=0) or "more")})
        return None


def _bytes(text: str) -> float:
    found = re.fullmatch(r"([\d.]+)([KMGT]?)", text)
    try:
        return float(found[1]) * _UNIT[found[2]] if found else 0.0
    except ValueError:
        return 0.0


DETECTOR: Detector = SmallShm()
