"""Workflow runs and artifacts in the shape of GitHub's API."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from tests.standin.bodies_base import BaseBodies, node, number_of

if TYPE_CHECKING:
    from tests.standin.things import Artifact, Run

_RUN_URLS = {
    "jobs": "jobs", "logs": "logs", "artifacts": "artifacts", "cancel": "cancel", "rerun": "rerun",
}  # fmt: skip


class ActionBodies(BaseBodies):
    """What Actions did and left."""

    def run(self, full_name: str, run: Run) -> dict[str, Any]:
        api = f"{self.base}/repos/{full_name}"
        url = f"{api}/actions/runs/{run.id}"
        person = {"name": "Octo Cat", "email": "octo@example.com"}
        return {
            "id": run.id,
            "name": "rocm-ci",
            "node_id": node("WorkflowRun", run.id),
            "head_branch": run.branch,
            "head_sha": run.head,
            "path": run.path,
            "run_number": 1,
            "run_attempt": run.attempt,
            "event": run.event,
            "status": run.status,
            "conclusion": run.conclusion,
            "workflow_id": run.workflow,
            "check_suite_id": 5,
            "url": url,
            "html_url": f"{self.base}/{full_name}/actions/runs/{run.id}",
            "pull_requests": [],
            "created_at": run.created,
            "updated_at": run.created,
            "run_started_at": run.created,
            "actor": self.user(run.actor),
            "triggering_actor": self.user(run.actor),
            **{f"{name}_url": f"{url}/{rest}" for name, rest in _RUN_URLS.items()},
            "check_suite_url": f"{api}/check-suites/5",
            "previous_attempt_url": None,
            "workflow_url": f"{api}/actions/workflows/{run.workflow}",
            "head_commit": {
                "id": run.head,
                "tree_id": run.head,
                "message": "A change",
                "timestamp": run.created,
                "author": person,
                "committer": person,
            },
            "repository": self.repository(full_name),
            "head_repository": self.repository(
                run.head_repository or full_name, fork=run.head_repository != full_name
            ),
            "display_title": run.title,
        }

    def job(self, full_name: str, run: Run, name: str, conclusion: str | None) -> dict[str, Any]:
        number = run.id * 100 + len(name)
        url = f"{self.base}/repos/{full_name}/actions/jobs/{number}"
        return {
            "id": number,
            "run_id": run.id,
            "run_url": f"{self.base}/repos/{full_name}/actions/runs/{run.id}",
            "run_attempt": run.attempt,
            "node_id": node("WorkflowJob", number),
            "head_sha": run.head,
            "url": url,
            "html_url": f"{self.base}/{full_name}/actions/runs/{run.id}/job/{number}",
            "status": "completed" if conclusion else "in_progress",
            "conclusion": conclusion,
            "created_at": run.created,
            "started_at": run.created,
            "completed_at": run.created if conclusion else None,
            "name": name,
            "check_run_url": f"{self.base}/repos/{full_name}/check-runs/{number}",
            "labels": ["ubuntu-24.04"],
            "runner_id": 1,
            "runner_name": "a runner",
            "runner_group_id": 1,
            "runner_group_name": "Default",
            "workflow_name": "rocm-ci",
            "head_branch": run.branch,
        }

    def artifact(self, full_name: str, artifact: Artifact, run: Run) -> dict[str, Any]:
        url = f"{self.base}/repos/{full_name}/actions/artifacts/{artifact.id}"
        return {
            "id": artifact.id,
            "node_id": node("Artifact", artifact.id),
            "name": artifact.name,
            "size_in_bytes": len(artifact.data),
            "url": url,
            "archive_download_url": f"{url}/zip",
            "expired": artifact.expired,
            "created_at": artifact.created,
            "expires_at": artifact.created,
            "updated_at": artifact.created,
            "digest": f"sha256:{hashlib.sha256(artifact.data).hexdigest()}",
            "workflow_run": {
                "id": run.id,
                "repository_id": number_of(full_name),
                "head_repository_id": number_of(run.head_repository or full_name),
                "head_branch": run.branch or "",
                "head_sha": run.head,
            },
        }
