from __future__ import annotations

import io
import re

from rocm_ci.log import Log
from rocm_ci.model.finding import Severity
from rocm_ci.model.verdict import Verdict
from rocm_ci.report.problems import advice, problems
from rocm_ci.sinks.annotations import PER_LEVEL, SINK, lines
from rocm_ci.sinks.base import Destination
from tests import reports
from tests.hostile import NASTY


def emitted(report: object, *, actions: bool = True, annotations: bool = True) -> list[str]:
    err = io.StringIO()
    log = Log(out=io.StringIO(), err=err, actions=actions)
    SINK.emit(report, Destination(log=log, annotations=annotations))  # type: ignore[arg-type]
    return err.getvalue().splitlines()


def test_outside_of_a_workflow_nothing_is_said() -> None:
    assert emitted(reports.red(), actions=False) == []
    assert emitted(reports.red(), annotations=False) == []


def test_a_finding_stands_at_its_place() -> None:
    said = emitted(reports.report(reports.scan(reports.finding(fix=None))))

    head = "::error file=csrc/reduce.hip,line=41,col=27,title=ROCm CI%3A warp-mask-32::"
    assert said == [head + "32-lane mask on a 64-lane wave: half of the lanes never take part"]


def test_a_failed_test_brings_its_command() -> None:
    said = [line for line in emitted(reports.red()) if "title=ROCm CI%3A test::tests" in line]

    assert len(said) == 2
    assert "%0ARun it: pytest 'tests/test_reduce.py::test_row_sum[4096]'" in said[0]


def test_severities_become_levels() -> None:
    findings = [reports.finding(severity=severity) for severity in Severity]

    levels = [line.split(" ")[0] for line in emitted(reports.report(reports.scan(*findings)))]

    assert levels == ["::error", "::warning", "::notice"]


def test_no_more_than_github_shows_the_worst_first_the_last_counts_the_rest() -> None:
    findings = [reports.finding(line=n) for n in range(1, 26)]
    findings += [reports.finding(line=n, severity=Severity.WARNING) for n in range(1, 13)]

    said = emitted(reports.report(reports.scan(*findings, verdict=Verdict.FAIL)))

    assert sum(line.startswith("::error") for line in said) == PER_LEVEL
    assert sum(line.startswith("::warning") for line in said) == PER_LEVEL
    assert "… and 15 more errors" in said[PER_LEVEL - 1]
    assert "… and 2 more warnings" in said[-1]


def test_an_absolute_path_is_no_place_in_the_checkout() -> None:
    said = emitted(reports.report(reports.scan(reports.finding(path="/etc/passwd"))))

    assert "file=" not in said[0]
    assert "line=" not in said[0]


def test_text_of_the_pull_request_cannot_begin_a_command() -> None:
    for nasty in NASTY:
        hostile = reports.with_every_text(reports.red(), f"x{nasty}\n::error::y,z:%0A%25")
        made = lines((*problems(hostile), *advice(hostile)))

        assert made
        for line in made:
            assert re.fullmatch(r"::(error|warning|notice) [^:]*::[^\r\n]*", line), line
            assert not re.search(r"[\x00-\x1f\x7f-\x9f]", line)
