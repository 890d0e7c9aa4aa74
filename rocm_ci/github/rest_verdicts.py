"""Commit statuses, check runs and code scanning as requests: `port.Verdicts`."""

from __future__ import annotations

import base64
import gzip
from typing import TYPE_CHECKING

from rocm_ci.github import answers
from rocm_ci.github.client import Annotation, Check, PostedCheck, Status
from rocm_ci.github.rest_base import RestBase, read
from rocm_ci.github.wire import PER_PAGE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocm_ci.github.client import StatusState


class RestVerdicts(RestBase):
    """What stands beside a commit."""

    def set_status(
        self,
        repository: str,
        commit: str,
        *,
        state: StatusState,
        context: str,
        description: str,
        url: str | None,
    ) -> None:
        """The commit status `context`."""
        body = {"state": state, "context": context, "description": description}
        body |= {"target_url": url} if url else {}
        path = f"/repos/{repository}/statuses/{commit}"
        self._transport.ask("POST", path, task="set the commit status", body=body)

    def statuses(self, repository: str, commit: str) -> tuple[Status, ...]:
        """The newest status of each context. GitHub lists all of them, the newest first.

        Its combined status would be shorter, but does not tell who set them.
        """
        path = f"/repos/{repository}/commits/{commit}/statuses"
        newest: dict[str, Status] = {}
        for one in self._transport.pages(path, {}, task="read the commit statuses"):
            status = read(one, answers.Status, "a commit status").status()
            newest.setdefault(status.context, status)
        return tuple(newest.values())

    def checks(self, repository: str, commit: str, name: str) -> tuple[PostedCheck, ...]:
        """The check runs called `name` on a commit."""
        path = f"/repos/{repository}/commits/{commit}/check-runs"
        query = {"check_name": name, "filter": "all", "per_page": PER_PAGE}
        _, data = self._transport.ask("GET", path, task="read the check runs", query=query)
        return tuple(c.posted() for c in read(data, answers.Checks, "check runs").check_runs)

    def create_check(self, repository: str, check: Check, annotations: Sequence[Annotation]) -> PostedCheck:
        """A new check run with up to 50 annotations."""
        body = {"head_sha": check.commit, **_body(check, annotations)}
        path = f"/repos/{repository}/check-runs"
        _, data = self._transport.ask("POST", path, task="create the check run", body=body, repeatable=False)
        return read(data, answers.Check, "a check run").posted()

    def update_check(
        self, repository: str, posted: int, check: Check, annotations: Sequence[Annotation]
    ) -> PostedCheck:
        """Replace all of a check run but its annotations, to which up to 50 are appended.

        Only without annotations is it repeated when the answer was lost: twice would show each twice.
        """
        path = f"/repos/{repository}/check-runs/{posted}"
        _, data = self._transport.ask(
            "PATCH",
            path,
            task="update the check run",
            body=_body(check, annotations),
            repeatable=not annotations,
        )
        return read(data, answers.Check, "a check run").posted()

    def upload_sarif(self, repository: str, *, commit: str, ref: str, sarif: bytes) -> str:
        """Hand a SARIF log to code scanning; the id of the upload."""
        # Without a time in the packing, the same log is the same request.
        packed = base64.b64encode(gzip.compress(sarif, mtime=0)).decode()
        path = f"/repos/{repository}/code-scanning/sarifs"
        body = {"commit_sha": commit, "ref": ref, "sarif": packed}
        _, data = self._transport.ask("POST", path, task="upload the code scanning log", body=body)
        return read(data, answers.Upload, "an upload").id


def _body(check: Check, annotations: Sequence[Annotation]) -> dict[str, object]:
    state = {"conclusion": check.conclusion} if check.conclusion else {}
    address = {"details_url": check.details_url} if check.details_url else {}
    buttons = [
        {"label": a.label, "description": a.description, "identifier": a.identifier} for a in check.actions
    ]
    return {
        "name": check.name,
        "status": "completed" if check.conclusion else "in_progress",
        **state,
        "external_id": check.external_id,
        **address,
        "output": {
            "title": check.title,
            "summary": check.summary,
            "annotations": [_annotation(note) for note in annotations],
        },
        **({"actions": buttons} if buttons else {}),
    }


def _annotation(note: Annotation) -> dict[str, object]:
    columns = (
        {"start_column": note.start_column, "end_column": note.end_column}
        if note.start_line == note.end_line and note.start_column and note.end_column
        else {}
    )
    return {
        "path": note.path,
        "start_line": note.start_line,
        "end_line": note.end_line,
        "annotation_level": note.level,
        "message": note.message,
        "title": note.title,
        **columns,
    }
