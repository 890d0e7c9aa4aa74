"""The page that the bench of the scanner prints."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

FILE = Path(__file__).resolve().parents[3] / "bench/scan/table.py"
SPEC = importlib.util.spec_from_file_location("bench_scan_table", FILE)
assert SPEC is not None
assert SPEC.loader is not None
table = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(table)


def one(name: str, corpus: str, median: float, peak: float | None = 100.0) -> dict[str, Any]:
    return {
        "name": name,
        "corpus": corpus,
        "seconds": [median],
        "min_s": median,
        "median_s": median,
        "max_s": median,
        "peak_mb": peak,
    }


def page(*measured: dict[str, Any], **more: object) -> str:
    document = {
        "date": "2026-01-02 03:04 UTC",
        "commit": "abc",
        "rounds": 3,
        "load_after": 0.2,
        "seed": 0,
        "machine": {
            "processor": "P",
            "processors": 2,
            "memory_gb": 8,
            "system": "S",
            "python": "3.11",
            "load_before": [0.1],
        },
        "versions": {"ripgrep": "13"},
        "absent": {},
        "corpora": {"vllm 0.33.0": {"files": 10, "mb": 20.0}},
        "measured": measured,
    }
    text: str = table.markdown(document | more)
    return text


def test_a_bar_that_is_not_held_is_told() -> None:
    text = page(one("rocm-ci, vllm", "vllm 0.33.0", 4.0), one("ripgrep, vllm", "vllm 0.33.0", 1.0))

    assert "| rocm-ci, vllm | under 6 s | 4.00 s | yes |" in text
    assert "| rocm-ci, vllm against ripgrep | within 2× | 4.0× | **no** |" in text


def test_a_row_has_the_speed_over_the_corpus() -> None:
    assert "| rocm-ci, vllm | vllm 0.33.0 | 10 | 20 | 4.000 | 4.000 | 4.000 | 1 | 5 | 100 |" in page(
        one("rocm-ci, vllm", "vllm 0.33.0", 4.0)
    )


def test_peers_are_compared_with_us_on_their_corpus() -> None:
    text = page(
        one("rocm-ci, CUDA files", "CUDA files", 2.0),
        one("torch.utils.hipify, CUDA files", "CUDA files", 1.0),
    )

    assert "* torch.utils.hipify, CUDA files: 0.5 times our time (1.00 s to 2.00 s)" in text


def test_a_peer_that_cannot_be_had_is_named_with_the_reason() -> None:
    assert "Left out: ripgrep (rg is not on PATH)." in page(absent={"ripgrep": "rg is not on PATH"})
