"""`rocm-ci report FILE`: the trusted plane's command. It holds the token.

Repository, commit and number come from `origin`; the file only says what was found, and a file
about another commit is refused.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

import rocm_ci.sinks
from rocm_ci import registry
from rocm_ci.cli import wiring
from rocm_ci.cli.origin import Flags, origin_of
from rocm_ci.cli.publish import Job, Outcome, publish
from rocm_ci.errors import UsageError
from rocm_ci.github import marker
from rocm_ci.log import printable
from rocm_ci.sinks import base

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rocm_ci.github.rest import RestClient
    from rocm_ci.log import Log

_API_URL = re.compile(r"https?://[A-Za-z0-9.\-\[\]:]+(/[A-Za-z0-9._/-]*)?\Z")
_DEFAULT_SINKS = ("comment", "status")
_FORK = (
    "the pull request comes from a fork, whose own workflow gets a read-only token (everything is in "
    "the step summary)"
)
_FORK_HINT = "to answer forks too, run `rocm-ci report` from a workflow on: workflow_run"


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--to", "sinks", multiple=True, metavar="SINK", help="Where to (default: comment, status).")
@click.option("--repository", metavar="OWNER/NAME", help="Default: from this job's own event.")
@click.option("--commit", metavar="SHA", help="The head commit the report must be about.")
@click.option("--number", type=click.IntRange(min=1), metavar="N", help="The pull request.")
@click.option("--event-path", type=click.Path(path_type=Path), help="Default: $GITHUB_EVENT_PATH.")
@click.option("--event-name", metavar="NAME", help="Default: $GITHUB_EVENT_NAME.")
@click.option("--token-env", metavar="NAME", default="GITHUB_TOKEN", show_default=True)
@click.option("--key", default="default", help="Tells several reporters of one repository apart.")
@click.option(
    "--pause",
    type=click.FloatRange(min=0.0),
    default=1.0,
    show_default=True,
    metavar="SECONDS",
    help="Between two writes, and before a failed request is sent again.",
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(
    *,
    file: Path,
    sinks: tuple[str, ...],
    repository: str | None,
    commit: str | None,
    number: int | None,
    event_path: Path | None,
    event_name: str | None,
    token_env: str,
    key: str,
    pause: float,
    form: str,
) -> int:
    """Post the report FILE of `rocm-ci run` to its pull request: one comment, one status.

    Runs in the job that holds the token (`pull-requests: write`, `statuses: write`), best in a workflow
    on: workflow_run. FILE may be the folder of the downloaded artifact.
    """
    env = wiring.environment()
    flags = Flags(
        repository=repository, commit=commit, number=number, event_name=event_name, event_path=event_path
    )
    job = Job(
        env=env,
        log=wiring.make_log(env),
        origin=origin_of(env, flags),
        sinks=_chosen(sinks or _DEFAULT_SINKS),
        key=_checked_key(key),
    )
    if job.origin.read_only:
        # Nothing failed and nothing may be asked of the API: a fork's own token can only read.
        job.log.warning(f"not posted: {_FORK}; {_FORK_HINT}")
        refused = tuple(f"{sink.name}: {_FORK}" for sink in job.sinks)
        outcome = Outcome(refused=refused, origin=job.origin)
    else:
        github = _connect(env, token_env, pause)
        outcome = publish(job, file, github)
        job.log.info(f"{github.requests_sent} requests to GitHub")
    _tell(job.log, outcome, as_json=form == "json")
    return outcome.code


def _chosen(names: Sequence[str]) -> tuple[base.Sink, ...]:
    known = registry.load(rocm_ci.sinks, "SINK", base.Sink)  # type: ignore[type-abstract]
    # An action's input is one text: `comment, status` and `comment status` are as good as two --to.
    names = [name for text in names for name in text.replace(",", " ").split()]
    for name in names:
        if name not in known:
            message = f"there is no sink {name!r}"
            raise UsageError(message, hint=f"choose from {', '.join(sorted(known))}")
    return tuple(known[name] for name in dict.fromkeys(names))


def _checked_key(key: str) -> str:
    if not marker.KEY.match(key):
        message = f"{key[:60]!r} is no key"
        raise UsageError(message, hint="use up to 40 letters, digits, dots, dashes and underscores")
    return key


def _connect(env: Mapping[str, str], token_env: str, pause_s: float) -> RestClient:
    from rocm_ci.github.rest import DEFAULT_URL, RestClient  # noqa: PLC0415 - only once all else is right
    from rocm_ci.github.transport import Transport  # noqa: PLC0415 - the same

    token = env.get(token_env, "").strip()
    if not token:
        message = f"there is no token in {token_env}"
        hint = "give the step `env: GITHUB_TOKEN: ${{ github.token }}`, or name another one with --token-env"
        raise UsageError(message, hint=hint)
    if not (token.isascii() and token.isprintable()):
        message = f"what {token_env} holds is no token"
        raise UsageError(message, hint="copy the token again, without spaces and line breaks")
    url = env.get("GITHUB_API_URL") or DEFAULT_URL
    if not _API_URL.match(url):
        message = f"GITHUB_API_URL is {url[:120]!r}, which is no address"
        raise UsageError(message, hint="on GitHub Enterprise it is https://HOST/api/v3")
    return RestClient(Transport(token, api_url=url, pause_s=pause_s))


def _tell(log: Log, outcome: Outcome, *, as_json: bool) -> None:
    if as_json:
        shape = {
            "posted": outcome.posted,
            "refused": outcome.refused,
            "verdict": outcome.verdict,
            "repository": outcome.origin.repository,
            "commit": outcome.origin.head,
            "number": outcome.origin.number,
        }
        log.result(wiring.as_json(shape))
        return
    lines = [f"posted   {line}" for line in outcome.posted] + [f"refused  {line}" for line in outcome.refused]
    log.result("\n".join(map(printable, lines)))
