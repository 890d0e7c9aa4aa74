"""Running build commands: what they get, what is kept of them, what stops them."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from rocm_ci.build import commands
from rocm_ci.config.options import BuildOptions
from rocm_ci.errors import ConfigError
from rocm_ci.log import Log
from rocm_ci.model.verdict import Verdict
from tests import fakes

if TYPE_CHECKING:
    from pathlib import Path


def target(root: Path) -> commands.Target:
    return commands.Target(root=root, archs=("gfx90a", "gfx942"), jobs=2)


def test_placeholders_are_filled_and_the_shell_is_strict(tmp_path: Path) -> None:
    run = fakes.FakeRunner(answers={"bash": (0, "fine\n")})

    (step,) = commands.run(
        fakes.context(tmp_path, run),
        [BuildOptions(name="lib", run="make -j{jobs} A='{arch;}'")],
        target(tmp_path),
    )

    assert run.calls == [(*commands.SHELL, "make -j2 A='gfx90a;gfx942'")]
    assert "-eo" in commands.SHELL
    assert step.verdict is Verdict.PASS
    assert step.excerpt is None
    assert (tmp_path / "out" / "logs" / "build-lib.log").read_text() == "fine\n"


def test_a_wrong_placeholder_stops_everything_before_anything_ran(tmp_path: Path) -> None:
    run = fakes.FakeRunner()
    steps = [BuildOptions(name="a", run="true"), BuildOptions(name="b", run="make {archs}")]

    with pytest.raises(ConfigError, match="build step 'b'") as caught:
        commands.run(fakes.context(tmp_path, run), steps, target(tmp_path))

    assert "{arch}" in caught.value.hint
    assert run.calls == []


def test_a_failed_step_keeps_its_reason_excerpt_and_diagnostics(tmp_path: Path) -> None:
    (tmp_path / "a.hip").touch()
    log = "hello\na.hip:1:2: error: bad \x1b[31mthing\n"
    run = fakes.FakeRunner(answers={"bash": (2, log)})

    steps = [BuildOptions(name="one two", run="make"), BuildOptions(name="b", run="true")]

    first, second = commands.run(fakes.context(tmp_path, run), steps, target(tmp_path))

    assert (first.verdict, first.exit_code, first.reason) == (Verdict.FAIL, 2, "a.hip:1: bad thing")
    assert first.log == "logs/build-one-two.log"
    assert first.excerpt == "hello\na.hip:1:2: error: bad thing"
    assert (second.verdict, second.reason) == (Verdict.SKIPPED, "not run, because one two did not succeed")


def test_output_is_fenced_in_a_workflow(tmp_path: Path) -> None:
    run = fakes.FakeRunner(answers={"bash": (0, "::set-output name=x::evil\n")})
    err = io.StringIO()
    context = replace(fakes.context(tmp_path, run), log=Log(out=io.StringIO(), err=err, actions=True))

    commands.run(context, [BuildOptions(name="a", run="make")], target(tmp_path))

    lines = err.getvalue().splitlines()
    at = next(i for i, line in enumerate(lines) if "evil" in line)
    assert any(line.startswith("::stop-commands::") for line in lines[:at])


def test_a_step_may_name_the_targets_through_its_environment(tmp_path: Path) -> None:
    run = fakes.FakeRunner(answers={"bash": (0, "")})
    bare = BuildOptions(name="a", run="hipcc -c a.hip")
    told = BuildOptions(name="a", run="hipcc -c a.hip", env={"HCC_AMDGPU_TARGET": "gfx90a"})

    refused, allowed = (
        commands.run(fakes.context(tmp_path, run), [step], target(tmp_path))[0] for step in (bare, told)
    )

    assert (refused.verdict, refused.exit_code) == (Verdict.FAIL, None)
    assert allowed.verdict is Verdict.PASS
    assert run.environments[0]["HCC_AMDGPU_TARGET"] == "gfx90a"


def test_steps_whose_names_look_alike_keep_their_own_logs(tmp_path: Path) -> None:
    run = fakes.FakeRunner(answers={"bash": (0, "")})
    steps = [BuildOptions(name=name, run="make") for name in ("a b", "a-b", "a b", "a")]

    done = commands.run(fakes.context(tmp_path, run), steps, target(tmp_path))

    assert [s.log for s in done] == [
        "logs/build-a-b.log",
        "logs/build-a-b~2.log",
        "logs/build-a-b~3.log",
        "logs/build-a.log",
    ]
