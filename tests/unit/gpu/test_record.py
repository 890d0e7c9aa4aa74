"""The ledger summed up by GPU."""

from __future__ import annotations

from rocm_ci.gpu.ledger import Entry
from rocm_ci.gpu.quarantine import Rule
from rocm_ci.gpu.record import records
from tests.unit.gpu.test_quarantine import GPU, NOW, fault

OTHER = "0000:0c:00.0"


def test_those_in_quarantine_come_first_with_their_newest_faults() -> None:
    entries = [fault(str(n)) for n in range(7)] + [fault("x", gpu=OTHER)]

    first, second = records(entries, Rule(), NOW)

    assert (first.gpu, first.quarantine, first.steps, first.limit) == (GPU, True, 7, 3)
    assert [entry.step for entry in first.newest] == ["2", "3", "4", "5", "6"]
    assert first.more == 2
    assert (second.gpu, second.quarantine, second.steps, second.more) == (OTHER, False, 1, 0)


def test_a_release_is_shown_and_what_was_before_it_counts_no_more() -> None:
    (one,) = records(
        [*(fault(str(n)) for n in range(3)), Entry(time=NOW, gpu=GPU, released="jane")], Rule(), NOW
    )

    assert (one.quarantine, one.steps) == (False, 0)
    assert one.newest[-1].released == "jane"
    assert one.label == "GPU 3"


def test_without_a_rule_nothing_is_kept_out_and_all_is_shown() -> None:
    (one,) = records([fault(str(n)) for n in range(3)], Rule(count=0), NOW)

    assert (one.quarantine, one.limit) == (False, 0)
    assert len(one.newest) == 3
