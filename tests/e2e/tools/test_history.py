"""The scripted history becomes a real repository, the same one everywhere."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rocm_ci.errors import UsageError
from rocm_ci.tools.history import lay_out
from rocm_ci.tools.process import ProcessRunner
from tests.repositories import Repository

EXAMPLE = Path("examples/saxpy").resolve()
ENV = {"PATH": os.environ["PATH"]}


def test_two_layouts_have_the_same_commits(tmp_path: Path) -> None:
    heads = []
    for name in ("one", "two"):
        lay_out(ProcessRunner(), EXAMPLE, tmp_path / name, ENV)
        heads.append(Repository(tmp_path / name).git("log", "--format=%H %s", "--all"))

    assert heads[0] == heads[1]
    assert heads[0].count("\n") == 2


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("x")

    with pytest.raises(UsageError, match="is not empty"):
        lay_out(ProcessRunner(), EXAMPLE, tmp_path, ENV)

    assert [p.name for p in tmp_path.iterdir()] == ["mine"]


@pytest.mark.parametrize("target", ["/dev/null", "/proc/no-such-place", "/dev/null/below"])
def test_a_place_that_is_no_folder_is_a_clear_error(target: str) -> None:
    with pytest.raises(UsageError, match="cannot be used as a folder") as caught:
        lay_out(ProcessRunner(), EXAMPLE, Path(target), ENV)

    assert caught.value.hint
