"""What a change wrote into `.git` inside of its container starts nothing on the host."""

from __future__ import annotations

import contextlib
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

    # A file that leads nowhere: where there is nothing git would take a folder with a HEAD for a repository.
    assert (checkout / ".git").read_text() == "gitdir: /dev/null/taken-away-by-rocm-ci\n"
    assert (checkout / "src/a.hip").exists()


NESTED = {
    "a submodule that is not checked out": "deps/empty",
    "a folder that was not there": "build/_deps/x",
    "the checkout of another step": "other",
    "the inside of a submodule": "ext/lib/third",
}


@pytest.mark.attack("16", "a change in a container that makes a repository where git will look")
@pytest.mark.parametrize("where", NESTED.values(), ids=NESTED.keys())
def test_a_repository_inside_of_the_checkout_is_no_trap(
    checkout: Path, where: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (checkout / "deps/empty").mkdir(parents=True)
    (checkout / "other/.git").mkdir(parents=True)
    (checkout / "other/.git/config").write_text(CONFIG)
    before, kept = tree(checkout), repository.keep(checkout)
    (checkout / where / ".git").mkdir(parents=True, exist_ok=True)
    (checkout / where / ".git/config").write_text(TRAP)
    (checkout / where / ".git/HEAD").write_text("ref: refs/heads/x")

    repository.put_back(kept)

    assert TRAP not in tree(checkout).values()
    assert {**tree(checkout), "other/.git/HEAD": ""} == {**before, "other/.git/HEAD": ""}
    assert "the run has" in capsys.readouterr().out


@pytest.mark.attack("16", "a change in a container that leads us to a repository of the machine")
def test_a_repository_outside_is_not_touched(checkout: Path) -> None:
    outside = checkout.parent / "outside/.git"
    outside.mkdir(parents=True)
    (outside / "config").write_text("theirs")
    (checkout / "other/.git").mkdir(parents=True)
    (checkout / "deps").mkdir()
    kept = repository.keep(checkout)
    for name in ("other", "deps"):
        (checkout / name).rename(checkout / f"{name}-away")
        (checkout / name).symlink_to(outside.parent)

    repository.put_back(kept)

    assert tree(outside) == {"config": "theirs"}
    assert not (checkout / "other-away/.git").exists()


def test_a_link_to_a_submodule_costs_it_nothing(checkout: Path) -> None:
    (checkout / "deps").mkdir()
    kept = repository.keep(checkout)
    (checkout / "deps").rmdir()
    (checkout / "deps").symlink_to("ext/lib")

    repository.put_back(kept)

    assert (checkout / "ext/lib/.git").exists()
    assert (checkout / ".git/config").read_text() == CONFIG


@pytest.mark.parametrize("rights", [0o000, 0o500])
def test_a_folder_without_rights_is_no_way_to_keep_it(checkout: Path, rights: int) -> None:
    kept = repository.keep(checkout)
    (checkout / ".git/config").write_text(TRAP)
    inner = checkout / ".git/x/y"
    inner.mkdir(parents=True)
    (inner / "z").touch()
    for folder in (inner, inner.parent, checkout / ".git"):
        folder.chmod(rights)

    with contextlib.suppress(PermissionError):  # for root there are no rights
        repository.put_back(kept)

    assert TRAP not in tree(checkout).values()


@pytest.mark.attack("17", "a change in a container that leaves a .git which cannot be put back")
def test_what_cannot_be_put_back_is_no_silent_success(checkout: Path) -> None:
    kept = repository.keep(checkout)
    (checkout / ".git/config").unlink()
    (checkout / ".git/config").mkdir()

    with pytest.raises(FileExistsError):
        repository.put_back(kept)

    assert (checkout / ".git").is_file()


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


def test_a_worktree_stays_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    workspace = Path(os.path.realpath(tmp_path))
    (workspace / ".git").write_text("gitdir: elsewhere\n")

    repository.put_back(repository.keep(workspace))

    assert tree(workspace) == {".git": "gitdir: elsewhere\n"}
    assert capsys.readouterr().out == ""
