"""What there is to run: durations that others published or that were measured, and what is known of them."""

# ruff: noqa: S311 - drawn tests are no secret

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DATA = Path(__file__).with_name("durations.json")


@dataclass(frozen=True)
class Work:
    name: str
    gpus: int
    seconds: float


def recorded() -> dict[str, dict[str, Any]]:
    """All distributions, with where they are from."""
    found: dict[str, dict[str, Any]] = json.loads(DATA.read_text())
    return found


def drawn(distribution: dict[str, Any], count: int, seed: int) -> list[Work]:
    """`count` tests: those recorded, as they are when there are as many, else drawn from them at random.

    Not one long test is left to chance: what is drawn beyond the recorded ones comes on top of them all.
    """
    pairs = [(int(gpus), float(s)) for gpus, ones in distribution["seconds"].items() for s in ones]
    chance = random.Random(seed)
    more = [chance.choice(pairs) for _ in range(count - len(pairs))]
    chosen = pairs + more if len(pairs) <= count else chance.sample(pairs, count)
    chance.shuffle(chosen)
    return [Work(f"test-{at}", gpus, seconds) for at, (gpus, seconds) in enumerate(chosen)]


def bound(works: list[Work], gpus: int, plain: int = 1) -> float:
    """No schedule ends before: all GPUs always busy, the longest alone, wide ones one after the other."""
    return max(
        sum(one.gpus * one.seconds for one in works) / gpus,
        *(one.seconds for one in works),
        sum(one.seconds for one in works if one.gpus > gpus // 2),
        sum(one.seconds for one in works if not one.gpus) / plain,
    )


def told(works: list[Work], *, unknown: float = 0.0, sigma: float = 0.0, seed: int) -> dict[str, float]:
    """What an earlier run recorded: without a share that is new, each off by a log-normal factor."""
    chance = random.Random(seed + 1000)
    return {
        one.name: one.seconds * chance.lognormvariate(0.0, sigma) if sigma else one.seconds
        for one in works
        if chance.random() >= unknown
    }
