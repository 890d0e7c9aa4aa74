"""What counts as a regression between two builds of a kernel."""

from __future__ import annotations

import msgspec
import pytest

from rocm_ci.kernels import compare
from rocm_ci.model.kernel import Kernel

PLAIN = Kernel(
    name="k", arch="gfx90a", artifact="a.so", vgpr=64, agpr=0, sgpr=16, vgpr_spills=0, sgpr_spills=0,
    lds_bytes=1024, scratch_bytes=0, wave_size=64, occupancy=8,
)  # fmt: skip


def like(**fields: object) -> Kernel:
    return msgspec.structs.replace(PLAIN, **fields)


@pytest.mark.parametrize(
    ("change", "is_regression"),
    [
        ({"vgpr_spills": 4}, True),
        ({"sgpr_spills": 4}, True),
        ({"scratch_bytes": 64}, True),
        ({"occupancy": 7}, True),
        ({"vgpr": 60}, False),
        ({"vgpr": 68}, False),
        ({"lds_bytes": 2048}, False),
    ],
)
def test_only_what_costs_time_is_a_regression(change: dict[str, object], *, is_regression: bool) -> None:
    (found,) = compare.changes([PLAIN], [like(**change)])

    assert found.is_regression is is_regression
    assert {found.metric: found.head} == change


def test_less_is_an_improvement() -> None:
    changes = compare.changes([like(vgpr_spills=4, scratch_bytes=64, occupancy=4)], [PLAIN])

    assert [c.is_regression for c in changes] == [False, False, False]


def test_new_and_removed_kernels_are_no_changes() -> None:
    assert compare.changes([like(name="old")], [like(name="new", vgpr_spills=9)]) == ()


def test_a_kernel_that_moved_to_another_file_is_still_the_same() -> None:
    (change,) = compare.changes([PLAIN], [like(artifact="b.so", vgpr_spills=2)])

    assert compare.is_new_spill(change)


def test_the_same_change_in_an_object_and_its_library_is_told_once() -> None:
    base = [PLAIN, like(artifact="a.o")]
    head = [like(vgpr_spills=2), like(artifact="a.o", vgpr_spills=2)]

    assert len(compare.changes(base, head)) == 1


def test_the_highest_use_counts_where_one_name_stands_for_several_kernels() -> None:
    assert compare.changes([like(vgpr=10), like(vgpr=90)], [like(vgpr=90), like(vgpr=20)]) == ()


def test_an_unknown_occupancy_is_not_compared() -> None:
    assert compare.changes([like(occupancy=None)], [PLAIN]) == ()


def test_regressions_come_first() -> None:
    base = [like(name="a"), like(name="b")]
    head = [like(name="a", vgpr=70), like(name="b", scratch_bytes=8)]

    assert [c.name for c in compare.changes(base, head)] == ["b", "a"]
