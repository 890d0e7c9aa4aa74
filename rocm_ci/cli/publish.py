"""The trusted plane at work: find the pull request, read the reports, post. Runs nothing of the change."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rocm_ci.cli import baseline, destination, failed_jobs, incoming
from rocm_ci.cli.leftovers import Leftovers
from rocm_ci.errors import GitHubError, ReportError, RocmCiError, UsageError
from rocm_ci.github import trigger
from rocm_ci.github.client import DeclinedError, PermissionRefusedError
from rocm_ci.report import inert, legs
from rocm_ci.report.acceptance import applied
from rocm_ci.sinks import base, outcome, pending, status

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rocm_ci.cli.origin import Origin
    from rocm_ci.github.port import GitHub
    from rocm_ci.log import Log
    from rocm_ci.model.past import Acceptance
    from rocm_ci.model.report import Report
    from rocm_ci.sinks.mode import CommentMode

_IN_CONVERSATION = ("comment", "suggestions")
_FOR_THE_WHOLE = ("status", "check")
_NOBODY = "no pull request belongs to this run"
_ANSWERED = "left as it is: a run that a maintainer let start has answered this commit"
_PART = "only a part of the suites was asked for: what is green in it does not make the whole green"


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What was posted and what was not, a line each beginning with the sink's name.

    `notices` are what a maintainer may want to know of it, `requests` how many of them GitHub was asked.
    """

    posted: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    code: int = 0
    origin: Origin
    verdict: str | None = None
    notices: tuple[str, ...] = ()
    requests: int = 0


@dataclass(frozen=True, kw_only=True)
class Job:
    """One call of the command: where from, where to, with what.

    `accept` are regressions that a maintainer lets pass from now on. `report` is one that was fetched by
    `stored` before. `settle` waits a moment before the comment is read back. `has_bot`: commands in the
    conversation are answered. `is_fetched`: the reports lie with the run as artifacts.
    """

    env: Mapping[str, str]
    log: Log
    origin: Origin
    sinks: Sequence[base.Sink]
    key: str = "default"
    comment_mode: CommentMode = "always"
    accept: tuple[Acceptance, ...] = ()
    report: Report | None = None
    settle: Callable[[], None] = field(default=lambda: None)
    has_bot: bool = False
    is_fetched: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """What the sinks are called."""
        return tuple(sink.name for sink in self.sinks)

    def without(self, *names: str) -> Job:
        """The same with fewer sinks."""
        return replace(self, sinks=tuple(sink for sink in self.sinks if sink.name not in names))


def publish(job: Job, files: Sequence[Path], github: GitHub) -> Outcome:
    """Find the pull request, read the reports (of the run's artifacts, when no file is named), post.

    An announcement when the run has only begun. Never raises a `RocmCiError`: what went wrong is told.
    """
    done = _publish(replace(job, is_fetched=not files), files, github)
    return replace(done, requests=github.requests_sent)


def stored(job: Job, github: GitHub) -> Report:
    """The joined report of the artifacts of `job.origin`'s run, as the run left it. Raises `ReportError`."""
    return incoming.from_run(github, job.origin)


def shown_without_token(job: Job, files: Sequence[Path], reason: str, hint: str) -> Outcome:
    """Where GitHub lets nobody post, the step's summary holds all of it. Asks the API for nothing."""
    job.log.warning(f"not posted: {reason}; {hint}")
    refused = tuple(f"{name}: {reason}" for name in job.names)
    try:
        report = incoming.from_files(files, job.origin) if files else None
    except RocmCiError as error:
        job.log.error(str(error), error.hint)
        return Outcome(refused=refused, code=error.exit_code, origin=job.origin)
    Leftovers.of(job.env, job.log).add(
        report, destination.links(job), [base.Unposted(sink="report", reason=reason, hint=hint)]
    )
    return Outcome(refused=refused, origin=job.origin, verdict=report.verdict.value if report else None)


def _publish(job: Job, files: Sequence[Path], github: GitHub) -> Outcome:
    declined: tuple[str, ...] = ()
    try:
        job = replace(job, origin=_located(github, job.origin))
    except DeclinedError as error:
        job, declined = _declined(job, error)
    except GitHubError as error:
        return _nothing(job, error)
    if not job.sinks:
        return Outcome(refused=declined, origin=job.origin)
    if job.origin.number is None and not declined and "comment" in job.names:
        job.log.info(f"no comment: {_NOBODY}")
        declined, job = (f"comment: {_NOBODY}",), job.without("comment")
    if job.origin.action != "completed":
        return Outcome(posted=_announced(job, github), refused=declined, origin=job.origin)
    try:
        report = job.report or (
            incoming.from_files(files, job.origin) if files else incoming.from_run(github, job.origin)
        )
    except (ReportError, UsageError, PermissionRefusedError) as error:
        done = _unreadable(job, github, error)
    except GitHubError as error:
        done = _nothing(job, error)
    else:
        done = _posted(job, report, github)
    return replace(done, refused=(*declined, *done.refused))


def _declined(job: Job, error: DeclinedError) -> tuple[Job, tuple[str, ...]]:
    """What can still be posted where there is no pull request to talk to, and what cannot."""
    run = job.origin.finished
    # A status would stand on a commit that a fork has chosen, for whatever pull request has it next.
    is_forks = run is not None and run.run_id is not None and run.is_of_fork
    away = [s.name for s in job.sinks if (s.needs_token if is_forks else s.name in _IN_CONVERSATION)]
    job.log.warning(f"no {' and no '.join(away)}: {error}; {error.hint}" if away else str(error))
    return job.without(*away), tuple(f"{name}: {error}" for name in away)


