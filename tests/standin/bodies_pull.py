"""Pull requests, their files, reviews and remarks in the shape of GitHub's API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.standin.bodies_base import BaseBodies, node, number_of
from tests.standin.things import WHEN

if TYPE_CHECKING:
    from tests.standin.things import Pull, PullFile, Remark, Review


class PullBodies(BaseBodies):
    """What hangs on a pull request."""

    def happened(self, full_name: str, number: int, event: str, created: str) -> dict[str, Any]:
        return {
            "id": number,
            "node_id": node("Event", number),
            "url": f"{self.base}/repos/{full_name}/issues/events/{number}",
            "actor": self.user("octocat"),
            "event": event,
            "commit_id": None,
            "commit_url": None,
            "created_at": created,
            "performed_via_github_app": None,
        }

    def pull(self, full_name: str, pull: Pull, *, whole: bool) -> dict[str, Any]:
        url = f"{self.base}/repos/{full_name}/pulls/{pull.number}"
        issue = f"{self.base}/repos/{full_name}/issues/{pull.number}"
        page = f"{self.base}/{full_name}/pull/{pull.number}"
        statuses = f"{self.base}/repos/{full_name}/statuses/{pull.head}"
        owner = full_name.partition("/")[0]
        head_repo = pull.head_repository and self.repository(
            pull.head_repository, fork=pull.head_repository != full_name
        )
        links = {
            "self": url, "html": page, "issue": issue, "comments": f"{issue}/comments",
            "review_comments": f"{url}/comments", "commits": f"{url}/commits", "statuses": statuses,
            "review_comment": f"{self.base}/repos/{full_name}/pulls/comments{{/number}}",
        }  # fmt: skip
        more = {
            "additions": 3, "deletions": 1, "changed_files": 1, "commits": 1, "comments": 0,
            "review_comments": 0, "mergeable": True, "mergeable_state": "clean", "merged": False,
            "maintainer_can_modify": False, "merged_by": None,
        }  # fmt: skip
        return {
            "id": number_of(full_name) + pull.number,
            "node_id": node("PullRequest", pull.number),
            "number": pull.number,
            "state": pull.state,
            "locked": pull.locked,
            "title": "A change",
            "body": None,
            "user": self.user(pull.head_owner),
            "url": url,
            "html_url": page,
            "issue_url": issue,
            "diff_url": f"{page}.diff",
            "patch_url": f"{page}.patch",
            "comments_url": links["comments"],
            "commits_url": links["commits"],
            "review_comments_url": links["review_comments"],
            "review_comment_url": links["review_comment"],
            "statuses_url": statuses,
            "labels": [],
            "assignee": None,
            "milestone": None,
            "auto_merge": None,
            "author_association": "CONTRIBUTOR",
            "created_at": pull.created,
            "updated_at": WHEN,
            "closed_at": None if pull.state == "open" else WHEN,
            "merged_at": None,
            "merge_commit_sha": None,
            "head": {
                "label": f"{pull.head_owner}:{pull.branch}",
                "ref": pull.branch,
                "sha": pull.head,
                "user": self.user(pull.head_owner),
                "repo": head_repo,
            },
            "base": {
                "label": f"{owner}:{pull.base_branch}",
                "ref": pull.base_branch,
                "sha": "b" * 40,
                "user": self.user(owner),
                "repo": self.repository(full_name),
            },
            "_links": {name: {"href": href} for name, href in links.items()},
            **(more if whole else {}),
        }

    def file(self, full_name: str, head: str, file: PullFile) -> dict[str, Any]:
        page = f"{self.base}/{full_name}"
        lines = (file.patch or "").split("\n")
        added = sum(line.startswith("+") for line in lines)
        removed = sum(line.startswith("-") for line in lines)
        return {
            "sha": f"{number_of(file.filename):040x}",
            "filename": file.filename,
            "status": file.status,
            "additions": added,
            "deletions": removed,
            "changes": added + removed,
            "blob_url": f"{page}/blob/{head}/{file.filename}",
            "raw_url": f"{page}/raw/{head}/{file.filename}",
            "contents_url": f"{self.base}/repos/{full_name}/contents/{file.filename}?ref={head}",
            **({} if file.patch is None else {"patch": file.patch}),
        }

    def review(self, full_name: str, review: Review) -> dict[str, Any]:
        pull = f"{self.base}/repos/{full_name}/pulls/{review.number}"
        page = f"{self.base}/{full_name}/pull/{review.number}#pullrequestreview-{review.id}"
        return {
            "id": review.id,
            "node_id": node("PullRequestReview", review.id),
            "user": self.user(review.author),
            "body": review.body,
            "state": "COMMENTED",
            "html_url": page,
            "pull_request_url": pull,
            "author_association": "NONE",
            "_links": {"html": {"href": page}, "pull_request": {"href": pull}},
            "submitted_at": WHEN,
            "commit_id": review.commit,
        }

    def remark(self, full_name: str, remark: Remark) -> dict[str, Any]:
        pull = f"{self.base}/repos/{full_name}/pulls/{remark.number}"
        url = f"{self.base}/repos/{full_name}/pulls/comments/{remark.id}"
        page = f"{self.base}/{full_name}/pull/{remark.number}#discussion_r{remark.id}"
        links = {"self": url, "html": page, "pull_request": pull}
        lines = {} if remark.line is None else {"line": remark.line, "original_line": remark.line}
        first = {} if remark.start_line is None else {"start_line": remark.start_line, "start_side": "RIGHT"}
        return {
            "url": url,
            "pull_request_review_id": remark.review,
            "id": remark.id,
            "node_id": node("PullRequestReviewComment", remark.id),
            "diff_hunk": remark.hunk,
            "path": remark.path,
            "commit_id": remark.commit,
            "original_commit_id": remark.commit,
            "user": self.user(remark.author),
            "body": remark.body,
            "created_at": WHEN,
            "updated_at": WHEN,
            "html_url": page,
            "pull_request_url": pull,
            "author_association": "NONE",
            "_links": {name: {"href": href} for name, href in links.items()},
            "side": remark.side,
            **lines,
            **first,
        }
