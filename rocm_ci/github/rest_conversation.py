"""Pull requests, comments and reactions as requests: `port.Conversation`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.errors import GitHubError
from rocm_ci.github import answers, answers_graphql
from rocm_ci.github.client import Comment, PermissionRefusedError, Pull, Reacted
from rocm_ci.github.rest_base import RestBase, read

if TYPE_CHECKING:
    from rocm_ci.github.port import Reaction
    from rocm_ci.github.transport import Transport

VIEWER = "query { viewer { login } }"
WORKFLOW_LOGIN = "github-actions[bot]"


class RestConversation(RestBase):
    """What is said under pull requests."""

    def __init__(self, transport: Transport) -> None:
        super().__init__(transport)
        self._login: str | None = None

    def identity(self) -> str:
        """The login under which this token writes. Asked once.

        The token of a workflow may not ask `/user`; GraphQL tells every kind of token who it is.
        """
        if self._login is None:
            self._login = self._ask_identity()
        return self._login

    def _ask_identity(self) -> str:
        task = "ask who we are"
        try:
            data = self._transport.graphql(VIEWER, {}, task=task)
            return read(data, answers_graphql.Viewer, "who we are").viewer.login
        except GitHubError:
            pass
        try:
            _, data = self._transport.ask("GET", "/user", task=task)
        except PermissionRefusedError:
            # Only an app's token may not ask; without GraphQL it is hardly another than the workflow's own.
            return WORKFLOW_LOGIN
        return read(data, answers.User, "who we are").login

    def pull(self, repository: str, number: int) -> Pull:
        """One pull request."""
        path = f"/repos/{repository}/pulls/{number}"
        _, data = self._transport.ask("GET", path, task=f"read pull request {number}")
        return read(data, answers.Pull, "a pull request").pull()

    def open_pulls(self, repository: str, head: str) -> tuple[Pull, ...]:
        """The open pull requests whose head is `owner:branch`."""
        query = {"state": "open", "head": head}
        found = self._transport.pages(f"/repos/{repository}/pulls", query, task="list pull requests")
        return tuple(read(one, answers.Pull, "a pull request").pull() for one in found)

    def pulls_of_commit(self, repository: str, commit: str) -> tuple[Pull, ...]:
        """The pull requests a commit belongs to."""
        path = f"/repos/{repository}/commits/{commit}/pulls"
        found = self._transport.pages(path, {}, task="list pull requests of a commit")
        return tuple(read(one, answers.Pull, "a pull request").pull() for one in found)

    def force_pushes(self, repository: str, number: int) -> tuple[str, ...]:
        """When the branch of an open pull request was moved otherwise than forward, UTC in ISO 8601.

        https://docs.github.com/rest/using-the-rest-api/issue-event-types#head_ref_force_pushed
        """
        path = f"/repos/{repository}/issues/{number}/events"
        found = self._transport.pages(path, {}, task=f"read what happened to pull request {number}")
        events = (read(one, answers.Happened, "an event") for one in found)
        return tuple(one.created_at for one in events if one.event == "head_ref_force_pushed")

    def comments(self, repository: str, number: int, *, since: str | None = None) -> tuple[Comment, ...]:
        """All comments of a conversation, oldest first."""
        path = f"/repos/{repository}/issues/{number}/comments"
        found = self._transport.pages(path, {"since": since} if since else {}, task="read the comments")
        # By id: what is deleted meanwhile shifts the pages, and one comment must not look like two.
        comments = {c.id: c for c in (read(one, answers.Comment, "a comment").comment() for one in found)}
        return tuple(comments[number] for number in sorted(comments))

    def create_comment(self, repository: str, number: int, body: str) -> Comment:
        """A new comment."""
        path = f"/repos/{repository}/issues/{number}/comments"
        _, data = self._transport.ask(
            "POST", path, task="create the comment", body={"body": body}, repeatable=False
        )
        return read(data, answers.Comment, "a comment").comment()

    def edit_comment(self, repository: str, comment: int, body: str) -> Comment:
        """Replace the text of a comment."""
        path = f"/repos/{repository}/issues/comments/{comment}"
        _, data = self._transport.ask("PATCH", path, task="edit the comment", body={"body": body})
        return read(data, answers.Comment, "a comment").comment()

    def delete_comment(self, repository: str, comment: int) -> None:
        """Remove a comment; one that is gone already is fine."""
        path = f"/repos/{repository}/issues/comments/{comment}"
        self._transport.ask("DELETE", path, task="delete a doubled comment", fine=(404, 410))

    def react(self, repository: str, comment: int, reaction: Reaction) -> int:
        """Put our reaction under a comment: its id. GitHub gives the existing one the second time."""
        path = f"/repos/{repository}/issues/comments/{comment}/reactions"
        _, data = self._transport.ask("POST", path, task="react to the comment", body={"content": reaction})
        return read(data, answers.Made, "a reaction").id

    def reactions(self, repository: str, comment: int) -> tuple[Reacted, ...]:
        """The reactions under a comment."""
        path = f"/repos/{repository}/issues/comments/{comment}/reactions"
        found = self._transport.pages(path, {}, task="read the reactions to the comment")
        return tuple(read(one, answers.Reaction, "a reaction").reacted() for one in found)

    def unreact(self, repository: str, comment: int, reaction: int) -> None:
        """Take a reaction away again; one that is gone already is fine."""
        path = f"/repos/{repository}/issues/comments/{comment}/reactions/{reaction}"
        self._transport.ask("DELETE", path, task="take a reaction to the comment back", fine=(404, 410))
