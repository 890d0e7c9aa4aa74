"""What the stand-in GitHub keeps, one dataclass per thing. `created` and `updated` are ISO 8601."""

from __future__ import annotations

from dataclasses import dataclass, field

WHEN = "2026-11-30T12:00:00Z"
ACTIONS_APP = 15368  # the id of GitHub's own Actions app
# What the jobs of our documented workflows get: the one that reports, and the one of the bot.
REPORT_WRITES = frozenset({"issues", "pull_requests", "statuses", "checks", "security_events"})
BOT_WRITES = REPORT_WRITES | {"actions"}
ALL = frozenset({"actions", "checks", "contents", "issues", "pull_requests", "security_events", "statuses"})


@dataclass(kw_only=True)
class Identity:
    """Who a token speaks for, and what it may. A workflow's token is an app's: it may not ask `/user`.

    `reads` counts in a private repository only; who may write may read.
    """

    login: str
    is_app: bool = False
    writes: frozenset[str] = REPORT_WRITES
    reads: frozenset[str] = ALL


@dataclass(kw_only=True)
class Limit:
    """The primary rate limit of a token: requests per hour. `reset` is seconds since the epoch.

    `writes` is the secondary one: so many within a minute (80 on GitHub); None for tests that do not wait.
    """

    limit: int = 1000
    used: int = 0
    reset: float = 0.0
    writes: int | None = None
    written: list[float] = field(default_factory=list)


@dataclass(kw_only=True)
class PullFile:
    """A changed file; `patch` holds its hunks, None for a large or binary one."""

    filename: str
    patch: str | None = None
    status: str = "modified"


@dataclass(kw_only=True)
class Pull:
    number: int
    head: str
    branch: str
    base_branch: str = "main"
    head_repository: str | None
    head_owner: str
    state: str = "open"
    locked: bool = False
    files: list[PullFile] = field(default_factory=list)
    commits: list[str] = field(default_factory=list)
    # When it was pushed to by force.
    forced: list[str] = field(default_factory=list)
    created: str = WHEN


@dataclass(kw_only=True)
class Comment:
    id: int
    number: int
    author: str
    body: str
    by_app: bool = False
    edits: int = 0
    created: str = WHEN
    updated: str = WHEN


@dataclass(kw_only=True)
class Reaction:
    id: int
    comment: int
    author: str
    content: str


@dataclass(kw_only=True)
class Status:
    id: int
    sha: str
    state: str
    context: str
    description: str | None
    target_url: str | None
    creator: str
    created: str = WHEN


@dataclass(kw_only=True)
class Check:
    id: int
    sha: str
    name: str
    status: str
    conclusion: str | None
    external_id: str
    details_url: str | None
    title: str | None
    summary: str | None
    annotations: list[dict[str, object]] = field(default_factory=list)
    actions: list[dict[str, str]] = field(default_factory=list)


@dataclass(kw_only=True)
class Workflow:
    """A workflow that can be dispatched. `inputs` maps each name to whether it is required.

    `run_name` is its `run-name` with `{input}` for each input.
    """

    id: int
    path: str
    inputs: dict[str, bool] = field(default_factory=dict)
    run_name: str = ""
    can_dispatch: bool = True


@dataclass(kw_only=True)
class Run:
    id: int
    workflow: int
    path: str
    event: str
    head: str
    branch: str | None
    head_repository: str | None
    title: str
    status: str = "completed"
    conclusion: str | None = "success"
    attempt: int = 1
    created: str = WHEN
    actor: str = "octocat"
    inputs: dict[str, str] = field(default_factory=dict)
    # The jobs of its last attempt: names and conclusions.
    jobs: list[tuple[str, str | None]] = field(default_factory=list)


@dataclass(kw_only=True)
class Artifact:
    id: int
    run: int
    name: str
    data: bytes
    expired: bool = False
    created: str = WHEN


@dataclass(kw_only=True)
class Review:
    id: int
    number: int
    author: str
    body: str
    commit: str


@dataclass(kw_only=True)
class Remark:
    """A review comment. `line` None is an outdated one."""

    id: int
    number: int
    review: int | None
    author: str
    body: str
    path: str
    commit: str
    line: int | None
    start_line: int | None = None
    side: str = "RIGHT"
    hunk: str = "@@ -1 +1 @@"
    edits: int = 0


@dataclass(kw_only=True)
class Thread:
    """A conversation on lines of the diff."""

    id: str
    number: int
    remarks: list[Remark]
    is_resolved: bool = False
    is_outdated: bool = False


@dataclass(kw_only=True)
class Sarif:
    id: str
    commit: str
    ref: str
    log: dict[str, object]


@dataclass(kw_only=True)
class Repository:
    full_name: str
    is_private: bool = False
    default_branch: str = "main"
    code_scanning: bool = True
    branches: dict[str, str] = field(default_factory=lambda: {"main": "b" * 40})
    pulls: dict[int, Pull] = field(default_factory=dict)
    comments: list[Comment] = field(default_factory=list)
    reactions: list[Reaction] = field(default_factory=list)
    statuses: list[Status] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    commits: set[str] = field(default_factory=lambda: {"b" * 40})
    workflows: list[Workflow] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    artifacts: list[Artifact] = field(default_factory=list)
    reviews: list[Review] = field(default_factory=list)
    threads: list[Thread] = field(default_factory=list)
    sarifs: list[Sarif] = field(default_factory=list)
    roles: dict[str, str] = field(default_factory=dict)
