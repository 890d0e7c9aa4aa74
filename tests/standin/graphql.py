"""GraphQL: who we are, the review threads of a pull request, and resolving one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from tests.standin.desk import Call, Desk, Table
from tests.standin.exchange import Answer
from tests.standin.query import Field, QueryError, Reader, filled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.standin.things import Remark, Repository, Thread

# Of each type the arguments of its fields; a field leads to another type, or to None, a plain value.
TYPES: dict[str, dict[str, tuple[set[str], str | None]]] = {
    "Query": {"viewer": (set(), "User"), "repository": ({"owner", "name"}, "Repository")},
    "Mutation": {"resolveReviewThread": ({"input"}, "Resolved")},
    "Resolved": {"thread": (set(), "Thread")},
    "User": {"login": (set(), None)},
    "Repository": {"pullRequest": ({"number"}, "PullRequest")},
    "PullRequest": {"reviewThreads": ({"first", "after"}, "Threads"), "number": (set(), None)},
    "Threads": {"pageInfo": (set(), "PageInfo"), "nodes": (set(), "Thread"), "totalCount": (set(), None)},
    "PageInfo": {"hasNextPage": (set(), None), "endCursor": (set(), None)},
    "Thread": {
        **{name: (set(), None) for name in ("id", "isResolved", "isOutdated", "path", "line", "startLine")},
        "comments": ({"first"}, "Comments"),
    },
    "Comments": {"totalCount": (set(), None), "nodes": (set(), "Comment")},
    "Comment": {"databaseId": (set(), None), "body": (set(), None), "author": (set(), "Actor")},
    "Actor": {"login": (set(), None)},
}


@dataclass
class _ForbiddenFieldError(Exception):
    field: str


class GraphQL(Desk):
    """Answers 200 whatever happens, as GitHub does; errors stand in the body."""

    ROUTES: ClassVar[Table] = (
        ("POST", "^/graphql", "ask"),
        ("GET", "^/user", "user"),
    )

    def user(self, call: Call) -> Answer:
        if call.who.is_app:
            self._forbid(call)
        return Answer(status=200, body=self.bodies.me(call.who.login))

    def ask(self, call: Call) -> Answer:
        body = call.request.fields
        try:
            operation = Reader(str(body.get("query", ""))).operation()
            fields = filled(operation, body.get("variables") or {})
            root = "Query" if operation.kind == "query" else "Mutation"
            _check(fields, root)
            data = {one.name: self._root(call, one) for one in fields}
        except QueryError as error:
            kind = {"type": error.kind} if error.kind else {}
            return Answer(status=200, body={"data": None, "errors": [{**kind, "message": str(error)}]})
        except _ForbiddenFieldError as error:
            message = "Resource not accessible by integration"
            refusal = {"type": "FORBIDDEN", "path": [error.field], "message": message}
            return Answer(status=200, body={"data": {error.field: None}, "errors": [refusal]})
        return Answer(status=200, body={"data": data})

    def _root(self, call: Call, one: Field) -> Any:
        match one.name:
            case "viewer":
                return _shown(one.fields, {"login": call.who.login})
            case "repository":
                full_name = f"{one.args.get('owner')}/{one.args.get('name')}"
                repository = self.world.repositories.get(full_name)
                if repository is None:
                    message = f"Could not resolve to a Repository with the name '{full_name}'."
                    raise QueryError(message, "NOT_FOUND")
                return _shown(one.fields, {"pullRequest": lambda f: self._pull(repository, f)})
            case _:
                return self._resolve(call, one)

    def _pull(self, repository: Repository, one: Field) -> Any:
        number = one.args.get("number")
        if number not in repository.pulls:
            message = f"Could not resolve to a PullRequest with the number of {number}."
            raise QueryError(message, "NOT_FOUND")
        threads = [t for t in repository.threads if t.number == number]
        return _shown(one.fields, {"number": number, "reviewThreads": lambda f: _threads(threads, f)})

    def _resolve(self, call: Call, one: Field) -> Any:
        """`pull_requests: write` is not enough: github/gh-aw#35726."""
        wanted = (one.args.get("input") or {}).get("threadId")
        for repository in self.world.repositories.values():
            for thread in repository.threads:
                if thread.id == wanted:
                    if not {"contents", "pull_requests"} <= call.who.writes:
                        raise _ForbiddenFieldError(one.name)
                    thread.is_resolved = True
                    return _shown(one.fields, {"thread": lambda f, found=thread: _thread(found, f)})
        raise QueryError(f"Could not resolve to a node with the global id of '{wanted}'", "NOT_FOUND")


def _check(fields: Sequence[Field], kind: str) -> None:
    """Each field exists on its type, takes its arguments, and has a selection just where it needs one."""
    known = {**TYPES[kind], "__typename": (set(), None)}
    for one in fields:
        if one.name not in known:
            raise QueryError(f"Field '{one.name}' doesn't exist on type '{kind}'")
        arguments, inner = known[one.name]
        for name in set(one.args) - arguments:
            raise QueryError(f"Field '{one.name}' doesn't accept argument '{name}'")
        if bool(one.fields) != (inner is not None):
            raise QueryError(f"Field '{one.name}' must have (or cannot have) a selection")
        if inner is not None:
            _check(one.fields, inner)


def _shown(fields: Sequence[Field], known: dict[str, Any]) -> dict[str, Any]:
    """The asked fields; a callable makes its value of the field."""
    values = {}
    for one in fields:
        value = known[one.name]
        values[one.name] = value(one) if callable(value) else value
    return values


def _threads(threads: Sequence[Thread], one: Field) -> dict[str, Any]:
    size = one.args.get("first")
    if not isinstance(size, int) or not 0 < size <= 100:
        raise QueryError("You must provide a `first` or `last` value (at most 100) to properly paginate")
    begin = int(one.args.get("after") or 0)
    there = threads[begin : begin + size]
    end = begin + len(there)
    page = {"hasNextPage": end < len(threads), "endCursor": str(end) if there else None}
    known: dict[str, Any] = {
        "totalCount": len(threads),
        "pageInfo": lambda f: _shown(f.fields, page),
        "nodes": lambda f: [_thread(t, f) for t in there],
    }
    return _shown(one.fields, known)


def _thread(thread: Thread, one: Field) -> dict[str, Any]:
    first = thread.remarks[0]
    known: dict[str, Any] = {
        "__typename": "PullRequestReviewThread",
        "id": thread.id,
        "isResolved": thread.is_resolved,
        "isOutdated": thread.is_outdated,
        "path": first.path,
        "line": None if thread.is_outdated else first.line,
        "startLine": None if thread.is_outdated else first.start_line,
        "comments": lambda f: _comments(thread.remarks, f),
    }
    return _shown(one.fields, known)


def _comments(remarks: Sequence[Remark], one: Field) -> dict[str, Any]:
    def nodes(inner: Field) -> list[Any]:
        return [_comment(remark, inner) for remark in remarks[: one.args.get("first", 0)]]

    return _shown(one.fields, {"totalCount": len(remarks), "nodes": nodes})


def _comment(remark: Remark, one: Field) -> dict[str, Any]:
    """GraphQL calls an app by its bare name, and says that it is a Bot."""
    is_bot = remark.author.endswith("[bot]")
    actor = {
        "__typename": "Bot" if is_bot else "User",
        "login": remark.author.removesuffix("[bot]"),
    }
    author = (lambda f: _shown(f.fields, actor)) if remark.author else None
    return _shown(one.fields, {"databaseId": remark.id, "body": remark.body, "author": author})
