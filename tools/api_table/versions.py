"""Names of releases as HIPIFY spells them: `CUDA_102` → 10.2, `CUDNN_704` → 7.0.4, `HIP_6020` → 6.2."""

from __future__ import annotations

import re

_NAME = re.compile(r"(CUDA|CUDNN|CUTENSOR|HIP)_(\d+)")
_NINE_TEN = 9000  # from 9.10 on the middle number of cuDNN has two digits


def release(name: str) -> str:
    """The release as people write it; empty for «unknown» and for what is no release."""
    found = _NAME.fullmatch(name.strip())
    if not found or int(found[2]) == 0:
        return ""
    product, digits = found.groups()
    if product == "CUDA":
        return f"{digits[:-1]}.{digits[-1]}"
    if product == "HIP":
        number = int(digits)
        parts = (number // 1000, number % 1000 // 10, number % 10)
        return f"{parts[0]}.{parts[1]}" + (f".{parts[2]}" if parts[2] else "")
    if product == "CUDNN":
        if int(digits) >= _NINE_TEN:
            return f"{digits[0]}.{digits[1:3]}.{digits[3]}"
        return ".".join(digits.ljust(3, "0"))
    return ".".join(digits)
