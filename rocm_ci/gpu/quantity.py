"""Reading numbers and words out of what tools print: units, `N/A`, numeric strings, brackets."""

from __future__ import annotations

import re

_NOTHING = {
    "", "-", "n/a", "na", "none", "null", "nan", "unknown", "unsupported", "not supported", "not available",
    "no data", "undefined", "(null)",
}  # fmt: skip
_NUMBER = re.compile(r"-?\d{1,20}(?:\.\d{1,12})?")
_SCALE = {"": 1, "b": 1, "bytes": 1, "k": 10, "m": 20, "g": 30, "t": 40}
_UNIT = re.compile(r"^-?[\d.]+\s*([kmgt]?)i?b(?:ytes)?\b", re.IGNORECASE)
MAX_WORD = 200
_LIMIT = 1 << 63


def word(value: object) -> str | None:
    """A scalar as text; None for every way of saying «not available». Bounded in length."""
    if value is None or isinstance(value, (bool, dict, list)):
        return None
    text = " ".join(str(value).split())[:MAX_WORD].strip()
    return None if text.lower() in _NOTHING else text


def number(value: object) -> float | None:
    """The first number: `750.0 W`, `(132Mhz)`, `{"value": 16, "unit": "GT/s"}`, `"304"`; else None."""
    if isinstance(value, dict):
        value = value.get("value")
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return float(value) if -1e30 < value < 1e30 else None
    text = word(value)
    found = _NUMBER.search(text) if text else None
    return float(found.group()) if found else None


def whole(value: object) -> int | None:
    """`number` rounded to an integer; hexadecimal text (`0x1f`) is understood. None beyond 63 bits."""
    found = _whole(value)
    return found if found is not None and abs(found) < _LIMIT else None


def _whole(value: object) -> int | None:
    text = word(value)
    if text and re.fullmatch(r"0x[0-9a-fA-F]{1,16}", text):
        return int(text, 16)
    if isinstance(value, str) and re.fullmatch(r"\s*\d{1,20}\s*", value):
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    found = number(value)
    return None if found is None else round(found)


def size_bytes(value: object, unit: str = "b") -> int | None:
    """Bytes. AMD's tools write MB and GB for powers of 1024; `unit` holds when the value names none."""
    if isinstance(value, dict):
        unit = word(value.get("unit")) or unit
        value = value.get("value")
    amount = number(value)
    if amount is None or amount < 0:
        return None
    named = _UNIT.match(word(value) or "")
    letter = (named.group(1) if named else unit.strip()[:1]).lower()
    return whole(round(amount * (1 << _SCALE[letter] if letter in "kmgt" and letter else 1)))


def hex_id(value: object) -> str | None:
    """A PCI id as `0x74a1`: from `0x74A1`, `74a1`, `29857` (int) or `30032(0x7550)`."""
    if isinstance(value, int) and not isinstance(value, bool):
        return f"0x{value:04x}" if 0 < value < 0x10000 else None
    text = word(value) or ""
    found = re.search(r"0x([0-9a-fA-F]{1,8})", text) or re.fullmatch(r"([0-9a-fA-F]{4})", text)
    return f"0x{int(found.group(1), 16) & 0xFFFF:04x}" if found else None


def gfx(value: object) -> str | None:
    """A target name without its features: `amdgcn-amd-amdhsa--gfx90a:sramecc+` → `gfx90a`."""
    found = re.search(r"\bgfx[0-9a-f]{3,5}\b", word(value) or "", re.IGNORECASE)
    return found.group().lower() if found and found.group().lower() != "gfx000" else None


def version(value: object) -> str | None:
    """The first dotted number and what hangs on it: `v6.12.12`, `5.2.21153-0`; None when there is none."""
    found = re.search(r"\d{1,9}(?:\.\d{1,9}){1,4}[\w.+~-]{0,80}", word(value) or "")
    return found.group().rstrip(".-+~") if found else None
