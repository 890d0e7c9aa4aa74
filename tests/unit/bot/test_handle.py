"""What holds even where GitHub's lists hold more than was asked for, or change while the bot works."""

from __future__ import annotations

import io
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pytest

from rocm_ci.bot import accepting, vouch
from rocm_ci.bot.buttons import press
from rocm_ci.bot.command import Command
from rocm_ci.bot.event import Person, Pressed, Said
from rocm_ci.bot.handle import Bot, handle
from rocm_ci.bot.scene import Settings
from rocm_ci.errors import GitHubError
from rocm_ci.github.client import DeclinedError
from rocm_ci.github.review import ChangedFile
from rocm_ci.log import Log
from tests.unit.bot.test_reply import SAID
from tests.unit.bot.test_starting import HEAD, WORKFLOW, accept, scene
from tests.unit.github.fake import FakeGitHub, pull, run

if TYPE_CHECKING:
    from rocm_ci.github.client import Pull
    from rocm_ci.github.run import Run

OTHER = "b" * 40
FORK = pull(head_repository="stranger/r", head_ref="patch")
TITLE = f"rocm-ci #5 {HEAD}"


@dataclass
class Careless(FakeGitHub):
    """Its lists of runs hold everything, whatever was asked for. `heads` are those of the next looks."""

    heads: list[str] = field(default_factory=list)

    def runs(self, repository: str, **wanted: object) -> tuple[Run, ...]:
        return tuple(sorted(self.all_runs, key=lambda one: (one.created, one.id), reverse=True))

    def pull(self, repository: str, number: int) -> Pull:
        found = super().pull(repository, number)
        return replace(found, head=self.heads.pop(0)) if self.heads else found


def bot(github: FakeGitHub) -> Bot:
    return Bot(
        github=github,
        settings=Settings(),
        accept=accept,
        wait=lambda _seconds: None,
        now=lambda: SAID.created,
        log=Log(out=io.StringIO(), err=io.StringIO()),
    )


def said(body: str = "/rocm-ci run unit", **changed: Any) -> Said:
    return replace(SAID, body=body, **changed)


def github(**changed: Any) -> Careless:
    known: dict[str, Any] = {"pulls": [pull()], "people": {"jane": "write"}}
    return Careless(**{**known, **changed})


def status(**changed: str) -> dict[str, object]:
    return {"commit": HEAD, "state": "success", "context": vouch.CONTEXT, "description": "", **changed}


@pytest.mark.parametrize(
    ("changed", "is_vouched"),
    [
        ({}, True),
        ({"state": "failure"}, False),
        ({"state": "pending"}, False),
        ({"commit": OTHER}, False),
        ({"context": "rocm-ci"}, False),
        ({"creator": "stranger"}, False),
    ],
)
def test_only_our_own_green_status_on_this_very_commit_counts(
    changed: dict[str, str], is_vouched: bool
) -> None:
    fork = scene(FakeGitHub(status_log=[status(**changed)]), pull=FORK)

    assert vouch.is_vouched(fork) is is_vouched


@pytest.mark.parametrize(
    "changed",
    [{"branch": "other"}, {"head_repository": "other/r"}, {"event": "push"}, {"head": OTHER}],
    ids=str,
)
def test_only_runs_of_this_commit_on_this_branch_of_this_fork_prove_its_age(changed: dict[str, str]) -> None:
    known: dict[str, Any] = {"branch": "patch", "head_repository": "stranger/r", "path": WORKFLOW}
    seen = Careless(all_runs=[replace(run(7), **{**known, **changed})])

    with pytest.raises(DeclinedError, match="cannot be told when"):
        vouch.ok_to_test(scene(seen, pull=FORK), Command(verb="ok-to-test"))


def test_without_the_name_of_the_branch_nothing_is_proven() -> None:
    seen = Careless(all_runs=[run(7, branch="", head_repository="stranger/r")])

    with pytest.raises(DeclinedError, match="cannot be told when"):
        vouch.ok_to_test(scene(seen, pull=replace(FORK, head_ref="")), Command(verb="ok-to-test"))


