"""The page of the bot and its workflow say what the program does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from rocm_ci.bot import manners, parse
from rocm_ci.bot.command import GRAMMAR, Form
from rocm_ci.bot.scene import DEFAULT_WORKFLOW

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/bot.md").read_text()
WORKFLOW: dict[Any, Any] = yaml.safe_load((ROOT / "docs/workflows/bot.yml").read_text())
ACTION = yaml.safe_load((ROOT / "bot/action.yml").read_text())


@pytest.mark.parametrize("form", GRAMMAR.values(), ids=GRAMMAR.keys())
def test_the_page_lists_every_command_as_it_is_written(form: Form) -> None:
    assert f"| `{form.usage}` |" in PAGE


def test_the_page_says_the_limits_as_they_are() -> None:
    words = {3: "three", 5: "five", 20: "twenty", 3600: "hour"}

    assert f"Up to {words[parse.MAX_COMMANDS]} commands" in PAGE
    assert f"answered {words[manners.MOST_OF_STRANGERS]} times an {words[manners.WINDOW_S]}" in PAGE
    assert f"{words[manners.MOST]} comments with commands an {words[manners.WINDOW_S]}" in PAGE.replace(
        "\n", " "
    )


def test_the_page_and_the_action_name_the_same_workflow() -> None:
    assert ACTION["inputs"]["workflow"]["default"] == DEFAULT_WORKFLOW
    assert f"`{DEFAULT_WORKFLOW}`" in PAGE


def test_the_bot_listens_to_new_comments_and_buttons_only() -> None:
    # YAML 1.1 reads the key `on` as true.
    assert WORKFLOW[True] == {
        "issue_comment": {"types": ["created"]},
        "check_run": {"types": ["requested_action", "rerequested"]},
    }


@pytest.mark.attack("9", "a comment's text that reaches a shell")
def test_no_word_of_a_stranger_stands_in_a_script_or_an_input() -> None:
    (job,) = WORKFLOW["jobs"].values()

    assert job["steps"] == [{"uses": "org/rocm-ci/bot@v1"}]
    assert not re.search(r"\$\{\{", "".join(step["run"] for step in ACTION["runs"]["steps"]))
    assert "body" not in str(WORKFLOW["concurrency"])


def test_the_page_grants_what_the_workflow_grants() -> None:
    (job,) = WORKFLOW["jobs"].values()

    listed = dict(re.findall(r"^\| `([a-z-]+): (read|write)` \|", PAGE, re.MULTILINE))
    assert listed == job["permissions"]


def test_the_run_workflow_takes_what_the_bot_sends() -> None:
    run = yaml.safe_load((ROOT / "docs/workflows/fork-safe-run.yml").read_text())

    assert list(run[True]["workflow_dispatch"]["inputs"]) == ["number", "head", "suite", "bench", "base"]
    assert "rocm-ci #{0} {1} {2}{3}" in run["run-name"]
