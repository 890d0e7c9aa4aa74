"""The hook under the real pre-commit: the lines that a commit adds are scanned, no others.

What pre-commit would install by itself (`language: python`) is our own checkout here: the hook's entry
is taken from `.pre-commit-hooks.yaml` and run with `language: system`, so nothing is downloaded.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

from tests import require
from tests.e2e.command import scrubbed
from tests.repositories import Repository, repository

if TYPE_CHECKING:
    from collections.abc import Callable

HOOKS = Path(__file__).parents[2] / ".pre-commit-hooks.yaml"
OLD = "int a = cudaFree(0);\n"
NEW = "int b = cudaMalloc(0, 1);\n"


def hook(name: str) -> dict[str, object]:
    found: dict[str, object] = next(h for h in yaml.safe_load(HOOKS.read_text()) if h["id"] == name)
    assert str(found["entry"]).startswith("rocm-ci ")
    entry = f"{sys.executable} -m rocm_ci {str(found['entry']).removeprefix('rocm-ci ')}"
    return {**found, "entry": entry, "language": "system"}


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    made = repository(tmp_path / "repo")
    config = {"repos": [{"repo": "local", "hooks": [hook("rocm-ci-scan")]}]}
    made.commit(**{"src/a.cpp": OLD, ".pre-commit-config.yaml": yaml.safe_dump(config)})
    return made


@pytest.fixture
def pre_commit(repo: Repository, tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    try:
        import pre_commit  # type: ignore[import-untyped]  # noqa: F401
    except ImportError:
        require.missing("pre-commit", "pip install pre-commit")

    def run(*args: str) -> subprocess.CompletedProcess[str]:
        env = scrubbed(
            PRE_COMMIT_HOME=str(tmp_path / "home"),
            PYTHONPATH=str(HOOKS.parent),
            GIT_CONFIG_GLOBAL="/dev/null",
        )
        command = [sys.executable, "-m", "pre_commit", "run", *args]
        return subprocess.run(
            command, cwd=repo.root, env=env, capture_output=True, text=True, timeout=300, check=False
        )

    return run


def test_added_lines_are_scanned_and_old_ones_are_not(
    repo: Repository, pre_commit: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    repo.write("src/a.cpp", OLD + NEW)
    repo.git("add", "-A")
    done = pre_commit()

    assert done.returncode == 1, done.stdout + done.stderr
    assert "src/a.cpp:2:9: error cuda-runtime-api" in done.stdout
    assert "src/a.cpp:1:" not in done.stdout


def test_lines_that_are_not_staged_do_not_count(
    repo: Repository, pre_commit: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    repo.write("src/a.cpp", OLD + "int fine;\n")
    repo.git("add", "-A")
    repo.write("src/a.cpp", OLD + "int fine;\n" + NEW)

    assert pre_commit().returncode == 0


def test_odd_names_deleted_files_and_links_do_no_harm(
    repo: Repository, pre_commit: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    repo.git("rm", "-q", "src/a.cpp")
    (repo.root / "-rf x.cpp").write_text(NEW)
    (repo.root / "new\nline ü.cpp").write_text(NEW)
    (repo.root / "link.cpp").symlink_to("/etc/hostname")
    repo.git("add", "-A")
    done = pre_commit()

    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout.count("error cuda-runtime-api") == 2


def test_from_ref_means_the_commits_since_then(
    repo: Repository, pre_commit: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    first = repo.git("rev-parse", "HEAD")
    repo.commit(**{"src/a.cpp": OLD + NEW})
    done = pre_commit("--from-ref", first, "--to-ref", "HEAD")

    assert done.returncode == 1
    assert "src/a.cpp:2:9: error cuda-runtime-api" in done.stdout
    assert "src/a.cpp:1:" not in done.stdout


def test_the_other_hook_scans_whole_files(
    repo: Repository, pre_commit: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    config = {"repos": [{"repo": "local", "hooks": [hook("rocm-ci-scan-files")]}]}
    repo.commit(**{".pre-commit-config.yaml": yaml.safe_dump(config)})
    done = pre_commit("--all-files")

    assert done.returncode == 1
    assert "src/a.cpp:1:9: error" in done.stdout


def test_the_hooks_are_valid_for_pre_commit(tmp_path: Path) -> None:
    try:
        from pre_commit.clientlib import load_manifest  # type: ignore[import-untyped]
    except ImportError:
        require.missing("pre-commit", "pip install pre-commit")

    assert [h["id"] for h in load_manifest(str(HOOKS))] == ["rocm-ci-scan", "rocm-ci-scan-files"]