def _located(github: GitHub, origin: Origin) -> Origin:
    """The origin with its commit and pull request looked up. Raises `DeclinedError` when there is none."""
    run = origin.finished
    if run is not None:
        trigger.refuse_odd_event(run)
    if run is not None and run.is_for_pull_request:
        pull = trigger.pull_of(github, run)
        is_of_fork = run.run_id is not None and run.is_of_fork
        if is_of_fork:
            trigger.refuse_borrowed_head(github, run, pull)
        return replace(origin, number=pull.number, base_ref=pull.base_ref, is_of_fork=is_of_fork)
    if origin.number is not None and (origin.head is None or origin.base_ref is None):
        pull = github.pull(origin.repository, origin.number)
        return replace(origin, head=origin.head or pull.head, base_ref=pull.base_ref)
    return origin


def _announced(job: Job, github: GitHub) -> tuple[str, ...]:
    if _is_answered(job, github):
        # Whether this run will have more to say than that it waits is not known yet.
        job.log.info(f"no announcement: {_ANSWERED}")
        return ()
    where = destination.of(job, github)
    posted = pending.announce(where.target, job.names, where.links) if where.target else ()
    for line in posted:
        job.log.info(inert.line(line, limit=600))
    return posted


def _is_answered(job: Job, github: GitHub) -> bool:
    """Whether a fork's own run (of a pull request that was opened again) has an answer before it begins."""
    if not job.origin.is_of_fork or job.origin.number is None:
        return False
    target = destination.of(job, github).target
    return target is not None and status.is_answered_by_dispatch(target)


def _posted(job: Job, report: Report, github: GitHub) -> Outcome:
    origin = job.origin
    if legs.only_waits(report) and _is_answered(job, github):
        job.log.info(_ANSWERED)
        unposted = tuple(f"{name}: {_ANSWERED}" for name in job.names)
        return Outcome(refused=unposted, origin=origin, verdict=report.verdict.value)
    known = baseline.of_base(github, origin, report) if origin.number is not None else None
    where, notices = destination.with_past(job, report, known, github)
    found, report = report, applied(report, where.accepted)
    why = failed_jobs.unexplained(github, origin, found, report)
    report = incoming.unproven(report, why, failed_jobs.ASK) if why else report
    if origin.is_of_fork and origin.number is not None and outcome.conclusion(report) != "failure":
        why = trigger.why_unproven(github, origin.repository, origin.number, origin.head or "")
        report = incoming.unproven(report, why) if why else report
    refused: tuple[str, ...] = ()
    # Only now: a part can also turn green because its one regression was accepted.
    is_partial = origin.is_partial or report.event.is_partial
    if is_partial and outcome.conclusion(report) != "failure":
        refused = tuple(f"{name}: {_PART}" for name in job.names if name in _FOR_THE_WHOLE)
        job = job.without(*_FOR_THE_WHOLE)
    emitted = base.emit_all(report, where, job.sinks)
    Leftovers.of(job.env, job.log).add(
        None if "summary" in job.names else report, where.links, emitted.unposted
    )
    return Outcome(
        posted=emitted.posted,
        refused=(*refused, *emitted.refused),
        code=max((error.exit_code for error in emitted.errors), default=0),
        origin=origin,
        verdict=report.verdict.value,
        notices=notices,
    )


def _nothing(job: Job, error: RocmCiError) -> Outcome:
    is_forbidden = isinstance(error, PermissionRefusedError)
    if is_forbidden:
        job.log.warning(f"nothing was posted: {error}; {error.hint}")
    else:
        job.log.error(str(error), error.hint)
    is_report = isinstance(error, ReportError)
    sink = "the report" if is_report else "everything"
    unposted = base.Unposted(sink=sink, reason=str(error), hint=error.hint)
    Leftovers.of(job.env, job.log).add(None, destination.links(job), [unposted])
    refused = tuple(f"{name}: {error}" for name in job.names)
    return Outcome(refused=refused, code=0 if is_forbidden else error.exit_code, origin=job.origin)


def _unreadable(job: Job, github: GitHub, error: RocmCiError) -> Outcome:
    """No report, no green: neither a «pending» nor what an earlier run left may stay in force."""
    ending = job.origin.conclusion
    if isinstance(error, incoming.NothingLeftError) and ending == "action_required":
        job.log.info("the run waits for a maintainer's approval: there is nothing to report yet")
        where = destination.of(job, github)
        is_quiet = where.target is None or _is_answered(job, github)
        held = pending.hold(where.target, job.names, where.links) if where.target and not is_quiet else ()
        return Outcome(posted=held, origin=job.origin)
    is_cancelled = isinstance(error, incoming.NothingLeftError) and ending in ("cancelled", "skipped")
    done = Outcome(origin=job.origin) if is_cancelled else _nothing(job, error)
    where = destination.of(job, github)
    if where.target is None:
        return done
    reason = _ended(ending) if isinstance(error, incoming.NothingLeftError) else str(error)
    try:
        posted = pending.withdraw(where.target, job.names, where.links, reason=reason, cancelled=is_cancelled)
    except GitHubError as refusal:
        job.log.error(str(refusal), refusal.hint)
        return replace(done, code=max(done.code, refusal.exit_code))
    names = {line.partition(":")[0] for line in posted}
    kept = tuple(line for line in done.refused if line.partition(":")[0] not in names)
    return replace(done, posted=posted, refused=kept)


def _ended(ending: str | None) -> str:
    """How a run ended that left nothing, for people."""
    if ending in ("cancelled", "skipped"):
        return f"the run was {ending} before it left a report"
    return f"the run ended with {ending!r} and left no report" if ending else "the run left no report"
