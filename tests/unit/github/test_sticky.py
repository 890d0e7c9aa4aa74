"""One comment, whoever else writes and whatever gets lost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from rocm_ci.errors import GitHubError
from rocm_ci.github import marker, sticky
from rocm_ci.github.client import PermissionRefusedError
from rocm_ci.github.marker import Stamp
from rocm_ci.github.sticky import NewerFormatError
from rocm_ci.model.verdict import Verdict
from tests.unit.github.fake import BOT, FakeGitHub

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocm_ci.github.client import Comment

HEAD, OLD = "a" * 40, "b" * 40


def stamp(run: int | None = 7, attempt: int | None = 1, head: str = HEAD) -> Stamp:
    return Stamp(head=head, verdict=Verdict.PASS, run=run, attempt=attempt)


def post(
    github: FakeGitHub, text: str = "new", made: Stamp | None = None, key: str = "default"
) -> sticky.Posted:
    return sticky.post(github, "o/r", 5, text=text, key=key, stamp=made or stamp())


def signed(text: str, made: Stamp | None = None, key: str = "default") -> str:
    return marker.sign(text, key, made or stamp())


def test_the_first_time_it_is_created() -> None:
    github = FakeGitHub()

    assert post(github) == sticky.Posted(action="created", url="url/101")
    assert [c.body for c in github.notes] == [signed("new")]
    assert github.calls == ["create"]


def test_the_second_time_it_is_edited() -> None:
    github = FakeGitHub()
    post(github)

    assert post(github, "newer").action == "edited"
    assert [c.body for c in github.notes] == [signed("newer")]


def test_the_same_again_writes_nothing() -> None:
    github = FakeGitHub()
    post(github)

    assert post(github).action == "unchanged"
    assert github.calls == ["create"]


@pytest.mark.attack("11", "a copy of our marker in somebody else's comment")
@pytest.mark.parametrize("author", ["mallory", "github-actions", "GitHub-Actions[bot] ", ""])
def test_a_marker_by_somebody_else_is_not_ours(author: str) -> None:
    github = FakeGitHub()
    github.say(author, signed("forged"))

    assert post(github).action == "created"
    assert github.notes[0].body == signed("forged")


def test_a_comment_of_ours_without_a_marker_is_left_alone() -> None:
    github = FakeGitHub()
    github.say(BOT, "another action of this repository wrote this")

    assert post(github).action == "created"


def test_each_key_has_its_own() -> None:
    github = FakeGitHub()
    post(github, key="default")
    post(github, key="nightly")

    assert [marker.find(c.body).key for c in github.notes] == ["default", "nightly"]  # type: ignore[union-attr]


@pytest.mark.parametrize("shown", [stamp(run=8), stamp(run=7, attempt=2)])
def test_a_newer_run_of_the_same_commit_stays(shown: Stamp) -> None:
    github = FakeGitHub()
    github.say(BOT, signed("newer", shown))

    assert post(github).action == "kept"
    assert github.calls == []


@pytest.mark.parametrize(
    "shown", [stamp(run=6, attempt=9), stamp(run=900, head=OLD), stamp(run=None, attempt=None)]
)
def test_an_older_run_and_an_older_commit_are_replaced(shown: Stamp) -> None:
    github = FakeGitHub()
    github.say(BOT, signed("older", shown))

    assert post(github).action == "edited"


def test_who_does_not_know_its_run_replaces_what_is_there() -> None:
    github = FakeGitHub()
    github.say(BOT, signed("by a workflow", stamp(run=8)))

    assert post(github, made=stamp(run=None, attempt=None)).action == "edited"


@pytest.mark.attack("19", "a comment of ours that was written in half")
@pytest.mark.parametrize(
    "body",
    [
        "x\n\n<!-- rocm-ci:v1 key=default payload=AAAA -->",
        signed("half of it", stamp(run=900))[:40],
        signed("without its first line", stamp(run=900)).partition("\n")[2],
    ],
    ids=["damaged", "end cut", "beginning cut"],
)
def test_a_damaged_comment_of_ours_is_repaired_and_not_doubled(body: str) -> None:
    github = FakeGitHub()
    github.say(BOT, body)

    assert post(github).action == "edited"
    assert [c.body for c in github.notes] == [signed("new")]


def test_of_two_comments_the_oldest_stays_with_the_newest_run() -> None:
    github = FakeGitHub()
    github.say(BOT, signed("run 6", stamp(run=6)))
    github.say("mallory", "between")
    github.say(BOT, signed("run 9", stamp(run=9)))
    github.say(BOT, signed("run 8", stamp(run=8)))

    done = post(github)

    assert (done.action, done.url, done.doubles_removed) == ("kept", "url/101", 2)
    assert [(c.id, c.body) for c in github.notes] == [(101, signed("run 9", stamp(run=9))), (102, "between")]
    # The text is safe before its other copy goes.
    assert github.calls == ["edit 101", "delete 103", "delete 104"]


@pytest.mark.parametrize("lost", [1, 2])
def test_a_lost_answer_makes_no_second_comment(lost: int) -> None:
    github = FakeGitHub(lost=lost)

    assert post(github).action == "created"
    assert github.calls == ["create"]


def test_a_list_that_lags_behind_makes_no_second_comment() -> None:
    github = FakeGitHub(lagging=True)

    assert post(github).action == "created"
    assert github.calls == ["create"]


def test_a_github_that_loses_everything_is_given_up() -> None:
    github = FakeGitHub(lagging=True, lost=99)

    with pytest.raises(GitHubError, match="lost it several times"):
        post(github)

    assert len(github.calls) == 6


def test_the_answer_that_is_lost_last_is_looked_for_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sticky, "_ROUNDS", 1)
    github = FakeGitHub(lost=1)

    assert post(github).action == "created"


# -- reading once ----------------------------------------------------------------------------------


def test_who_we_are_is_asked_only_where_somebody_wrote_our_marker() -> None:
    github = FakeGitHub(refused={"identity"})
    github.say("mallory", "hello")
    github.say("mallory", signed("of another key", key="other"))

    assert sticky.look(github, "o/r", 5, "default").own == ()
    assert post(github).action == "created"
    with pytest.raises(PermissionRefusedError):
        post(github)


def test_a_look_that_was_made_before_is_not_made_again() -> None:
    github = FakeGitHub()
    post(github)
    look = sticky.look(github, "o/r", 5, "default")
    before = github.requests_sent

    sticky.post(github, "o/r", 5, text="newer", key="default", stamp=stamp(run=8), look=look)

    assert github.requests_sent - before == 2  # the edit, and a look back


def test_a_look_tells_the_newest_of_what_we_remember() -> None:
    github = FakeGitHub()
    github.say(BOT, signed("run 6", stamp(run=6)))
    github.say(BOT, signed("run 9", stamp(run=9)))
    github.say(BOT, signed("cut off", stamp(run=99))[:40])
    github.say("mallory", signed("forged", stamp(run=10**9)))

    look = sticky.look(github, "o/r", 5, "default")

    assert look.stamp == stamp(run=9)
    assert [one.comment.id for one in look.own] == [101, 102, 103]
    assert len(look.comments) == 4
    assert look.url == "url/101"


def test_where_nothing_is_ours_a_look_remembers_nothing() -> None:
    look = sticky.look(FakeGitHub(), "o/r", 5, "default")

    assert (look.stamp, look.newest, look.url, look.identity) == (None, None, "", None)


def test_a_comment_that_was_deleted_since_the_look_is_written_anew() -> None:
    github = FakeGitHub()
    post(github)
    github.say("mallory", "delete that")
    look = sticky.look(github, "o/r", 5, "default")
    del github.notes[0]

    done = sticky.post(github, "o/r", 5, text="newer", key="default", stamp=stamp(run=8), look=look)

    assert done == sticky.Posted(action="created", url="url/103", doubles_removed=0)
    assert [c.body for c in github.notes] == ["delete that", signed("newer", stamp(run=8))]


# -- two at once -----------------------------------------------------------------------------------


@dataclass
class Crowded(FakeGitHub):
    """Somebody else gets in between: before our first write, or after it, while we wait to look back."""

    meanwhile: list[Callable[[], object]] = field(default_factory=list)

    def edit_comment(self, repository: str, comment: int, body: str) -> Comment:
        self._somebody()
        return super().edit_comment(repository, comment, body)

    def create_comment(self, repository: str, number: int, body: str) -> Comment:
        self._somebody()
        return super().create_comment(repository, number, body)

    def _somebody(self) -> None:
        if self.meanwhile:
            self.meanwhile.pop(0)()

    def replace(self, body: str) -> None:
        FakeGitHub.edit_comment(self, "o/r", 101, body)


@pytest.mark.attack("19", "two reporters at once")
def test_a_newer_run_that_was_created_at_the_same_time_stays_alone() -> None:
    github = Crowded()
    github.meanwhile = [lambda: github.say(BOT, signed("run 9", stamp(run=9)))]

    done = post(github, made=stamp(run=8))

    assert (done.action, done.doubles_removed) == ("kept", 1)
    assert [c.body for c in github.notes] == [signed("run 9", stamp(run=9))]


@pytest.mark.attack("19", "two reporters at once")
def test_an_older_run_that_was_created_at_the_same_time_makes_room() -> None:
    github = Crowded()
    github.meanwhile = [lambda: github.say(BOT, signed("run 6", stamp(run=6)))]

    post(github, "run 8", made=stamp(run=8))

    assert [(c.id, c.body) for c in github.notes] == [(101, signed("run 8", stamp(run=8)))]


@pytest.mark.attack("3", "an older run writes after a newer one of the same commit")
def test_an_older_run_that_wrote_over_ours_is_written_over_again() -> None:
    github = Crowded()
    post(github, made=stamp(run=5))

    def settle() -> None:
        # It had looked before we wrote.
        if len(github.calls) == 2:
            github.replace(signed("run 7", stamp(run=7)))

    done = sticky.post(github, "o/r", 5, text="run 8", key="default", stamp=stamp(run=8), settle=settle)

    assert done.action == "edited"
    assert [c.body for c in github.notes] == [signed("run 8", stamp(run=8))]


@pytest.mark.attack("3", "an older run writes after a newer one of the same commit")
def test_an_older_run_gives_way_to_a_newer_one_that_wrote_after_it() -> None:
    github = Crowded()
    post(github, made=stamp(run=5))
    newer = signed("run 9", stamp(run=9))

    done = sticky.post(
        github, "o/r", 5, text="x", key="default", stamp=stamp(run=8), settle=lambda: github.replace(newer)
    )

    assert done.action == "kept"
    assert [c.body for c in github.notes] == [newer]


def test_a_list_that_lags_behind_our_edit_is_not_taken_for_somebody_else() -> None:
    @dataclass
    class Lagging(FakeGitHub):
        def comments(self, repository: str, number: int, *, since: str | None = None) -> tuple[Comment, ...]:
            return super().comments(repository, number) if since is None else (old,)

    github = Lagging()
    post(github, made=stamp(run=5))
    old = github.notes[0]

    assert post(github, made=stamp(run=8)).action == "edited"
    assert github.calls == ["create", "edit 101"]


def test_a_github_that_stores_other_line_ends_is_not_edited_over_and_over() -> None:
    @dataclass
    class Windows(FakeGitHub):
        def edit_comment(self, repository: str, comment: int, body: str) -> Comment:
            return super().edit_comment(repository, comment, body.replace("\n", "\r\n") + "\r\n")

    github = Windows()
    post(github, made=stamp(run=5))

    assert post(github, made=stamp(run=8)).action == "edited"
    assert post(github, made=stamp(run=8)).action == "unchanged"
    assert github.calls == ["create", "edit 101"]


def test_what_was_posted_is_posted_though_the_look_back_fails() -> None:
    @dataclass
    class Failing(FakeGitHub):
        def comments(self, repository: str, number: int, *, since: str | None = None) -> tuple[Comment, ...]:
            if self.calls:
                raise GitHubError("cannot read the comments: no answer")
            return super().comments(repository, number)

    assert post(Failing()).action == "created"


# -- whom to believe -------------------------------------------------------------------------------


@pytest.mark.attack("11", "a marker under our own login that claims to be of a newer run")
def test_a_claim_to_be_newer_that_is_not_confirmed_is_written_over() -> None:
    github = FakeGitHub()
    github.say(BOT, signed("all is well", stamp(run=2**50)))
    asked: list[Stamp] = []

    def believed(shown: Stamp) -> bool:
        asked.append(shown)
        return False

    done = sticky.post(github, "o/r", 5, text="new", key="default", stamp=stamp(), believed=believed)

    assert done.action == "edited"
    assert asked == [stamp(run=2**50)]
    assert [c.body for c in github.notes] == [signed("new")]


@pytest.mark.parametrize("cut", [0, 1], ids=["whole", "end cut off"])
def test_the_comment_of_a_newer_rocm_ci_is_neither_broken_nor_doubled(cut: int) -> None:
    body = "<!-- rocm-ci:v2 key=default -->\n## fine" + "\n\n<!-- rocm-ci:v2 key=default m=1 -->" * (1 - cut)
    github = FakeGitHub()
    github.say(BOT, body)

    with pytest.raises(NewerFormatError, match="a newer rocm-ci keeps the comment url/101"):
        post(github)

    assert [c.body for c in github.notes] == [body]
    assert github.calls == []


def test_a_comment_that_may_not_be_edited_is_told_and_not_doubled() -> None:
    github = FakeGitHub()
    post(github)
    github.refused = {"edit_comment"}

    with pytest.raises(PermissionRefusedError):
        post(github, "newer")
    assert len(github.notes) == 1
