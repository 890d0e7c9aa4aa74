"""The merge base, checked out apart and built as its own configuration says. Real git and bash."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
import pytest

from rocm_ci.build.base import BaseBuild, base_build
from rocm_ci.config.options import BuildOptions
from tests import require
from tests.build.project import Project

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.build

STEP = BuildOptions(name="of-head", run="touch made-by-head")


@pytest.fixture
def plain(tmp_path: Path) -> Project:
    """A project that needs no HIP compiler."""
    require.program("git", "apt-get install git")
    root = tmp_path / "checkout"
    root.mkdir()
    return Project(root=root, scratch=tmp_path / "scratch")


def built(project: Project) -> BaseBuild:
    return base_build(project.context(), project.job(STEP))


def test_a_base_without_configuration_is_built_as_the_head_is(plain: Project) -> None:
    plain.put("a", "base")
    plain.merge_base = plain.commit("base")

    base = built(plain)

    assert base.ok, base.reason
    assert (base.root / "made-by-head").is_file()


def test_a_base_whose_configuration_is_broken_is_built_as_the_head_is(plain: Project) -> None:
    plain.put(".github/rocm-ci.yml", "version: [")
    plain.merge_base = plain.commit("base")

    base = built(plain)

    assert base.ok, base.reason
    assert (base.root / "made-by-head").is_file()


def test_a_base_with_nothing_to_build_is_fine(plain: Project) -> None:
    plain.put(".github/rocm-ci.yml", "version: 1\n")
    plain.put("a.py", "")
    plain.merge_base = plain.commit("base")

    base = built(plain)

    assert (base.ok, base.reason) == (True, "nothing is to be built at the merge base")


def test_a_commit_that_is_not_there_is_a_reason_not_a_crash(plain: Project) -> None:
    plain.put("a", "")
    plain.commit("base")
    plain.merge_base = "c" * 40

    base = built(plain)

    assert not base.ok
    assert base.reason.startswith("the merge base cannot be checked out: ")


def test_without_a_merge_base_there_is_no_build(plain: Project) -> None:
    assert built(plain).reason == "there is no merge base"


def test_another_merge_base_is_built_anew(plain: Project) -> None:
    plain.put("a", "first")
    plain.merge_base = plain.commit("first")
    built(plain)
    plain.put("a", "second")
    plain.merge_base = plain.commit("second")

    assert (built(plain).root / "a").read_text() == "second"


def test_submodules_of_the_base_are_filled_from_the_head(plain: Project, tmp_path: Path) -> None:
    library = Project(root=tmp_path / "library", scratch=tmp_path)
    library.root.mkdir()
    library.put("lib.h", "1")
    library.commit("library")
    plain.put("a", "")
    plain.commit("first")
    add = ["git", "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library.root), "deps/lib"]
    subprocess.run(add, cwd=plain.root, check=True, capture_output=True)
    plain.merge_base = plain.commit("with a submodule")
    # What is left of a submodule's origin must not be needed.
    library.root.rename(tmp_path / "moved")
    job = plain.job(STEP)

    event = msgspec.structs.replace(job.event, head=plain.merge_base)

    base = base_build(plain.context(), replace(job, event=event))

    assert base.ok, base.reason
    assert (base.root / "deps/lib/lib.h").read_text() == "1"
