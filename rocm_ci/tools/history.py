"""Lays a scripted git history out as a real repository: the example, and repositories of tests."""

from __future__ import annotations

import shutil
from fnmatch import fnmatch
from typing import TYPE_CHECKING

import msgspec
import yaml

from rocm_ci.errors import GitError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from rocm_ci.tools.process import Runner


class Commit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One commit: the files of `folder` that match `only`, laid over the commit before."""

    branch: str
    message: str
    folder: str
    only: tuple[str, ...] = ("**",)


class PullRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a hosting service would call the last branch."""

    number: int
    title: str
    base: str
    head: str


class History(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """A whole script. Author and date are fixed, so that commit names are the same everywhere."""

    author: str
    date: str
    commits: tuple[Commit, ...]
    pull_request: PullRequest


def load(folder: Path) -> History:
    """Read `folder/history.yaml`."""
    try:
        return msgspec.convert(yaml.safe_load((folder / "history.yaml").read_text(encoding="utf-8")), History)
    except (OSError, yaml.YAMLError, msgspec.ValidationError) as error:
        message = f"{folder / 'history.yaml'}: {error}"
        raise UsageError(message, hint="see examples/saxpy/history.yaml") from error


def lay_out(run: Runner, source: Path, target: Path, environment: dict[str, str]) -> History:
    """Write the history of `source` into the empty folder `target` and check the last branch out."""
    history = load(source)
    try:
        target.mkdir(parents=True, exist_ok=True)
        is_empty = not any(target.iterdir())
    except OSError as error:
        message = f"{target} cannot be used as a folder: {error.strerror}"
        raise UsageError(message, hint="check its permissions, or name another") from error
    if not is_empty:
        message = f"{target} is not empty"
        raise UsageError(message, hint="name a new folder")
    name, _, mail = history.author.rstrip(">").partition(" <")
    env = environment | {
        f"GIT_{who}_{what}": value
        for who in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", name), ("EMAIL", mail), ("DATE", history.date))
    }
    env |= {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}

    def git(*args: str) -> None:
        done = run.capture(["git", "-c", "safe.directory=*", *args], cwd=target, env=env)
        if done.exit_code:
            message = f"git {args[0]} failed in {target}: {done.error_text.strip()[-300:]}"
            raise GitError(message, hint="check that git 2.28 or newer is installed")

    git("init", "-q", "-b", history.commits[0].branch)
    branch = history.commits[0].branch
    for commit in history.commits:
        if commit.branch != branch:
            git("checkout", "-q", "-b", commit.branch)
            branch = commit.branch
        _copy(source / commit.folder, target, commit.only)
        git("add", "-A")
        git("commit", "-q", "--no-gpg-sign", "-m", commit.message)
    return history


def _copy(folder: Path, target: Path, only: tuple[str, ...]) -> None:
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        if path.is_file() and any(fnmatch(relative.as_posix(), pattern) for pattern in only):
            (target / relative).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target / relative)
