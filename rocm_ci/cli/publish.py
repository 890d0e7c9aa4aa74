"""The trusted plane at work: find the pull request, read the file, post. Runs nothing of the change."""

from __future__ import annotations

import stat
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rocm_ci.cli import wiring
from rocm_ci.errors import GitHubError, ReportError, RocmCiError, UsageError
from rocm_ci.github import trigger
from rocm_ci.github.client import DeclinedError
from rocm_ci.report import codec
from rocm_ci.report.bounds import MAX_BYTES
from rocm_ci.report.links import Links
from rocm_ci.sinks import base, status

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rocm_ci.cli.origin import Origin
    from rocm_ci.github.port import GitHub
    from rocm_ci.log import Log
    from rocm_ci.model.report import Report


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What was posted and what was not, a line each beginning with the sink's name."""

    posted: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    code: int = 0
    origin: Origin
    verdict: str | None = None


@dataclass(frozen=True, kw_only=True)
class Job:
    """One call of the command: where from, where to, with what."""

    env: Mapping[str, str]
    log: Log
    origin: Origin
    sinks: Sequence[base.Sink]
    key: str = "default"


def publish(job: Job, file: Path, github: GitHub) -> Outcome:
    """Find the pull request, read the file, post."""
    try:
        origin, declined = _located(github, job.origin)
    except GitHubError as error:
        return _nothing(job, job.origin, error)
    try:
        report = _decoded(file)
    except (ReportError, UsageError) as error:
        return _unreadable(job, origin, github, error)
    foreign = _foreign(report, origin)
    if foreign:
        hint = "the file must come from the run that started this job"
        return _nothing(job, origin, ReportError(f"the report is not posted: {foreign}", hint=hint))
    where = _destination(job, origin, github)
    sinks = [s for s in job.sinks if declined is None or s.name != "comment"]
    emitted = base.emit_all(report, where, sinks)
    refused = emitted.refused
    if declined is not None and len(sinks) < len(job.sinks):
        job.log.warning(f"no comment: {declined}; {declined.hint}")
        refused = (f"comment: {declined}", *refused)
    if any(isinstance(error, GitHubError) for error in emitted.errors):
        _show_in_summary(job, report, where)
    return Outcome(
        posted=emitted.posted,
        refused=refused,
        code=max((error.exit_code for error in emitted.errors), default=0),
        origin=origin,
        verdict=report.verdict.value,
    )


def _located(github: GitHub, origin: Origin) -> tuple[Origin, DeclinedError | None]:
    """The origin with its commit and pull request looked up, and why there is none to comment on."""
    run = origin.finished
    if run is not None and run.is_for_pull_request:
        try:
            return replace(origin, number=trigger.pull_of(github, run).number), None
        except DeclinedError as declined:
            return origin, declined
    if origin.head is None and origin.number is not None:
        return replace(origin, head=github.pull(origin.repository, origin.number).head), None
    return origin, None


def _decoded(file: Path) -> Report:
    path = file / codec.FILE_NAME if file.is_dir() else file
    try:
        mode = path.lstat().st_mode
    except OSError as error:
        message = f"there is no report at {path}: {error.strerror}"
        raise ReportError(message, hint="look at the run that should have written it") from error
    # The folder comes out of a stranger's archive: a link could name a file of this machine.
    if not stat.S_ISREG(mode):
        message = f"the report {path} is not a regular file"
        raise ReportError(message, hint="the file must be the report.json that `rocm-ci run` wrote")
    return codec.decode(wiring.read_bytes(path, "the report", limit=MAX_BYTES))


def _foreign(report: Report, origin: Origin) -> str:
    """Why this report belongs to something else; empty when it does not."""
    about = report.event
    if about.head != origin.head:
        return f"it is about commit {about.head[:12]}, this job reports on {(origin.head or '?')[:12]}"
    if about.repository and about.repository.casefold() != origin.repository.casefold():
        return f"it is about another repository than {origin.repository}"
    if None not in (about.number, origin.number) and about.number != origin.number:
        return f"it is about pull request {about.number}, this job reports on {origin.number}"
    return ""


def _destination(job: Job, origin: Origin, github: GitHub) -> base.Destination:
    server = job.env.get("GITHUB_SERVER_URL", "https://github.com").rstrip("/")
    page = f"{server}/{origin.repository}"
    summary = job.env.get("GITHUB_STEP_SUMMARY")
    return base.Destination(
        log=job.log,
        summary=Path(summary) if summary else None,
        annotations=job.env.get("GITHUB_ACTIONS") == "true",
        links=Links(repository=page, run=f"{page}/actions/runs/{origin.run_id}" if origin.run_id else None),
        target=base.Target(
            github=github,
            repository=origin.repository,
            head=origin.head or "",
            number=origin.number,
            run_id=origin.run_id,
            run_attempt=origin.run_attempt,
            key=job.key,
        ),
    )


def _nothing(job: Job, origin: Origin, error: RocmCiError) -> Outcome:
    job.log.error(str(error), error.hint)
    refused = tuple(f"{sink.name}: {error}" for sink in job.sinks)
    return Outcome(refused=refused, code=error.exit_code, origin=origin)


def _unreadable(job: Job, origin: Origin, github: GitHub, error: RocmCiError) -> Outcome:
    """No report, no green: a status that an earlier run of this commit left must not stay in force."""
    outcome = _nothing(job, origin, error)
    where = _destination(job, origin, github)
    if where.target is None or not any(sink.name == "status" for sink in job.sinks):
        return outcome
    try:
        posted = status.post_unreadable(where.target, str(error), where.links.run)
    except GitHubError as refusal:
        job.log.error(str(refusal), refusal.hint)
        return outcome
    kept = tuple(line for line in outcome.refused if not line.startswith("status:"))
    return replace(outcome, posted=(posted,), refused=kept)


def _show_in_summary(job: Job, report: Report, where: base.Destination) -> None:
    """What GitHub refused is not lost: the comment goes to this job's own page."""
    from rocm_ci.report.markdown import render_comment  # noqa: PLC0415 - only after a refusal

    if where.summary is None or any(sink.name == "summary" for sink in job.sinks):
        return
    with where.summary.open("a", encoding="utf-8") as page:
        page.write(render_comment(report, links=where.links) + "\n")
