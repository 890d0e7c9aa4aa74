"""The scan stage: what its findings mean for the verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocm_ci.config.options import Config, ScanOptions
from rocm_ci.context import Job
from rocm_ci.model.event import Event, EventKind
from rocm_ci.model.facts import Facts
from rocm_ci.model.plan import Plan
from rocm_ci.model.verdict import Verdict
from rocm_ci.stages.scan import run
from tests.fakes import context
from tests.unit.scan.trees import added

if TYPE_CHECKING:
    from pathlib import Path

ERROR = "cudaFree(0);\n"
WARNING = "__AMDGCN_WAVEFRONT_SIZE;\n"
NOTE = "__syncwarp();\n"


def job(path: str, lines: int, options: ScanOptions) -> Job:
    return Job(
        event=Event(kind=EventKind.LOCAL, head="0" * 40),
        config=Config(scan=options),
        changes=added(path, (1, lines)),
        facts=Facts(),
        plan=Plan(steps=()),
        done={},
    )


@pytest.mark.parametrize(
    ("text", "fail_on", "verdict"),
    [
        (ERROR, "error", Verdict.FAIL),
        (WARNING, "error", Verdict.NEUTRAL),
        (WARNING, "warning", Verdict.FAIL),
        (NOTE, "error", Verdict.PASS),
        (NOTE, "note", Verdict.FAIL),
        (ERROR, "never", Verdict.NEUTRAL),
        ("int fine;\n", "note", Verdict.PASS),
    ],
)
def test_the_worst_finding_and_the_configured_bound_decide(
    tmp_path: Path, text: str, fail_on: str, verdict: Verdict
) -> None:
    (tmp_path / "a.hip").write_text(text)
    options = ScanOptions(fail_on=fail_on)  # type: ignore[arg-type]

    assert run(context(tmp_path), job("a.hip", 1, options)).verdict is verdict


def test_the_reason_counts_what_was_found(tmp_path: Path) -> None:
    (tmp_path / "a.hip").write_text(
        ERROR * 2 + WARNING + "cudaFree(0); // rocm-ci: allow cuda-runtime-api the old branch needs it\n"
    )
    result = run(context(tmp_path), job("a.hip", 4, ScanOptions()))

    assert result.reason == "2 errors, 1 warning, 1 suppressed"
    assert (result.files, result.suppressed, len(result.findings)) == (1, 1, 3)
