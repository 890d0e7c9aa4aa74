"""`rocm-ci report [FILE…]`: the trusted plane's command. It holds the token.

Repository, commit and number come from `origin`; the files, or the artifacts of the run, only say what was
found, and what is about another commit is refused.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

import rocm_ci.sinks
from rocm_ci import registry
from rocm_ci.cli import wiring
from rocm_ci.cli.origin import Flags, origin_of
from rocm_ci.cli.publish import Job, Outcome, publish, shown_without_token
from rocm_ci.cli.trusted_options import trusted_options
from rocm_ci.errors import UsageError
from rocm_ci.github import connect, marker
from rocm_ci.github.client import DeclinedError
from rocm_ci.log import printable
from rocm_ci.sinks import base

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocm_ci.log import Log
    from rocm_ci.sinks.mode import CommentMode

_DEFAULT_SINKS = ("comment", "status", "suggestions")
_ENDINGS = ["success", "failure", "cancelled", "skipped"]
_FORK = (
    "the pull request comes from a fork, whose own workflow gets a read-only token (everything is in "
    "the step summary)"
)
_FORK_HINT = "run `rocm-ci report` from a workflow on: workflow_run, which answers forks too"


@click.command()
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[FILE]...")
@click.option(
    "--to", "sinks", multiple=True, metavar="SINK", help="Where to (default: comment, status, suggestions)."
)
@click.option(
    "--comment",
    "mode",
    type=click.Choice(["always", "changes", "failures", "off"]),
    default="always",
    show_default=True,
    help="When to begin a comment; one that is there is kept true.",
)
@click.option("--repository", metavar="OWNER/NAME", help="Default: from this job's own event.")
@click.option("--commit", metavar="SHA", help="The head commit the report must be about.")
@click.option("--number", type=click.IntRange(min=1), metavar="N", help="The pull request.")
@click.option(
    "--conclusion",
    type=click.Choice(_ENDINGS),
    help="How the jobs of this same workflow ended: without success, green reports alone are no green.",
)
@click.option(
    "--bot", "has_bot", is_flag=True, help="`rocm-ci bot` answers here: the comment names commands."
)
@click.option("--key", default="default", help="Tells several reporters of one repository apart.")
@trusted_options
def command(
    *,
    files: tuple[Path, ...],
    sinks: tuple[str, ...],
    mode: CommentMode,
    repository: str | None,
    commit: str | None,
    number: int | None,
    conclusion: str | None,
    has_bot: bool,
    event_path: Path | None,
    event_name: str | None,
    token_env: str,
    key: str,
    pause: float,
    form: str,
) -> int:
    """Post the reports of `rocm-ci run` to their pull request: one comment, one status.

    Runs in the job that holds the token (`pull-requests: write`, `statuses: write`), best in a workflow
    on: workflow_run. Without a FILE it fetches the artifacts `rocm-ci-report` or `rocm-ci-report-LEG` that
    the run left (`actions: read`). A FILE is a report.json, a zip archive of one, or a folder of artifacts.
    """
    env = wiring.environment()
    log = wiring.make_log(env)
    flags = Flags(
        repository=repository,
        commit=commit,
        number=number,
        event_name=event_name,
        event_path=event_path,
        conclusion=conclusion,
    )
    wanted, checked = chosen(sinks), marker.checked_key(key)
    try:
        origin = origin_of(env, flags)
    except DeclinedError as declined:
        log.info(f"{declined}: {declined.hint}")
        if form == "json":
            log.result(wiring.as_json({"posted": [], "refused": [str(declined)], "requests": 0}))
        return declined.exit_code
    job = Job(
        env=env,
        log=log,
        origin=origin,
        sinks=wanted,
        key=checked,
        comment_mode=mode,
        settle=lambda: time.sleep(pause),
        has_bot=has_bot or origin.is_dispatched,
    )
    if origin.read_only:
        # Nothing failed and nothing may be asked of the API: a fork's own token can only read.
        outcome = shown_without_token(job, files, _FORK, _FORK_HINT)
    else:
        github = connect.connect(env, token_env=token_env, pause_s=pause)
        outcome = publish(job, files, github)
        log.info(github.spent())
    _tell(log, outcome, as_json=form == "json")
    return outcome.code


def chosen(names: Sequence[str]) -> tuple[base.Sink, ...]:
    """The sinks of these names, in their order; those that a pull request gets by default for none.

    Raises `UsageError` for a name that no sink has.
    """
    known = registry.load(rocm_ci.sinks, "SINK", base.Sink)  # type: ignore[type-abstract]
    # An action's input is one text: `comment, status` and `comment status` are as good as two --to.
    names = [name for text in names for name in text.replace(",", " ").split()] or list(_DEFAULT_SINKS)
    for name in names:
        if name not in known:
            message = f"there is no sink {name!r}"
            raise UsageError(message, hint=f"choose from {', '.join(sorted(known))}")
    return tuple(known[name] for name in dict.fromkeys(names))


def _tell(log: Log, outcome: Outcome, *, as_json: bool) -> None:
    if as_json:
        shape = {
            "posted": outcome.posted,
            "refused": outcome.refused,
            "verdict": outcome.verdict,
            "repository": outcome.origin.repository,
            "commit": outcome.origin.head,
            "number": outcome.origin.number,
            "notices": outcome.notices,
            "requests": outcome.requests,
        }
        log.result(wiring.as_json(shape))
        return
    lines = [f"posted   {line}" for line in outcome.posted] + [f"refused  {line}" for line in outcome.refused]
    # A line of ours stays one: with a second one a stranger's text could give commands to the runner.
    log.result("\n".join(" ".join(printable(line).split()) for line in lines))
