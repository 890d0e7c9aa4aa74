"""From a comment to checked commands, or to one mistake that is worth an answer."""

from __future__ import annotations

import re
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocm_ci.bot.command import GRAMMAR, Command, Form
from rocm_ci.bot.parse import MAX_COMMANDS, Mistake, commands
from rocm_ci.config.options import Name
from tests.hostile import HOSTILE
from tests.rendered import acts, render

HEAD = "a" * 40
PATTERN = re.compile(str(get_args(Name)[1].pattern))


@pytest.mark.parametrize(
    ("said", "verb", "words"),
    [
        ("", "help", ()),
        ("help", "help", ()),
        ("run", "run", ()),
        ("  run  ", "run", ()),
        ("\trun", "run", ()),
        ("RUN", "run", ()),
        ("run unit", "run", ("unit",)),
        ("run 'unit tests'", "run", ("unit tests",)),
        ('run "unit  tests"', "run", ("unit tests",)),
        ("run “unit tests”", "run", ("unit tests",)),
        ("run „unit tests“", "run", ("unit tests",)),
        ("bench a.b_c+d-e", "bench", ("a.b_c+d-e",)),
        ("rerun-failed", "rerun-failed", ()),
        ("cancel", "cancel", ()),
        ("ok-to-test", "ok-to-test", ()),
        (f"ok-to-test {HEAD}", "ok-to-test", (HEAD,)),
        ("explain cuda-install-path", "explain", ("cuda-install-path",)),
        ("accept-perf saxpy it's known, see #12", "accept-perf", ("saxpy", "it's known, see #12")),
        ('accept-perf "row sum/4096<2>" "quoted" reason', "accept-perf", ("row sum/4096<2>", '"quoted" reason')),
        ("accept-perf saxpy 'an open quotation", "accept-perf", ("saxpy", "'an open quotation")),
    ],
)  # fmt: skip
def test_a_command_is_read(said: str, verb: str, words: tuple[str, ...]) -> None:
    assert commands(f"/rocm-ci {said}") == (Command(verb=verb, words=words),)


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("rnu", "Did you mean `/rocm-ci run`?"),
        ("rerun", "Did you mean `/rocm-ci rerun-failed`?"),
        ("accept", "Did you mean `/rocm-ci accept-perf`?"),
        ("zzz", "`/rocm-ci help` lists the commands"),
        ("help me", "`/rocm-ci help`"),
        ("run unit tests", "A name with spaces stands in quotation marks"),
        ('run "unit', "a quotation mark is not closed"),
        ("run ''", "is no suite"),
        ("run -x", "is no suite"),
        ("run a;b", "`a;b` is no suite"),
        ("run $(id)", "`$(id)` is no suite"),
        ("run `id`", "is no suite"),
        ("run ../../x", "is no suite"),
        ("run ${{secrets.x}}", "is no suite"),
        ("run " + "a" * 81, "is no suite"),
        ("run ünit", "is no suite"),
        ("run a\u200bb", "is no suite"),
        ("ok-to-test abc1234", "is no commit"),
        ("ok-to-test " + "A" * 40, "is no commit"),
        ("explain", "explain needs an id"),
        ("explain ../../etc/passwd", "is no id"),
        ("explain A", "is no id"),
        ("accept-perf", "accept-perf needs a name"),
        ("accept-perf saxpy", "accept-perf needs a reason"),
        ("accept-perf saxpy ...", "is no reason"),
        ("accept-perf saxpy " + "a" * 501, "is no reason"),
        ("run " + "a" * 2000, "a command of 2013 characters"),
    ],
)
def test_a_mistake_is_explained(said: str, answer: str) -> None:
    found = commands(f"/rocm-ci {said}")

    assert isinstance(found, Mistake)
    assert answer in found.answer


def test_one_mistake_spoils_the_comment() -> None:
    assert isinstance(commands("/rocm-ci run\n/rocm-ci rnu"), Mistake)


def test_what_is_said_twice_is_done_once() -> None:
    assert commands("/rocm-ci run\n\n/rocm-ci  run") == (Command(verb="run"),)


def test_too_many_commands_are_one_mistake() -> None:
    assert len(commands("\n".join(f"/rocm-ci run s{n}" for n in range(MAX_COMMANDS)))) == MAX_COMMANDS  # type: ignore[arg-type]

    found = commands("/rocm-ci run\n" * (MAX_COMMANDS + 1))

    assert isinstance(found, Mistake)
    assert f"at most {MAX_COMMANDS}" in found.answer


@pytest.mark.attack("6", "a mention, a reference, HTML or our own marker in a wrong command")
@given(HOSTILE, st.sampled_from(["", "run ", "accept-perf ", "ok-to-test ", "explain "]))
def test_a_mistake_quotes_nothing_that_acts(text: str, verb: str) -> None:
    found = commands(f"/rocm-ci {verb}{text}")

    if isinstance(found, Mistake):
        assert acts(render(found.answer)) == []
        assert "<!-- rocm-ci" not in found.answer
        assert len(found.answer) < 1000


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=200), st.sampled_from(sorted(GRAMMAR)))
def test_whatever_is_taken_matches_its_alphabet_and_can_be_typed_again(text: str, verb: str) -> None:
    found = commands(f"/rocm-ci {verb} {text}")

    if isinstance(found, Mistake):
        return
    for command in found:
        for argument, word in zip(command.form.arguments, command.words, strict=False):
            assert argument.pattern.fullmatch(word)
        assert len(command.words) >= command.form.needed


@given(st.from_regex(PATTERN, fullmatch=True).filter(lambda name: name == " ".join(name.split())))
def test_every_name_of_the_configuration_can_be_asked_for(name: str) -> None:
    assert commands(f'/rocm-ci run "{name}"') == (Command(verb="run", words=(name,)),)
    assert commands(Command(verb="bench", words=(name,)).text) == (Command(verb="bench", words=(name,)),)


@pytest.mark.parametrize("form", GRAMMAR.values(), ids=GRAMMAR.keys())
def test_the_usage_of_each_command_names_its_arguments(form: Form) -> None:
    assert form.usage.startswith(f"/rocm-ci {form.verb}")
    assert len(form.usage.split()) == 2 + len(form.arguments)
    assert form.does
