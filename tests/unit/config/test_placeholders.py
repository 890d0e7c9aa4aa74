"""Placeholders: what is replaced, what is left to the shell, and what is refused."""

from __future__ import annotations

import pytest

from rocm_ci.config.placeholders import Value, fill, names
from rocm_ci.errors import ConfigError

VALUES: dict[str, Value] = {"arch": ("gfx90a", "gfx942"), "jobs": "4", "junit": "/out/a b/unit.xml"}


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("make -j{jobs}", "make -j4"),
        ("for a in {arch}; do", "for a in gfx90a gfx942; do"),
        ("cmake -DA={arch;} && make", r"cmake -DA=gfx90a\;gfx942 && make"),
        ("cmake '-DA={arch;}'", "cmake '-DA=gfx90a;gfx942'"),
        ('cmake "-DA={arch;}"', 'cmake "-DA=gfx90a;gfx942"'),
        ("cc --offload-arch={arch,}", "cc --offload-arch=gfx90a,gfx942"),
        ("pytest --junitxml={junit}", r"pytest --junitxml=/out/a\ b/unit.xml"),
        ('pytest --junitxml="{junit}"', 'pytest --junitxml="/out/a b/unit.xml"'),
        (r"echo 'a\' {junit}", r"echo 'a\' /out/a\ b/unit.xml"),
        (r"echo \" {junit}", r"echo \" /out/a\ b/unit.xml"),
    ],
)
def test_a_value_reads_back_as_it_is_wherever_it_stands(template: str, expected: str) -> None:
    assert fill(template, VALUES, option="test[unit].run") == expected


@pytest.mark.parametrize(
    "text",
    [
        "echo ${jobs} ${HOME}",
        "{ make; ctest; }",
        "awk '{print $1}' x | awk '{print}' | awk '{exit;}'",
        "cp x{,.bak} y.{c,h}",
        "docker ps --format '{{jobs}}'",
        r"printf \{jobs\}",
        "find . -exec rm {} +",
        "f() { :; }; f",
    ],
)
def test_braces_of_the_shell_and_of_other_tools_stay_untouched(text: str) -> None:
    assert fill(text, VALUES, option="build[x].run") == text


@pytest.mark.parametrize(
    ("wrong", "right"),
    [("job", "jobs"), ("archs", "arch"), ("JUNIT", "junit"), ("jobs;", "jobs"), ("junitxml", "junit")],
)
def test_a_misspelt_placeholder_is_an_error_that_names_the_right_one(wrong: str, right: str) -> None:
    with pytest.raises(ConfigError, match=r"test\[unit\].run: there is no placeholder") as caught:
        fill(f"x {{{wrong}}}", VALUES, option="test[unit].run")

    assert f"did you mean {{{right}}}?" in caught.value.hint


@pytest.mark.parametrize("nasty", ["$(id)", "`id`", "a'b", 'a"b', "a;b", "a\nb", "*", "~", "a\\b"])
@pytest.mark.parametrize("around", ["{junit}", "'{junit}'", '"{junit}"'])
def test_a_value_cannot_break_out_of_its_place(nasty: str, around: str) -> None:
    import shlex

    filled = fill(around, {"junit": nasty}, option="o")

    if "$'" not in filled:  # shlex does not know $'…'
        assert shlex.split(filled.replace(r"\$", "$").replace(r"\`", "`")) == [nasty]


def test_names_tells_which_placeholders_a_command_has() -> None:
    assert names("ctest --output-junit {junit} -j{jobs} ${arch}") == {"junit", "jobs"}
