"""Workflow runs, their artifacts, and what steers them."""

from __future__ import annotations

import string
from typing import TYPE_CHECKING, ClassVar

from tests.standin.desk import Call, Desk, Table
from tests.standin.exchange import Answer, RefusedError, not_found
from tests.standin.things import Run

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.standin.things import Artifact, Workflow

_RUN = r"/actions/runs/(?P<id>\d+)"
STORE = "/_store"


class Actions(Desk):
    """Reading needs `actions: read` (in a private repository), all that steers `actions: write`."""

    ROUTES: ClassVar[Table] = (
        ("GET", r"/actions/runs", "list_runs"),
        ("GET", r"/actions/workflows/(?P<workflow>[^/]+)/runs", "list_runs"),
        ("POST", r"/actions/workflows/(?P<workflow>[^/]+)/dispatches", "dispatch"),
        ("GET", _RUN, "get_run"),
        ("GET", _RUN + r"/artifacts", "list_artifacts"),
        ("GET", _RUN + r"/attempts/(?P<attempt>\d+)/jobs", "list_jobs"),
        ("POST", _RUN + r"/rerun", "rerun"),
        ("POST", _RUN + r"/rerun-failed-jobs", "rerun_failed"),
        ("POST", _RUN + r"/cancel", "cancel"),
        ("POST", _RUN + r"/approve", "approve"),
        ("GET", r"/actions/artifacts/(?P<id>\d+)/zip", "download"),
    )

    def list_runs(self, call: Call) -> Answer:
        self.may_read(call, "actions")
        query, found = call.request.query, self.repository(call).runs
        if "workflow" in call.args:
            number = self._workflow(call).id
            found = [r for r in found if r.workflow == number]
        kept: dict[str, Callable[[Run, str], bool]] = {
            "head_sha": lambda run, value: run.head == value,
            "branch": lambda run, value: run.branch == value,
            "event": lambda run, value: run.event == value,
            "status": lambda run, value: value in (run.status, run.conclusion),
            "actor": lambda run, value: run.actor == value,
        }
        for name in kept.keys() & query.keys():
            found = [run for run in found if kept[name](run, query[name])]
        newest = sorted(found, key=lambda r: (r.created, r.id), reverse=True)
        return self.page(call, [self.bodies.run(call.args["repo"], r) for r in newest], key="workflow_runs")

    def get_run(self, call: Call) -> Answer:
        self.may_read(call, "actions")
        return Answer(status=200, body=self.bodies.run(call.args["repo"], self._run(call)))

    def list_artifacts(self, call: Call) -> Answer:
        self.may_read(call, "actions")
        run, name = self._run(call), call.request.query.get("name")
        found = [a for a in self.repository(call).artifacts if a.run == run.id and name in (None, a.name)]
        shown = [self.bodies.artifact(call.args["repo"], a, run) for a in found]
        return self.page(call, shown, key="artifacts")

    def list_jobs(self, call: Call) -> Answer:
        self.may_read(call, "actions")
        run = self._run(call)
        if not 0 < int(call.args["attempt"]) <= run.attempt:
            raise not_found()
        shown = [self.bodies.job(call.args["repo"], run, *job) for job in run.jobs]
        return self.page(call, shown, key="jobs")

    def download(self, call: Call) -> Answer:
        self.may_read(call, "actions")
        for artifact in self.repository(call).artifacts:
            if artifact.id == int(call.args["id"]):
                if artifact.expired:
                    raise RefusedError(410, "Artifact has expired")
                return Answer(status=302, body=None, headers={"Location": self._address(artifact)})
        raise not_found()

    def _address(self, artifact: Artifact) -> str:
        return f"{self.bodies.store}{STORE}/{artifact.id}?sig=sesame"

    # -- steering --------------------------------------------------------------------------------

    def rerun(self, call: Call) -> Answer:
        run = self._finished(call)
        _begin_again(run)
        return Answer(status=201, body={})

    def rerun_failed(self, call: Call) -> Answer:
        run = self._finished(call)
        if run.conclusion in ("success", "skipped"):
            raise RefusedError(403, "This workflow run has no failed jobs")
        _begin_again(run)
        return Answer(status=201, body={})

    def cancel(self, call: Call) -> Answer:
        self.may(call, "actions")
        run = self._run(call)
        if run.status == "completed":
            raise RefusedError(409, "Cannot cancel a workflow run that is completed.")
        run.status, run.conclusion = "completed", "cancelled"
        return Answer(status=202, body={})

    def approve(self, call: Call) -> Answer:
        self.may(call, "actions")
        run, repository = self._run(call), self.repository(call)
        if run.conclusion != "action_required" or run.head_repository == repository.full_name:
            message = "This run is not from a fork pull request or is not waiting for approval"
            raise RefusedError(403, message)
        run.status, run.conclusion = "queued", None
        return Answer(status=201, body={})

    def dispatch(self, call: Call) -> Answer:
        """A run of the workflow as it stands on the branch; only `workflow_dispatch` names its inputs."""
        self.may(call, "actions")
        workflow, repository, body = self._workflow(call), self.repository(call), call.request.fields
        ref = body.get("ref", "").removeprefix("refs/heads/")
        if ref not in repository.branches:
            raise RefusedError(422, f"No ref found for: {body.get('ref')}")
        if not workflow.can_dispatch:
            raise RefusedError(422, "Workflow does not have 'workflow_dispatch' trigger")
        inputs = {name: str(value) for name, value in (body.get("inputs") or {}).items()}
        unexpected = sorted(set(inputs) - set(workflow.inputs))
        if unexpected:
            raise RefusedError(422, f"Unexpected inputs provided: {unexpected}")
        for name, is_required in workflow.inputs.items():
            if is_required and not inputs.get(name):
                raise RefusedError(422, f"Required input '{name}' not provided")
        repository.runs.append(
            Run(
                id=next(self.world.ids),
                workflow=workflow.id,
                path=workflow.path,
                event="workflow_dispatch",
                head=repository.branches[ref],
                branch=ref,
                head_repository=repository.full_name,
                title=_named(workflow, inputs),
                status="queued",
                conclusion=None,
                created=self.world.now,
                actor=call.who.login,
                inputs=inputs,
            )
        )
        return Answer(status=204, body=None)

    def _run(self, call: Call) -> Run:
        for run in self.repository(call).runs:
            if run.id == int(call.args["id"]):
                return run
        raise not_found()

    def _finished(self, call: Call) -> Run:
        self.may(call, "actions")
        run = self._run(call)
        if run.status != "completed":
            raise RefusedError(403, "This workflow run is already running")
        return run

    def _workflow(self, call: Call) -> Workflow:
        wanted = call.args["workflow"]
        for workflow in self.repository(call).workflows:
            if wanted in (str(workflow.id), workflow.path.rpartition("/")[2]):
                return workflow
        raise not_found()


def _begin_again(run: Run) -> None:
    run.attempt += 1
    run.status, run.conclusion = "queued", None


class _Empty(dict[str, str]):
    """An input that was not given is empty, as in an expression of a workflow."""

    def __missing__(self, key: str) -> str:
        return ""


def _named(workflow: Workflow, inputs: dict[str, str]) -> str:
    """What the workflow's `run-name` makes of the inputs."""
    name = string.Formatter().vformat(workflow.run_name, (), _Empty(inputs))
    return name or workflow.path.rpartition("/")[2]
