"""`rocm-ci bot`: answer one event: a `/rocm-ci …` comment, or a button of our check run.

It holds the token and stands on the default branch; nothing of the pull request is checked out or run.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rocm_ci.bot import event as events
from rocm_ci.bot.buttons import press
from rocm_ci.bot.handle import Bot, Outcome, handle
from rocm_ci.bot.scene import DEFAULT_WORKFLOW, Settings, checked_workflow
from rocm_ci.cli import wiring
from rocm_ci.cli.origin import Origin
from rocm_ci.cli.trusted_options import trusted_options
from rocm_ci.errors import EventError, GitHubError, UsageError
from rocm_ci.event import MAX_BYTES
from rocm_ci.github import connect, marker
from rocm_ci.github.client import DeclinedError
from rocm_ci.log import printable
from rocm_ci.report import inert, words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocm_ci.cli.publish import Job
    from rocm_ci.github.client import Pull
    from rocm_ci.github.port import GitHub
    from rocm_ci.github.run import Run
    from rocm_ci.log import Log

# The comment is where an acceptance is remembered, and one that shows a newer run was not touched.
_REMEMBERED = ("comment: created", "comment: edited", "comment: unchanged")


@click.command()
@click.option(
    "--workflow",
    metavar="FILE",
    default=DEFAULT_WORKFLOW,
    show_default=True,
    help="The workflow of the default branch that runs on the GPUs.",
)
@click.option("--to", "sinks", multiple=True, metavar="SINK", help="Where accept-perf shows the report anew.")
@click.option("--key", default="default", help="The key of that report.")
@trusted_options
def command(
    *,
    workflow: str,
    sinks: tuple[str, ...],
    key: str,
    event_path: Path | None,
    event_name: str | None,
    token_env: str,
    pause: float,
    form: str,
) -> int:
    """Answer one event: a comment with `/rocm-ci …`, or a button of the check run.

    Runs in a workflow on: issue_comment (types: [created]) with `actions: write`, `pull-requests: write` and
    `statuses: write`. Exits 0 also when it refuses politely.
    """
    env = wiring.environment()
    log = wiring.make_log(env)
    settings, key = Settings(workflow=checked_workflow(workflow)), marker.checked_key(key)
    event = events.read(event_name or env.get("GITHUB_EVENT_NAME", ""), _payload(env, event_path))
    ours = env.get("GITHUB_REPOSITORY")
    if ours and ours.casefold() != event.repository.casefold():
        message = f"the event file is about {event.repository}, but this job belongs to {ours}"
        raise EventError(message, hint="check that GITHUB_EVENT_PATH names this job's own event file")
    github = connect.connect(env, token_env=token_env, pause_s=pause)
    bot = Bot(
        github=github,
        settings=settings,
        accept=_Republish(env=env, log=log, github=github, repository=event.repository, sinks=sinks, key=key),
        wait=lambda seconds: time.sleep(min(seconds, 3 * pause)),
        now=wiring.SystemClock().now,
        log=log,
    )
    try:
        outcome = handle(bot, event) if isinstance(event, events.Said) else press(bot, event)
    except GitHubError as error:
        log.error(str(error), error.hint)
        outcome = Outcome(action="refused", reason=str(error), code=error.exit_code)
    log.info(github.spent())
    _tell(log, env, outcome, as_json=form == "json")
    return outcome.code


@dataclass(frozen=True, kw_only=True)
class _Republish:
    """accept-perf: the stored report of a run, shown anew with one regression accepted."""

    env: Mapping[str, str]
    log: Log
    github: GitHub
    repository: str
    sinks: tuple[str, ...]
    key: str

    def __call__(self, name: str, reason: str, *, by: str, pull: Pull, run: Run, is_part: bool) -> str:
        from rocm_ci.cli.publish import publish, stored  # noqa: PLC0415 - reports are read for this alone
        from rocm_ci.report.acceptance import accept  # noqa: PLC0415 - the same

        job = self._job(pull, run, is_part=is_part)
        report = stored(job, self.github)
        accepted = accept(report, name, by=by, reason=reason, head=pull.head)
        outcome = publish(replace(job, accept=(accepted,), report=report), (), self.github)
        if not any(line.startswith(_REMEMBERED) for line in outcome.posted):
            message = (
                f"not accepted: {'; '.join([*outcome.refused, *outcome.posted]) or 'nothing was posted'}"
            )
            if outcome.code:
                raise GitHubError(message, hint="give the command again")
            raise DeclinedError(message, hint="look at the job of the bot")
        return f"accepted {inert.line(accepted.name, limit=120)} up to {words.percent(accepted.effect_pct)}"

    def _job(self, pull: Pull, run: Run, *, is_part: bool) -> Job:
        from rocm_ci.cli.publish import Job  # noqa: PLC0415 - as above
        from rocm_ci.cli.report import chosen  # noqa: PLC0415 - as above

        origin = Origin(
            repository=self.repository,
            head=pull.head,
            number=pull.number,
            run_id=run.id,
            run_attempt=run.attempt,
            conclusion=run.conclusion,
            base_ref=pull.base_ref or None,
            workflow=run.workflow,
            is_partial=is_part,
            is_of_fork=(run.head_repository or "").casefold() != self.repository.casefold(),
        )
        return Job(
            env=self.env,
            log=self.log,
            origin=origin,
            sinks=chosen(self.sinks),
            key=self.key,
            has_bot=True,
        )


def _payload(env: Mapping[str, str], path: Path | None) -> bytes:
    named = path or (Path(env["GITHUB_EVENT_PATH"]) if env.get("GITHUB_EVENT_PATH") else None)
    if named is None:
        message = "there is no event to answer"
        raise UsageError(message, hint="run it in GitHub Actions, or name a file with --event-path")
    return wiring.read_bytes(named, "the event file", limit=MAX_BYTES)


def _tell(log: Log, env: Mapping[str, str], outcome: Outcome, *, as_json: bool) -> None:
    summary = env.get("GITHUB_STEP_SUMMARY")
    if summary:
        # Also what could not be said in the conversation is not lost.
        lines = [f"**rocm-ci bot**: {outcome.action} – {inert.prose(outcome.reason, limit=600)}"]
        lines += [outcome.answer] if outcome.answer and not outcome.url else []
        with Path(summary).open("a", encoding="utf-8") as page:
            page.write("\n\n".join(lines) + "\n")
    shape = {"version": 1, "action": outcome.action, "reason": outcome.reason, "answer": outcome.url or None}
    text = f"{outcome.action}: {printable(outcome.reason)}"
    log.result(wiring.as_json(shape) if as_json else text)
