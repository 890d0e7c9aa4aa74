"""Who was there at the same time."""

from __future__ import annotations

from pathlib import Path

from rocm_ci.runners import presence

HERE = Path("/checkout")


def test_two_suites_at_one_time_are_not_alone_whichever_came_first() -> None:
    with presence.of(HERE, "a") as first:
        with presence.of(HERE, "b") as second:
            pass
        assert not second.is_alone
    assert not first.is_alone


def test_one_after_the_other_another_checkout_and_shards_of_one_suite_are_nobodys_neighbours() -> None:
    here, there, later = presence.of(HERE, "a"), presence.of(Path("/other"), "b"), presence.of(HERE, "b")
    with here as first, there as elsewhere, presence.of(HERE, "a") as shard:
        pass
    with later as last:
        pass

    assert [one.is_alone for one in (first, elsewhere, shard, last)] == [True] * 4
