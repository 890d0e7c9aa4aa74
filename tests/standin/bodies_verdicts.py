"""Commit statuses and check runs in the shape of GitHub's API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.standin.bodies_base import BaseBodies, node
from tests.standin.things import WHEN

if TYPE_CHECKING:
    from tests.standin.things import Check, Status


class VerdictBodies(BaseBodies):
    """What stands beside a commit."""

    def status(self, full_name: str, status: Status) -> dict[str, Any]:
        return {
            "id": status.id,
            "node_id": node("StatusContext", status.id),
            "url": f"{self.base}/repos/{full_name}/statuses/{status.sha}",
            "avatar_url": f"{self.base}/avatars/{status.creator}",
            "state": status.state,
            "context": status.context,
            "description": status.description,
            "target_url": status.target_url,
            "created_at": status.created,
            "updated_at": status.created,
            "creator": self.user(status.creator),
        }

    def combined(self, full_name: str, sha: str, state: str, newest: list[Status]) -> dict[str, Any]:
        """The combined status tells no creator."""
        url = f"{self.base}/repos/{full_name}/commits/{sha}"
        shown = [self.status(full_name, status) for status in newest]
        for status in shown:
            del status["creator"]
        return {
            "state": state,
            "sha": sha,
            "total_count": len(shown),
            "statuses": shown,
            "repository": self.repository(full_name),
            "commit_url": url,
            "url": f"{url}/status",
        }

    def check(self, full_name: str, check: Check) -> dict[str, Any]:
        url = f"{self.base}/repos/{full_name}/check-runs/{check.id}"
        return {
            "id": check.id,
            "node_id": node("CheckRun", check.id),
            "head_sha": check.sha,
            "name": check.name,
            "url": url,
            "html_url": f"{self.base}/{full_name}/runs/{check.id}",
            "details_url": check.details_url,
            "external_id": check.external_id,
            "status": check.status,
            "conclusion": check.conclusion,
            "started_at": WHEN,
            "completed_at": WHEN if check.status == "completed" else None,
            "check_suite": {"id": 5},
            "app": self.app(),
            "pull_requests": [],
            "output": {
                "title": check.title,
                "summary": check.summary,
                "text": None,
                "annotations_count": len(check.annotations),
                "annotations_url": f"{url}/annotations",
            },
        }
