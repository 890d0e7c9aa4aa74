"""Installing torch where ROCm is: without an index pip takes the build for CUDA.

The context `base:rocm` says that the image brings ROCm without torch, `base:rocm-torch` that torch
for ROCm is in it, where only a pin or an upgrade replaces it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan import vendor
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Sequence

BARE, WITH_TORCH = "base:rocm", "base:rocm-torch"
REPLACES = "replaces-torch"
_HAS_TORCH = re.compile(r"(?i)torch|vllm|sglang|megatron|primus|training|inference|deepspeed")
# Where else the index, or a build at hand, may come from.
_CHOSEN = re.compile(
    r"PIP_(?:EXTRA_)?INDEX_URL|PIP_(?:CONSTRAINT|FIND_LINKS)|UV_(?:EXTRA_|DEFAULT_)?INDEX|UV_TORCH_BACKEND"
    r"|pip\.conf|pip3? config|uv\.toml|torch[\w.*-]*\.whl"
)
_OPTION = re.compile(
    r"-(?:i|f|c|r)\b|--(?:index|index-url|extra-index-url|default-index|find-links|constraints?|requirements?|no-index"
    r"|no-deps|torch-backend|overrides?|target|dry-run)\b"
)
_TORCH = re.compile(r"[\"']?torch(?:vision|audio)?(?:\[[\w,]*\])?(?P<pin>(?:[=<>!~]=?[^\s\"';+]*)*)[\"']?")
_NEWER = frozenset({"-U", "--upgrade", "--force-reinstall", "--reinstall", "-I", "--ignore-installed"})


def of_image(image: str, text: str) -> str:
    """What an image brings, for the commands that run in it; empty when `text` chooses an index."""
    if vendor.of(image) is not Guard.AMD or _CHOSEN.search(text):
        return ""
    return WITH_TORCH if _HAS_TORCH.search(image) else BARE


def replaces(words: Sequence[str], context: Sequence[str]) -> bool:
    """Whether `pip install …` in such an image brings the build for CUDA."""
    base = next((c for c in context if c in (BARE, WITH_TORCH)), "")
    if not base or any(_OPTION.match(w) for w in words):
        return False
    pins = [m["pin"] for w in words if (m := _TORCH.fullmatch(w))]
    if not pins:
        return False
    return base == BARE or any("==" in p for p in pins) or bool(_NEWER & set(words))
