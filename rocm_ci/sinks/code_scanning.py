"""The findings as alerts of code scanning, for projects that have it: an option, never the gate.

docs.github.com, «SARIF support for code scanning» and «Uploading a SARIF file»: 10 MB packed, 25,000
results a run of which the worst 5,000 are shown, one analysis for each category of a commit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.github import trigger
from rocm_ci.github.client import DeclinedError
from rocm_ci.model.result import ScanResult
from rocm_ci.report import sarif

if TYPE_CHECKING:
    from rocm_ci.model.report import Report
    from rocm_ci.sinks.base import Destination, Sink, Target


class CodeScanning:
    """Uploads one SARIF log for the trusted head commit."""

    name = "code-scanning"
    needs_token = True

    def emit(self, report: Report, where: Destination) -> tuple[str, ...]:
        """Upload it, also when nothing was found: old alerts are closed by that. Not without a scan."""
        target = where.target
        scans = [result for result in report.results if isinstance(result, ScanResult)]
        if target is None or not scans:
            return ()
        ref = _ref(target)
        # A matrix may have scanned the same change in each of its legs.
        findings = list(dict.fromkeys(f for scan in scans for f in scan.findings))
        notes = list(dict.fromkeys(note for scan in scans for note in scan.notes))
        log = sarif.render_category(findings, notes, category=f"{target.context}/")
        target.github.upload_sarif(
            target.repository, commit=target.head, ref=ref, sarif=log.text.encode("utf-8", "replace")
        )
        left_out = f", the {log.left_out} least severe left out" if log.left_out else ""
        kept = len(findings) - log.left_out
        return (f"{kept} finding{'s' * (kept != 1)} for {ref}{left_out}",)


def _ref(target: Target) -> str:
    """The ref whose alerts these are. Those of a newer commit must not be replaced by old ones."""
    if target.number is not None:
        trigger.current(target.github, target.repository, target.number, target.head)
        return f"refs/pull/{target.number}/head"
    if target.ref is None:
        message = "it is not known which branch the run was for"
        raise DeclinedError(message, hint="code scanning takes the findings of pushes and pull requests")
    return target.ref


SINK: Sink = CodeScanning()
