"""Commit statuses, check runs and code scanning."""

from __future__ import annotations

import base64
import binascii
import gzip
import json
import re
import zlib
from typing import Any, ClassVar

from tests.standin.desk import Call, Desk, Table
from tests.standin.exchange import Answer, RefusedError, not_found, unprocessable
from tests.standin.things import Check, Sarif, Status

_REF = re.compile(r"refs/(heads|pull|tags)/.+\Z")
_ACTION_LIMITS = {"label": 20, "description": 40, "identifier": 20}
_STATUSES = ("queued", "in_progress", "completed", "waiting", "requested", "pending")
_CONCLUSIONS = ("action_required", "cancelled", "failure", "neutral", "success", "skipped", "timed_out")
_WORST = ("error", "failure", "pending", "success")
MAX_SARIF = 10 << 20
MAX_RESULTS = 25_000
MAX_RUNS = 20


class Verdicts(Desk):
    """What stands beside a commit."""

    ROUTES: ClassVar[Table] = (
        ("POST", r"/statuses/(?P<sha>\w+)", "create_status"),
        ("GET", r"/commits/(?P<sha>\w+)/statuses", "list_statuses"),
        ("GET", r"/commits/(?P<sha>\w+)/status", "combined"),
        ("POST", r"/check-runs", "create_check"),
        ("GET", r"/check-runs/(?P<id>\d+)", "get_check"),
        ("PATCH", r"/check-runs/(?P<id>\d+)", "update_check"),
        ("GET", r"/commits/(?P<sha>\w+)/check-runs", "list_checks"),
        ("POST", r"/code-scanning/sarifs", "upload_sarif"),
    )

    def create_status(self, call: Call) -> Answer:
        self.may(call, "statuses")
        repository, body = self.repository(call), call.request.fields
        if body.get("state") not in _WORST:
            raise unprocessable("Status", "state", "state is not included in the list")
        if len(body.get("description") or "") > 140:
            raise unprocessable(
                "Status", "description", "description is too long (maximum is 140 characters)"
            )
        status = Status(
            id=next(self.world.ids),
            sha=self.commit(call, call.args["sha"]),
            state=body["state"],
            context=body.get("context", "default"),
            description=body.get("description"),
            target_url=body.get("target_url"),
            creator=call.who.login,
            created=self.world.now,
        )
        if sum((s.sha, s.context) == (status.sha, status.context) for s in repository.statuses) >= 1000:
            raise unprocessable(
                "Status", "base", "This SHA and context has reached the maximum number of statuses."
            )
        repository.statuses.append(status)
        return Answer(status=201, body=self.bodies.status(call.args["repo"], status))

    def list_statuses(self, call: Call) -> Answer:
        self.may_read(call, "statuses")
        found = [s for s in reversed(self.repository(call).statuses) if s.sha == call.args["sha"]]
        return self.page(call, [self.bodies.status(call.args["repo"], s) for s in found])

    def combined(self, call: Call) -> Answer:
        self.may_read(call, "statuses")
        newest = {s.context: s for s in self.repository(call).statuses if s.sha == call.args["sha"]}
        states = {"failure" if s.state == "error" else s.state for s in newest.values()}
        state = next((s for s in _WORST if s in states), "pending")
        body = self.bodies.combined(call.args["repo"], call.args["sha"], state, list(newest.values()))
        return Answer(status=200, body=body)

    # -- check runs ------------------------------------------------------------------------------

    def create_check(self, call: Call) -> Answer:
        if not call.who.is_app:
            raise RefusedError(403, "You must authenticate via a GitHub App.")
        self.may(call, "checks")
        body = call.request.fields
        if not body.get("name") or not body.get("head_sha"):
            raise unprocessable("CheckRun", "name", "name and head_sha are required")
        check = Check(
            id=next(self.world.ids),
            sha=self.commit(call, body["head_sha"]),
            name=body["name"],
            status="queued",
            conclusion=None,
            external_id="",
            details_url=None,
            title=None,
            summary=None,
        )
        _change(check, body)
        self.repository(call).checks.append(check)
        return Answer(status=201, body=self.bodies.check(call.args["repo"], check))

    def update_check(self, call: Call) -> Answer:
        self.may(call, "checks")
        check = self._check(call)
        _change(check, call.request.fields)
        return Answer(status=200, body=self.bodies.check(call.args["repo"], check))

    def get_check(self, call: Call) -> Answer:
        self.may_read(call, "checks")
        return Answer(status=200, body=self.bodies.check(call.args["repo"], self._check(call)))

    def list_checks(self, call: Call) -> Answer:
        self.may_read(call, "checks")
        name = call.request.query.get("check_name")
        checks = self.repository(call).checks
        found = [c for c in reversed(checks) if c.sha == call.args["sha"] and name in (None, c.name)]
        shown = [self.bodies.check(call.args["repo"], c) for c in found]
        return self.page(call, shown, key="check_runs")

    def _check(self, call: Call) -> Check:
        for check in self.repository(call).checks:
            if check.id == int(call.args["id"]):
                return check
        raise not_found()

    # -- code scanning ---------------------------------------------------------------------------

    def upload_sarif(self, call: Call) -> Answer:
        self.may(call, "security_events")
        repository, body = self.repository(call), call.request.fields
        if not repository.code_scanning:
            raise RefusedError(403, "Code Security must be enabled for this repository to use code scanning.")
        if body.get("commit_sha") not in repository.commits or not _REF.match(body.get("ref", "")):
            raise RefusedError(400, "commit_sha or ref is not of this repository")
        made = Sarif(
            id=f"47177e22-5596-11eb-80a1-{next(self.world.ids):012d}",
            commit=body["commit_sha"],
            ref=body["ref"],
            log=_unpacked(body.get("sarif")),
        )
        repository.sarifs.append(made)
        url = f"{self.bodies.base}/repos/{call.args['repo']}/code-scanning/sarifs/{made.id}"
        return Answer(status=202, body={"id": made.id, "url": url})


