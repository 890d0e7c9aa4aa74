"""docs/facts.md tells the sources and the order that there are, and shows what is printed now."""

from __future__ import annotations

import re
from pathlib import Path

from rocm_ci.gpu import collectors, matching, merge
from rocm_ci.gpu.collect import collect
from rocm_ci.gpu.observation import Collector
from rocm_ci.gpu.replay import ReplayReader
from rocm_ci.gpu.summary import text
from rocm_ci.registry import load
from tests.fakes import MemoryReader

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/facts.md").read_text()


def rows(heading: str) -> dict[str, list[str]]:
    """First cell → code spans of the second, of the first table below a heading."""
    section = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    cells = re.findall(r"(?m)^\| (.+?) \| (.+?) \|", section)[1:]
    return {first.strip("`"): re.findall(r"`([^`]+)`", second) for first, second in cells}


def test_the_page_names_every_source_and_no_other() -> None:
    sources = {c.collect(MemoryReader()).source for c in load(collectors, "COLLECTOR", Collector).values()}

    assert set(rows("What is read")) == sources | {"table"}


def test_the_page_tells_the_order_in_which_sources_are_believed() -> None:
    told = rows("Who is believed")

    assert tuple(told.pop("GPUs")) == matching.ORDER
    assert tuple(told.pop("all others")) == merge.order_of("any other")
    assert {field: tuple(order) for field, order in told.items()} == {
        f: merge.order_of(f) for f in merge.BEST
    }


def test_the_page_shows_what_is_printed() -> None:
    block = re.search(r"```console\n\$ rocm-ci facts --replay (\S+)\n(.*?)```", PAGE, re.DOTALL)
    assert block is not None

    assert block.group(2).strip() == text(collect(ReplayReader(ROOT / block.group(1)))).strip()
