"""A refusal of GitHub → an error that says what to change. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.errors import GitHubError
from rocm_ci.github.client import PermissionRefusedError, RejectedError

if TYPE_CHECKING:
    from rocm_ci.github.retry import Failure

_PERMISSIONS = re.compile(r"[a-z_]+=[a-z]+(?:[,;] ?[a-z_]+=[a-z]+)*\Z")
# The first word that a task holds decides; `read` and `list` need less than all else.
_AREAS = (
    ("code scanning", "security-events"),
    ("resolve ", "contents"),
    ("artifact", "actions"),
    ("workflow run", "actions"),
    ("start ", "actions"),
    ("commit status", "statuses"),
    ("check run", "checks"),
    ("comment", "pull-requests"),
    ("review", "pull-requests"),
    ("pull request", "pull-requests"),
)
# What GitHub also refuses with 403, although no permission would help: the run is not in that state.
_STATES = ("already running", "failed jobs", "unable to retry", "from a fork", "waiting for approval")
_READING = ("read ", "list ", "download ")


def explain(failure: Failure, *, task: str) -> GitHubError:
    """The error for a request that failed for good. `task` completes «cannot …»: `create the comment`."""
    message = f"cannot {task}: {_said(failure)}"
    words = failure.message.lower()
    if failure.is_rate_limit:
        return GitHubError(message, hint="the token's rate limit is used up: run the job again later")
    match failure.status:
        case None:
            return GitHubError(
                message,
                hint="check the network, GITHUB_API_URL, HTTPS_PROXY and, behind a company proxy, "
                "REQUESTS_CA_BUNDLE",
            )
        case 301 | 302 | 307 | 308:
            return GitHubError(
                message, hint="the repository was renamed or moved, or GITHUB_API_URL is not quite right"
            )
        case 401:
            return GitHubError(message, hint="the token is wrong or has expired: pass a fresh GITHUB_TOKEN")
        case 403 if "locked" in words:
            return GitHubError(message, hint="unlock the conversation of the pull request")
        case 403 if any(state in words for state in _STATES):
            return GitHubError(message, hint="look at the run on its page")
        case 403:
            return PermissionRefusedError(message, hint=_permission(failure, task))
        case 404:
            return GitHubError(
                message, hint="check the repository and number, and that the token may read that repository"
            )
        case 422:
            return RejectedError(message, hint="GitHub did not take what rocm-ci sent: please report it")
        case _:
            return GitHubError(
                message, hint="run the job again; https://www.githubstatus.com tells of outages"
            )


def _said(failure: Failure) -> str:
    if failure.status is None:
        return failure.message[:300] or "no answer"
    return f"GitHub answered {failure.status} ({failure.message[:300] or 'no message'})"


def _permission(failure: Failure, task: str) -> str:
    """Which permission to add; GitHub names it itself in a header of its refusals."""
    named = failure.headers.get("x-accepted-github-permissions", "")
    area = next((name for word, name in _AREAS if word in task), None)
    needed = f"`{area}: {'read' if task.startswith(_READING) else 'write'}`" if area else "more rights"
    if _PERMISSIONS.match(named):
        needed += f" (GitHub accepts: {named})"
    if area == "security-events":
        needed += ", and code scanning must be enabled for the repository (else leave it out of `--to`)"
    return (
        f"the job needs {needed} under `permissions:`; a fork's own workflow never gets a token that may "
        "write: report from a `workflow_run` workflow instead"
    )