def _change(check: Check, body: dict[str, Any]) -> None:
    """Everything is checked before anything is changed."""
    title, summary, notes = _output(body)
    status, conclusion = _state(body, check)
    buttons = _buttons(body)
    check.status, check.conclusion = status, conclusion
    check.title, check.summary = title or check.title, summary or check.summary
    check.annotations = [*check.annotations, *notes]
    check.actions = check.actions if buttons is None else buttons
    check.name = body.get("name", check.name)
    check.external_id = body.get("external_id", check.external_id)
    check.details_url = body.get("details_url", check.details_url)


def _state(body: dict[str, Any], check: Check) -> tuple[str, str | None]:
    status, conclusion = body.get("status"), body.get("conclusion")
    if status is not None and status not in _STATUSES:
        raise unprocessable("CheckRun", "status", "status is not included in the list")
    if conclusion is not None and conclusion not in _CONCLUSIONS:
        raise unprocessable("CheckRun", "conclusion", "conclusion is not included in the list")
    if status == "completed" and conclusion is None:
        raise unprocessable("CheckRun", "conclusion", "conclusion is required when completed")
    if conclusion is not None:
        return "completed", conclusion
    return (status, None) if status else (check.status, check.conclusion)


def _output(body: dict[str, Any]) -> tuple[str | None, str | None, list[dict[str, object]]]:
    output = body.get("output")
    if output is None:
        return None, None, []
    title, summary, notes = output.get("title"), output.get("summary"), output.get("annotations", [])
    if not title or not summary:
        raise unprocessable("CheckRun", "output", "title and summary are required")
    if len(title) > 255 or len(summary.encode()) > 65_535:
        raise unprocessable("CheckRun", "output", "title or summary is too long")
    if len(notes) > 50:
        raise unprocessable("CheckRun", "annotations", "Only 50 annotations are allowed per request")
    for note in notes:
        has_columns = "start_column" in note or "end_column" in note
        if note["start_line"] > note["end_line"] or (has_columns and note["start_line"] != note["end_line"]):
            raise unprocessable("CheckRun", "annotations", "columns are for one line only")
        if len(note["message"].encode()) > 65_536 or len(note.get("title", "")) > 255:
            raise unprocessable("CheckRun", "annotations", "message or title is too long")
    return title, summary, list(notes)


def _buttons(body: dict[str, Any]) -> list[dict[str, str]] | None:
    buttons = body.get("actions")
    if buttons is None:
        return None
    if len(buttons) > 3:
        raise unprocessable("CheckRun", "actions", "Only 3 actions are allowed")
    for button in buttons:
        for name, most in _ACTION_LIMITS.items():
            if not button.get(name) or len(button[name]) > most:
                raise unprocessable("CheckRun", "actions", f"{name} is too long (maximum is {most})")
    return list(buttons)


def _unpacked(sarif: object) -> dict[str, object]:
    """The log: base64 of gzip of JSON, within the limits of code scanning."""
    try:
        packed = base64.b64decode(str(sarif), validate=True)
        if len(packed) > MAX_SARIF:
            raise RefusedError(413, "The SARIF file is too large")
        log = json.loads(gzip.decompress(packed))
    except (binascii.Error, OSError, EOFError, ValueError, zlib.error) as error:
        raise RefusedError(400, "Invalid SARIF. The SARIF file could not be decoded.") from error
    runs = log.get("runs") if isinstance(log, dict) else None
    if not isinstance(runs, list) or len(runs) > MAX_RUNS:
        raise RefusedError(400, "Invalid SARIF. runs is missing or too long.")
    if any(len(run.get("results", [])) > MAX_RESULTS for run in runs):
        raise RefusedError(400, "Invalid SARIF. There are too many results.")
    return dict(log)
