"""What a user reads when GitHub says no."""

from __future__ import annotations

import pytest

from rocm_ci.github.client import PermissionRefusedError
from rocm_ci.github.refusal import explain
from rocm_ci.github.retry import Failure


@pytest.mark.parametrize(
    ("task", "permission"),
    [
        ("create the comment", "`pull-requests: write`"),
        ("set the commit status", "`statuses: write`"),
        ("create the check run", "`checks: write`"),
        ("read the check runs", "`checks: read`"),
        ("edit a review comment", "`pull-requests: write`"),
        ("post the review", "`pull-requests: write`"),
        ("read the review threads", "`pull-requests: read`"),
        ("resolve a review thread", "`contents: write`"),
        ("read pull request 5", "`pull-requests: read`"),
        ("list the artifacts of the run", "`actions: read`"),
        ("download artifact 7", "`actions: read`"),
        ("list workflow runs", "`actions: read`"),
        ("cancel workflow run 7", "`actions: write`"),
        ("start rocm-ci-run.yml", "`actions: write`"),
        ("upload the code scanning log", "`security-events: write`"),
    ],
)
def test_a_missing_permission_is_named(task: str, permission: str) -> None:
    error = explain(Failure(status=403, message="Resource not accessible by integration"), task=task)

    assert isinstance(error, PermissionRefusedError)
    assert str(error) == f"cannot {task}: GitHub answered 403 (Resource not accessible by integration)"
    assert permission in error.hint
    assert "fork" in error.hint
    assert error.exit_code == 4


def test_what_github_itself_would_accept_is_passed_on_when_it_looks_like_permissions() -> None:
    def hint(header: str) -> str:
        failure = Failure(status=403, message="", headers={"x-accepted-github-permissions": header})
        return explain(failure, task="create the comment").hint

    assert "(GitHub accepts: issues=write; pull_requests=write)" in hint("issues=write; pull_requests=write")
    assert "accepts" not in hint("::error::gotcha")


@pytest.mark.parametrize(
    ("status", "message", "hint"),
    [
        (None, "ConnectionError: refused", "GITHUB_API_URL"),
        (401, "Bad credentials", "expired"),
        (403, "Unable to create comment because issue is locked.", "unlock"),
        (403, "API rate limit exceeded", "later"),
        (403, "This workflow run is already running", "look at the run"),
        (307, "Temporary Redirect", "renamed"),
        (429, "", "later"),
        (404, "Not Found", "check the repository"),
        (422, "Validation Failed", "report it"),
        (500, "", "run the job again"),
    ],
)
def test_every_refusal_has_a_next_step(status: int | None, message: str, hint: str) -> None:
    assert hint in explain(Failure(status=status, message=message), task="do it").hint
