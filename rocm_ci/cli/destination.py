"""Where a report goes: the pull request, its conversation so far, and what its base had to say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rocm_ci.errors import GitHubError
from rocm_ci.github import accepted, sticky
from rocm_ci.report import inert
from rocm_ci.report.links import Links
from rocm_ci.sinks import base

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocm_ci.cli.baseline import Baseline
    from rocm_ci.cli.publish import Job
    from rocm_ci.github.port import GitHub
    from rocm_ci.model.past import Acceptance
    from rocm_ci.model.report import Report

_COMMANDS = ("/rocm-ci rerun-failed", "/rocm-ci help")


def with_past(
    job: Job, report: Report, known: Baseline | None, github: GitHub
) -> tuple[base.Destination, tuple[str, ...]]:
    """Where to, with what the base and the conversation have to say; and what of that is missing."""
    from rocm_ci.report.delta import delta  # noqa: PLC0415 - only where there is a base

    where = of(job, github)
    notices: list[str] = []
    if known is not None and known.report is not None:
        where = replace(where, delta=delta(known.report, report, base_commit=known.commit))
    elif known is not None:
        where = replace(where, lack=known.lack)
        notices.append(f"no report of the base: {known.lack}")
    target = where.target
    if target is not None and target.number is not None:
        try:
            look = sticky.look(github, target.repository, target.number, target.key)
            given = accepted.believed(github, target.repository, look)
        except GitHubError as error:
            notices.append(f"the conversation could not be read: {error}")
        else:
            where = replace(
                where, target=replace(target, look=look), accepted=_all_accepted(given, job.accept)
            )
    for notice in notices:
        job.log.info(inert.line(notice, limit=600))
    return where, tuple(notices)


def _all_accepted(given: Sequence[Acceptance], new: Sequence[Acceptance]) -> tuple[Acceptance, ...]:
    """The newest of each name."""
    names = {one.name for one in new}
    return (*(one for one in given if one.name not in names), *new)


def of(job: Job, github: GitHub) -> base.Destination:
    """The pull request, or the commit alone."""
    origin = job.origin
    summary = job.env.get("GITHUB_STEP_SUMMARY")
    return base.Destination(
        log=job.log,
        summary=Path(summary) if summary else None,
        annotations=job.env.get("GITHUB_ACTIONS") == "true",
        links=links(job),
        target=base.Target(
            github=github,
            repository=origin.repository,
            head=origin.head or "",
            number=origin.number,
            run_id=origin.run_id,
            run_attempt=origin.run_attempt,
            key=job.key,
            comment_mode=job.comment_mode if "comment" in job.names else "off",
            ref=origin.ref,
            settle=job.settle,
        ),
    )


def links(job: Job) -> Links:
    """Addresses from the trusted event and the runner's own environment."""
    server = job.env.get("GITHUB_SERVER_URL", "https://github.com").rstrip("/")
    page = f"{server}/{job.origin.repository}"
    run = f"{page}/actions/runs/{job.origin.run_id}" if job.origin.run_id else None
    return Links(
        repository=page,
        run=run,
        artifact=f"{run}#artifacts" if run and job.is_fetched else None,
        commands=_COMMANDS if job.has_bot else (),
    )
