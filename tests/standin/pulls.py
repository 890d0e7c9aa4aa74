"""Pull requests, their files and reviews; the repository, and what people may do in it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar

from tests.standin.desk import Call, Desk, Table, checked_text
from tests.standin.exchange import Answer, RefusedError, not_found, unprocessable_review
from tests.standin.things import Pull, Remark, Review, Thread

if TYPE_CHECKING:
    from collections.abc import Iterator

# The words of GitHub: parkerbxyz/suggest-changes#28, ubuntu/WSL#244.
OUTSIDE = (
    "Pull request review thread line must be part of the diff and "
    "Pull request review thread diff hunk can't be blank"
)
_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")


class Pulls(Desk):
    """Who reads a public repository needs no permission for it."""

    ROUTES: ClassVar[Table] = (
        ("GET", r"", "get_repository"),
        ("GET", r"/collaborators/(?P<login>[^/]+)/permission", "permission"),
        ("GET", r"/pulls", "list_pulls"),
        ("GET", r"/pulls/(?P<number>\d+)", "get_pull"),
        ("GET", r"/pulls/(?P<number>\d+)/files", "list_files"),
        ("GET", r"/commits/(?P<sha>\w+)/pulls", "pulls_of_commit"),
        ("GET", r"/pulls/(?P<number>\d+)/reviews", "list_reviews"),
        ("POST", r"/pulls/(?P<number>\d+)/reviews", "create_review"),
        ("GET", r"/pulls/(?P<number>\d+)/comments", "list_remarks"),
        ("GET", r"/pulls/comments/(?P<id>\d+)", "get_remark"),
        ("PATCH", r"/pulls/comments/(?P<id>\d+)", "edit_remark"),
    )

    def get_repository(self, call: Call) -> Answer:
        repository = self.repository(call)
        return Answer(status=200, body=self.bodies.whole_repository(repository))

    def permission(self, call: Call) -> Answer:
        """Metadata: every token has the right to ask."""
        repository, login = self.repository(call), call.args["login"]
        if login not in self.world.people and login not in repository.roles:
            raise RefusedError(404, f"{login} is not a user")
        permission, role = self.role(repository, login)
        return Answer(status=200, body=self.bodies.permission(login, permission, role))

    def list_pulls(self, call: Call) -> Answer:
        self.may_read(call, "pull_requests")
        query = call.request.query
        state, head = query.get("state", "open"), query.get("head", "")
        found = [p for p in self.repository(call).pulls.values() if state in ("all", p.state)]
        if ":" in head:  # GitHub passes over a filter without an owner
            found = [p for p in found if f"{p.head_owner}:{p.branch}" == head]
        return self._pulls(call, found)

    def get_pull(self, call: Call) -> Answer:
        self.may_read(call, "pull_requests")
        return Answer(status=200, body=self.bodies.pull(call.args["repo"], self.pull(call), whole=True))

    def pulls_of_commit(self, call: Call) -> Answer:
        """A commit that is only in a fork belongs to no branch here: the list is empty."""
        self.may_read(call, "pull_requests")
        repository = self.repository(call)
        here = [p for p in repository.pulls.values() if p.head_repository == repository.full_name]
        return self._pulls(call, [p for p in here if p.head == call.args["sha"]])

    def _pulls(self, call: Call, found: list[Pull]) -> Answer:
        return self.page(call, [self.bodies.pull(call.args["repo"], p, whole=False) for p in found])

    def list_files(self, call: Call) -> Answer:
        self.may_read(call, "pull_requests")
        pull = self.pull(call)
        shown = [self.bodies.file(call.args["repo"], pull.head, f) for f in pull.files[:3000]]
        return self.page(call, shown)

    # -- reviews ---------------------------------------------------------------------------------

    def list_reviews(self, call: Call) -> Answer:
        self.may_read(call, "pull_requests")
        number = self.pull(call).number
        found = [r for r in self.repository(call).reviews if r.number == number]
        return self.page(call, [self.bodies.review(call.args["repo"], r) for r in found])

    def create_review(self, call: Call) -> Answer:
        """All remarks or none: one outside the diff loses the whole review."""
        self.may(call, "pull_requests")
        pull, body = self.pull(call), call.request.fields
        commit = body.get("commit_id", pull.head)
        if commit not in pull.commits:
            raise unprocessable_review("commit_id is not part of the pull request")
        if body.get("event") != "COMMENT":
            raise unprocessable_review("the stand-in takes COMMENT only")
        review = Review(
            id=next(self.world.ids),
            number=pull.number,
            author=call.who.login,
            body=_text(body),
            commit=commit,
        )
        made = [self._remark(pull, review, sent) for sent in body.get("comments", [])]
        repository = self.repository(call)
        repository.reviews.append(review)
        for remark in made:
            repository.threads.append(Thread(id=f"PRRT_{remark.id}", number=pull.number, remarks=[remark]))
        return Answer(status=200, body=self.bodies.review(call.args["repo"], review))

    def _remark(self, pull: Pull, review: Review, sent: dict[str, Any]) -> Remark:
        line, start = sent.get("line"), sent.get("start_line")
        _check_lines(pull, sent)
        return Remark(
            id=next(self.world.ids),
            number=pull.number,
            review=review.id,
            author=review.author,
            body=_text(sent),
            path=sent["path"],
            commit=review.commit,
            line=line,
            start_line=start,
            side=sent.get("side", "RIGHT"),
        )

    def list_remarks(self, call: Call) -> Answer:
        self.may_read(call, "pull_requests")
        number = self.pull(call).number
        found = [r for r in self._remarks(call) if r.number == number]
        return self.page(call, [self.bodies.remark(call.args["repo"], r) for r in found])

    def get_remark(self, call: Call) -> Answer:
        self.may_read(call, "pull_requests")
        return Answer(status=200, body=self.bodies.remark(call.args["repo"], self._known_remark(call)))

    def edit_remark(self, call: Call) -> Answer:
        self.may(call, "pull_requests")
        remark = self._known_remark(call)
        remark.body = _text(call.request.fields)
        remark.edits += 1
        return Answer(status=200, body=self.bodies.remark(call.args["repo"], remark))

    def _remarks(self, call: Call) -> Iterator[Remark]:
        for thread in self.repository(call).threads:
            yield from thread.remarks

    def _known_remark(self, call: Call) -> Remark:
        for remark in self._remarks(call):
            if remark.id == int(call.args["id"]):
                return remark
        raise not_found()


def _text(fields: dict[str, Any]) -> str:
    try:
        return checked_text(fields, "PullRequestReview")
    except RefusedError as error:
        raise unprocessable_review(error.body["errors"][0]["message"]) from error


def _check_lines(pull: Pull, sent: dict[str, Any]) -> None:
    """GitHub's rules for where a remark may stand, with GitHub's words."""
    file = next((f for f in pull.files if f.filename == sent.get("path")), None)
    if file is None:
        raise unprocessable_review("Path could not be resolved")
    side, line = sent.get("side", "RIGHT"), sent.get("line")
    start, start_side = sent.get("start_line"), sent.get("start_side", side)
    hunks = [{at for s, at in hunk if s == side} for hunk in lines_of(file.patch or "")]
    there = [hunk for hunk in hunks if line in hunk]
    if not there:
        raise unprocessable_review(OUTSIDE)
    if start is None:
        return
    if start >= line:
        raise unprocessable_review("Pull request review thread start line must precede the end line.")
    if start_side != side or start not in there[0]:
        raise unprocessable_review(
            "Pull request review thread start line must be part of the same hunk as the line."
        )


def lines_of(patch: str) -> list[list[tuple[str, int]]]:
    """For each hunk, the (side, line) pairs that it shows. A line of context is on both sides."""
    hunks: list[list[tuple[str, int]]] = []
    left = right = 0
    for text in patch.split("\n"):
        begin = _HUNK.match(text)
        if begin:
            left, right = int(begin[1]), int(begin[2])
            hunks.append([])
            continue
        if not hunks or text.startswith("\\"):
            continue
        if not text.startswith("+"):
            hunks[-1].append(("LEFT", left))
            left += 1
        if not text.startswith("-"):
            hunks[-1].append(("RIGHT", right))
            right += 1
    return hunks
