"""A pull request, a run, an artifact and a thread with everything filled in."""

from __future__ import annotations

from rocm_ci.github.client import Pull
from rocm_ci.github.review import Remark, Thread
from rocm_ci.github.run import Run, StoredArtifact

WHEN = "2026-11-30T12:00:00Z"


def pull(number: int = 5, head: str = "a" * 40, **changed: object) -> Pull:
    known: dict[str, object] = {
        "number": number,
        "head": head,
        "head_repository": "o/r",
        "base_repository": "o/r",
        "is_open": True,
        "base_ref": "main",
    }
    return Pull(**{**known, **changed})  # type: ignore[arg-type]


def run(number: int = 7, head: str = "a" * 40, **changed: object) -> Run:
    known: dict[str, object] = {
        "id": number,
        "attempt": 1,
        "event": "pull_request",
        "head": head,
        "branch": "feature",
        "head_repository": "o/r",
        "status": "completed",
        "conclusion": "success",
        "created": WHEN,
        "title": "A change",
        "path": ".github/workflows/rocm-ci.yml",
        "workflow": 40,
        "url": f"https://github.example/o/r/actions/runs/{number}",
    }
    return Run(**{**known, **changed})  # type: ignore[arg-type]


def artifact(number: int, name: str = "rocm-ci-report", **changed: object) -> StoredArtifact:
    known: dict[str, object] = {"id": number, "name": name, "size": 999, "expired": False, "created": WHEN}
    return StoredArtifact(**{**known, **changed})  # type: ignore[arg-type]


def thread(number: int, remark: Remark, author: str) -> Thread:
    """The conversation that a remark begins."""
    return Thread(
        id=f"T{number}",
        comment=number,
        author=author,
        body=remark.body,
        path=remark.path,
        line=remark.line,
        is_resolved=False,
        is_outdated=False,
        replies=0,
    )
