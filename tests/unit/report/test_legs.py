from __future__ import annotations

import msgspec
import pytest

from rocm_ci.model.plan import StageName
from rocm_ci.report import legs
from rocm_ci.report.merge import merged, missing
from tests import matrices, reports

FOUR = ("a", "b", "c", "d")


@pytest.mark.parametrize(
    ("some", "among", "said"),
    [
        ((), FOUR, ""),
        (("a",), ("a",), ""),
        (("a",), FOUR, "a"),
        (("a", "b"), ("a", "b"), "a and b"),
        (("a", "b"), FOUR, "a and b"),
        (FOUR, FOUR, "all 4"),
        (("a", "b", "c", "d"), (*FOUR, "e"), "all but e"),
        (("a", "b", "c", "d"), (*FOUR, "e", "f"), "a, b, c and 1 more"),
        (("a", "a", "b"), FOUR, "a and b"),
    ],
)
def test_some_legs_are_named_as_shortly_as_it_is_clear(
    some: tuple[str, ...], among: tuple[str, ...], said: str
) -> None:
    assert legs.named(some, among) == said


@pytest.mark.parametrize(
    ("some", "said"),
    [((), ""), (("b",), "on b only"), (("b", "c"), "on b and c"), (FOUR, "on all 4 legs")],
)
def test_where_something_happened(some: tuple[str, ...], said: str) -> None:
    assert legs.on(some, FOUR) == said


def test_what_one_leg_alone_can_have_needs_no_place() -> None:
    assert legs.on(("scan",), ("scan",)) == ""


def test_a_leg_called_like_a_word_of_ours_is_a_leg() -> None:
    assert legs.on(("all",), ("all", "b")) == "on all only"


def test_the_legs_that_did_a_stage_are_those_with_a_result() -> None:
    report = matrices.matrix("matrix-one-bad")

    assert legs.that_did(report, StageName.SCAN) == ("scan",)
    assert legs.that_did(report, StageName.TEST) == ("mi210", "mi250x", "mi300x")


def test_a_lost_leg_is_known_as_one_and_a_broken_machine_is_not() -> None:
    assert legs.lost(matrices.matrix("matrix-lost")) == ("mi355x",)
    assert legs.lost(matrices.matrix("matrix-infra")) == ()
    assert legs.is_stand_in(missing("a", "", reports.EVENT))
    assert not legs.is_stand_in(reports.defect())


def test_a_part_is_the_leg_as_if_it_were_alone() -> None:
    parts = dict(matrices.one_bad_leg())
    report = merged(list(parts.items()))
    leg = next(leg for leg in report.legs if leg.name == "mi210")

    own = legs.part(report, leg, [r for r in report.results if r.leg == "mi210"])

    assert own.facts == parts["mi210"].facts
    assert own.verdict is parts["mi210"].verdict
    assert set(own.results) <= set(parts["mi210"].results)
    assert own.legs == ()
    assert msgspec.structs.replace(own, settings=()).settings == ()