@pytest.mark.attack("13", "a push while the bot looks whether workflows were changed")
@pytest.mark.parametrize(
    ("files", "heads", "approved"),
    [
        (["a.py"], [], True),
        ([".github/workflows/x.yml"], [], False),
        (["a.py"], [OTHER], False),
        (["a.py"] * 3000, [], False),
    ],
    ids=["harmless", "a workflow", "moved on", "too many to tell"],
)
def test_what_waits_is_approved_only_when_the_change_leaves_workflows_alone(
    files: list[str], heads: list[str], approved: bool
) -> None:
    waiting = run(7, head_repository="stranger/r", conclusion="action_required", path=WORKFLOW)
    changed = [ChangedFile(path=path, status="modified", patch=None) for path in files]
    seen = github(pulls=[FORK], all_runs=[waiting], changed=changed, heads=heads)

    vouch.ok_to_test(scene(seen, pull=FORK), Command(verb="ok-to-test", words=(HEAD,)))

    assert ("approve 7" in seen.calls) is approved
    assert [inputs["head"] for _, _, inputs in seen.dispatched] == [HEAD]


@pytest.mark.attack("12", "a pull request whose title is that of a run of the bot")
def test_only_a_dispatched_run_is_ours_by_its_title() -> None:
    ours = run(8, OTHER, event="workflow_dispatch", title=TITLE)
    seen = Careless(all_runs=[run(7, OTHER, title=TITLE), ours, run(9, OTHER)])

    assert scene(seen).ours() == (ours,)
    assert scene(seen).own() == ()


@pytest.mark.parametrize(
    ("title", "is_part"),
    [(TITLE, False), (f"{TITLE} ", False), (f"{TITLE} unit", True), (f"{TITLE} *", True)],
)
def test_a_title_that_goes_on_is_that_of_a_part(title: str, is_part: bool) -> None:
    assert scene(Careless()).is_part(run(8, OTHER, event="workflow_dispatch", title=title)) is is_part


@pytest.mark.parametrize("conclusion", ["cancelled", "skipped", "action_required", None])
def test_nothing_is_accepted_from_a_run_that_did_not_come_to_its_end(conclusion: str | None) -> None:
    seen = Careless(all_runs=[run(7, conclusion=conclusion)])

    with pytest.raises(DeclinedError, match="had finished"):
        accepting.accept_perf(scene(seen), Command(verb="accept-perf", words=("saxpy", "known")))


def test_a_comment_that_somebody_else_sent_is_ignored() -> None:
    seen = github()

    done = handle(bot(seen), said(sender=Person(login="john", is_bot=False)))

    assert (done.action, seen.requests_sent) == ("ignored", 0)


@pytest.mark.parametrize(
    ("changed", "was_open"),
    [({"is_open": False}, True), ({}, False), ({"base_repository": "o/other"}, True)],
    ids=["closed since", "closed then", "another repository"],
)
def test_only_an_open_pull_request_of_this_repository_is_served(
    changed: dict[str, Any], was_open: bool
) -> None:
    seen = github(pulls=[replace(pull(), **changed)])

    assert handle(bot(seen), said(is_open=was_open)).action == "refused"
    assert seen.dispatched == []


@pytest.mark.attack(
    "19", "the answer cannot be given either: the work is still to do when the event comes again"
)
def test_a_failure_that_could_not_be_told_leaves_the_eyes() -> None:
    seen = github(refused={"dispatch", "create_comment"})
    assert handle(bot(seen), said()).code == 4
    assert [one.content for _, one in seen.reacted] == ["eyes"]
    seen.refused.clear()

    assert handle(bot(seen), said()).action == "run"

    assert (len(seen.dispatched), [one.content for _, one in seen.reacted]) == (1, ["rocket"])


def test_a_reaction_that_github_refuses_stops_nothing() -> None:
    seen = github(refused={"react", "unreact"})

    assert handle(bot(seen), said()).code == 0
    assert len(seen.dispatched) == 1


def test_who_may_what_must_be_known() -> None:
    with pytest.raises(GitHubError):
        handle(bot(github(refused={"permission"})), said())


@pytest.mark.parametrize(
    "changed", [{"is_open": False}, {"head": OTHER}, {"base_repository": "o/other"}], ids=str
)
def test_a_button_serves_only_the_open_pull_request_of_its_commit(changed: dict[str, Any]) -> None:
    seen = github(pulls=[replace(pull(), **changed)], all_runs=[run(7)])
    pressed = Pressed(
        repository="o/r",
        check="rocm-ci",
        head=HEAD,
        button="rerun",
        sender=Person(login="jane", is_bot=False),
        default_branch="main",
        numbers=(5,),
    )

    assert press(bot(seen), pressed).action == "refused"
    assert "rerun 7" not in seen.calls
