"""Runs are started once, though answers get lost; and given up when GitHub loses everything."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from rocm_ci.bot import running, starting
from rocm_ci.bot.command import Command
from rocm_ci.bot.scene import Scene, Settings, checked_workflow
from rocm_ci.errors import GitHubError, UsageError
from rocm_ci.github.client import DeclinedError, UnknownOutcomeError
from tests.unit.github.fake import FakeGitHub, pull, run

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocm_ci.github.client import Pull
    from rocm_ci.github.run import Run

HEAD = "a" * 40
WORKFLOW = ".github/workflows/rocm-ci-run.yml"


@dataclass
class Slow(FakeGitHub):
    """A GitHub whose answers to what starts a run get lost; it shows a run after so many looks."""

    appears_after: int = 99
    looks: int = 0
    reruns: list[int] = field(default_factory=list)

    def dispatch(self, repository: str, *, workflow: str, ref: str, inputs: Mapping[str, str]) -> None:
        self.dispatched.append((workflow, ref, dict(inputs)))
        raise UnknownOutcomeError("the answer was lost")

    def runs(self, repository: str, **wanted: object) -> tuple[Run, ...]:
        if self.dispatched:
            self.looks += 1
        title = f"rocm-ci #5 {HEAD}"
        late = run(9, "b" * 40, event="workflow_dispatch", title=title, path=WORKFLOW)
        return (late,) if self.looks > self.appears_after else ()

    def rerun(self, repository: str, run: int, *, failed_only: bool) -> None:
        self.reruns.append(run)
        raise UnknownOutcomeError("the answer was lost")


def accept(name: str, reason: str, *, by: str, pull: Pull, run: Run, is_part: bool) -> str:
    raise AssertionError(name)


def scene(github: FakeGitHub, **changed: object) -> Scene:
    known: dict[str, object] = {
        "github": github,
        "settings": Settings(),
        "accept": accept,
        "wait": lambda _seconds: None,
        "repository": "o/r",
        "pull": pull(),
        "login": "jane",
        "created": "2026-11-30T12:00:00Z",
        "default_branch": "main",
    }
    return Scene(**{**known, **changed})  # type: ignore[arg-type]


@pytest.mark.parametrize("looks", [0, 1, 2])
def test_a_run_that_shows_itself_late_is_not_started_again(looks: int) -> None:
    github = Slow(appears_after=looks)

    starting.dispatch(scene(github))

    assert len(github.dispatched) == 1


def test_a_run_that_never_shows_itself_is_given_up() -> None:
    github = Slow()

    with pytest.raises(GitHubError, match="several times"):
        starting.dispatch(scene(github))

    assert len(github.dispatched) == 3


def test_a_run_that_does_not_begin_again_is_given_up() -> None:
    github = Slow(all_runs=[run(7)])

    with pytest.raises(GitHubError, match="several times"):
        starting.again(scene(github), github.all_runs[0], failed_only=True)

    assert github.reruns == [7, 7, 7]


def test_a_run_that_began_again_is_left_alone() -> None:
    github = Slow(all_runs=[run(7, attempt=2, status="queued", conclusion=None)])

    starting.again(scene(github), run(7), failed_only=True)

    assert github.reruns == [7]


def test_when_the_event_comes_again_what_was_done_is_done() -> None:
    github = FakeGitHub(all_runs=[run(7, attempt=2, status="queued", conclusion=None, path=WORKFLOW)])
    resumed = scene(github, is_resumed=True)

    assert "run again" in running.rerun_failed(resumed, Command(verb="rerun-failed")).reason
    github.all_runs.clear()
    assert "is cancelled" in running.cancel(resumed, Command(verb="cancel")).reason


def test_with_nothing_to_cancel_nothing_is_cancelled() -> None:
    with pytest.raises(DeclinedError, match="nothing is running"):
        running.cancel(scene(FakeGitHub()), Command(verb="cancel"))


@pytest.mark.parametrize("url", ["javascript:alert(1)", "https://a b", "https://x/)[y](z", ""])
def test_an_address_that_is_none_makes_no_link(url: str) -> None:
    assert starting.link(run(7, url=url)) == "Run 7"


@pytest.mark.parametrize(
    "name", ["../x.yml", ".github/workflows/x.yml", "x", "x.yml ", "", "-x.yml", "x.yml\n"]
)
def test_a_workflow_is_a_file_name(name: str) -> None:
    with pytest.raises(UsageError):
        checked_workflow(name)

    assert checked_workflow("rocm-ci-run.yaml") == "rocm-ci-run.yaml"
