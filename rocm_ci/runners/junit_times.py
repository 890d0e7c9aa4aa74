"""How long a test took, as reports spell it: JUnit XML never said what a `time` looks like."""

from __future__ import annotations

import re

_PLAIN = re.compile(r"\d{1,12}(?:\.\d+)?", re.ASCII)
_NUMBER = re.compile(r"(?:\d{1,12}(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,2})?", re.ASCII)
_UNIT = re.compile(
    r"(?P<number>[^a-zA-Z\s]+(?:[eE][+-]?\d+)?) ?(?P<unit>ns|us|µs|ms|s|secs?|seconds?)", re.ASCII
)
_SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3}
# 1,204.5 and 1.204,5: the sign that comes last divides the fraction, several of one sign the thousands.
_ENGLISH = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+\.\d*|[1-9]\d{0,2}(?:,\d{3}){2,}", re.ASCII)
_GERMAN = re.compile(r"[1-9]\d{0,2}(?:\.\d{3})+,\d+|[1-9]\d{0,2}(?:\.\d{3}){2,}", re.ASCII)
_CLOCK = re.compile(r"(?:(?P<h>\d{1,5}):)?(?P<m>\d{1,2}):(?P<s>\d{1,2}(?:[.,]\d{1,12})?)", re.ASCII)
_ISO = re.compile(
    r"P(?:(?P<d>\d{1,5})D)?(?:T(?:(?P<h>\d{1,6})H)?(?:(?P<m>\d{1,7})M)?(?:(?P<s>\d{1,9}(?:[.,]\d{1,12})?)S)?)?",
    re.ASCII,
)
_PARTS = {"d": 86_400.0, "h": 3_600.0, "m": 60.0, "s": 1.0}


def seconds(text: str | None) -> float | None:
    """`0.`, `1,204.5`, `3.1s`, `12 ms`, `00:01:02.5`, `PT1.5S`; None for what is no length of time.

    A lone comma divides the fraction (`12,345` is twelve seconds): reports in English write thousands
    of seconds with a fraction behind, and nobody has tests that take whole thousands.
    """
    if not text:
        return None
    if _PLAIN.fullmatch(text):
        return float(text)
    text = text.strip()[:60]
    if unit := _UNIT.fullmatch(text):
        number = _number(unit["number"])
        return None if number is None else number * _SECONDS.get(unit["unit"], 1.0)
    parts = _CLOCK.fullmatch(text) or _ISO.fullmatch(text)
    if parts and any(parts.groupdict().values()):
        return sum(
            _PARTS[key] * float(value.replace(",", ".")) for key, value in parts.groupdict().items() if value
        )
    return _number(text)


def _number(text: str) -> float | None:
    if _ENGLISH.fullmatch(text):
        text = text.replace(",", "")
    elif _GERMAN.fullmatch(text):
        text = text.replace(".", "").replace(",", ".")
    text = text.replace(",", ".")
    return float(text) if _NUMBER.fullmatch(text) else None
