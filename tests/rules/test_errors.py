"""The error library against itself: each sample is diagnosed as its own entry, green logs as nothing."""

from __future__ import annotations

import io
import re
import time
from collections import Counter
from pathlib import Path

import pytest

from rocm_ci.knowledge.diagnosing import explain
from rocm_ci.knowledge.entry import Entry
from rocm_ci.knowledge.library import Library, shipped
from rocm_ci.model.diagnostic import Category
from rocm_ci.tools import needles

ENTRIES = shipped()
LIBRARY = Library(ENTRIES)
SAMPLES = [(entry, number) for entry in ENTRIES for number in range(len(entry.samples))]
GREEN = sorted((Path(__file__).resolve().parents[1] / "data" / "green-logs").glob("*.log"))
LEAST = {
    Category.COMPILE: 30,
    Category.RUNTIME: 30,
    Category.PERFORMANCE: 12,
    Category.NUMERIC: 10,
    Category.INFRA: 15,
}


def test_the_library_is_large_enough_in_every_category() -> None:
    counts = Counter(entry.category for entry in ENTRIES)

    assert len(ENTRIES) >= 100
    assert {c: n for c, n in LEAST.items() if counts[c] < n} == {}


@pytest.mark.parametrize(("entry", "number"), SAMPLES, ids=[f"{e.id}-{n}" for e, n in SAMPLES])
def test_a_sample_is_diagnosed_as_its_own_entry_first_and_on_its_line(entry: Entry, number: int) -> None:
    sample = entry.samples[number]

    first = next(iter(explain(io.BytesIO(sample.log.encode()), LIBRARY)), None)

    assert first is not None
    assert (first.id, first.line) == (entry.id, sample.line)
    assert sample.location is None or first.location == sample.location
    assert "{" not in first.title


def test_names_of_other_entries_exist() -> None:
    known = {entry.id for entry in ENTRIES}

    missing = {
        f"{entry.id} → {other}"
        for entry in ENTRIES
        for other in (*entry.look_alikes, *entry.follows)
        if other not in known
    }

    assert missing == set()


def test_no_error_follows_itself_in_a_circle() -> None:
    follows = {entry.id: set(entry.follows) for entry in ENTRIES}

    def causes(one: str, seen: frozenset[str]) -> None:
        assert one not in seen, f"{one} is a consequence of itself: {sorted(seen)}"
        for other in follows.get(one, ()):
            causes(other, seen | {one})

    for entry in ENTRIES:
        causes(entry.id, frozenset())


def test_file_names_are_ids_and_titles_are_short() -> None:
    folder = Path(__file__).resolve().parents[2] / "rules" / "errors"

    assert {path.stem for path in folder.glob("*/*.yaml")} == {entry.id for entry in ENTRIES}
    assert [entry.id for entry in ENTRIES if len(entry.title) > 100] == []


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_no_line_however_hostile_keeps_a_pattern_busy(entry: Entry) -> None:
    """A line is cut before patterns see it; what is left must not backtrack: 10 MB of such lines in a minute."""
    for signature in entry.signatures:
        for pattern in (signature.pattern, *signature.needs, *signature.unless):
            compiled = re.compile(pattern)
            for line in hostile(pattern):
                began = time.process_time()
                compiled.search(line)
                # 2 500 lines of 4 000 characters are 10 MB.
                assert time.process_time() - began < 0.5, pattern


def hostile(pattern: str) -> list[str]:
    """Lines of 4 000 characters that nearly fit: the pattern's own words over and over, and what it repeats."""
    words = sorted(needles.of_pattern(pattern) or {"error"}, key=len)[:3]
    return [
        *((word * 4_000)[:4_000] for word in words),
        *((word + " ") * 400 for word in words[:1]),
        *(word + "a" * 3_900 for word in words[:1]),
        *(word + " 1/" * 1_300 for word in words[:1]),
        "/".join("a" * 2_000),
    ]


def test_there_are_twenty_green_logs() -> None:
    assert len(GREEN) >= 20


@pytest.mark.parametrize("path", GREEN, ids=lambda path: path.stem)
def test_a_green_log_means_nothing(path: Path) -> None:
    with path.open("rb") as log:
        said = explain(log, LIBRARY)

    assert [(one.id, one.line, one.confidence) for one in said if one.confidence >= 0.5] == []
