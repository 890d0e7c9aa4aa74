"""Shell commands: which programs they start, where, with which options."""

from __future__ import annotations

import pytest

from rocm_ci.runners.shell import insert, simple_commands


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("a b", [["a", "b"]]),
        ("a && b || c; d | e\nf", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]]),
        ("X=1 Y='a b' a c=d", [["a", "c=d"]]),
        ("a 'b; c' \"d && e\" f\\ g", [["a", "b; c", "d && e", "f g"]]),
        ("(cd x && a) 2>&1", [["cd", "x"], ["a"]]),
        ("a # b && c\nd", [["a"], ["d"]]),
        ("a \\\n  b", [["a", "b"]]),
        ("a 'not closed", [["a", "not", "closed"]]),
        ("", []),
    ],
)
def test_words_of_each_simple_command(command: str, words: list[list[str]]) -> None:
    assert [[word.text for word in simple.words] for simple in simple_commands(command)] == words


def test_a_plain_cd_chooses_the_folder_of_what_follows() -> None:
    folders = [s.folder for s in simple_commands("a; cd build && b && cd sub && c; cd $X && d")]

    assert folders == ["", "", "build", "build", "build/sub", "build/sub", "build/sub"]


@pytest.mark.parametrize("text", ["t --out=x", "t --out x", "t --out y --out=x"])
def test_the_last_value_of_an_option_counts(text: str) -> None:
    assert simple_commands(text)[0].option("--out") == "x"


def test_words_are_put_right_behind_a_word() -> None:
    command = "cd b && ctest -j2; true"
    word = simple_commands(command)[1].words[0]

    assert insert(command, word, "--new") == "cd b && ctest --new -j2; true"
