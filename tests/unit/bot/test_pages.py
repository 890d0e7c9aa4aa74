"""help and explain: complete, short enough for a comment, and nothing in them acts."""

from __future__ import annotations

import pytest

from rocm_ci import registry
from rocm_ci.bot import pages
from rocm_ci.bot.command import GRAMMAR
from rocm_ci.github.client import DeclinedError
from rocm_ci.report.rule_help import OWN
from tests.rendered import acts, render

RULES = sorted(path.stem for path in (registry.data_folder("rules") / "scan").glob("*/*.yaml"))


def test_help_lists_every_command() -> None:
    answer = pages.help_page().answer

    assert all(form.usage in answer and form.does in answer for form in GRAMMAR.values())
    assert len(render(answer).findall(".//tr")) == len(GRAMMAR) + 1


@pytest.mark.parametrize("rule", [*RULES[::12], *OWN, "cuda-header"])
def test_every_rule_is_explained(rule: str) -> None:
    answer = pages.explain(rule).answer

    assert rule in answer
    assert len(answer) < 8_000
    assert acts(render(answer)) == []


@pytest.mark.parametrize("rule", RULES)
def test_no_blank_of_a_message_is_left_open(rule: str) -> None:
    fix = pages.explain(rule).answer.partition("**Fix**: ")[2].partition("\n")[0]

    assert "{match}" not in fix
    assert "{replacement}" not in fix


def test_a_rule_is_explained_with_its_page() -> None:
    answer = pages.explain("cuda-header").answer

    assert "Include its HIP counterpart instead" in answer
    assert "/docs/rules/cuda-header.md)" in answer


def test_a_topic_lists_its_rules() -> None:
    assert "`cuda-install-path`" in pages.explain("hardcoded-path").answer


def test_an_unknown_name_is_answered_with_the_nearest_ones() -> None:
    with pytest.raises(DeclinedError) as caught:
        pages.explain("cuda-instal-path")

    assert "`cuda-install-path`" in caught.value.hint


def test_a_name_like_no_other_has_no_nearest_one() -> None:
    with pytest.raises(DeclinedError) as caught:
        pages.explain("0")

    assert caught.value.hint == ""
