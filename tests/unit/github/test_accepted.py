"""Who is believed to have let a regression pass."""

from __future__ import annotations

import pytest

from rocm_ci.github import marker, sticky
from rocm_ci.github.accepted import believed
from rocm_ci.github.marker import Stamp
from rocm_ci.model.past import Acceptance
from rocm_ci.model.verdict import Verdict
from tests.unit.github.fake import BOT, FakeGitHub

HEAD = "a" * 40
COMMAND = "Fine with me.\n/rocm-ci accept-perf  Saxpy/1024 wider tiles cost this\r\n"


def accepted(name: str = "saxpy/1024", by: str = "amy") -> Acceptance:
    return Acceptance(name=name, effect_pct=8.4, by=by, reason="wider tiles cost this", head=HEAD)


def conversation(*remembered: Acceptance, people: dict[str, str] | None = None) -> FakeGitHub:
    github = FakeGitHub(people=people or {"amy": "write"})  # type: ignore[arg-type]
    stamp = Stamp(head=HEAD, verdict=Verdict.NEUTRAL, run=7, accepted=remembered)
    github.say(BOT, marker.sign("slower, accepted", "default", stamp))
    return github


def asked(github: FakeGitHub) -> tuple[Acceptance, ...]:
    return believed(github, "o/r", sticky.look(github, "o/r", 5, "default"))


def test_a_maintainer_who_said_so_in_this_conversation_is_believed() -> None:
    github = conversation(accepted())
    github.say("Amy", COMMAND)

    assert asked(github) == (accepted(),)


@pytest.mark.parametrize("written", ['"row  sum"', "'Row sum'", "“row sum”", '" row sum "'])
def test_a_name_in_quotation_marks_is_known_again(written: str) -> None:
    github = conversation(accepted("row sum"))
    github.say("amy", f"/rocm-ci accept-perf {written} because")

    assert asked(github) == (accepted("row sum"),)


def test_nobody_is_asked_where_nothing_was_accepted() -> None:
    github = conversation()
    github.say("amy", COMMAND)

    assert asked(github) == ()
    assert not any(call.startswith("permission") for call in github.calls)


def test_a_person_is_asked_about_once() -> None:
    github = conversation(accepted("one"), accepted("two"))
    github.say("amy", "/rocm-ci accept-perf one because\n/rocm-ci accept-perf two because")

    assert asked(github) == (accepted("one"), accepted("two"))
    assert [call for call in github.calls if call.startswith("permission")] == ["permission amy"]


@pytest.mark.attack("18", "an acceptance written into our memory without a maintainer's word")
@pytest.mark.parametrize(
    ("author", "said"),
    [
        ("mallory", COMMAND),
        ("", COMMAND),
        ("amy", "I like it"),
        ("amy", "/rocm-ci accept-perf other because"),
        ("amy", "/rocm-ci accept-perf other as slow as saxpy/1024 was"),
        ("amy", "/rocm-ci accept-perf saxpy/10240 because"),
        ("amy", "> /rocm-ci accept-perf saxpy/1024 because"),
        ("amy", "/rocm-ci run saxpy/1024"),
    ],
)
def test_what_no_comment_of_that_person_says_is_not_believed(author: str, said: str) -> None:
    github = conversation(accepted())
    github.say(author, said)

    assert asked(github) == ()


@pytest.mark.attack("12", "an acceptance by somebody who may not write to the repository")
@pytest.mark.parametrize("permission", ["read", "none"])
def test_who_may_not_write_any_more_is_not_believed(permission: str) -> None:
    github = conversation(accepted(), people={"amy": permission})
    github.say("amy", COMMAND)

    assert asked(github) == ()


def test_a_token_that_may_not_ask_believes_nobody() -> None:
    github = conversation(accepted())
    github.say("amy", COMMAND)
    github.refused = {"permission"}

    assert asked(github) == ()


def test_an_acceptance_without_a_name_behind_it_is_not_believed() -> None:
    github = conversation(accepted(by=""))
    github.say("", COMMAND)

    assert asked(github) == ()
