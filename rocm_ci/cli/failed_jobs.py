"""Whether the reports of a run say why its jobs failed; asked where an accepted regression turns it green.

A red report explains a run that ended badly, until its regression is accepted: then a job that died and
left no report would be all that is red, and nobody would see it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.errors import GitHubError
from rocm_ci.model.verdict import Verdict
from rocm_ci.report import words
from rocm_ci.report.legs import GATE
from rocm_ci.sinks import outcome

if TYPE_CHECKING:
    from rocm_ci.cli.origin import Origin
    from rocm_ci.github.port import Runs
    from rocm_ci.model.report import Report

ASK = "look at the jobs of the run"
# A job that has not ended is the one that reports.
FINE = (None, "success", "neutral", "skipped")


def unexplained(github: Runs, origin: Origin, found: Report, shown: Report) -> str:
    """Why `shown`, which is `found` with its accepted regressions, must not be green; empty when it may.

    One request, and none unless the acceptances alone make it green after a run that ended badly.
    """
    was_red = outcome.conclusion(found) == "failure" and outcome.conclusion(shown) != "failure"
    if not was_red or origin.conclusion in FINE or origin.run_id is None:
        return ""
    try:
        jobs = github.jobs(origin.repository, origin.run_id, origin.run_attempt or 1)
    except GitHubError as error:
        return f"which jobs of the run failed could not be seen: {error}"
    failed = [job for job in jobs if job.conclusion not in FINE and not _is_gate(job.name)]
    told = _red_legs(found)
    if len(failed) <= told:
        return ""
    return f"{words.count(len(failed), 'job')} of the run failed, but only {told} left a report that says why"


def _is_gate(name: str) -> bool:
    """The gate of the reusable workflow fails with the others, and says itself what is missing."""
    return name.rpartition("/")[2].strip().casefold() == GATE


def _red_legs(report: Report) -> int:
    red = {Verdict.FAIL, Verdict.ERROR}
    if outcome.fails_on_inconclusive(report):
        red.add(Verdict.INCONCLUSIVE)
    return sum(leg.verdict in red for leg in report.legs) if report.legs else 1
