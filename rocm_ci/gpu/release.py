"""ROCm releases, wheel tags and driver numbers as integers, in the order that their texts do not have.

What makes this a module of its own (sources: release notes of 7.9.0 and 7.14.0; ROCm/TheRock#7183 and its
docs/packaging/versioning.md):

* 7.9 to 7.13 are previews of the new build system: newer than 7.2, yet no production releases.
* A patch of an older line may ship after a newer line (7.14.1 after 10.0.0): dates say nothing of the order.
* `+rocm10.0` sorts below `+rocm7.0` as text, so that a resolver can downgrade without a word.
* The HIP runtime's own number equals the release's only up to 7.14 (it is 7.15 in 10.0, 7.16 in 10.1).
* The driver has three numbers: that of its package (30.20.1), before it that of a release (6.4), and that
  of the module (6.16.6) in /sys/module/amdgpu/version; only a table leads from one to the other.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass, field

_RELEASE = re.compile(
    r"(?:rocm|core|roc)?[-_ ]?v?(\d{1,3})\.(\d{1,3})(?:\.(\d{1,4}))?"
    r"(?P<pre>(?:a|b|rc|alpha|beta|dev|[.-]dev|_alpha|_pre)\d{0,10})?(?:[-+. ].*|$)",
    re.IGNORECASE,
)
_TAG = re.compile(r"\+[\w.]{0,40}?rocm[-_]?(?:sdk)?(\d[\d.]{0,40})", re.IGNORECASE)
_LAST_CLASSIC = (7, 8)
_LAST_PREVIEW = (7, 13)
_LAST_HIP_ALIKE = (7, 14)


class Stream(enum.Enum):
    """How a release was built and what it is for."""

    CLASSIC = "classic"
    PREVIEW = "preview"
    CORE = "core"


@dataclass(frozen=True, order=True)
class Release:
    """A ROCm release. The order is that of the numbers; a pre-release stands before its release."""

    major: int
    minor: int
    patch: int = 0
    final: bool = True
    text: str = field(default="", compare=False)

    @property
    def line(self) -> tuple[int, int]:
        """Major and minor number: what compatibility is stated for."""
        return self.major, self.minor

    @property
    def stream(self) -> Stream:
        """CLASSIC up to 7.8, PREVIEW from 7.9 to 7.13, CORE from 7.14 on."""
        if self.line <= _LAST_CLASSIC:
            return Stream.CLASSIC
        return Stream.PREVIEW if self.line <= _LAST_PREVIEW else Stream.CORE

    @property
    def production(self) -> bool:
        """Whether AMD released it for production use."""
        return self.final and self.stream is not Stream.PREVIEW

    def __str__(self) -> str:
        """The number, as short as it was given."""
        return self.text or f"{self.major}.{self.minor}.{self.patch}"


def release(text: str | None) -> Release | None:
    """`6.4.1-83`, `rocm-7.2.1`, `core-10.0`, `7.14.0a20260612` → a release; None for anything else."""
    found = _RELEASE.fullmatch((text or "").strip()[:80])
    if found is None:
        return None
    major, minor, patch = (int(n) if n else 0 for n in found.group(1, 2, 3))
    shown = ".".join(n for n in found.group(1, 2, 3) if n) + (found.group("pre") or "")
    return Release(major, minor, patch, final=not found.group("pre"), text=shown)


def of_wheel(version: str | None) -> Release | None:
    """The release that a Python wheel was built for, by its local tag: `2.9.0+rocm7.0` → 7.0.

    JAX writes it without dots (`+rocm611`, `+rocm60`), its plugins with the major number only
    (`+rocm7`, `+rocm10`).
    """
    found = _TAG.search(version or "")
    if found is None:
        return None
    digits = found.group(1).strip(".")
    if "." in digits:
        parts = digits.split(".")
    elif len(digits) == 1 or digits == "10":
        # There was a release 1.0, but no wheel for it.
        parts = [digits, "0"]
    else:
        parts = list(digits) if len(digits) <= 3 else []
    given = [int(part) for part in parts[:3] if part]
    if len(given) < 2:
        return None
    text = digits if "." in digits else ".".join(parts)
    return Release(given[0], given[1], given[2] if len(given) > 2 else 0, text=text)


def newest(wheels: list[str]) -> str | None:
    """The wheel for the newest ROCm, compared as integers; what has no tag comes last."""
    tagged = [(of_wheel(wheel) or Release(-1, 0), wheel) for wheel in wheels]
    return max(tagged, default=(None, None))[1]


def of_hip(version: str | None) -> Release | None:
    """The release line behind a HIP runtime's version, where the two numbers agree; None from 7.15 on."""
    found = release(version)
    if found is None or found.line > _LAST_HIP_ALIKE:
        return None
    return Release(found.major, found.minor, text=f"{found.major}.{found.minor}")


def numbers(text: str | None) -> tuple[int, ...]:
    """The dotted integers that a version starts with: `6.12.12-1` → (6, 12, 12); empty without any."""
    found = re.match(r"\D{0,20}?(\d{1,9}(?:\.\d{1,9}){0,5})", (text or "").strip())
    return tuple(int(n) for n in found.group(1).split(".")) if found else ()


def module_of_package(version: str | None) -> tuple[str, str] | None:
    """Module number and driver number in a package's version.

    `1:6.14.14.30100200-2226257.24.04` → (`6.14.14`, `30.10.2`); `1:6.12.12.60402-…` → (`6.12.12`, `6.4.2`).
    """
    found = re.match(r"(?:\d+:)?(\d+\.\d+\.\d+)\.(\d{5,8})(?:-|$)", version or "")
    if found is None:
        return None
    module, packed = found.groups()
    head, middle, tail = int(packed[:-4]), int(packed[-4:-2]), int(packed[-2:])
    if len(packed) == 8:
        # Since the driver has a number of its own: two digits each, then two that are not in use.
        head, middle, tail = int(packed[:2]), int(packed[2:4]), int(packed[4:6])
    return module, f"{head}.{middle}.{tail}"
