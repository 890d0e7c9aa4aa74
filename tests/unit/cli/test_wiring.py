"""What commands read and hand down: bounded, and without what a stranger must not see."""

from __future__ import annotations

from pathlib import Path

import pytest

from rocm_ci.cli.wiring import child_environment, read_bytes, run_name, state_folder, sysroot
from rocm_ci.errors import UsageError


def test_a_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"12345")

    assert read_bytes(path, "the file", limit=5) == b"12345"
    with pytest.raises(UsageError, match="over the limit of 4 bytes"):
        read_bytes(path, "the file", limit=4)


def test_a_device_without_an_end_is_over_the_limit() -> None:
    with pytest.raises(UsageError, match="over the limit"):
        read_bytes(Path("/dev/zero"), "the diff", limit=1000)


@pytest.mark.parametrize("name", [".", "absent", "absent/below"])
def test_what_cannot_be_read_is_a_usage_error_with_advice(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="cannot be read") as caught:
        read_bytes(tmp_path / name, "the file")

    assert caught.value.hint


def test_children_get_no_token_and_the_platform_of_amd() -> None:
    given = {
        "PATH": "/bin",
        "GITHUB_TOKEN": "a",
        "NPM_TOKEN": "b",
        "GITHUB_ENV": "c",
        "HIP_PLATFORM": "nvidia",
    }

    kept = child_environment(given)

    assert kept["PATH"] == "/bin"
    assert kept["HIP_PLATFORM"] == "amd"
    assert not {"GITHUB_TOKEN", "NPM_TOKEN", "GITHUB_ENV"} & kept.keys()


def test_a_run_says_to_others_which_it_is() -> None:
    assert run_name({"GITHUB_REPOSITORY": "org/repo", "GITHUB_RUN_ID": "12"}) == "org/repo run 12"
    assert run_name({"GITHUB_REPOSITORY": "org/repo"}) == f"local run in {Path.cwd().name}"


@pytest.mark.parametrize(
    ("env", "folder"),
    [
        ({"ROCM_CI_STATE": "/s", "XDG_STATE_HOME": "/x", "HOME": "/h"}, "/s"),
        ({"XDG_STATE_HOME": "/x", "HOME": "/h"}, "/x/rocm-ci"),
        ({"HOME": "/h"}, "/h/.local/state/rocm-ci"),
        ({}, "/var/tmp/.local/state/rocm-ci"),
    ],
)
def test_state_lies_where_the_runner_says_or_where_such_things_lie(env: dict[str, str], folder: str) -> None:
    assert state_folder(env) == Path(folder)


def test_a_machine_is_pretended_only_when_asked_for() -> None:
    assert sysroot({}) == sysroot({"ROCM_CI_SYSROOT": ""}) == Path("/")
    assert sysroot({"ROCM_CI_SYSROOT": "/tree"}) == Path("/tree")
