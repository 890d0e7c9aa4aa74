"""Workflow commands: whatever the text, one line comes out, and it is the command we meant."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocm_ci.github import commands

TEXT = st.text(st.characters(codec="utf-8"))


@given(TEXT, TEXT)
def test_a_command_is_one_line_and_its_parts_come_back(message: str, file: str) -> None:
    made = commands.command("error", message, file=file, line=3)

    assert "\n" not in made
    assert "\r" not in made
    properties, shown = re.fullmatch(r"::error (.*?)::(.*)", made, re.DOTALL).groups()  # type: ignore[union-attr]
    assert dict(p.split("=", 1) for p in properties.split(",")) == {
        "file": commands.escape_property(file),
        "line": "3",
    }
    assert decoded(shown) == message[: commands.MESSAGE_LIMIT]


def decoded(text: str) -> str:
    return text.replace("%0A", "\n").replace("%0D", "\r").replace("%25", "%")


@pytest.mark.attack("7", "`::set-output`, `::add-mask` and `::error` in a message of ours")
def test_a_forged_command_stays_text() -> None:
    assert commands.command("warning", "x\n::set-output name=a::b") == "::warning::x%0A::set-output name=a::b"


def test_properties_without_a_value_are_left_out() -> None:
    assert commands.command("notice", "m", file=None, end_line=4) == "::notice endline=4::m"


@pytest.mark.attack("8", "an output whose value ends its own block")
def test_an_output_value_cannot_end_its_own_block(tmp_path: Path) -> None:
    path = tmp_path / "out"
    commands.append_output(path, "verdict", "fail\nEOF\nadmin=true")
    commands.append_output(path, "report", "r.json")

    text = path.read_text()
    blocks = re.findall(r"^(\w+)<<(rocm_ci_[0-9a-f]{32})\n(.*?)\n\2\n", text, re.DOTALL | re.MULTILINE)
    assert [(name, value) for name, _, value in blocks] == [
        ("verdict", "fail\nEOF\nadmin=true"),
        ("report", "r.json"),
    ]
    assert len({delimiter for _, delimiter, _ in blocks}) == 2


def test_stop_tokens_differ() -> None:
    assert len({commands.stop_token() for _ in range(100)}) == 100
