"""Real clones in all the shapes a runner meets: which lines a change adds, and what to say when git cannot tell."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from rocm_ci.cli import checkout
from rocm_ci.errors import EventError, GitError
from rocm_ci.model.changes import ChangeKind
from rocm_ci.model.event import Event, EventKind
from tests.repositories import Repository, repository


def pull_request(head: str, base: str) -> Event:
    return Event(kind=EventKind.PULL_REQUEST, head=head, base=base)


@pytest.fixture
def forked(tmp_path: Path) -> tuple[Repository, str, str, str]:
    """main: a → m; branch: a → h. Returns the repository, the fork point, main's tip, the head."""
    repo = repository(tmp_path / "repo")
    fork = repo.commit(a="1\n2\n3\n")
    repo.git("checkout", "-q", "-b", "change")
    head = repo.commit(a="1\nx\n3\n", b="new\n")
    repo.git("checkout", "-q", "main")
    tip = repo.commit(c="other\n")
    return repo, fork, tip, head


def test_the_head_itself_is_compared_with_the_merge_base_not_with_mains_tip(
    forked: tuple[Repository, str, str, str],
) -> None:
    repo, fork, tip, head = forked
    repo.git("checkout", "-q", head)

    located = checkout.locate(repo.port, pull_request(head, tip))

    assert located.event.merge_base == fork
    assert [(f.path, f.added) for f in located.changes.files] == [("a", ((2, 2),)), ("b", ((1, 1),))]


def test_a_merge_commit_is_compared_with_its_first_parent(forked: tuple[Repository, str, str, str]) -> None:
    repo, _, tip, head = forked
    repo.git("merge", "-q", "--no-ff", "-m", "merge", head)

    located = checkout.locate(repo.port, pull_request(head, tip))

    assert located.event.head == head
    assert located.event.merge_base == tip
    assert located.changes.paths == ("a", "b")


def shallow(repo: Repository, tmp_path: Path, ref: str) -> Repository:
    clone = tmp_path / "shallow"
    repo.git("clone", "-q", "--depth", "1", "--branch", ref, f"file://{repo.root}", str(clone))
    return Repository(clone)


@pytest.mark.parametrize("merged", [False, True])
def test_a_shallow_clone_is_an_error_that_names_the_cure(
    forked: tuple[Repository, str, str, str], tmp_path: Path, *, merged: bool
) -> None:
    repo, _, tip, head = forked
    if merged:
        repo.git("merge", "-q", "--no-ff", "-m", "merge", head)
    clone = shallow(repo, tmp_path, "main" if merged else "change")

    with pytest.raises(GitError, match="clone") as caught:
        checkout.locate(clone.port, pull_request(head, tip))

    assert "fetch-depth: 0" in caught.value.hint


@pytest.mark.parametrize("merged", [False, True])
def test_a_shallow_clone_is_deepened_where_that_is_allowed(
    forked: tuple[Repository, str, str, str], tmp_path: Path, *, merged: bool
) -> None:
    repo, fork, tip, head = forked
    if merged:
        repo.git("merge", "-q", "--no-ff", "-m", "merge", head)
    clone = shallow(repo, tmp_path, "main" if merged else "change")
    clone.git("remote", "set-branches", "origin", "*")

    located = checkout.locate(clone.port, pull_request(head, tip), deepen=True)

    assert located.event.merge_base == (tip if merged else fork)
    assert located.changes.paths == ("a", "b")


def test_a_checkout_of_something_else_is_refused(forked: tuple[Repository, str, str, str]) -> None:
    repo, _, tip, head = forked

    with pytest.raises(EventError, match="the event is about"):
        checkout.locate(repo.port, pull_request(head, tip))


def test_unrelated_histories_are_said_to_be_so(forked: tuple[Repository, str, str, str]) -> None:
    repo, _, tip, _ = forked
    repo.git("checkout", "-q", "--orphan", "island")
    head = repo.commit(z="1")

    with pytest.raises(GitError, match="no common ancestor") as caught:
        checkout.locate(repo.port, pull_request(head, tip))

    assert "unrelated" in caught.value.hint


def test_a_first_push_counts_the_whole_tree(forked: tuple[Repository, str, str, str]) -> None:
    repo, _, tip, _ = forked

    located = checkout.locate(repo.port, Event(kind=EventKind.PUSH, head=tip))

    assert located.changes.whole_tree
    assert located.changes.paths == ("a", "c")
    assert located.event.merge_base is None


def test_a_forced_push_whose_old_head_is_gone_counts_the_whole_tree_and_says_so(
    forked: tuple[Repository, str, str, str],
) -> None:
    repo, _, tip, _ = forked

    located = checkout.locate(repo.port, Event(kind=EventKind.PUSH, head=tip, base="9" * 40))

    assert located.changes.whole_tree
    assert "forced push" in located.notices[0]


def test_a_laptop_run_sees_the_working_tree_with_its_new_files(
    forked: tuple[Repository, str, str, str],
) -> None:
    repo, fork, _, _ = forked
    repo.git("checkout", "-q", "change")
    repo.write("a", "1\nx\n3\nmore\n")
    repo.write("fresh.hip", "y\n")
    repo.write(".gitignore", "ignored\n")
    repo.write("ignored", "z\n")

    located = checkout.local(repo.port, "main")

    assert located.event.merge_base == fork
    assert {f.path: f.added for f in located.changes.files if f.path in ("a", "fresh.hip")} == {
        "a": ((2, 2), (4, 4)),
        "fresh.hip": (),
    }
    assert "ignored" not in located.changes.paths
    assert "not committed" in located.notices[0]


