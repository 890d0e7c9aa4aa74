"""The parts of a suite put together again: nothing that one of them saw is lost."""

from __future__ import annotations

from msgspec.structs import replace

from rocm_ci.model.incident import Incident, IncidentKind, Try
from rocm_ci.model.verdict import Verdict
from rocm_ci.runners.shards import joined
from tests.reports import passing, suite

QUIET = suite(*passing(2))
LOUD = replace(
    suite(*passing(3), verdict=Verdict.FAIL, reason="timed out"),
    timed_out=True,
    incidents=(Incident(kind=IncidentKind.GPU_HANG, text="hung", source="kernel log"),),
    tries=(Try(number=0, why="first run", duration_s=1.0),),
    kept=("logs/a.kernel.log",),
)


def test_what_happened_to_one_part_happened_to_the_suite() -> None:
    for parts in ((QUIET, LOUD), (LOUD, QUIET)):
        whole = joined(parts)

        assert (whole.verdict, whole.shards, len(whole.cases)) == (Verdict.FAIL, 2, 5)
        assert (whole.incidents, whole.tries, whole.kept) == (LOUD.incidents, LOUD.tries, LOUD.kept)
        assert whole.timed_out


def test_a_time_that_was_up_is_told_although_another_part_is_worse() -> None:
    late = replace(QUIET, verdict=Verdict.FAIL, timed_out=True)
    broken = replace(QUIET, verdict=Verdict.ERROR, reason="machine: GPU 0 hung")

    assert joined((late, broken)).timed_out
