"""Comments of conversations and the reactions under them."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from tests.standin.desk import Call, Desk, Table, checked_text
from tests.standin.exchange import Answer, ForbiddenError, RefusedError, not_found
from tests.standin.things import Comment, Reaction

if TYPE_CHECKING:
    from tests.standin.things import Repository

CONTENTS = ("+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes")


class Talk(Desk):
    """A comment of a pull request needs `issues` or `pull_requests`, either will do."""

    ROUTES: ClassVar[Table] = (
        ("GET", r"/issues/(?P<number>\d+)/comments", "list_comments"),
        ("POST", r"/issues/(?P<number>\d+)/comments", "create_comment"),
        ("GET", r"/issues/(?P<number>\d+)/events", "list_events"),
        ("GET", r"/issues/comments/(?P<id>\d+)", "get_comment"),
        ("PATCH", r"/issues/comments/(?P<id>\d+)", "edit_comment"),
        ("DELETE", r"/issues/comments/(?P<id>\d+)", "delete_comment"),
        ("GET", r"/issues/comments/(?P<id>\d+)/reactions", "list_reactions"),
        ("POST", r"/issues/comments/(?P<id>\d+)/reactions", "react"),
        ("DELETE", r"/issues/comments/(?P<id>\d+)/reactions/(?P<reaction>\d+)", "unreact"),
    )

    def list_events(self, call: Call) -> Answer:
        self.may_read(call, "issues", "pull_requests")
        pull, repo = self.pull(call), call.args["repo"]
        happened = [("labeled", pull.created), *(("head_ref_force_pushed", at) for at in pull.forced)]
        return self.page(call, [self.bodies.happened(repo, n, *one) for n, one in enumerate(happened, 1)])

    def list_comments(self, call: Call) -> Answer:
        self.may_read(call, "issues", "pull_requests")
        number, since = self.pull(call).number, call.request.query.get("since", "")
        found = [c for c in self.repository(call).comments if c.number == number and c.updated >= since]
        return self.page(call, [self.bodies.comment(call.args["repo"], c) for c in found])

    def create_comment(self, call: Call) -> Answer:
        self.may(call, "issues", "pull_requests")
        pull = self.pull(call)
        self._not_locked(self.repository(call), pull.number, call)
        comment = Comment(
            id=next(self.world.ids),
            number=pull.number,
            author=call.who.login,
            body=checked_text(call.request.fields, "IssueComment"),
            by_app=call.who.is_app,
            created=self.world.now,
            updated=self.world.now,
        )
        self.repository(call).comments.append(comment)
        return Answer(status=201, body=self.bodies.comment(call.args["repo"], comment))

    def get_comment(self, call: Call) -> Answer:
        self.may_read(call, "issues", "pull_requests")
        return Answer(status=200, body=self.bodies.comment(call.args["repo"], self._comment(call)))

    def edit_comment(self, call: Call) -> Answer:
        # As on GitHub, whoever may write may edit everybody's comments: ours must choose well.
        self.may(call, "issues", "pull_requests")
        comment = self._comment(call)
        self.world.edit(comment, checked_text(call.request.fields, "IssueComment"))
        return Answer(status=200, body=self.bodies.comment(call.args["repo"], comment))

    def delete_comment(self, call: Call) -> Answer:
        self.may(call, "issues", "pull_requests")
        self.repository(call).comments.remove(self._comment(call))
        return Answer(status=204, body=None)

    def list_reactions(self, call: Call) -> Answer:
        self.may_read(call, "issues", "pull_requests")
        number, content = self._comment(call).id, call.request.query.get("content")
        found = [
            r for r in self.repository(call).reactions if r.comment == number and content in (None, r.content)
        ]
        return self.page(call, [self.bodies.reaction(r) for r in found])

    def react(self, call: Call) -> Answer:
        """A second time is no second reaction: the first is given again, with 200."""
        self.may(call, "issues", "pull_requests")
        comment, content = self._comment(call), call.request.fields.get("content")
        self._not_locked(self.repository(call), comment.number, call)
        if content not in CONTENTS:
            raise RefusedError(422, "Validation Failed", errors=[])
        reactions = self.repository(call).reactions
        for known in reactions:
            if (known.comment, known.author, known.content) == (comment.id, call.who.login, content):
                return Answer(status=200, body=self.bodies.reaction(known))
        made = Reaction(
            id=next(self.world.ids), comment=comment.id, author=call.who.login, content=str(content)
        )
        reactions.append(made)
        return Answer(status=201, body=self.bodies.reaction(made))

    def unreact(self, call: Call) -> Answer:
        self.may(call, "issues", "pull_requests")
        comment, reactions = self._comment(call), self.repository(call).reactions
        for known in reactions:
            if (known.id, known.comment) == (int(call.args["reaction"]), comment.id):
                if known.author != call.who.login:
                    raise ForbiddenError("Only the author may delete a reaction.")
                reactions.remove(known)
                return Answer(status=204, body=None)
        raise not_found()

    def _comment(self, call: Call) -> Comment:
        for comment in self.repository(call).comments:
            if comment.id == int(call.args["id"]):
                return comment
        raise not_found()

    def _not_locked(self, repository: Repository, number: int, call: Call) -> None:
        pull = repository.pulls.get(number)
        if pull is not None and pull.locked and call.who.login != repository.full_name.split("/")[0]:
            raise RefusedError(403, "Unable to create comment because issue is locked.")
