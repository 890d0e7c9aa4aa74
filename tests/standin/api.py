"""The rules of the stand-in GitHub: (request, world) → (status, body). No sockets here."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode, urlsplit

from tests.standin.world import Check, Comment, Identity, Pull, Repository, Status, World

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.standin.bodies import Bodies

DOCS = "https://docs.github.com/rest"
MAX_BODY = 65_536


class RefusedError(Exception):
    """An error answer."""

    def __init__(
        self, status: int, message: str, headers: Mapping[str, str] | None = None, **more: Any
    ) -> None:
        super().__init__(message)
        self.status = status
        self.headers = dict(headers or {})
        self.body = {"message": message, "documentation_url": DOCS, "status": str(status), **more}


def unprocessable(resource: str, name: str, why: str) -> RefusedError:
    errors = [{"resource": resource, "field": name, "code": "custom", "message": why}]
    return RefusedError(422, "Validation Failed", errors=errors)


@dataclass(kw_only=True)
class Answer:
    status: int
    body: Any
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(kw_only=True)
class Request:
    method: str
    target: str
    headers: Mapping[str, str]
    body: Any = None

    @property
    def path(self) -> str:
        return urlsplit(self.target).path

    @property
    def query(self) -> dict[str, str]:
        return {name: values[-1] for name, values in parse_qs(urlsplit(self.target).query).items()}


_REPO = r"/repos/(?P<repo>[^/]+/[^/]+)"
_ROUTES: list[tuple[str, re.Pattern[str], str]] = [
    (method, re.compile(pattern + r"\Z"), name)
    for method, pattern, name in (
        ("POST", "/graphql", "graphql"),
        ("GET", "/user", "user"),
        ("GET", _REPO + "/pulls", "list_pulls"),
        ("GET", _REPO + r"/pulls/(?P<number>\d+)", "get_pull"),
        ("GET", _REPO + r"/commits/(?P<sha>\w+)/pulls", "pulls_of_commit"),
        ("GET", _REPO + r"/commits/(?P<sha>\w+)/statuses", "list_statuses"),
        ("GET", _REPO + r"/commits/(?P<sha>\w+)/check-runs", "list_checks"),
        ("GET", _REPO + r"/issues/(?P<number>\d+)/comments", "list_comments"),
        ("POST", _REPO + r"/issues/(?P<number>\d+)/comments", "create_comment"),
        ("GET", _REPO + r"/issues/comments/(?P<id>\d+)", "get_comment"),
        ("PATCH", _REPO + r"/issues/comments/(?P<id>\d+)", "edit_comment"),
        ("DELETE", _REPO + r"/issues/comments/(?P<id>\d+)", "delete_comment"),
        ("POST", _REPO + r"/statuses/(?P<sha>\w+)", "create_status"),
        ("POST", _REPO + "/check-runs", "create_check"),
        ("PATCH", _REPO + r"/check-runs/(?P<id>\d+)", "update_check"),
    )
]


@dataclass
class Api:
    """Answers one request at a time; the server holds the lock."""

    world: World
    bodies: Bodies

    def answer(self, request: Request) -> Answer:
        try:
            return self._answer(request, self._identity(request))
        except RefusedError as refusal:
            return Answer(status=refusal.status, body=refusal.body, headers=refusal.headers)

    def _answer(self, request: Request, identity: Identity) -> Answer:
        for method, pattern, name in _ROUTES:
            match = pattern.match(request.path)
            if match and method == request.method:
                handler: Callable[..., Answer] = getattr(self, name)
                return handler(request, identity, match.groupdict())
        raise RefusedError(404, "Not Found")

    # -- who -------------------------------------------------------------------------------------

    def _identity(self, request: Request) -> Identity:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        identity = self.world.tokens.get(token) if scheme.lower() in ("token", "bearer") else None
        if identity is None:
            raise RefusedError(401, "Bad credentials")
        return identity

    def _may(self, identity: Identity, permission: str) -> None:
        if permission not in identity.writes:
            accepted = f"{permission}=write"
            who = "integration" if identity.is_app else "personal access token"
            raise RefusedError(
                403, f"Resource not accessible by {who}", {"X-Accepted-GitHub-Permissions": accepted}
            )

    def graphql(self, request: Request, identity: Identity, _: Mapping[str, str]) -> Answer:
        if "viewer" not in request.body.get("query", ""):
            return Answer(status=200, body={"errors": [{"message": "the stand-in knows `viewer` only"}]})
        return Answer(status=200, body={"data": {"viewer": {"login": identity.login}}})

    def user(self, _: Request, identity: Identity, __: Mapping[str, str]) -> Answer:
        if identity.is_app:
            raise RefusedError(403, "Resource not accessible by integration")
        return Answer(status=200, body=self.bodies.me(identity.login))

    # -- where -----------------------------------------------------------------------------------

    def _repository(self, args: Mapping[str, str]) -> Repository:
        repository = self.world.repositories.get(args["repo"])
        if repository is None:
            raise RefusedError(404, "Not Found")
        return repository

    def _pull(self, args: Mapping[str, str]) -> Pull:
        pull = self._repository(args).pulls.get(int(args["number"]))
        if pull is None:
            raise RefusedError(404, "Not Found")
        return pull

    def _commit(self, repository: Repository, sha: str) -> str:
        if sha not in repository.commits:
            raise RefusedError(422, f"No commit found for SHA: {sha}")
        return sha

    def _page(self, request: Request, items: list[Any]) -> Answer:
        query = request.query
        size = min(max(int(query.get("per_page", 30)), 1), 100)
        page = max(int(query.get("page", 1)), 1)
        pages = max((len(items) + size - 1) // size, 1)
        links = []
        for name, number, wanted in (
            ("prev", page - 1, page > 1), ("next", page + 1, page < pages),
            ("last", pages, page < pages), ("first", 1, page > 1),
        ):  # fmt: skip
            if wanted:
                asked = urlencode({**query, "page": number})
                links.append(f'<{self.bodies.base}{request.path}?{asked}>; rel="{name}"')
        headers = {"Link": ", ".join(links)} if links else {}
        return Answer(status=200, body=items[(page - 1) * size : page * size], headers=headers)

    # -- pull requests ---------------------------------------------------------------------------

    def list_pulls(self, request: Request, _: Identity, args: Mapping[str, str]) -> Answer:
        repository, state = self._repository(args), request.query.get("state", "open")
        found = [p for p in repository.pulls.values() if state in ("all", p.state)]
        head = request.query.get("head", "")
        if ":" in head:  # GitHub passes over a filter without an owner
            found = [p for p in found if f"{p.head_owner}:{p.branch}" == head]
        return self._page(request, [self.bodies.pull(args["repo"], p, whole=False) for p in found])

    def get_pull(self, _: Request, __: Identity, args: Mapping[str, str]) -> Answer:
        return Answer(status=200, body=self.bodies.pull(args["repo"], self._pull(args), whole=True))

    def pulls_of_commit(self, request: Request, _: Identity, args: Mapping[str, str]) -> Answer:
        repository = self._repository(args)
        # A commit that is only in a fork belongs to no branch here: the list is empty.
        found = [
            p
            for p in repository.pulls.values()
            if p.head == args["sha"] and p.head_repository == repository.full_name
        ]
        return self._page(request, [self.bodies.pull(args["repo"], p, whole=False) for p in found])

    # -- comments --------------------------------------------------------------------------------

    def list_comments(self, request: Request, _: Identity, args: Mapping[str, str]) -> Answer:
        number = self._pull(args).number
        found = [c for c in self._repository(args).comments if c.number == number]
        return self._page(request, [self.bodies.comment(args["repo"], c) for c in found])

    def _comment(self, args: Mapping[str, str]) -> Comment:
        for comment in self._repository(args).comments:
            if comment.id == int(args["id"]):
                return comment
        raise RefusedError(404, "Not Found")

    def _text(self, request: Request) -> str:
        body = request.body.get("body") if isinstance(request.body, dict) else None
        if not isinstance(body, str) or not body.strip():
            raise unprocessable("IssueComment", "body", "body can't be blank")
        if len(body) > MAX_BODY:
            raise unprocessable(
                "IssueComment", "body", f"body is too long (maximum is {MAX_BODY} characters)"
            )
        return body

    def create_comment(self, request: Request, identity: Identity, args: Mapping[str, str]) -> Answer:
        self._may(identity, "pull_requests")
        pull = self._pull(args)
        if pull.locked and identity.login != args["repo"].split("/")[0]:
            raise RefusedError(403, "Unable to create comment because issue is locked.")
        comment = Comment(
            id=next(self.world.ids),
            number=pull.number,
            author=identity.login,
            body=self._text(request),
            by_app=identity.is_app,
        )
        self._repository(args).comments.append(comment)
        return Answer(status=201, body=self.bodies.comment(args["repo"], comment))

    def get_comment(self, _: Request, __: Identity, args: Mapping[str, str]) -> Answer:
        return Answer(status=200, body=self.bodies.comment(args["repo"], self._comment(args)))

    def edit_comment(self, request: Request, identity: Identity, args: Mapping[str, str]) -> Answer:
        # As on GitHub, whoever may write may edit everybody's comments: ours must choose well.
        self._may(identity, "pull_requests")
        comment = self._comment(args)
        comment.body, comment.edits = self._text(request), comment.edits + 1
        return Answer(status=200, body=self.bodies.comment(args["repo"], comment))

    def delete_comment(self, _: Request, identity: Identity, args: Mapping[str, str]) -> Answer:
        self._may(identity, "pull_requests")
        self._repository(args).comments.remove(self._comment(args))
        return Answer(status=204, body=None)

    # -- statuses and checks ---------------------------------------------------------------------

    def create_status(self, request: Request, identity: Identity, args: Mapping[str, str]) -> Answer:
        self._may(identity, "statuses")
        repository, body = self._repository(args), request.body
        if body.get("state") not in ("error", "failure", "pending", "success"):
            raise unprocessable("Status", "state", "state is not included in the list")
        if len(body.get("description") or "") > 140:
            raise unprocessable(
                "Status", "description", "description is too long (maximum is 140 characters)"
            )
        status = Status(
            id=next(self.world.ids),
            sha=self._commit(repository, args["sha"]),
            state=body["state"],
            context=body.get("context", "default"),
            description=body.get("description"),
            target_url=body.get("target_url"),
            creator=identity.login,
        )
        repository.statuses.append(status)
        return Answer(status=201, body=self.bodies.status(args["repo"], status))

    def list_statuses(self, request: Request, _: Identity, args: Mapping[str, str]) -> Answer:
        found = [s for s in reversed(self._repository(args).statuses) if s.sha == args["sha"]]
        return self._page(request, [self.bodies.status(args["repo"], s) for s in found])

    def _output(self, body: Any) -> tuple[str | None, str | None, list[dict[str, object]]]:
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
            if note["start_line"] > note["end_line"] or (
                has_columns and note["start_line"] != note["end_line"]
            ):
                raise unprocessable("CheckRun", "annotations", "columns are for one line only")
            if len(note["message"].encode()) > 65_536 or len(note.get("title", "")) > 255:
                raise unprocessable("CheckRun", "annotations", "message or title is too long")
        return title, summary, list(notes)

    def _state(self, body: Any) -> tuple[str, str | None]:
        conclusion, status = body.get("conclusion"), body.get("status", "queued")
        if status == "completed" and conclusion is None:
            raise unprocessable("CheckRun", "conclusion", "conclusion is required when completed")
        return ("completed" if conclusion else status), conclusion

    def create_check(self, request: Request, identity: Identity, args: Mapping[str, str]) -> Answer:
        if not identity.is_app:
            raise RefusedError(403, "You must authenticate via a GitHub App.")
        self._may(identity, "checks")
        repository, body = self._repository(args), request.body
        if not body.get("name") or not body.get("head_sha"):
            raise unprocessable("CheckRun", "name", "name and head_sha are required")
        title, summary, notes = self._output(body)
        status, conclusion = self._state(body)
        check = Check(
            id=next(self.world.ids),
            sha=self._commit(repository, body["head_sha"]),
            name=body["name"],
            status=status,
            conclusion=conclusion,
            external_id=body.get("external_id", ""),
            details_url=body.get("details_url"),
            title=title,
            summary=summary,
            annotations=notes,
        )
        repository.checks.append(check)
        return Answer(status=201, body=self.bodies.check(args["repo"], check))

    def update_check(self, request: Request, identity: Identity, args: Mapping[str, str]) -> Answer:
        self._may(identity, "checks")
        for check in self._repository(args).checks:
            if check.id == int(args["id"]):
                title, summary, notes = self._output(request.body)
                check.title, check.summary = title or check.title, summary or check.summary
                check.annotations += notes
                return Answer(status=200, body=self.bodies.check(args["repo"], check))
        raise RefusedError(404, "Not Found")

    def list_checks(self, request: Request, _: Identity, args: Mapping[str, str]) -> Answer:
        name = request.query.get("check_name")
        found = [c for c in self._repository(args).checks if c.sha == args["sha"] and name in (None, c.name)]
        page = self._page(request, [self.bodies.check(args["repo"], c) for c in reversed(found)])
        page.body = {"total_count": len(found), "check_runs": page.body}
        return page
