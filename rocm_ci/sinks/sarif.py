"""The findings as `findings.sarif` in the output folder, for code scanning and editors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.model.result import ScanResult
from rocm_ci.report.sarif import render_findings
from rocm_ci.report.tally import tally
from rocm_ci.tools import file

if TYPE_CHECKING:
    from rocm_ci.model.report import Report
    from rocm_ci.sinks.base import Destination, Sink

FILE_NAME = "findings.sarif"


class Sarif:
    """Writes one file, also when nothing was found: code scanning then closes its old alerts."""

    name = "sarif"
    needs_token = False

    def emit(self, report: Report, where: Destination) -> tuple[str, ...]:
        """One SARIF log."""
        if where.out is None:
            return ()
        path = where.out / FILE_NAME
        notes = [note for r in report.results if isinstance(r, ScanResult) for note in r.notes]
        file.write(path, render_findings(tally(report).findings, notes).encode())
        return (str(path),)


SINK: Sink = Sarif()
