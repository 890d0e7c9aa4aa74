"""What we ask git. Every call is hardened: no pager, no hooks, no configuration of the checkout."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.errors import GitError
from rocm_ci.tools.process import NOT_FOUND, Captured, Runner

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

# A checkout is hostile: its .git/config could name a pager, an external diff or a fsmonitor.
# `safe.directory` is needed when a container sees a checkout of another user.
_HARDENED = (
    "--no-pager",
    "--no-replace-objects",
    "-c", "core.fsmonitor=false",
    "-c", "core.hooksPath=/dev/null",
    "-c", "diff.external=",
    "-c", "core.quotePath=true",
    "-c", "safe.directory=*",
    "-c", "protocol.ext.allow=never",
)  # fmt: skip


# Larger files are not compared line by line: no scanner reads them, and their patch costs memory.
BIG_FILE = 5_000_000


class Git:
    """One checkout. All paths are relative to its top folder."""

    def __init__(self, run: Runner, root: Path, environment: Mapping[str, str] | None = None) -> None:
        self._run = run
        self.root = root
        self._environment = dict(environment) if environment is not None else None
        if self._environment is not None:
            self._environment["GIT_TERMINAL_PROMPT"] = "0"

    def call(self, *args: str, timeout_s: float = 120.0) -> Captured:
        """Run `git ARGS` here and return whatever it says."""
        done = self._run.capture(
            ["git", *_HARDENED, *args], cwd=self.root, env=self._environment, timeout_s=timeout_s
        )
        if done.exit_code == NOT_FOUND:
            message = f"git could not be started in {self.root}: {done.error_text.strip()}"
            raise GitError(message, hint="install git and check that the folder exists")
        return done

    def top(self) -> Path:
        """The top folder of the checkout we are in."""
        done = self.call("rev-parse", "--show-toplevel")
        if done.exit_code:
            message = f"{self.root} is not inside a git checkout"
            raise GitError(message, hint="run it in a clone, or name files with --all")
        return type(self.root)(done.text.rstrip("\n"))

    def commit(self, ref: str) -> str:
        """The full name of the commit that `ref` stands for."""
        done = self.call("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
        if done.exit_code:
            shallow = " (this clone is shallow)" if self.is_shallow() else ""
            message = f"no commit {ref!r} in {self.root}{shallow}"
            hint = "give actions/checkout `fetch-depth: 0`" if shallow else "fetch it, or name another one"
            raise GitError(message, hint=hint)
        return done.text.strip()

    def has(self, commit: str) -> bool:
        """Whether this clone holds a commit."""
        return self.call("cat-file", "-e", f"{commit}^{{commit}}").exit_code == 0

    def parents(self, commit: str) -> tuple[str, ...]:
        """The parents a commit names, also those that a shallow clone does not hold."""
        header = self.call("cat-file", "commit", commit).text.split("\n\n", 1)[0]
        return tuple(line.split(" ")[1] for line in header.splitlines() if line.startswith("parent "))

    def branch(self) -> str | None:
        """The branch that is checked out; None for a detached head."""
        return self.call("symbolic-ref", "--quiet", "--short", "HEAD").text.strip() or None

    def dirty(self) -> bool:
        """Whether tracked files differ from the head, or untracked ones are there."""
        return bool(self.call("status", "--porcelain", "--untracked-files=normal").stdout.strip())

    def deepen(self) -> None:
        """Fetch the history that a shallow clone lacks."""
        self.call("fetch", "--quiet", "--unshallow", "origin", timeout_s=600.0)

    def is_shallow(self) -> bool:
        """Whether history was cut off by the clone."""
        return self.call("rev-parse", "--is-shallow-repository").text.strip() == "true"

    def merge_base(self, base: str, head: str, *, deepen: bool = False) -> str:
        """The best common ancestor; with `deepen`, a shallow clone may fetch more history."""
        done = self.call("merge-base", base, head)
        if done.exit_code and deepen and self.is_shallow():
            self.deepen()
            done = self.call("merge-base", base, head)
        if done.exit_code:
            message = f"no common ancestor of {base[:12]} and {head[:12]} in this clone"
            if self.is_shallow():
                shallow = f"{message}, which is shallow"
                raise GitError(shallow, hint="give actions/checkout `fetch-depth: 0`, or set `deepen: true`")
            raise GitError(message, hint="the two histories are unrelated: name another --base")
        return done.text.strip()

    def fork_point(self, ref: str) -> str:
        """The best common ancestor of what is checked out and what `ref` stands for."""
        done = None if ref.startswith("-") else self.call("merge-base", f"{ref}^{{commit}}", "HEAD")
        # What is wrong is told by the two questions that it stands for.
        return done.text.strip() if done and not done.exit_code else self.merge_base(self.commit(ref), "HEAD")

    def diff(
        self, base: str, head: str | None, *, as_text: Sequence[str] = (), staged: bool = False
    ) -> bytes:
        """`changes.parse_git` reads it; `head=None` for the working tree. Renames are followed.

        `staged` compares the index instead, with `base` or, when that is empty, with the last commit.

        Files above `BIG_FILE` are told as binary. With `as_text` only these paths are compared, as
        text whatever the checkout's .gitattributes call them.
        """
        args = [
            *("-c", f"core.bigFileThreshold={BIG_FILE}", "--literal-pathspecs"),
            *("diff", "-z", "--raw", "--patch", "--full-index", "--unified=0", "--find-renames"),
            *("--no-ext-diff", "--no-textconv", "--no-color", "--submodule=short"),
            *(["--text"] if as_text else []),
            *(["--cached"] if staged else []),
            *("--src-prefix=a/", "--dst-prefix=b/", *(one for one in (base, head) if one), "--", *as_text),
        ]
        done = self.call(*args, timeout_s=300.0)
        if done.exit_code:
            message = f"git diff {base[:12]} failed: {done.error_text.strip()[-300:]}"
            raise GitError(message, hint="check that both commits are in this clone")
        return done.stdout

    def unstaged(self) -> tuple[str, ...]:
        """Files whose content in the working tree is not what the index holds, sorted."""
        return self._names("diff", "--name-only", "-z", "--no-ext-diff", "--no-textconv", "--no-renames")

    def renamed_since_change_of(self, path: str) -> dict[str, str]:
        """Old → new name of the files that were renamed after the last commit that touched `path`."""
        since = self.call("log", "-1", "--format=%H", "--", path).text.strip()
        if not since:
            return {}
        told = self._names("diff", "--name-status", "-z", "--find-renames", "--diff-filter=R", since, "--")
        # Three fields each: the similarity, the old and the new name.
        return dict(zip(told[1::3], told[2::3], strict=False))

    def show(self, commit: str, path: str) -> bytes | None:
        """A file as it stood at a commit (in the index for an empty one); None when it was not there."""
        done = self.call("cat-file", "blob", f"{commit}:{path}")
        return None if done.exit_code else done.stdout

    def names(self, commit: str, folder: str) -> tuple[str, ...]:
        """The names of what a folder held at a commit; none where it was not there."""
        return tuple(
            path.rpartition("/")[2]
            for path in self._names("ls-tree", "--name-only", "-z", commit, f"{folder}/")
        )

    def files(self) -> tuple[str, ...]:
        """Tracked files and untracked ones that are not ignored, sorted."""
        return self._list("--cached", "--others", "--exclude-standard")

    def untracked(self) -> tuple[str, ...]:
        """Files that are neither tracked nor ignored, sorted."""
        return self._list("--others", "--exclude-standard")

    def _list(self, *which: str) -> tuple[str, ...]:
        return tuple(sorted(set(self._names("ls-files", "-z", *which))))

    def _names(self, *command: str) -> tuple[str, ...]:
        done = self.call(*command)
        if done.exit_code:
            message = f"git {command[0]} failed in {self.root}: {done.error_text.strip()[-300:]}"
            raise GitError(message, hint="run it inside a checkout")
        names = done.stdout.decode("utf-8", "surrogateescape").split("\0")
        return tuple(name for name in names if name)

    def add_worktree(self, folder: Path, commit: str) -> None:
        """A separate checkout of `commit` in `folder` (which must not exist)."""
        done = self.call("worktree", "add", "--detach", "--force", str(folder), commit, timeout_s=600.0)
        if done.exit_code:
            message = f"cannot check out {commit[:12]} in {folder}: {done.error_text.strip()[-300:]}"
            raise GitError(message, hint="check free disk space and that the commit is in this clone")

    def remove_worktree(self, folder: Path) -> None:
        """Forget a worktree and delete its files."""
        self.call("worktree", "remove", "--force", str(folder))
        self.call("worktree", "prune")