def test_an_unknown_ref_is_a_clear_error(forked: tuple[Repository, str, str, str]) -> None:
    repo, *_ = forked

    for ref in ("no-such", "--output=/tmp/x", "-h"):
        with pytest.raises(GitError, match="no commit"):
            checkout.local(repo.port, ref)


def test_odd_names_links_submodules_and_renames_survive_the_real_git(tmp_path: Path) -> None:
    repo = repository(tmp_path / "repo")
    library = repository(tmp_path / "lib")
    library.commit(x="1")
    repo.write("old.py", "a\n" * 30)
    repo.write("gone", "a\n")
    base = repo.commit()
    names = [
        "with space.cu",
        'quote".cu',
        "new\nline.cu",
        "-leading.cu",
        "ümlaut.cu",
        "tab\t.cu",
        "back\\slash.cu",
    ]
    for name in names:
        repo.write(name, "x\n")
    (repo.root / "escape").symlink_to("/etc/passwd")
    (repo.root / "gone").unlink()
    (repo.root / "old.py").rename(repo.root / "new.py")
    repo.write("blob.bin", b"\x00\x01" * 100)
    repo.git(
        "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", f"file://{library.root}", "sub"
    )
    head = repo.commit()

    files = {f.path: f for f in checkout.locate(repo.port, pull_request(head, base)).changes.files}

    assert set(names) <= files.keys()
    assert all(files[n].added == ((1, 1),) for n in names)
    assert files["escape"].is_symlink
    assert files["sub"].is_submodule
    assert files["blob.bin"].is_binary
    assert files["gone"].kind is ChangeKind.DELETED
    assert (files["new.py"].kind, files["new.py"].old_path) == (ChangeKind.RENAMED, "old.py")


def test_a_hostile_git_configuration_in_the_checkout_is_not_obeyed(
    forked: tuple[Repository, str, str, str], tmp_path: Path
) -> None:
    repo, _, tip, head = forked
    trap = tmp_path / "trap"
    script = repo.write("evil.sh", f"#!/bin/sh\ntouch {trap}\n")
    script.chmod(0o755)
    for key in ("diff.external", "core.fsmonitor", "core.pager", "diff.x.textconv", "core.sshCommand"):
        repo.git("config", key, str(script))
    repo.write(".gitattributes", "* diff=x\n")
    repo.git("checkout", "-q", "-f", head)
    trap.unlink(missing_ok=True)

    checkout.locate(repo.port, pull_request(head, tip))
    checkout.local(repo.port, "main")

    assert not trap.exists()


def test_attributes_of_the_checkout_cannot_hide_added_lines(tmp_path: Path) -> None:
    repo = repository(tmp_path / "repo")
    base = repo.commit(a="1\n", **{"b.hip": "old\n"})
    repo.git("checkout", "-q", "-b", "change")
    hidden = {"-o :x.cpp": "cudaFree(0);\n", "b.hip": "old\nnew\n"}
    head = repo.commit(**{".gitattributes": "*.hip -diff\n*.cpp binary\n", **hidden}, image=b"\0\1\2\n" * 9)

    located = checkout.locate(repo.port, pull_request(head, base))

    found = {f.path: (f.is_binary, f.added) for f in located.changes.files}
    assert found["-o :x.cpp"] == (False, ((1, 1),))
    assert found["b.hip"] == (False, ((2, 2),))
    assert found["image"] == (True, ())


def test_a_worktree_comes_and_goes(forked: tuple[Repository, str, str, str], tmp_path: Path) -> None:
    repo, fork, _, _ = forked
    folder = tmp_path / "base tree"

    repo.port.add_worktree(folder, fork)
    assert (folder / "a").read_text() == "1\n2\n3\n"
    repo.port.remove_worktree(folder)

    assert not folder.exists()
    assert repo.git("worktree", "list").count("\n") == 0


def test_a_stray_nul_does_not_hide_a_file(tmp_path: Path) -> None:
    repo = repository(tmp_path / "repo")
    base = repo.commit(**{"a.hip": "int x;\n"})
    repo.write("a.hip", b"int x;\n// \x00\nint y;\n")
    repo.write("b.bin", b"\x00\x01\x02\x03" * 50)
    head = repo.commit()

    files = {f.path: f for f in checkout.locate(repo.port, pull_request(head, base)).changes.files}

    assert files["a.hip"].added == ((2, 3),)
    assert not files["a.hip"].is_binary
    assert files["b.bin"].is_binary


def test_a_dispatch_knows_its_base_by_branch_only_and_finds_it_in_the_clone(
    forked: tuple[Repository, str, str, str], tmp_path: Path
) -> None:
    repo, fork, tip, head = forked
    clone = tmp_path / "clone"
    repo.git("clone", "-q", f"file://{repo.root}", str(clone))
    cloned = Repository(clone)
    cloned.git("checkout", "-q", head)
    event = Event(kind=EventKind.WORKFLOW_DISPATCH, head=head, number=7, base_ref="main", is_fork=True)

    located = checkout.locate(cloned.port, event)

    assert (located.event.base, located.event.merge_base) == (tip, fork)
    with pytest.raises(GitError, match="refs/remotes/origin/gone"):
        checkout.locate(cloned.port, replace(event, base_ref="gone"))


def test_a_dispatch_that_checked_out_another_commit_than_its_input_is_refused(
    forked: tuple[Repository, str, str, str],
) -> None:
    repo, fork, tip, head = forked
    event = Event(kind=EventKind.WORKFLOW_DISPATCH, head=head, number=7, base=tip, is_fork=True)

    with pytest.raises(EventError, match=f"is at {tip[:12]}, but the event is about {head[:12]}"):
        checkout.locate(repo.port, event)
    repo.git("checkout", "-q", head)
    assert checkout.locate(repo.port, event).event.merge_base == fork
