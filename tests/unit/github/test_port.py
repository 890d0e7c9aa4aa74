"""Both clients can all that is asked of GitHub."""

from __future__ import annotations

import inspect

import pytest

from rocm_ci.github import port
from rocm_ci.github.rest import RestClient
from tests.unit.github.fake import FakeGitHub

CALLS = {
    name: call
    for part in (port.Conversation, port.Verdicts, port.Runs, port.Reviews, port.People)
    for name, call in vars(part).items()
    if inspect.isfunction(call) and not name.startswith("_")
}


def as_port(github: port.GitHub) -> port.GitHub:
    """What mypy says no to, if a client lacks something."""
    return github


@pytest.mark.parametrize("name", sorted(CALLS))
def test_the_real_client_and_the_one_of_the_tests_take_what_the_port_says(name: str) -> None:
    wanted = list(inspect.signature(CALLS[name]).parameters.values())

    assert list(inspect.signature(getattr(RestClient, name)).parameters.values()) == wanted
    assert list(inspect.signature(getattr(FakeGitHub, name)).parameters.values()) == wanted


def test_the_client_of_the_tests_is_one() -> None:
    assert as_port(FakeGitHub()).requests_sent == 0
