"""The workflow runs of the GitHub in memory, and what all its parts share: refusals and lost answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from rocm_ci.errors import GitHubError
from rocm_ci.github.client import PermissionRefusedError, UnknownOutcomeError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rocm_ci.github.run import Job, Run, StoredArtifact

T = TypeVar("T")


@dataclass
class FakeRuns:
    """`port.Runs`."""

    calls: list[str] = field(default_factory=list)
    lost: int = 0
    refused: set[str] = field(default_factory=set)
    requests_sent: int = 0
    all_runs: list[Run] = field(default_factory=list)
    all_jobs: dict[tuple[int, int], tuple[Job, ...]] = field(default_factory=dict)
    stored: dict[int, list[StoredArtifact]] = field(default_factory=dict)
    archives: dict[int, bytes] = field(default_factory=dict)
    dispatched: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)

    def run(self, repository: str, run: int) -> Run:
        self._asked("run")
        return found((r for r in self.all_runs if r.id == run), f"read workflow run {run}")

    def runs(
        self,
        repository: str,
        *,
        workflow: int | str | None = None,
        head: str | None = None,
        branch: str | None = None,
        event: str | None = None,
        status: str | None = None,
        limit: int = 30,
    ) -> tuple[Run, ...]:
        self._asked("runs")
        found = [
            r
            for r in self.all_runs
            if workflow in (None, r.workflow, r.path.rpartition("/")[2])
            and head in (None, r.head)
            and branch in (None, r.branch)
            and event in (None, r.event)
            and status in (None, r.status, r.conclusion)
        ]
        return tuple(sorted(found, key=lambda r: (r.created, r.id), reverse=True)[:limit])

    def jobs(self, repository: str, run: int, attempt: int) -> tuple[Job, ...]:
        self._asked("jobs")
        return self.all_jobs.get((run, attempt), ())

    def artifacts(self, repository: str, run: int) -> tuple[StoredArtifact, ...]:
        self._asked("artifacts")
        return tuple(sorted(self.stored.get(run, []), key=lambda a: (a.created, a.id), reverse=True))

    def download_artifact(self, repository: str, artifact: int, *, limit: int) -> bytes:
        self._asked("download_artifact", f"download {artifact}")
        data = found((d for n, d in self.archives.items() if n == artifact), f"download {artifact}")
        if len(data) > limit:
            message = f"cannot download artifact {artifact}: it has more than {limit} bytes"
            raise GitHubError(message)
        return data

    def rerun(self, repository: str, run: int, *, failed_only: bool) -> None:
        self._asked("rerun", f"rerun {run}{' failed' if failed_only else ''}")

    def cancel(self, repository: str, run: int) -> None:
        self._asked("cancel", f"cancel {run}")

    def approve(self, repository: str, run: int) -> None:
        self._asked("approve", f"approve {run}")

    def dispatch(self, repository: str, *, workflow: str, ref: str, inputs: Mapping[str, str]) -> None:
        self._asked("dispatch", f"dispatch {workflow} {ref}")
        self.dispatched.append((workflow, ref, dict(inputs)))
        self._lose()

    def _asked(self, name: str, told: str | None = None) -> None:
        self.requests_sent += 1
        if name in self.refused:
            message = f"cannot {name}: GitHub answered 403 (Resource not accessible by integration)"
            raise PermissionRefusedError(message, hint=f"more rights for {name}")
        if told is not None:
            self.calls.append(told)

    def _lose(self) -> None:
        if self.lost > 0:
            self.lost -= 1
            message = "the answer was lost"
            raise UnknownOutcomeError(message)


def found(items: Iterator[T], task: str) -> T:
    """The first one, or what GitHub says when there is none."""
    for item in items:
        return item
    message = f"cannot {task}: GitHub answered 404 (Not Found)"
    raise GitHubError(message)
