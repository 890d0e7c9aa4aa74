from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocm_ci.launch import inputs
from rocm_ci.launch.machine import LaunchError

if TYPE_CHECKING:
    from pathlib import Path


def read(workspace: Path, **given: str) -> inputs.Inputs:
    named = {f"ROCM_CI_{name}": value for name, value in given.items()}
    return inputs.read({"GITHUB_WORKSPACE": str(workspace), **named})


def test_nothing_given_means_the_workspace_and_the_default_folder(tmp_path: Path) -> None:
    assert read(tmp_path) == inputs.Inputs(
        mode="auto", image="", config="", base="",
        workspace=tmp_path, directory=tmp_path, output=tmp_path / "rocm-ci-out",
    )  # fmt: skip


def test_paths_are_seen_from_where_their_author_stands(tmp_path: Path) -> None:
    (tmp_path / "src" / "ci").mkdir(parents=True)

    given = read(tmp_path, WORKING_DIRECTORY="src", CONFIG="ci/rocm.yml", OUTPUT="src/out")

    assert given.directory == tmp_path / "src"
    assert given.config == "ci/rocm.yml"
    assert given.output == tmp_path / "src" / "out"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"MODE": "dokcer"}, "input mode: 'dokcer' is unknown → use one of auto, native, docker"),
        ({"IMAGE": "--privileged"}, "input image: '--privileged' is no image name"),
        ({"IMAGE": "rocm/dev ubuntu"}, "is no image name"),
        ({"IMAGE": "rocm\nlatest"}, "is no image name"),
        ({"BASE": "--output=/"}, "is no revision"),
        ({"BASE": "main; id"}, "is no revision"),
        ({"WORKING_DIRECTORY": "../other"}, "input working-directory: '../other' leads out of"),
        ({"WORKING_DIRECTORY": "nowhere"}, "is no folder"),
        ({"CONFIG": "/etc/passwd"}, "input config: '/etc/passwd' leads out of"),
        ({"OUTPUT": "../out"}, "input output: '../out' leads out of"),
        ({"OUTPUT": "."}, "it holds the checkout itself"),
        ({"OUTPUT": "a,target=/etc"}, "characters that a mount cannot"),
        ({"OUTPUT": "a\n::error::b"}, "characters that a mount cannot"),
    ],
)
def test_a_wrong_input_is_named_with_what_to_write(tmp_path: Path, given: dict[str, str], words: str) -> None:
    with pytest.raises(LaunchError) as caught:
        read(tmp_path, **given)

    assert words in str(caught.value)
    assert caught.value.code == 2


def test_the_output_folder_cannot_hold_the_checkout(tmp_path: Path) -> None:
    (tmp_path / "src" / "project").mkdir(parents=True)

    with pytest.raises(LaunchError, match="it holds the checkout itself"):
        read(tmp_path, WORKING_DIRECTORY="src/project", OUTPUT="src")


def test_an_output_folder_that_is_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "rocm-ci-out").write_text("a file")

    with pytest.raises(LaunchError, match="is a file → name a folder"):
        read(tmp_path)


def test_a_link_that_the_pull_request_brought_leads_nowhere(tmp_path: Path) -> None:
    outside = tmp_path / "home"
    workspace = tmp_path / "workspace"
    outside.mkdir()
    workspace.mkdir()
    (workspace / "rocm-ci-out").symlink_to(outside)

    with pytest.raises(LaunchError, match="input output: 'rocm-ci-out' leads out of"):
        read(workspace)


@pytest.mark.parametrize(
    "image", ["rocm/dev-ubuntu-24.04:7.2.4-complete", "host:5000/a/b@sha256:" + "0" * 64]
)
def test_real_image_names_pass(tmp_path: Path, image: str) -> None:
    assert read(tmp_path, IMAGE=image).image == image


@pytest.mark.parametrize(
    "base", ["main", "origin/release-1.x", "HEAD~3", "v1.0^{}", "@{upstream}", "feature/a+b"]
)
def test_real_revisions_pass(tmp_path: Path, base: str) -> None:
    assert read(tmp_path, BASE=base).base == base
