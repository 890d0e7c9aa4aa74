"""Repairs that one click applies: review comments with suggested lines on the pull request's diff.

Each stands once: a hidden mark tells which findings it repairs, and threads of the token's own identity
only are looked at. What is repaired is closed, nothing is ever deleted.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rocm_ci.errors import GitHubError
from rocm_ci.github import trigger
from rocm_ci.github.client import PermissionRefusedError, RejectedError, UnknownOutcomeError
from rocm_ci.report.suggestions import listed
from rocm_ci.sinks import our_threads, suggestion_text
from rocm_ci.sinks.proposals import offered, proposals
from rocm_ci.sinks.second_look import Diff

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rocm_ci.model.report import Report
    from rocm_ci.report.suggestions import Suggestion
    from rocm_ci.sinks.base import Destination, Sink, Target
    from rocm_ci.sinks.our_threads import Ours

MOST_OPEN = 30  # at a time; reviewdog's experience: more of them make the page of a pull request unusable
MOST_CLOSED = 30  # in one run
MOST_REVIEWS = 20  # requests in which remarks are sent, when GitHub refuses some
_MOST_LOST = 3  # answers


class Suggestions:
    """Posts what is new, closes what is done."""

    name = "suggestions"
    needs_token = True

    def emit(self, report: Report, where: Destination) -> tuple[str, ...]:
        """Ask GitHub for nothing where there is nothing to suggest and nothing was before."""
        target = where.target
        is_offered = offered(report)
        if target is None or target.number is None or not (is_offered or _may_have_suggested(target)):
            return ()
        number = target.number
        trigger.current(target.github, target.repository, number, target.head)
        there = _there(target, number)
        if not is_offered and not any(one.stands for one in there):
            return ()
        diff = Diff(target.github.files(target.repository, number))
        made = proposals(report, diff, {one.thread.path for one in there if one.stands})
        pairing = our_threads.paired(made.offers, there, diff)
        done = tuple(our_threads.done(pairing.idle, report, diff, made.seen, target.key))
        still_open = sum(one.is_open for one in there if one not in done)
        standing = _repaired(made.offers) - _repaired(pairing.new)
        posting = _Posting(target, number, diff, repairs=made.repairs - standing)
        posting.post(pairing.new[: max(MOST_OPEN - still_open, 0)])
        return (*posting.told(), *_closed(target, done[:MOST_CLOSED]))

    def kept(self, report: Report, where: Destination) -> str:  # noqa: ARG002
        """The repairs as a list."""
        return listed(report)


def _may_have_suggested(target: Target) -> bool:
    """What our comment remembers; where none was looked for, nobody knows."""
    if target.look is None:
        return True
    return bool(target.look.own) and (target.look.stamp is None or target.look.stamp.suggested)


def _there(target: Target, number: int) -> tuple[Ours, ...]:
    threads = target.github.threads(target.repository, number)
    # Who we are is asked only where it matters.
    return our_threads.ours(threads, target.github.identity()) if threads else ()


def _repaired(some: Iterable[Suggestion]) -> int:
    return sum(len(one.findings) for one in some)


@dataclass
class _Posting:
    """Sends remarks. `repairs` counts the findings that no thread stands for, `left` those not in `new`."""

    target: Target
    number: int
    diff: Diff
    repairs: int
    left: int = 0
    posted: list[Suggestion] = field(default_factory=list)
    refused: list[Suggestion] = field(default_factory=list)

    def post(self, new: Sequence[Suggestion]) -> None:
        """One review. What GitHub does not take is halved until the bad ones stand alone, and left out."""
        self.left = max(self.repairs - _repaired(new), 0)
        waiting = [tuple(new)] if new else []
        lost = 0
        for _ in range(MOST_REVIEWS):
            if not waiting:
                return
            part = waiting.pop()
            try:
                self._send(part, first=not self.posted)
            except RejectedError:
                if not self.refused and len(part) == len(new):
                    # It also refuses all of them when somebody has pushed meanwhile.
                    trigger.current(self.target.github, self.target.repository, self.number, self.target.head)
                if len(part) == 1:
                    self.refused += part
                else:
                    middle = len(part) // 2
                    waiting += [part[middle:], part[:middle]]
                continue
            except UnknownOutcomeError:
                lost += 1
                if lost > _MOST_LOST:
                    message = "cannot post the review: GitHub lost it several times"
                    raise GitHubError(message, hint="run the job again") from None
                missing = self._missing(part)
                self.posted += [one for one in part if one not in missing]
                if missing:
                    waiting.append(missing)
                continue
            self.posted += part
        self.refused += [one for part in waiting for one in part]

    def _send(self, part: Sequence[Suggestion], *, first: bool) -> None:
        self.target.github.create_review(
            self.target.repository,
            self.number,
            commit=self.target.head,
            body=suggestion_text.overview(len(part), self.left if first else 0),
            remarks=[suggestion_text.remark(one, self.target.key) for one in part],
        )

    def _missing(self, part: tuple[Suggestion, ...]) -> tuple[Suggestion, ...]:
        """Those of a review whose answer was lost that are not there."""
        return our_threads.paired(part, _there(self.target, self.number), self.diff).new

    def told(self) -> tuple[str, ...]:
        """What was posted, in a line."""
        left = max(self.repairs - _repaired(self.posted), 0)
        said = f"{len(self.posted)} posted" if self.posted else ""
        more = f"{left} more for `rocm-ci scan --fix`" if left else ""
        bad = f"GitHub refused {len(self.refused)}" if self.refused else ""
        line = ", ".join(part for part in (said, more, bad) if part)
        return (line,) if line else ()


def _closed(target: Target, done: Sequence[Ours]) -> tuple[str, ...]:
    """Say in each thread that it is done, and resolve it where the token may.

    To resolve takes `contents: write` (github/gh-aw issue 35726), which a job that reports should not
    have: the words alone will mostly have to do.
    """
    may_resolve = True
    for one in done:
        body = suggestion_text.closed(one.thread.body, one.mark, target.head)
        # First the words: they alone tell later runs that it was not a person who resolved it.
        target.github.edit_review_comment(target.repository, one.thread.comment, body)
        if may_resolve and not one.thread.is_resolved:
            try:
                target.github.resolve_thread(one.thread.id)
            except PermissionRefusedError:
                may_resolve = False
    if not done:
        return ()
    return (f"{len(done)} fixed" + ("" if may_resolve else " (not resolved: that takes `contents: write`)"),)


SINK: Sink = Suggestions()
