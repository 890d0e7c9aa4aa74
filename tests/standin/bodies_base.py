"""Accounts, repositories and apps in the shape of GitHub's API. Every address is the stand-in's own."""

from __future__ import annotations

import base64
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.standin.things import ACTIONS_APP, WHEN

if TYPE_CHECKING:
    from tests.standin.things import Repository

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
class BaseBodies:
    """Builds the answers of the API that listens at `base` and keeps artifacts at `store`."""

    base: str
    store: str

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

    def whole_repository(self, repository: Repository) -> dict[str, Any]:
        return {
            **self.repository(repository.full_name),
            "private": repository.is_private,
            "default_branch": repository.default_branch,
            "has_discussions": False,
            "network_count": 0,
            "subscribers_count": 0,
        }

    def permission(self, login: str, permission: str, role: str) -> dict[str, Any]:
        rights = ("pull", "triage", "push", "maintain", "admin")
        most = {"read": 1, "triage": 2, "write": 3, "maintain": 4, "admin": 5}.get(role, 0)
        granted = {name: at < most for at, name in enumerate(rights)}
        user = {**self.user(login), "permissions": granted, "role_name": role}
        return {"permission": permission, "role_name": role, "user": user}

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
