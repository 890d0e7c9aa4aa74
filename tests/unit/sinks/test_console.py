from __future__ import annotations

import io

import pytest

from rocm_ci.github.commands import harmless
from rocm_ci.log import Log
from rocm_ci.sinks.base import Destination
from rocm_ci.sinks.console import SINK
from tests import reports


def test_the_report_goes_to_standard_output() -> None:
    out = io.StringIO()

    SINK.emit(reports.red(), Destination(log=Log(out=out, err=io.StringIO())))

    assert "ROCm CI: this change" in out.getvalue()


@pytest.mark.attack("7", "a name or message of the report that begins like a workflow command")
def test_no_line_can_be_a_workflow_command() -> None:
    out = io.StringIO()
    hostile = reports.with_every_text(
        reports.red(), "\n::set-output name=x::y ##[error]z " + "a" * 90 + " ::error::b"
    )

    SINK.emit(hostile, Destination(log=Log(out=out, err=io.StringIO(), actions=True)))

    assert not [line for line in out.getvalue().split("\n") if line.lstrip().startswith("::")]
    assert "##[" not in out.getvalue()


def test_two_colons_within_a_line_stay() -> None:
    assert harmless("std::vector\n  ::error::x") == "std::vector\n  : :error::x"
