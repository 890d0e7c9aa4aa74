"""The only writer: what comes from a pull request can neither steer the terminal nor the workflow."""

from __future__ import annotations

import io
import re

import pytest

from rocm_ci.log import Log, printable


def written(*, actions: bool = False, colour: bool = False, verbose: bool = False) -> tuple[Log, io.StringIO]:
    err = io.StringIO()
    return Log(out=io.StringIO(), err=err, actions=actions, colour=colour, verbose=verbose), err


@pytest.mark.attack("7", "terminal escapes in what we log")
def test_control_characters_do_not_reach_the_terminal() -> None:
    assert printable("a\x1b[31mred\x9b\x07\x7f\r\tb\nc") == "a[31mred\tb\nc"


@pytest.mark.attack("7", "workflow commands printed by a command of the change")
def test_untrusted_output_is_fenced_with_a_token_nobody_knows() -> None:
    log, err = written(actions=True)
    with log.untrusted():
        log.output("::set-env name=X::y")

    lines = err.getvalue().splitlines()
    token = re.fullmatch(r"::stop-commands::([0-9a-f]{32})", lines[0])
    assert token is not None
    assert lines[1:] == ["  ::set-env name=X::y", f"::{token[1]}::"]


@pytest.mark.attack("7", "a workflow command in a name that we tell")
@pytest.mark.parametrize("name", ["::error::x", "a\n::stop-commands::y", "  ::add-mask::z", "##[error]x"])
def test_a_line_of_progress_is_no_command(name: str) -> None:
    log, err = written(actions=True)
    log.info(name)

    assert not [
        line for line in err.getvalue().splitlines() if line.lstrip().startswith("::") or "##[" in line
    ]


def test_the_fence_is_closed_when_the_inside_fails() -> None:
    log, err = written(actions=True)
    try:
        with log.untrusted():
            raise ValueError
    except ValueError:
        pass

    first, last = err.getvalue().splitlines()
    assert last == f"::{first.removeprefix('::stop-commands::')}::"


def test_a_step_is_a_group_in_a_workflow_and_ends_even_after_an_error() -> None:
    log, err = written(actions=True)
    try:
        with log.step("build"):
            raise ValueError
    except ValueError:
        pass

    assert err.getvalue().startswith("::group::build\n")
    assert err.getvalue().endswith("::endgroup::\n")


def test_an_error_says_what_to_do_next() -> None:
    log, err = written()
    log.error("no such file", "check the path")

    assert err.getvalue() == "error: no such file\n  → check the path\n"


def test_output_of_children_is_quiet_on_a_terminal_unless_asked_for() -> None:
    quiet, silent = written()
    loud, heard = written(verbose=True)
    quiet.output("x")
    loud.output("x")

    assert (silent.getvalue(), heard.getvalue()) == ("", "  x\n")


def test_a_line_of_a_shard_carries_its_name_once() -> None:
    log, err = written()
    shard = log.named("unit [2/8]")
    for line in ("unit: 2 failed test(s) again, alone", "unit [2/8]: pass", "kept", "united: no"):
        shard.info(line)

    assert err.getvalue().splitlines() == [
        "unit [2/8]: 2 failed test(s) again, alone",
        "unit [2/8]: pass",
        "unit [2/8]: kept",
        "unit [2/8]: united: no",
    ]
