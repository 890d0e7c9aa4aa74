"""Workflow runs and the artifacts they leave, as GitHub keeps them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

RunStatus = Literal[
    "completed", "action_required", "in_progress", "queued", "requested", "waiting", "pending"
]


@dataclass(frozen=True, kw_only=True)
class Run:
    """A workflow run. `created` is UTC in ISO 8601; `conclusion` is None until it is completed.

    `event` is what triggered it. `title` is its display title: made by the workflow file's `run-name`
    on `workflow_dispatch`, but the title of the pull request (a stranger's text) on `pull_request`.
    `path` is the workflow file, `.github/workflows/NAME.yml`, maybe with `@REF` behind it.
    """

    id: int
    attempt: int
    event: str
    head: str
    branch: str | None
    head_repository: str | None
    status: str
    conclusion: str | None
    created: str
    title: str
    path: str
    workflow: int
    url: str


@dataclass(frozen=True, kw_only=True)
class Job:
    """A job of one attempt of a run; `conclusion` is None until it is completed."""

    name: str
    conclusion: str | None


@dataclass(frozen=True, kw_only=True)
class StoredArtifact:
    """An artifact of a run; `size` is its bytes, packed."""

    id: int
    name: str
    size: int
    expired: bool
    created: str
