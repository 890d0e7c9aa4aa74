"""Answers in the shape that GitHub's API description asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.standin.bodies_actions import ActionBodies
from tests.standin.bodies_base import node
from tests.standin.bodies_pull import PullBodies
from tests.standin.bodies_verdicts import VerdictBodies
from tests.standin.things import WHEN

if TYPE_CHECKING:
    from tests.standin.things import Comment, Reaction


class Bodies(PullBodies, VerdictBodies, ActionBodies):
    """All of them, and what is said in conversations."""

    def comment(self, full_name: str, comment: Comment) -> dict[str, Any]:
        return {
            "id": comment.id,
            "node_id": node("IssueComment", comment.id),
            "url": f"{self.base}/repos/{full_name}/issues/comments/{comment.id}",
            "html_url": f"{self.base}/{full_name}/pull/{comment.number}#issuecomment-{comment.id}",
            "issue_url": f"{self.base}/repos/{full_name}/issues/{comment.number}",
            "user": self.user(comment.author),
            "body": comment.body,
            "created_at": comment.created,
            "updated_at": comment.updated,
            "author_association": "NONE" if comment.by_app else "CONTRIBUTOR",
            "performed_via_github_app": self.app() if comment.by_app else None,
        }

    def reaction(self, reaction: Reaction) -> dict[str, Any]:
        return {
            "id": reaction.id,
            "node_id": node("Reaction", reaction.id),
            "user": self.user(reaction.author),
            "content": reaction.content,
            "created_at": WHEN,
        }
