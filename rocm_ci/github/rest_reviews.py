"""Changed files, reviews and their threads as requests: `port.Reviews`.

Only GraphQL knows threads. To resolve one, `pull-requests: write` does not do: GitHub asks for
`contents: write` (https://github.com/orgs/community/discussions/44650, github/gh-aw#35726).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.github import answers, answers_graphql
from rocm_ci.github.rest_base import RestBase, read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocm_ci.github.review import ChangedFile, Remark, Thread

THREADS = """
query Threads($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviewThreads(first: 100, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes {
          id isResolved isOutdated path line
          comments(first: 1) { totalCount nodes { databaseId author { __typename login } body } }
        }
      }
    }
  }
}
"""
RESOLVE = """
mutation Resolve($thread: ID!) {
  resolveReviewThread(input: {threadId: $thread}) { thread { id isResolved } }
}
"""
_MAX_PAGES = 20


class RestReviews(RestBase):
    """The diff, and what is said on its lines."""

    def files(self, repository: str, number: int) -> tuple[ChangedFile, ...]:
        """The changed files of a pull request."""
        path = f"/repos/{repository}/pulls/{number}/files"
        found = self._transport.pages(path, {}, task="read the changed files of the pull request")
        return tuple(read(one, answers.File, "a changed file").changed() for one in found)

    def threads(self, repository: str, number: int) -> tuple[Thread, ...]:
        """The review conversations of a pull request, oldest first; 2,000 at most."""
        owner, _, name = repository.partition("/")
        threads: list[Thread] = []
        after: str | None = None
        for _ in range(_MAX_PAGES):
            asked = {"owner": owner, "name": name, "number": number, "after": after}
            data = self._transport.graphql(THREADS, asked, task="read the review threads")
            page = read(
                data, answers_graphql.Threads, "review threads"
            ).repository.pull_request.review_threads
            threads += [node.thread() for node in page.nodes]
            if not page.page_info.has_next_page or page.page_info.end_cursor in (None, after):
                break
            after = page.page_info.end_cursor
        return tuple(threads)

    def create_review(
        self, repository: str, number: int, *, commit: str, body: str, remarks: Sequence[Remark]
    ) -> None:
        """A review that comments. One remark that GitHub refuses loses all."""
        path = f"/repos/{repository}/pulls/{number}/reviews"
        sent = {
            "commit_id": commit,
            "body": body,
            "event": "COMMENT",
            "comments": [_remark(remark) for remark in remarks],
        }
        self._transport.ask("POST", path, task="post the review", body=sent, repeatable=False)

    def resolve_thread(self, thread: str) -> None:
        """Mark a conversation as resolved."""
        self._transport.graphql(RESOLVE, {"thread": thread}, task="resolve a review thread", writes=True)

    def edit_review_comment(self, repository: str, comment: int, body: str) -> None:
        """Replace the text of a review comment."""
        path = f"/repos/{repository}/pulls/comments/{comment}"
        self._transport.ask("PATCH", path, task="edit a review comment", body={"body": body})


def _remark(remark: Remark) -> dict[str, object]:
    """Lines of the head are the right side of the diff."""
    first = (
        {"start_line": remark.start_line, "start_side": "RIGHT"}
        if remark.start_line is not None and remark.start_line < remark.line
        else {}
    )
    return {"path": remark.path, "body": remark.body, "line": remark.line, "side": "RIGHT", **first}
