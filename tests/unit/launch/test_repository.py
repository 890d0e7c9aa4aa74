"""What a change wrote into `.git` inside of its container starts nothing on the host."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rocm_ci.launch import repository

if TYPE_CHECKING:
    from collections.abc import Callable

CONFIG = "[core]\n\tbare = false\n"
TRAP = "[core]\n\tfsmonitor = ./evil\n"
MODULE = "[core]\n\tworktree = ../../../ext/lib\n"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with a hook and a submodule."""
    folder = Path(os.path.realpath(tmp_path)) / "checkout"
    for name, text in {
        ".git/config": CONFIG,
        ".git/HEAD": "ref: refs/heads/main\n",
        ".git/index": "DIRC",
        ".git/hooks/pre-push.sample": "#!/bin/sh\n",
        ".git/objects/pack/a.pack": "PACK",
        ".git/modules/lib/config": MODULE,
        ".git/modules/lib/HEAD": "1" * 40,
        ".git/modules/lib/objects/info/packs": "",
        "ext/lib/.git": "gitdir: ../../.git/modules/lib\n",
        "src/a.hip": "",
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def tree(folder: Path) -> dict[str, str]:
    paths = (Path(at) / name for at, _, names in os.walk(folder) for name in names)
    return {p.relative_to(folder).as_posix(): p.read_text() for p in paths}


def hook(checkout: Path) -> None:
    path = checkout / ".git/hooks/post-checkout"
    path.write_text("#!/bin/sh\n" + "#" * 2_000_000)
    path.chmod(0o755)


def runnable(checkout: Path) -> None:
    (checkout / ".git/hooks/pre-push.sample").rename(checkout / ".git/hooks/pre-push")


def elsewhere(checkout: Path) -> None:
    (checkout / ".git/config").unlink()
    (checkout / ".git/config").symlink_to("../evil")


def filtered(checkout: Path) -> None:
    (checkout / ".git/info").mkdir()
    (checkout / ".git/info/attributes").write_text("* filter=x")


def linked(checkout: Path) -> None:
    (checkout / "hooks").mkdir()
    (checkout / ".git/hooks/pre-push.sample").unlink()
    (checkout / ".git/hooks").rmdir()
    (checkout / ".git/hooks").symlink_to("../hooks")


ATTACKS: dict[str, Callable[[Path], object]] = {
    "a program in the configuration": lambda c: (c / ".git/config").write_text(TRAP),
    "a configuration that is a link": elsewhere,
    "the configuration of a submodule": lambda c: (c / ".git/modules/lib/config").write_text(MODULE + TRAP),
    "a second configuration": lambda c: (c / ".git/config.worktree").write_text(TRAP),
    "another common folder": lambda c: (c / ".git/commondir").write_text("../evil"),
    "filters for every file": filtered,
    "one more submodule": lambda c: (c / ".git/index").write_text("DIRC evil"),
    "a hook of two megabytes": hook,
    "a hook that was an example": runnable,
    "a folder of hooks that leads elsewhere": linked,
    "a configuration of a terabyte": lambda c: os.truncate(c / ".git/config", 1 << 40),
    "a pipe": lambda c: os.mkfifo(c / ".git/info-pipe"),
}


@pytest.mark.attack("16", "a change in a container that lets git start a program on the host")
@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS.keys())
def test_what_git_would_run_on_the_host_is_as_before(
    checkout: Path, attack: Callable[[Path], object], capsys: pytest.CaptureFixture[str]
) -> None:
    before, kept = tree(checkout / ".git"), repository.keep(checkout)
    attack(checkout)

    repository.put_back(kept)

    assert tree(checkout / ".git") == before
    assert not (checkout / ".git/hooks").is_symlink()
    assert ("that was undone" in capsys.readouterr().out) is (attack is not ATTACKS["one more submodule"])


@pytest.mark.attack(
    "16", "a change in a container that puts another repository in the place of the checkout's"
)
@pytest.mark.parametrize("where", [".git", "ext/lib/.git", "ext/lib", "ext"])
def test_a_repository_that_is_another_one_goes(checkout: Path, where: str) -> None:
    kept = repository.keep(checkout)
    (checkout / where).rename(checkout / "away")
    (checkout / where).symlink_to(checkout / "away")

    repository.put_back(kept)

    assert not os.path.lexists(checkout / ".git")
    assert (checkout / "src/a.hip").exists()


@pytest.mark.parametrize("rights", [0o000, 0o500])
def test_a_folder_without_rights_is_no_way_to_keep_it(checkout: Path, rights: int) -> None:
    kept = repository.keep(checkout)
    (checkout / ".git/config").write_text(TRAP)
    (checkout / ".git").chmod(rights)

    repository.put_back(kept)

    assert TRAP not in tree(checkout).values()


def test_commits_that_the_run_fetched_stay(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = repository.keep(checkout)
    for name in ("objects/pack/b.pack", "refs/remotes/origin/main", "FETCH_HEAD", "worktrees/base/HEAD"):
        path = checkout / ".git" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    before = tree(checkout)

    repository.put_back(kept)

    assert tree(checkout) == before
    assert capsys.readouterr().out == ""


def test_without_a_repository_there_is_nothing_to_keep(tmp_path: Path) -> None:
    assert repository.keep(tmp_path) is None
    (tmp_path / ".git").write_text("gitdir: elsewhere\n")
    assert repository.keep(tmp_path) is None
    repository.put_back(None)
