"""What the trusted plane makes of a report: nothing private stays in it, nothing in it speaks for a maintainer."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from rocm_ci.cli import incoming
from rocm_ci.cli.origin import Origin
from rocm_ci.errors import ReportError
from rocm_ci.github.artifacts import Part
from rocm_ci.model.case import CaseStatus
from rocm_ci.model.perf import PerfVerdict
from rocm_ci.model.report import Report
from rocm_ci.model.verdict import Verdict
from rocm_ci.report import codec
from tests import reports

TOKEN = "ghp_" + "A1b2C3d4E5f6G7h8I9j0" * 2


def read(*made: Report) -> Report:
    about = made[0].event
    origin = Origin(repository=about.repository or "o/r", head=about.head, number=about.number, run_id=7)
    parts = [Part(leg=f"leg{n}", content=codec.encode(report)) for n, report in enumerate(made)]
    return incoming.joined(parts, origin)


def leaking() -> Report:
    failed = reports.case(
        "test_login",
        CaseStatus.FAILED,
        message=f"401 for {TOKEN}",
        excerpt="open('/home/alice/.netrc')\nSerial Number: PCB012345-6789\n",
    )
    return reports.report(reports.suites(reports.suite(failed, verdict=Verdict.FAIL)))


@pytest.mark.attack("15", "a report whose own machine has hidden nothing")
@pytest.mark.parametrize("legs", [1, 2])
def test_what_the_machine_did_not_hide_is_hidden_before_anything_is_posted(legs: int) -> None:
    shown = codec.encode(read(*[leaking()] * legs)).decode()

    assert "test_login" in shown
    assert "401 for" in shown
    for private in (TOKEN, "alice", "PCB012345"):
        assert private not in shown


@pytest.mark.attack("18", "a report that says that a maintainer has let its slowdown pass")
def test_a_report_cannot_accept_its_own_slowdown() -> None:
    slower = reports.comparison("saxpy", PerfVerdict.REGRESSION, accepted="amy: it is fine")
    honest = reports.report(reports.perf(replace(slower, accepted=""), verdict=Verdict.FAIL))

    assert read(honest).verdict is Verdict.FAIL
    with pytest.raises(ReportError):
        read(reports.report(reports.perf(slower, verdict=Verdict.NEUTRAL)))
