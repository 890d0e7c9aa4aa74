"""Answers in the shape that GitHub's API description asks for. Every address is the stand-in's own."""

from __future__ import annotations

import base64
import zlib
from dataclasses import dataclass
from typing import Any

from tests.standin.world import ACTIONS_APP, Check, Comment, Pull, Status

WHEN = "2026-11-30T12:00:00Z"
_REPOSITORY_URLS = {
    "archive": "{archive_format}{/ref}", "assignees": "assignees{/user}", "blobs": "git/blobs{/sha}",
    "branches": "branches{/branch}", "collaborators": "collaborators{/collaborator}",
    "comments": "comments{/number}", "commits": "commits{/sha}", "compare": "compare/{base}...{head}",
    "contents": "contents/{+path}", "contributors": "contributors", "deployments": "deployments",
    "downloads": "downloads", "events": "events", "forks": "forks", "git_commits": "git/commits{/sha}",
    "git_refs": "git/refs{/sha}", "git_tags": "git/tags{/sha}", "hooks": "hooks",
    "issue_comment": "issues/comments{/number}", "issue_events": "issues/events{/number}",
    "issues": "issues{/number}", "keys": "keys{/key_id}", "labels": "labels{/name}",
    "languages": "languages", "merges": "merges", "milestones": "milestones{/number}",
    "notifications": "notifications{?since,all,participating}", "pulls": "pulls{/number}",
    "releases": "releases{/id}", "stargazers": "stargazers", "statuses": "statuses/{sha}",
    "subscribers": "subscribers", "subscription": "subscription", "tags": "tags", "teams": "teams",
    "trees": "git/trees{/sha}",
}  # fmt: skip
_USER_URLS = {
    "events": "events{/privacy}", "followers": "followers", "following": "following{/other_user}",
    "gists": "gists{/gist_id}", "organizations": "orgs", "received_events": "received_events",
    "repos": "repos", "starred": "starred{/owner}{/repo}", "subscriptions": "subscriptions",
}  # fmt: skip


def node(kind: str, number: int) -> str:
    return base64.b64encode(f"{kind}{number}".encode()).decode()


def number_of(text: str) -> int:
    """A stable id for a name."""
    return zlib.crc32(text.encode()) % 10**8 + 1


@dataclass(frozen=True)
class Bodies:
    """Builds the answers of the API that listens at `base`."""

    base: str

    def user(self, login: str) -> dict[str, Any]:
        url = f"{self.base}/users/{login}"
        return {
            "login": login,
            "id": number_of(login),
            "node_id": node("User", number_of(login)),
            "avatar_url": f"{self.base}/avatars/{login}",
            "gravatar_id": "",
            "url": url,
            "html_url": f"{self.base}/{login}",
            **{f"{name}_url": f"{url}/{rest}" for name, rest in _USER_URLS.items()},
            "type": "Bot" if login.endswith("[bot]") else "User",
            "site_admin": False,
        }

    def me(self, login: str) -> dict[str, Any]:
        texts = dict.fromkeys(
            ("name", "company", "blog", "location", "email", "hireable", "bio", "twitter_username")
        )
        counts = dict.fromkeys(("public_repos", "public_gists", "followers", "following"), 0)
        return {
            **self.user(login), **texts, **counts,
            "blog": "", "user_view_type": "public", "created_at": WHEN, "updated_at": WHEN,
        }  # fmt: skip

    def repository(self, full_name: str, *, fork: bool = False) -> dict[str, Any]:
        owner, name = full_name.split("/")
        url, page = f"{self.base}/repos/{full_name}", f"{self.base}/{full_name}"
        counts = ("forks", "forks_count", "open_issues", "open_issues_count", "size", "stargazers_count",
                  "watchers", "watchers_count")  # fmt: skip
        flags = ("has_downloads", "has_issues", "has_projects", "has_wiki", "has_pages")
        return {
            "id": number_of(name + owner),
            "node_id": node("Repository", number_of(name + owner)),
            "name": name,
            "full_name": full_name,
            "owner": self.user(owner),
            "private": False,
            "fork": fork,
            "description": None,
            "url": url,
            "html_url": page,
            **{f"{key}_url": f"{url}/{rest}" for key, rest in _REPOSITORY_URLS.items()},
            "clone_url": f"{page}.git",
            "git_url": f"git:{page}.git",
            "ssh_url": f"git@host:{full_name}.git",
            "svn_url": page,
            "mirror_url": None,
            "homepage": None,
            "language": None,
            "license": None,
            "default_branch": "main",
            "archived": False,
            "disabled": False,
            "pushed_at": WHEN,
            "created_at": WHEN,
            "updated_at": WHEN,
            **dict.fromkeys(counts, 0),
            **dict.fromkeys(flags, True),
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
            "created_at": WHEN,
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

    def comment(self, full_name: str, comment: Comment) -> dict[str, Any]:
        return {
            "id": comment.id,
            "node_id": node("IssueComment", comment.id),
            "url": f"{self.base}/repos/{full_name}/issues/comments/{comment.id}",
            "html_url": f"{self.base}/{full_name}/pull/{comment.number}#issuecomment-{comment.id}",
            "issue_url": f"{self.base}/repos/{full_name}/issues/{comment.number}",
            "user": self.user(comment.author),
            "body": comment.body,
            "created_at": WHEN,
            "updated_at": WHEN,
            "author_association": "NONE" if comment.by_app else "CONTRIBUTOR",
            "performed_via_github_app": self.app() if comment.by_app else None,
        }

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
            "created_at": WHEN,
            "updated_at": WHEN,
            "creator": self.user(status.creator),
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

    def app(self) -> dict[str, Any]:
        return {
            "id": ACTIONS_APP,
            "slug": "github-actions",
            "node_id": node("App", ACTIONS_APP),
            "owner": self.user("github"),
            "name": "GitHub Actions",
            "description": None,
            "external_url": f"{self.base}/features/actions",
            "html_url": f"{self.base}/apps/github-actions",
            "created_at": WHEN,
            "updated_at": WHEN,
            "permissions": {"checks": "write"},
            "events": [],
        }
