"""Workflow runs and their artifacts as requests: `port.Runs`.

All that steers needs `actions: write`, which the token of a workflow may have
(https://docs.github.com/rest/authentication/permissions-required-for-github-apps); volcano-sh/volcano
approves runs of forks with it (.github/workflows/workflows-approve.yaml). A `workflow_dispatch` is one
of the two events that this token may cause
(https://docs.github.com/actions/how-tos/write-workflows/choose-when-workflows-run/trigger-a-workflow).
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from rocm_ci.github import answers
from rocm_ci.github.rest_base import RestBase, read
from rocm_ci.github.wire import PER_PAGE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocm_ci.github.run import Job, Run, StoredArtifact


class RestRuns(RestBase):
    """What Actions did, and what it shall do."""

    def run(self, repository: str, run: int) -> Run:
        """One run."""
        path = f"/repos/{repository}/actions/runs/{run}"
        _, data = self._transport.ask("GET", path, task=f"read workflow run {run}")
        return read(data, answers.Run, "a workflow run").run()

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
        """The newest runs that fit, the newest first. One request."""
        of = "" if workflow is None else f"/workflows/{quote(str(workflow), safe='')}"
        wanted = {"head_sha": head, "branch": branch, "event": event, "status": status}
        query: dict[str, object] = {name: value for name, value in wanted.items() if value is not None}
        query["per_page"] = min(limit, PER_PAGE)
        path = f"/repos/{repository}/actions{of}/runs"
        _, data = self._transport.ask("GET", path, task="list workflow runs", query=query)
        return tuple(one.run() for one in read(data, answers.Runs, "workflow runs").workflow_runs)

    def jobs(self, repository: str, run: int, attempt: int) -> tuple[Job, ...]:
        """The jobs of one attempt of a run."""
        path = f"/repos/{repository}/actions/runs/{run}/attempts/{attempt}/jobs"
        found = self._transport.pages(path, {}, task=f"list the jobs of workflow run {run}", key="jobs")
        return tuple(read(one, answers.Job, "a job").job() for one in found)

    def artifacts(self, repository: str, run: int) -> tuple[StoredArtifact, ...]:
        """What a run left, over all its attempts, the newest first."""
        path = f"/repos/{repository}/actions/runs/{run}/artifacts"
        found = self._transport.pages(path, {}, task="list the artifacts of the run", key="artifacts")
        stored = {a.id: a for a in (read(one, answers.Artifact, "an artifact").stored() for one in found)}
        return tuple(sorted(stored.values(), key=lambda a: (a.created, a.id), reverse=True))

    def download_artifact(self, repository: str, artifact: int, *, limit: int) -> bytes:
        """The zip archive of an artifact, at most `limit` bytes."""
        path = f"/repos/{repository}/actions/artifacts/{artifact}/zip"
        return self._transport.download(path, task=f"download artifact {artifact}", limit=limit)

    def rerun(self, repository: str, run: int, *, failed_only: bool) -> None:
        """Run a finished run again, whole or its failed jobs; GitHub allows 50 times within 30 days."""
        what = "rerun-failed-jobs" if failed_only else "rerun"
        path = f"/repos/{repository}/actions/runs/{run}/{what}"
        # Not repeatable: the second one meets a run that is under way, which looks like a refusal.
        self._transport.ask("POST", path, task=f"run workflow run {run} again", repeatable=False)

    def cancel(self, repository: str, run: int) -> None:
        """End a run; one that has ended already (409) is fine."""
        path = f"/repos/{repository}/actions/runs/{run}/cancel"
        self._transport.ask("POST", path, task=f"cancel workflow run {run}", fine=(409,))

    def approve(self, repository: str, run: int) -> None:
        """Let a run of a fork begin that waits for a maintainer."""
        path = f"/repos/{repository}/actions/runs/{run}/approve"
        self._transport.ask("POST", path, task=f"approve workflow run {run}")

    def dispatch(self, repository: str, *, workflow: str, ref: str, inputs: Mapping[str, str]) -> None:
        """Start a workflow by its file name, on a branch."""
        path = f"/repos/{repository}/actions/workflows/{quote(workflow, safe='')}/dispatches"
        body = {"ref": ref, "inputs": dict(inputs)}
        self._transport.ask("POST", path, task=f"start {workflow}", body=body, repeatable=False)
