"""When a pull request gets a comment at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from rocm_ci.model.finding import Severity
from rocm_ci.model.kernel import KernelChange
from rocm_ci.model.perf import PerfVerdict
from rocm_ci.model.verdict import Verdict
from rocm_ci.report.delta import Delta, Named
from rocm_ci.sinks import mode
from tests import reports
from tests.unit.sinks.trusted import HEAD, strict

if TYPE_CHECKING:
    from rocm_ci.model.report import Report
    from rocm_ci.sinks.mode import CommentMode

MODES: tuple[CommentMode, ...] = ("always", "changes", "failures", "off")
QUIET = reports.report(reports.scan(), reports.suites(reports.suite(*reports.passing(3))))
ADVICE = reports.report(reports.scan(reports.finding(severity=Severity.NOTE), verdict=Verdict.NEUTRAL))
FASTER = reports.report(reports.perf(reports.comparison("saxpy", PerfVerdict.IMPROVED)))
UNDECIDED = msgspec.structs.replace(QUIET, verdict=Verdict.INCONCLUSIVE)


@pytest.mark.parametrize(
    ("made", "begins"),
    [
        (QUIET, ["always"]),
        (ADVICE, ["always", "changes"]),
        (FASTER, ["always", "changes"]),
        (UNDECIDED, ["always", "changes"]),
        (strict(Verdict.INCONCLUSIVE), ["always", "changes", "failures"]),
        (reports.red(), ["always", "changes", "failures"]),
        (reports.infra(), ["always", "changes", "failures"]),
        (reports.nothing_ran(), ["always", "changes", "failures"]),
        (reports.documentation(), ["always"]),
    ],
    ids=["quiet", "advice", "faster", "undecided", "strict", "red", "infra", "nothing ran", "documentation"],
)
def test_what_begins_a_comment(made: Report, begins: list[str]) -> None:
    assert [one for one in MODES if mode.begins(one, made, None)] == begins


@pytest.mark.parametrize("kind", ["new_failures", "fixed", "newly_skipped", "removed", "flaky"])
def test_a_test_that_the_base_has_otherwise_is_a_change(kind: str) -> None:
    named = Named(suite="unit", case=reports.case("test_sum"))
    delta = Delta(base=HEAD, is_merge_base=True, **{kind: (named,)})  # type: ignore[arg-type]

    assert mode.begins("changes", QUIET, delta)
    assert not mode.begins("failures", QUIET, delta)


def test_new_tests_that_pass_and_old_ones_that_stay_red_are_no_change() -> None:
    named = Named(suite="unit", case=reports.case("test_sum"))
    delta = Delta(base=HEAD, is_merge_base=True, added=(named,), also_red=(named,))

    assert not mode.begins("changes", QUIET, delta)


def test_a_kernel_that_costs_otherwise_is_a_change() -> None:
    made = reports.report(reports.kernels(_heavier()))

    assert mode.begins("changes", made, None)


def _heavier() -> KernelChange:
    changes = [c for r in reports.red().results for c in getattr(r, "changes", ())]
    assert isinstance(changes[0], KernelChange)
    return changes[0]
