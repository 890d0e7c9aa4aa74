"""Numbers and lists in words: counts, durations, percentages, sizes. Plain text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

UNKNOWN = "?"
_MOST_PLACES = 6


def count(number: int, one: str, many: str = "") -> str:
    """`1 test`, `0 tests`, `12,000 tests`; `many` where an s is not enough."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def joined(parts: Sequence[str], last: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {last} {parts[-1]}"


def first(parts: Sequence[str], number: int) -> str:
    """The first of them and how many more there are: `a, b and 7 more`."""
    if len(parts) <= number:
        return joined(parts)
    return f"{', '.join(parts[:number])} and {len(parts) - number:,} more"


def duration(seconds: float) -> str:
    """`0.3 s`, `48 s`, `1 m 12 s`, `2 h 05 m`; something that took no time is `–`."""
    if not math.isfinite(seconds) or seconds < 0:
        return UNKNOWN
    if seconds == 0:
        return "–"
    if seconds < 9.95:
        return f"{max(seconds, 0.1):.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} m {whole % 60:02} s"
    return f"{whole // 3600:,} h {whole % 3600 // 60:02} m"


def percent(value: float) -> str:
    """Without a sign: `8.4 %`, `0.03 %`, `120 %`."""
    return f"{number(abs(value))} %"


def signed_percent(value: float) -> str:
    """`+8.4 %`, `−1.2 %`, `±0 %`."""
    sign = "±" if abs(value) < 0.005 else "+" if value > 0 else "−"
    return f"{sign}{number(abs(value)) if sign != '±' else '0'} %"


def number(value: float) -> str:
    """About three digits, never in exponent form unless it must be: `1.31`, `12.5`, `1,420`, `3e-07`."""
    size = abs(value)
    if not math.isfinite(value):
        return UNKNOWN
    if size >= 1e9 or 0 < size < 0.001:
        return f"{value:.3g}"
    places = 0 if size >= 100 else 1 if size >= 9.95 else 2 if size >= 0.995 else 3
    text = f"{value:,.{places}f}"
    # An effect of 8.40 % says no more than 8.4 %.
    return text.rstrip("0").rstrip(".") if places else text


def pair(one: float | None, other: float | None) -> tuple[str, str]:
    """Two figures with as many digits as it takes to tell them apart; empty for None."""
    said = ("" if one is None else number(one), "" if other is None else number(other))
    if one is None or other is None or one == other or said[0] != said[1]:
        return said
    for places in range(_MOST_PLACES + 1):
        finer = (f"{one:,.{places}f}", f"{other:,.{places}f}")
        if finer[0] != finer[1]:
            return finer
    return said


def size(octets: int) -> str:
    """Bytes in binary units: `512 B`, `64 KiB`, `192 GiB`."""
    amount = float(octets)
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if amount < 1024 or unit == "TiB":
            break
        amount /= 1024
    return f"{number(amount)} {unit}"


def clock(moment: str) -> str:
    """`2026-11-30T13:54:07Z` → `2026-11-30 13:54 UTC`."""
    return f"{moment[:10]} {moment[11:16]} UTC" if len(moment) >= 16 else moment


def sentence(text: str) -> str:
    """With a capital first letter and a full stop."""
    text = text.strip()
    if not text:
        return ""
    return text[0].upper() + text[1:] + ("" if text[-1] in ".!?…" else ".")
